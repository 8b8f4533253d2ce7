//! A replaying process talks to nobody but its browser, and to that through a pipe: seen from outside, by its system
//! calls.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result};
use waymark_fixture_apps::Delays;

use crate::{OVERVIEW, parabank, ran, root, waymark};

/// What a process without keys still has.
const KEPT: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

/// Runs a replay with no variable but the kept ones, and gives the sockets that the process and its threads opened.
/// The browser is let go when it becomes a program of its own: its sockets are not ours.
fn traced(address: &str, evidence: &Path, more: &[&str]) -> Result<(Output, Vec<String>)> {
    let log = evidence.join("calls.txt");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-b", "execve", "-e", "trace=network", "-e", "signal=none", "-o"]).arg(&log);
    command.arg(waymark()?).current_dir(root()).env_clear();
    for name in KEPT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .args(["replay", "--artifact", OVERVIEW, "--params-file", "fixtures/params/john.json"])
        .args(["--base-url", address, "--json", "--evidence"])
        .arg(evidence.join("runs"))
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let output = command.output().context("strace could not be started: apt-get install strace")?;
    let calls = std::fs::read_to_string(&log)?;
    Ok((output, calls.lines().filter(|line| line.contains("socket(")).map(str::to_owned).collect()))
}

fn inet(calls: &[String]) -> Vec<&String> {
    calls.iter().filter(|call| call.contains("AF_INET")).collect()
}

#[test]
fn a_replay_without_keys_opens_no_socket_but_its_browser_s() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let evidence = tempfile::tempdir()?;
    let (output, calls) = traced(&address, evidence.path(), &[])?;
    let ran = ran(output, evidence)?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    assert!(inet(&calls).is_empty(), "{calls:#?}");
    Ok(())
}

/// The positive control: a process that does open one is seen.
#[test]
fn the_seal_sees_a_process_that_opens_a_socket() -> Result<()> {
    let (_runtime, running, address, _log) = parabank(Delays::default())?;
    let evidence = tempfile::tempdir()?;
    // The stand-in speaks no protocol of a browser; asking it is enough.
    let browser = format!("ws://{}/devtools/browser/none", running.addr());
    let (output, calls) = traced(&address, evidence.path(), &["--browser", &browser])?;
    let ran = ran(output, evidence)?;
    assert_eq!(ran.ended(), "1 browser_unavailable", "{}", ran.result);
    assert!(!inet(&calls).is_empty(), "{calls:#?}");
    Ok(())
}
