//! The console's capabilities under everything that is declared of them: scenarios, tenants, faults, and the five endings in
//! one go. The stand-in decides what was touched and booked.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use waymark_eval::{read_faults, read_scenarios, render_faults, render_scenarios};

use crate::console::{OPERATOR, console};
use crate::{command, ran, root, waymark};

const REPORTS: &str = "evidence/evals";

fn tried(arguments: &[&str]) -> Result<(Option<i32>, Value)> {
    let output = Command::new(waymark()?).current_dir(root()).args(arguments).arg("--json").output()?;
    let said =
        serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok((output.status.code(), said))
}

#[test]
fn every_scenario_of_the_console_ends_as_it_is_declared_for_every_tenant() -> Result<()> {
    let (exit, said) = tried(&["eval", "scenarios", "--runs", "1", "--jobs", "4"])?;
    let lines = said["lines"].as_array().context("no lines")?;
    let otherwise: Vec<&Value> = lines.iter().filter(|line| line["as_declared"] != line["runs"]).collect();
    assert!(otherwise.is_empty(), "{otherwise:#?}");
    assert_eq!(exit, Some(0));
    for count in ["wrong_actions", "unauthorized", "repeated", "forbidden"] {
        assert!(lines.iter().all(|line| line[count] == 0), "{count}: {said}");
    }
    let stale = lines.iter().find(|line| line["scenario"].as_str().is_some_and(|name| name.starts_with("a stale")));
    assert!(stale.is_some_and(|line| line["drift"].as_u64() > line["base_drift"].as_u64()), "{stale:?}");
    let of_tenant = |tenant: &str| lines.iter().filter(|line| line["tenant"] == tenant).count();
    assert!(of_tenant("harbor") >= 4 && of_tenant("lindow") >= 3, "{said}");
    // On the restyled console no hint of the driver leads anywhere, and what was recorded is far from it.
    for line in lines.iter().filter(|line| line["variant"] == "b" && line["tenant"] == "harbor") {
        assert_eq!((&line["hints_matching"], &line["drift"]), (&0.into(), &0.into()), "{line}");
        assert!(line["hints"].as_u64() > Some(0) && line["base_drift"].as_u64() > Some(0), "{line}");
    }
    Ok(())
}

#[test]
fn a_stale_overlay_falls_back_succeeds_and_names_the_rung_that_matched() -> Result<()> {
    let (_runtime, _running, address, _log) = console()?;
    let evidence = tempfile::tempdir()?;
    let artifact = "artifacts/meridian.lookup_savings_balance.v1.json";
    let member = ["--params-file", "fixtures/params/member_12345.json", "--tenant", "harbor"];
    let output = command(&address, artifact, evidence.path(), &member)?.envs(OPERATOR).output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let ran = ran(output, evidence)?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    let drift = &ran.result["drift"];
    // A way by a row that is not there lets no way without that row decide: the stored way by the row is what matched.
    assert!(drift["base_score"].as_u64() < drift["score"].as_u64(), "{drift}");
    assert!(said.contains("step press_inquire matched rung 3 (role_name)"), "{said}");
    Ok(())
}

#[test]
fn a_trial_that_touches_what_is_not_declared_or_ends_otherwise_is_told_and_fails() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("wrong.yaml");
    std::fs::write(
        &file,
        "version: 1\ncapability: meridian.sign_on\ntouches: [sign_on.operator, sign_on.password]\nscenarios:\n  \
         - {name: signs on, ends: credentials_rejected}\n",
    )?;
    let (exit, said) = tried(&["eval", "scenarios", file.to_str().context("a plain path")?])?;
    let line = &said["lines"][0];
    assert_eq!((exit, &line["as_declared"]), (Some(1), &0.into()), "{said}");
    let wrong = line["wrong"].to_string();
    assert!(line["wrong_actions"].as_u64() > Some(0) && wrong.contains("click on sign_on.submit"), "{said}");
    assert!(wrong.contains("it ended as 0 success, and not as credentials_rejected"), "{said}");
    Ok(())
}

#[test]
fn the_demonstration_shows_the_five_endings_with_one_artifact() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (exit, said) = tried(&["demo", "--evidence", folder.path().to_str().context("a plain path")?])?;
    let ended: Vec<&str> =
        said["scenes"].as_array().into_iter().flatten().filter_map(|s| s["ended"].as_str()).collect();
    assert_eq!(ended, ["0 success", "2 member_not_found", "0 success", "1 app_error", "3 checkpoint_unmet"], "{said}");
    assert_eq!(exit, Some(0), "{said}");
    Ok(())
}

#[test]
fn faults_of_the_console_drawn_by_a_seed_bring_no_wrong_answer_and_no_second_record() -> Result<()> {
    let (exit, said) = tried(&["eval", "faults", "--sample", "24", "--seed", "5", "--jobs", "2"])?;
    let wrong: Vec<&Value> =
        said["lines"].as_array().into_iter().flatten().filter(|line| line["wrong"] != serde_json::json!([])).collect();
    assert!(wrong.is_empty() && exit == Some(0), "{wrong:#?}");
    ensure!(said["lines"].as_array().is_some_and(|lines| lines.len() == 24), "{said}");
    Ok(())
}

#[test]
fn the_stored_reports_are_what_their_lines_say() -> Result<()> {
    let folder = root().join(REPORTS);
    let told = |name: &str, from_lines: &str| -> Result<String> {
        let file = folder.join(format!("{name}.md"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, from_lines)?;
        }
        Ok(std::fs::read_to_string(&file)?)
    };
    for name in ["scenarios", "cross_tenant", "determinism_headless"] {
        let report = read_scenarios(&folder, name)?;
        let rendered = render_scenarios(name, &report);
        assert_eq!(told(name, &rendered)?, rendered, "{name}: UPDATE=1 writes it anew");
        assert!(report.is_as_declared(), "{name}");
        // A notice that comes while a screen is being put together is seen now before and now after what it covers.
        let same = report.deterministic().values().all(|same| *same);
        assert!(same || !name.starts_with("determinism"), "{name}");
    }
    let faults = read_faults(Path::new(&folder))?;
    let rendered = render_faults(&faults);
    assert_eq!((told("meridian", &rendered)?, faults.wrong()), (rendered, 0));
    ensure!(faults.lines.len() > 500, "the whole matrix, and not a sample");
    Ok(())
}
