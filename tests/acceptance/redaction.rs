//! A secret leaves no trace: not in a file or a name of one, not in what is printed, not in a picture, however the run ends.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use waymark_fixture_apps::{Delays, Log, Options, Running, serve_parabank};
use waymark_test_support::canary::{picture_text, traces};

use crate::{Served, cases, children, command, parabank, root, signal, waymark};

const ECHO: &str = "fixtures/case-artifacts/r01_echo.json";
const OVERVIEW: &str = crate::OVERVIEW;
/// With signs that every encoding treats in its own way.
const REFERENCE: &str = "Kanarie 7 & \"Vogel\"";
const PASSWORD: &str = "Zaunkoenig<4>'Nest";
/// All that a run can be made to say.
const TALKATIVE: [&str; 3] = ["-vv", "--events", "--keep-inputs"];

/// A run that ended, with all that it left behind.
struct Left {
    exit: Option<i32>,
    code: String,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    evidence: tempfile::TempDir,
}

impl Left {
    fn ended(&self) -> String {
        format!("{} {}", self.exit.unwrap_or(-1), self.code)
    }

    /// Nothing of the values is in anything that is left; what is left is worth a search.
    fn is_without(&self, values: &[&str]) -> Result<()> {
        let streams: [(&str, &[u8]); 2] = [("standard output", &self.stdout), ("standard error", &self.stderr)];
        let found = traces(self.evidence.path(), &streams, values)?;
        anyhow::ensure!(found.is_empty(), "{}: {}", self.ended(), found.join("\n"));
        let journal = self.files("jsonl")?;
        anyhow::ensure!(journal.iter().any(|(name, text)| name == "run.jsonl" && text.lines().count() > 5));
        Ok(())
    }

    /// Files with an extension: their names and texts.
    fn files(&self, extension: &str) -> Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        let mut folders = vec![self.evidence.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|found| found == extension) {
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    found.push((name, String::from_utf8_lossy(&std::fs::read(&path)?).into_owned()));
                }
            }
        }
        Ok(found)
    }
}

/// Replays with parameters out of a file, and does something to the run once it has come far enough.
fn left(
    address: &str,
    artifact: &str,
    params: &Value,
    more: &[&str],
    disturb: impl FnOnce(u32) -> Result<()>,
) -> Result<Left> {
    left_with(address, artifact, params, more, &[], disturb)
}

fn left_with(
    address: &str,
    artifact: &str,
    params: &Value,
    more: &[&str],
    variables: &[(&str, &str)],
    disturb: impl FnOnce(u32) -> Result<()>,
) -> Result<Left> {
    let evidence = tempfile::tempdir()?;
    let given = tempfile::NamedTempFile::new()?;
    std::fs::write(given.path(), params.to_string())?;
    let file = given.path().to_str().context("a name that is no text")?;
    let child = command(address, artifact, evidence.path(), &["--params-file", file])?
        .args(TALKATIVE)
        .args(more)
        .envs(variables.iter().copied())
        .spawn()?;
    let disturbed = disturb(child.id());
    let output = child.wait_with_output()?;
    disturbed?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = printed.lines().last().unwrap_or_default();
    let result: Value = serde_json::from_str(last)
        .with_context(|| format!("no result in {printed:?}; stderr: {}", String::from_utf8_lossy(&output.stderr)))?;
    let code = ["business_outcome", "escalation", "error"].iter().find_map(|part| result[*part]["code"].as_str());
    Ok(Left {
        exit: output.status.code(),
        code: code.unwrap_or("none").to_owned(),
        stdout: output.stdout,
        stderr: output.stderr,
        evidence,
    })
}

fn undisturbed(_: u32) -> Result<()> {
    Ok(())
}

fn echo(ending: &str) -> Value {
    json!({"reference": REFERENCE, "ending": ending})
}

/// Waits until the page of a run has been asked to look up, and what it shows has been seen.
fn looked_up(runtime: &tokio::runtime::Runtime, log: &Log) -> Result<()> {
    let pressed = runtime.block_on(log.wait_for(Duration::from_secs(60), |log| log.count(|e| e.kind == "click") > 0));
    anyhow::ensure!(pressed, "it was never pressed");
    Ok(())
}

#[test]
fn a_reference_that_a_page_repeats_everywhere_leaves_no_trace_however_the_run_ends() -> Result<()> {
    let (runtime, _running, address, log) = cases()?;
    for (ending, expected) in [("done", "0 none"), ("none", "2 no_record"), ("twice", "3 target_ambiguous")] {
        let left = left(&address, ECHO, &echo(ending), &[], undisturbed)?;
        assert_eq!(left.ended(), expected, "{}", String::from_utf8_lossy(&left.stdout));
        left.is_without(&[REFERENCE])?;
        let told = left.files("jsonl")?;
        assert!(told.iter().any(|(_, text)| text.contains("redacted:reference")), "it was there to be found: {told:?}");
        assert!(left.files("png")?.len() > 2, "{told:?}");
    }
    for (name, expected) in [("-INT", "130 interrupted"), ("-TERM", "143 interrupted")] {
        log.clear();
        let left = left(&address, ECHO, &echo("never"), &[], |waymark| {
            looked_up(&runtime, &log)?;
            signal(name, &waymark.to_string())
        })?;
        assert_eq!(left.ended(), expected);
        left.is_without(&[REFERENCE])?;
    }
    log.clear();
    let left = left(&address, ECHO, &echo("never"), &[], |waymark| {
        looked_up(&runtime, &log)?;
        children(waymark)?.into_iter().try_for_each(|browser| signal("-KILL", &format!("-{browser}")))
    })?;
    assert_eq!(left.ended(), "1 browser_gone");
    left.is_without(&[REFERENCE])
}

/// The bank, where the member has a password of their own.
fn bank(delays: Delays) -> Result<Served> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let options = Options { delays, password: Some(PASSWORD.to_owned()), ..Options::default() };
    let running: Running = runtime.block_on(serve_parabank(options))?;
    let (address, log) = (running.base_url(), running.log());
    Ok((runtime, running, address, log))
}

#[test]
fn a_password_leaves_no_trace_however_the_run_ends() -> Result<()> {
    let right = json!({"username": "john", "password": PASSWORD});
    let (_runtime, _running, address, log) = bank(Delays::default())?;
    let success = left(&address, OVERVIEW, &right, &[], undisturbed)?;
    assert_eq!(success.ended(), "0 none");
    let typed = log.requests().iter().any(|r| r.fields.iter().any(|(_, value)| value == PASSWORD));
    assert!(typed, "the bank was given the password");
    success.is_without(&[PASSWORD])?;
    let wrong = json!({"username": "john", "password": format!("{PASSWORD}!")});
    let rejected = left(&address, OVERVIEW, &wrong, &[], undisturbed)?;
    assert_eq!(rejected.ended(), "2 credentials_rejected");
    rejected.is_without(&[PASSWORD])?;
    let ambiguous = left(&address, "fixtures/demo/parabank.ambiguous.v1.json", &right, &[], undisturbed)?;
    assert_eq!(ambiguous.ended(), "3 target_ambiguous");
    ambiguous.is_without(&[PASSWORD])?;

    let (runtime, _running, address, log) = bank(Delays { accounts: Duration::from_secs(60), ..Delays::default() })?;
    for (name, expected) in [("-KILL", "1 browser_gone"), ("-INT", "130 interrupted")] {
        log.clear();
        let ended = left(&address, OVERVIEW, &right, &[], |waymark| {
            let waits = |log: &Log| log.count_requests(|r| r.path.ends_with("/accounts")) > 0;
            anyhow::ensure!(runtime.block_on(log.wait_for(Duration::from_secs(60), waits)), "it never came there");
            match name {
                "-INT" => signal(name, &waymark.to_string()),
                _ => children(waymark)?.into_iter().try_for_each(|browser| signal(name, &format!("-{browser}"))),
            }
        })?;
        assert_eq!(ended.ended(), expected);
        ended.is_without(&[PASSWORD])?;
    }
    Ok(())
}

#[test]
fn a_credential_out_of_the_environment_leaves_no_trace() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("config");
    std::fs::create_dir_all(config.join("profiles"))?;
    for file in ["allowlist.yaml", "risk_policy.yaml", "redaction.yaml"] {
        std::fs::copy(root().join("config").join(file), config.join(file))?;
    }
    std::fs::write(
        config.join("profiles/cases.yaml"),
        "version: 1\napplication: cases\ntitle: Hard pages\nentry_point: {variable: base_url, path: /R01.html}\nscreen_id: null\n\
         credentials:\n  - {name: code, source: env WAYMARK_TEST_CODE}\noutcomes: []\n",
    )?;
    let mut artifact: Value = serde_json::from_str(&std::fs::read_to_string(root().join(ECHO))?)?;
    artifact["parameters"].as_array_mut().context("no parameters")?.remove(0);
    artifact["credentials"] = json!([{"name": "code", "description": "What is looked up."}]);
    artifact["steps"][1]["action"]["value"] = json!({"from": "credential", "name": "code"});
    let file = folder.path().join("cases.r01_echo.json");
    std::fs::write(&file, artifact.to_string())?;
    let file = file.to_str().context("a name that is no text")?;
    let more = ["--config", config.to_str().context("a name that is no text")?];
    let variables = [("WAYMARK_TEST_CODE", REFERENCE)];
    for (ending, expected) in [("done", "0 none"), ("twice", "3 target_ambiguous")] {
        log.clear();
        let left = left_with(&address, file, &json!({"ending": ending}), &more, &variables, undisturbed)?;
        assert_eq!(left.ended(), expected, "{}", String::from_utf8_lossy(&left.stdout));
        assert!(log.count(|e| e.value.as_deref() == Some(REFERENCE)) > 0, "it was typed");
        left.is_without(&[REFERENCE])?;
    }
    Ok(())
}

#[test]
fn what_cannot_be_masked_is_not_written_and_the_run_fails() -> Result<()> {
    // What looks like a mask is not masked again, and so the value still stands there when it is searched for.
    let value = "‹redacted:Nachtigall›";
    let (_runtime, _running, address, _log) = cases()?;
    let left = left(&address, ECHO, &json!({"reference": value, "ending": "done"}), &[], undisturbed)?;
    assert_eq!(left.ended(), "1 redaction_failed", "{}", String::from_utf8_lossy(&left.stdout));
    for (place, text) in [("stdout", &left.stdout), ("stderr", &left.stderr)] {
        let text = String::from_utf8_lossy(text);
        assert!(!text.contains("Nachtigall"), "{place}: {text}");
    }
    for extension in ["json", "jsonl", "txt"] {
        for (name, text) in left.files(extension)? {
            assert!(!text.contains("Nachtigall"), "{name}: {text}");
        }
    }
    Ok(())
}

#[test]
fn wrong_parameters_are_told_without_their_values() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let long = format!("{PASSWORD}{}", "x".repeat(100));
    let transfer = "artifacts/parabank.transfer_funds.v1.json";
    let wrong = [
        (OVERVIEW, json!({"username": "john", "password": long}).to_string()),
        (OVERVIEW, json!({"username": "john", "password": {"is": PASSWORD}}).to_string()),
        (OVERVIEW, json!({"username": "john", "password": [PASSWORD]}).to_string()),
        (OVERVIEW, json!({"password": PASSWORD}).to_string()),
        (OVERVIEW, json!({"username": "john", "password": PASSWORD, "pasword": PASSWORD}).to_string()),
        (OVERVIEW, format!("{{\"username\": \"john\", \"password\": {PASSWORD}}}")),
        (OVERVIEW, format!("{{\"username\": \"john\", \"password\": \"{PASSWORD}")),
        (OVERVIEW, json!([PASSWORD]).to_string()),
        (OVERVIEW, json!(PASSWORD).to_string()),
        (transfer, json!({"username": "john", "password": "demo", "from_account": PASSWORD, "to_account": "12456", "amount": PASSWORD}).to_string()),
    ];
    for (artifact, text) in wrong {
        let given = tempfile::NamedTempFile::new()?;
        std::fs::write(given.path(), &text)?;
        let file = given.path().to_str().context("a name that is no text")?;
        for form in [&["--params-file", file, "--json"][..], &["--params-file", file, "-vv"], &["--params", &text]] {
            let evidence = tempfile::tempdir()?;
            let output = std::process::Command::new(waymark()?)
                .current_dir(root())
                .args(["replay", "--artifact", artifact, "--base-url", &address, "--evidence"])
                .arg(evidence.path())
                .args(form)
                .output()?;
            let streams: [(&str, &[u8]); 2] = [("stdout", &output.stdout), ("stderr", &output.stderr)];
            assert_eq!(output.status.code(), Some(4), "{text}: {}", String::from_utf8_lossy(&output.stderr));
            let found = traces(evidence.path(), &streams, &[PASSWORD])?;
            assert!(found.is_empty(), "{text}: {found:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    assert!(log.requests().is_empty());
    Ok(())
}

#[test]
fn the_documents_say_what_pictures_may_show() -> Result<()> {
    let readme = std::fs::read_to_string(root().join("README.md"))?;
    let help = std::process::Command::new(waymark()?).args(["replay", "--help"]).output()?;
    for text in [readme, String::from_utf8_lossy(&help.stdout).into_owned()] {
        let words = text.replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        assert!(words.contains("pictures") && words.contains("painted over"), "{text}");
        assert!(words.contains("anything else that was"), "{text}");
    }
    Ok(())
}

/// The search itself can find: an unmasked picture is read, and a folder that holds a secret is told.
#[test]
fn the_search_would_find_what_it_searches_for() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (_runtime, _running, address, _log) = cases()?;
    // The same run, where nothing says that the reference is a secret.
    let mut artifact: Value = serde_json::from_str(&std::fs::read_to_string(root().join(ECHO))?)?;
    artifact["parameters"][0]["sensitive"] = json!(false);
    let file = folder.path().join("cases.r01_echo.json");
    std::fs::write(&file, artifact.to_string())?;
    let file = file.to_str().context("a name that is no text")?;
    let left = left(&address, file, &echo("done"), &[], undisturbed)?;
    assert_eq!(left.ended(), "0 none", "{}", String::from_utf8_lossy(&left.stdout));
    let found = traces(left.evidence.path(), &[("stdout", &left.stdout)], &[REFERENCE])?;
    for place in ["run.jsonl", "result.json", "seen in the picture", "stdout"] {
        assert!(found.iter().any(|trace| trace.contains(place)), "{place} is not in {found:?}");
    }
    let seen = pictures(left.evidence.path())?.iter().any(|text| text.contains("Vogel"));
    assert!(seen, "no picture shows it");
    Ok(())
}

fn pictures(evidence: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for run in std::fs::read_dir(evidence)? {
        let folder = run?.path().join("screenshots");
        if !folder.is_dir() {
            continue;
        }
        for picture in std::fs::read_dir(folder)? {
            texts.push(picture_text(&std::fs::read(picture?.path())?)?);
        }
    }
    Ok(texts)
}
