//! What is promised of every call, seen from outside.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;
use waymark_fixture_apps::{Delays, Options, serve_parabank};

use crate::{OVERVIEW, clicks, parabank, replay, root, waymark};

fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

#[test]
fn a_hard_failure_says_where_and_leaves_a_picture_and_the_screen_as_text() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let faults = vec!["server_error:always@overview".parse()?];
    let running = runtime.block_on(serve_parabank(Options { faults, ..Options::default() }))?;
    let ran = replay(&running.base_url(), OVERVIEW, &["--params-file", "fixtures/params/john.json"])?;
    assert_eq!(ran.ended(), "1 app_error", "{}", ran.result);
    assert_eq!(ran.result["error"]["step"], "press_log_in");
    assert!(ran.result["error"]["message"].as_str().is_some_and(|text| text.contains("500")), "{}", ran.result);
    let folder = Path::new(ran.result["evidence"].as_str().context("no evidence")?).to_path_buf();
    assert!(names(&folder.join("screenshots"))?.iter().any(|name| name.ends_with(".png")));
    let snapshots = names(&folder.join("snapshots"))?;
    let text = fs::read_to_string(folder.join("snapshots").join(snapshots.first().context("no snapshot")?))?;
    assert!(text.contains("Error!"), "{text}");
    assert_eq!(clicks(&running.log(), "login.submit"), 1);
    Ok(())
}

#[test]
fn validation_starts_no_other_process() -> Result<()> {
    let trace = tempfile::NamedTempFile::new()?;
    let traced = |arguments: &[&str]| -> Result<usize> {
        let mut command = Command::new("strace");
        command.current_dir(root()).args(["-f", "-e", "trace=execve", "-o"]).arg(trace.path()).arg(waymark()?);
        let output = command.args(arguments).output().context("strace is not installed")?;
        anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let text = fs::read_to_string(trace.path())?;
        Ok(text.lines().filter(|line| line.contains("execve(") && line.contains(" = 0")).count())
    };
    // The program itself is the one.
    assert_eq!(traced(&["validate", OVERVIEW])?, 1);
    // The control: what asks installed browsers for their versions is seen.
    assert!(traced(&["doctor"])? > 1);
    Ok(())
}

#[test]
fn an_agent_finds_a_capability_reads_what_it_takes_and_invokes_it_by_name() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let asked = |arguments: &[&str]| -> Result<Value> {
        let output = Command::new(waymark()?).current_dir(root()).args(arguments).arg("--json").output()?;
        serde_json::from_slice(&output.stdout).with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let catalog = asked(&["list"])?;
    let mut safe = catalog["items"].as_array().into_iter().flatten().filter(|item| item["risk"] == "safe");
    let id =
        safe.find_map(|item| item["id"].as_str().filter(|id| id.contains("activity"))).context("none is listed")?;
    let described = asked(&["describe", id])?;
    let given: Value = serde_json::from_slice(&fs::read(root().join("fixtures/params/activity_12345.json"))?)?;
    assert!(jsonschema::is_valid(&described["parameters"], &given), "{described:#}");

    let evidence = tempfile::tempdir()?;
    let place = evidence.path().to_str().context("a plain path")?;
    let call = ["--base-url", address.as_str(), "--params-file", "fixtures/params/activity_12345.json"];
    let invoked = asked(&[&["invoke", id, "--evidence", place][..], &call].concat())?;
    assert_eq!(invoked["status"], "success", "{invoked:#}");
    assert!(jsonschema::is_valid(&described["outputs"], &invoked["outputs"]), "{:#}", described["outputs"]);

    let file = described["file"].as_str().context("no file")?;
    let replayed = replay(&address, file, &["--mode", "unattended", call[2], call[3]])?;
    for part in ["capability", "outputs", "status", "effect_journal"] {
        assert_eq!(invoked[part], replayed.result[part], "{part}");
    }
    Ok(())
}
