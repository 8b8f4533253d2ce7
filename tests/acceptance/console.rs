//! The console of 1998 in a real browser: a job in frames, in fields that nothing names, is recorded by a script and
//! replays without one, whatever comes between.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use waymark_fixture_apps::{Options, serve_meridian};

use crate::{Served, clicks, replay, root, waymark};

fn console() -> Result<Served> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let running = runtime.block_on(serve_meridian(Options::default()))?;
    let (address, log) = (running.base_url(), running.log());
    Ok((runtime, running, address, log))
}

#[test]
fn a_sign_on_in_a_frame_is_recorded_by_captions_and_replays_whatever_comes_between() -> Result<()> {
    const TELLER: [&str; 2] = ["--params-file", "fixtures/params/teller1.json"];
    let (_runtime, running, address, log) = console()?;
    let folder = tempfile::tempdir()?;
    let output = Command::new(waymark()?)
        .current_dir(root())
        .args(["discover", "--json", "--provider", "scripted", "--script", "fixtures/scripts/meridian_sign_on.jsonl"])
        .args(["--goal-file", "fixtures/goals/meridian.sign_on.md", "--url", &format!("{address}/"), "--out"])
        .arg(folder.path().join("artifacts"))
        .arg("--evidence")
        .arg(folder.path().join("evidence"))
        .args(TELLER)
        .output()?;
    let report: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(output.status.code() == Some(0), "{} {report}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(report["draft"]["verification"]["verified"], "complete", "{report}");
    let draft = report["draft"]["file"].as_str().context("no draft")?.to_owned();
    assert!(!std::fs::read_to_string(&draft)?.contains("demo123"));

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
        let ran = replay(&address, &draft, &TELLER)?;
        assert_eq!(ran.ended(), ended, "{fault}: {}", ran.result);
        assert!(ran.result["recovered"].to_string().contains(recovered), "{fault}: {}", ran.result["recovered"]);
        let expected = usize::from(!["3 target_ambiguous"].contains(&ended));
        assert_eq!(clicks(&log, "sign_on.submit"), expected, "{fault}");
        assert_eq!((log.count_below("/meridian/admin"), log.count(|event| !event.trusted)), (0, 0), "{fault}");
    }
    running.clear_faults();
    let wrong = replay(&address, &draft, &["--params", r#"{"operator_id": "nobody", "operator_password": "x"}"#])?;
    assert_eq!(wrong.ended(), "2 credentials_rejected", "{}", wrong.result);
    Ok(())
}
