//! The console of 1998 in a real browser: a job in frames, in fields that nothing names, is recorded by a script and
//! replays without one, whatever comes between.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use waymark_fixture_apps::{Options, serve_meridian};

use crate::{Ran, Served, clicks, command, ran, root, waymark};

pub(crate) fn console() -> Result<Served> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let running = runtime.block_on(serve_meridian(Options::default()))?;
    let (address, log) = (running.base_url(), running.log());
    Ok((runtime, running, address, log))
}

/// The operator's credentials, as the profile binds them.
pub(crate) const OPERATOR: [(&str, &str); 2] = [("MERIDIAN_OPERATOR", "teller1"), ("MERIDIAN_PASSWORD", "demo123")];

/// A discovery by the script of this name into a folder, and its report.
pub(crate) fn discover(job: &str, start: &str, script: &Path, folder: &Path, more: &[&str]) -> Result<Value> {
    let output = Command::new(waymark()?)
        .current_dir(root())
        .args(["discover", "--json", "--provider", "scripted", "--goal-file", &format!("fixtures/goals/{job}.md")])
        .args(["--url", start, "--script"])
        .arg(script)
        .arg("--out")
        .arg(folder.join("artifacts"))
        .arg("--evidence")
        .arg(folder.join("evidence"))
        .args(more)
        .envs(OPERATOR)
        .output()?;
    serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A draft that replayed to its end.
pub(crate) fn recorded(job: &str, address: &str, folder: &Path, more: &[&str]) -> Result<String> {
    let script = format!("fixtures/scripts/{}.jsonl", job.replace('.', "_"));
    let report = discover(job, &format!("{address}/"), Path::new(&script), folder, more)?;
    ensure!(report["draft"]["verification"]["verified"] == "complete", "{report}");
    Ok(report["draft"]["file"].as_str().context("no draft")?.to_owned())
}

pub(crate) fn replayed(address: &str, artifact: &str, operator: [(&str, &str); 2], more: &[&str]) -> Result<Ran> {
    let evidence = tempfile::tempdir()?;
    let output = command(address, artifact, evidence.path(), more)?.envs(operator).output()?;
    ran(output, evidence)
}

#[test]
fn a_sign_on_in_a_frame_is_recorded_by_captions_and_replays_whatever_comes_between() -> Result<()> {
    let (_runtime, running, address, log) = console()?;
    let folder = tempfile::tempdir()?;
    let draft = recorded("meridian.sign_on", &address, folder.path(), &[])?;
    let text = std::fs::read_to_string(&draft)?;
    assert!(!text.contains("demo123") && !text.contains("teller1"), "{text}");
    let document: Value = serde_json::from_str(&text)?;
    assert!(document.get("parameters").is_none(), "it takes credentials and no values");
    let place = json!({ "frame": [{ "name": "main" }] });
    let screen = json!({ "kind": "screen_id", "place": place, "equals": "MI0200" });
    assert_eq!(document["application"]["screen_id"]["place"], place);
    assert!(document["checkpoint"]["condition"]["of"].as_array().is_some_and(|of| of.contains(&screen)), "{document}");

    for (fault, ended, recovered) in [
        ("", "0 none", ""),
        ("interstitial@MI0100", "0 none", "maintenance_notice"),
        ("native_dialog@MI0200", "0 none", "host_link_notice"),
        ("undeclared_dialog@MI0100", "3 unexpected_dialog", ""),
        ("duplicate_control@MI0100", "3 target_ambiguous", ""),
        ("app_error:1@MI0200", "1 app_error", ""),
        ("host_500:1@MI0200", "1 app_error", ""),
    ] {
        running.clear_faults();
        running.inject(fault.split_whitespace().map(str::parse).collect::<Result<Vec<_>, _>>()?)?;
        log.clear();
        let ran = replayed(&address, &draft, OPERATOR, &[])?;
        assert_eq!(ran.ended(), ended, "{fault}: {}", ran.result);
        assert!(ran.result["recovered"].to_string().contains(recovered), "{fault}: {}", ran.result["recovered"]);
        let expected = usize::from(!["3 target_ambiguous"].contains(&ended));
        assert_eq!(clicks(&log, "sign_on.submit"), expected, "{fault}");
        assert_eq!((log.count_below("/meridian/admin"), log.count(|event| !event.trusted)), (0, 0), "{fault}");
    }
    running.clear_faults();
    let nobody = [("MERIDIAN_OPERATOR", "nobody1"), ("MERIDIAN_PASSWORD", "wrong-one")];
    let wrong = replayed(&address, &draft, nobody, &[])?;
    assert_eq!(wrong.ended(), "2 credentials_rejected", "{}", wrong.result);
    Ok(())
}

#[test]
fn one_balance_is_read_by_a_capability_that_is_built_on_signing_on_and_survives_an_ended_session() -> Result<()> {
    const MEMBER: [&str; 2] = ["--params-file", "fixtures/params/member_12345.json"];
    let (_runtime, running, address, log) = console()?;
    let folder = tempfile::tempdir()?;
    let sign_on = recorded("meridian.sign_on", &address, folder.path(), &[])?;
    let draft = recorded("meridian.lookup_savings_balance", &address, folder.path(), &MEMBER)?;
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&draft)?)?;
    assert_eq!(document["steps"][0]["action"], json!({ "kind": "run", "subflow": "sign_on" }), "{document}");
    let cell = &document["steps"].as_array().context("no steps")?.last().context("no step")?["action"]["target"];
    let relation = &cell["candidates"][0]["find"]["relation"];
    assert_eq!(relation["keys"], json!([{ "column": "Account Type", "equals": "REGULAR SAVINGS" }]), "{cell}");
    assert_eq!(relation["header"], "Balance");

    for (fault, recovered) in [("", ""), ("session_expired:1@SA0320", "session_expired")] {
        running.clear_faults();
        running.inject(fault.split_whitespace().map(str::parse).collect::<Result<Vec<_>, _>>()?)?;
        log.clear();
        let ran = replayed(&address, &draft, OPERATOR, &MEMBER)?;
        assert_eq!(ran.ended(), "0 none", "{fault}: {}", ran.result);
        assert_eq!(ran.result["outputs"]["regular_savings_balance"]["amount"], "1234.56", "{}", ran.result);
        assert!(ran.result["recovered"].to_string().contains(recovered), "{fault}: {}", ran.result["recovered"]);
        assert_eq!(clicks(&log, "sign_on.submit"), 1 + usize::from(!fault.is_empty()), "{fault}");
    }
    running.clear_faults();
    for (member, ended) in [("00000", "2 member_not_found"), ("34567", "2 not_entitled")] {
        let ran = replayed(&address, &draft, OPERATOR, &["--params", &format!(r#"{{"member_number": "{member}"}}"#)])?;
        assert_eq!(ran.ended(), ended, "{}", ran.result);
    }
    // What is pinned is looked for beside it, and is no other one.
    std::fs::remove_file(sign_on)?;
    let alone = replayed(&address, &draft, OPERATOR, &MEMBER);
    assert!(alone.is_err() || alone.is_ok_and(|ran| ran.exit != Some(0)));
    Ok(())
}
