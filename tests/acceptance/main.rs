//! The product as a caller meets it: the command line, a real browser, the stand-ins, and the stand-ins' own log.

mod abrupt;
mod bait;
mod cassettes;
mod console;
mod console_effects;
mod console_trials;
mod determinism;
mod discoveries;
mod discovery;
mod handoff;
mod hard_pages;
mod hostile;
mod payment;
mod promises;
mod redaction;
mod roles;
mod sealed;
mod suite;
mod tokens;
mod transfer;
mod traps;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;
use waymark_fixture_apps::{Delays, Log, Options, Running, serve_cases, serve_parabank};

const OVERVIEW: &str = "artifacts/parabank.read_accounts_overview.v1.json";
const ACTIVITY: &str = "artifacts/parabank.read_account_activity.v1.json";

/// How a press ends that nothing on the page proves: not a success, and not repeated.
const UNPROVEN: &str = "3 effect_unknown";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The binary lies two folders above the test's own program.
fn waymark() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).context("a test lies in a target folder")?;
    let binary = folder.join("waymark");
    anyhow::ensure!(binary.is_file(), "build it first: cargo build --package waymark");
    Ok(binary)
}

struct Ran {
    exit: Option<i32>,
    result: Value,
    journal: Vec<Value>,
    evidence: tempfile::TempDir,
}

impl Ran {
    fn code(&self) -> &str {
        ["business_outcome", "escalation", "error"]
            .iter()
            .find_map(|part| self.result[*part]["code"].as_str())
            .unwrap_or("none")
    }

    fn ended(&self) -> String {
        format!("{} {}", self.exit.unwrap_or(-1), self.code())
    }
}

fn replay(address: &str, artifact: &str, more: &[&str]) -> Result<Ran> {
    let evidence = tempfile::tempdir()?;
    let output = command(address, artifact, evidence.path(), more)?.output()?;
    ran(output, evidence)
}

fn command(address: &str, artifact: &str, evidence: &Path, more: &[&str]) -> Result<Command> {
    let mut command = Command::new(waymark()?);
    command
        .current_dir(root())
        .args(["replay", "--artifact", artifact, "--base-url", address, "--json", "--evidence"])
        .arg(evidence)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(command)
}

fn ran(output: Output, evidence: tempfile::TempDir) -> Result<Ran> {
    let result: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("stderr: {}", String::from_utf8_lossy(&output.stderr)))?;
    let mut journal = Vec::new();
    if let Some(folder) = result["evidence"].as_str() {
        for line in std::fs::read_to_string(Path::new(folder).join("run.jsonl"))?.lines() {
            journal.push(serde_json::from_str(line)?);
        }
    }
    one_authorization_per_dispatch(&journal);
    Ok(Ran { exit: output.status.code(), result, journal, evidence })
}

/// Every dispatch spends one authorization that was given before it, and none is spent twice.
fn one_authorization_per_dispatch(journal: &[Value]) {
    let mut open: Vec<u64> = Vec::new();
    for line in journal {
        let number = line["authorization"].as_u64().unwrap_or(0);
        match line["event"].as_str() {
            Some("authorized") if line["allowed"] == true => open.push(number),
            Some("dispatched") => {
                assert!(open.contains(&number), "dispatch {number} without authorization");
                open.retain(|n| *n != number);
            }
            _ => {}
        }
    }
}

type Served = (tokio::runtime::Runtime, Running, String, Log);

fn parabank(delays: Delays) -> Result<Served> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let running = runtime.block_on(serve_parabank(Options { delays, ..Options::default() }))?;
    let (address, log) = (running.base_url(), running.log());
    Ok((runtime, running, address, log))
}

fn cases() -> Result<Served> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let running = runtime.block_on(serve_cases(Options::default()))?;
    let (address, log) = (running.base_url(), running.log());
    Ok((runtime, running, address, log))
}

fn clicks(log: &Log, mark: &str) -> usize {
    log.count(|e| e.kind == "click" && e.mark.as_deref() == Some(mark))
}

#[test]
fn the_reference_capability_reads_three_rows_on_both_browsers() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    for browser in ["shell", "chromium"] {
        log.clear();
        let ran = replay(&address, OVERVIEW, &["--params-file", "fixtures/params/john.json", "--browser", browser])?;
        assert_eq!(ran.ended(), "0 none", "{}", ran.result);
        let rows: Vec<String> = ran.result["outputs"]["accounts"]["rows"]
            .as_array()
            .context("no rows")?
            .iter()
            .map(|r| format!("{} {} {}", r["account"], r["balance"]["amount"], r["balance"]["currency"]))
            .collect();
        assert_eq!(rows, [r#""12345" "-2300.00" "USD""#, r#""12456" "10.45" "USD""#, r#""12567" "100.00" "USD""#]);
        assert_eq!(clicks(&log, "login.submit"), 1);
        assert_eq!(log.count(|e| !e.trusted), 0);
    }
    Ok(())
}

#[test]
fn declared_answers_end_with_two_and_secrets_leave_no_trace() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let rejected = replay(&address, OVERVIEW, &["--params-file", "fixtures/params/wrong_password.json"])?;
    assert_eq!(rejected.ended(), "2 credentials_rejected");
    for entry in std::fs::read_dir(rejected.result["evidence"].as_str().context("no evidence")?)? {
        let path = entry?.path();
        if path.is_file() {
            assert!(!String::from_utf8_lossy(&std::fs::read(&path)?).contains("not-the-password"), "{path:?}");
        }
    }
    let empty = replay(&address, ACTIVITY, &["--params-file", "fixtures/params/activity_empty_month.json"])?;
    assert_eq!(empty.ended(), "2 no_transactions");
    let unknown = replay(&address, ACTIVITY, &["--params-file", "fixtures/params/unknown_account.json"])?;
    assert_eq!(unknown.ended(), "2 account_not_found");
    assert!(unknown.evidence.path().is_dir() && !unknown.journal.is_empty());
    Ok(())
}

#[test]
fn no_transactions_is_not_believed_before_the_answer_has_come() -> Result<()> {
    let slow = Delays { transactions: Duration::from_millis(2_000), ..Delays::default() };
    let (_runtime, _running, address, _log) = parabank(slow)?;
    let ran = replay(&address, ACTIVITY, &["--params-file", "fixtures/params/activity_12345.json"])?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    let rows = ran.result["outputs"]["transactions"]["rows"].as_array().map_or(0, Vec::len);
    assert!(rows > 1, "{}", ran.result);
    Ok(())
}

#[test]
fn what_is_there_twice_is_not_clicked() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let params = ["--params-file", "fixtures/params/john.json"];
    let ran = replay(&address, "fixtures/demo/parabank.ambiguous.v1.json", &params)?;
    assert_eq!(ran.ended(), "3 target_ambiguous");
    assert_eq!(log.count_requests(|r| r.path.ends_with("/about.htm")), 0);
    let (_runtime, _running, address, log) = cases()?;
    let ran = replay(&address, "fixtures/case-artifacts/l01_ambiguous.json", &[])?;
    assert_eq!(ran.ended(), "3 target_ambiguous");
    assert_eq!(log.count(|e| e.kind == "click"), 0);
    Ok(())
}

#[test]
fn the_hard_pages_get_exactly_the_press_that_was_meant() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    let run = |name: &str, more: &[&str]| replay(&address, &format!("fixtures/case-artifacts/{name}.json"), more);
    assert_eq!(run("l01_same_name_twice", &[])?.ended(), UNPROVEN);
    assert_eq!((clicks(&log, "L01.shipping.save"), clicks(&log, "L01.billing.save")), (1, 0));
    assert_eq!(run("f01_nested_framesets", &[])?.ended(), "0 none");
    assert_eq!((clicks(&log, "F01.work.search"), clicks(&log, "F01.bar.search")), (1, 0));
    assert_eq!(run("l06_new_ids", &["--params", r#"{"amount":"12.50"}"#])?.ended(), "0 none");
    assert_eq!(run("t01_replaced_button", &[])?.ended(), "0 none");
    assert_eq!(clicks(&log, "T01.go"), 1);
    assert_eq!(run("t02_covered", &[])?.ended(), "0 none");
    assert_eq!((clicks(&log, "T02.next"), clicks(&log, "T02.cover")), (1, 0));
    assert_eq!(run("t03_never_idle", &[])?.ended(), "0 none");
    Ok(())
}

#[test]
fn nothing_is_sent_where_the_policy_does_not_allow_it() -> Result<()> {
    let (_runtime, running, _address, log) = parabank(Delays::default())?;
    let elsewhere = format!("http://{}/elsewhere", running.addr());
    let ran = replay(&elsewhere, OVERVIEW, &["--params-file", "fixtures/params/john.json"])?;
    assert_eq!(ran.ended(), "3 policy_blocked");
    assert!(log.requests().is_empty());
    let (_runtime, _running, address, log) = cases()?;
    let save = "fixtures/case-artifacts/l01_same_name_twice.json";
    assert_eq!(replay(&address, save, &["--mode", "unattended"])?.ended(), "3 risk_approval");
    assert_eq!(log.count(|e| e.kind == "click"), 0);
    let granted = replay(&address, save, &["--mode", "unattended", "--approve-risk", "risky"])?;
    assert_eq!(granted.ended(), UNPROVEN);
    assert_eq!(clicks(&log, "L01.shipping.save"), 1);
    Ok(())
}

/// A run that waits for an answer that does not come, and what is done to it meanwhile.
fn disturbed(disturb: impl FnOnce(u32) -> Result<()>) -> Result<Ran> {
    let (runtime, _running, address, log) =
        parabank(Delays { accounts: Duration::from_secs(60), ..Delays::default() })?;
    let evidence = tempfile::tempdir()?;
    let params = ["--params-file", "fixtures/params/john.json"];
    let child = command(&address, OVERVIEW, evidence.path(), &params)?.spawn()?;
    let asked = log.wait_for(Duration::from_secs(60), |log| log.count_requests(|r| r.path.ends_with("/accounts")) > 0);
    let seen = runtime.block_on(asked);
    disturb(child.id())?;
    let ran = ran(child.wait_with_output()?, evidence)?;
    assert!(seen, "the run never came to the overview: {}", ran.result);
    Ok(ran)
}

/// The processes that a process started.
fn children(parent: u32) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent_of = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        if parent_of == Some(parent) {
            found.push(pid);
        }
    }
    Ok(found)
}

fn signal(name: &str, to: &str) -> Result<()> {
    anyhow::ensure!(Command::new("kill").args([name, "--", to]).status()?.success(), "kill {name} {to}");
    Ok(())
}

#[test]
fn a_browser_that_is_killed_fails_the_run_and_says_so() -> Result<()> {
    let ran = disturbed(|waymark| {
        let browsers = children(waymark)?;
        anyhow::ensure!(!browsers.is_empty(), "no browser was started");
        // The installed program may be a script that starts the browser: the whole process group goes.
        browsers.into_iter().try_for_each(|browser| signal("-KILL", &format!("-{browser}")))
    })?;
    assert_eq!(ran.ended(), "1 browser_gone");
    assert_eq!(ran.result["effect"], "none");
    Ok(())
}

#[test]
fn an_interrupted_run_still_gives_its_result() -> Result<()> {
    assert_eq!(disturbed(|waymark| signal("-INT", &waymark.to_string()))?.ended(), "130 interrupted");
    assert_eq!(disturbed(|waymark| signal("-TERM", &waymark.to_string()))?.ended(), "143 interrupted");
    Ok(())
}
