//! The two roles of a discovery, and credentials that a model knows by name: over a real browser and the stand-in.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use waymark_fixture_apps::{Delays, Log};

use crate::{parabank, root, waymark};

/// Signs on with the profile's credentials and fills the form in which four buttons have one name.
const SIGN_ON: &str = r#"
{"action": "type", "label": "Username", "value": "username", "reason": "signs on"}
{"action": "type", "label": "Password", "value": "password", "reason": "signs on"}
{"action": "click", "label": "Log In", "reason": "signs on"}
{"action": "click", "label": "Find Transactions", "reason": "leads to the form"}
"#;
const SEARCH: &str = r#"
{"action": "type", "label": "Find by Amount", "value": "amount", "reason": "the amount"}
{"action": "click", "label": "Find Transactions button", "reason": "starts the search by amount"}
"#;
const BY_AMOUNT: &str = r#"
{"for": "selector", "element": {"role": "button", "name": "Find Transactions", "context": "Find by Amount"}, "reason": "it stands below the amount"}
{"action": "done", "reason": "the results are there"}
"#;
/// What stands nowhere else, so that any trace of it is one.
const SECRET: &str = "Quartz-Ladder-77-canary";
const USER: &str = "harbour.canary.user";
const GIVES_UP: &str = r#"{"action": "blocked", "text": "not told apart", "reason": "no way on"}"#;

struct Recorded {
    exit: Option<i32>,
    report: Value,
    told: String,
    folder: tempfile::TempDir,
}

impl Recorded {
    fn journal(&self) -> Result<String> {
        let folder = self.report["result"]["evidence"].as_str().with_context(|| self.told.clone())?;
        Ok(std::fs::read_to_string(Path::new(folder).join("run.jsonl"))?)
    }

    fn draft(&self) -> Result<String> {
        Ok(self.report["draft"]["file"].as_str().with_context(|| self.report.to_string())?.to_owned())
    }

    /// Nothing of the values is in any byte of what was written, nor of what was printed.
    fn is_without(&self, values: &[&str], more: &[u8]) -> Result<()> {
        let said = self.report.to_string();
        let others = [("report", said.as_bytes()), ("stderr", self.told.as_bytes()), ("a replay", more)];
        let traces = waymark_test_support::canary::traces(self.folder.path(), &others, values)?;
        ensure!(traces.is_empty(), "{traces:?}");
        Ok(())
    }
}

/// Makes somebody a member of the bank.
fn register(address: &str, username: &str, password: &str) -> Result<()> {
    let customer =
        ["firstName", "lastName", "address.street", "address.city", "address.state", "address.zipCode", "ssn"];
    let fields: String = customer.iter().map(|field| format!("customer.{field}=Vesper&")).collect();
    let form = format!("{fields}customer.username={username}&customer.password={password}&repeatedPassword={password}");
    let host = address.trim_start_matches("http://").trim_end_matches("/parabank");
    let mut stream = TcpStream::connect(host)?;
    let kind = "application/x-www-form-urlencoded";
    write!(
        stream,
        "POST /parabank/register.htm HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    ensure!(answer.contains("Customer Created"), "{answer}");
    Ok(())
}

/// Discovers the search by amount, by this script and with these credentials.
fn record(address: &str, turns: &[&str], credentials: [&str; 2]) -> Result<Recorded> {
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("turns.jsonl");
    std::fs::write(&script, turns.concat())?;
    let output = Command::new(waymark()?)
        .current_dir(root())
        .args(["discover", "--json", "--provider", "scripted", "--script"])
        .arg(&script)
        .args(["--url", &format!("{address}/index.htm"), "--capability", "parabank.find_by_amount"])
        .args(["--goal", "Sign on with the credentials of the profile and find the transactions of the amount."])
        .args(["--success", "Text: Transaction Results", "--param", "amount=100.00", "--out"])
        .arg(folder.path().join("artifacts"))
        .arg("--evidence")
        .arg(folder.path().join("evidence"))
        .env("PARABANK_USERNAME", credentials[0])
        .env("PARABANK_PASSWORD", credentials[1])
        .output()?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).with_context(|| told.clone())?;
    Ok(Recorded { exit: output.status.code(), report, told, folder })
}

fn searches(log: &Log) -> usize {
    log.count_requests(|request| request.path.contains("/transactions/"))
}

#[test]
fn where_four_buttons_have_one_name_the_selector_decides_which_one_is_recorded() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let found = record(&address, &[SIGN_ON, SEARCH, BY_AMOUNT], ["john", "demo"])?;
    ensure!(found.exit == Some(0), "{} {}", found.told, found.report);
    assert_eq!(found.report["told_apart_by"]["simulated"], true);
    assert_eq!((&found.report["turns"], &found.report["calls"]), (&json!(7), &json!(8)), "one call more than turns");
    assert_eq!(log.count_requests(|r| r.path.contains("/amount/100")), 2, "once recorded, once verified");
    assert_eq!(searches(&log), 2, "no other search was sent");
    let journal = found.journal()?;
    let roles = |role: &str| journal.lines().filter(|line| line.contains(&format!("\"role\":\"{role}\""))).count();
    assert_eq!((roles("navigator"), roles("selector")), (7, 1));
    let at = |part: &str| journal.find(part).with_context(|| format!("{part} is missing: {journal}"));
    let question = at("\"event\":\"asked_which\"")?;
    ensure!(question < at("\"role\":\"selector\"")?, "the question is written before it is answered");
    let draft: Value = serde_json::from_slice(&std::fs::read(found.draft()?)?)?;
    assert_eq!(draft["provenance"]["simulated"], true);
    assert!(draft["provenance"]["note"].as_str().is_some_and(|note| note.contains("told apart")), "{draft}");
    Ok(())
}

#[test]
fn a_wrong_choice_of_the_selector_is_a_result_and_presses_nothing() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    for (answer, said) in [
        (json!({"for": "selector", "arguments": {"reason": "r", "element": null}}), "cannot say which one"),
        (json!({"for": "selector", "arguments": {"reason": "r", "element": 9_999}}), "answers 9999, which is none of"),
        (json!({"for": "selector", "arguments": {"reason": "r", "element": "the last"}}), "answer cannot be used"),
    ] {
        log.clear();
        let answer = format!("{answer}\n");
        let found = record(&address, &[SIGN_ON, SEARCH, &answer, GIVES_UP], ["john", "demo"])?;
        assert_eq!(found.report["result"]["error"]["code"], "blocked", "{} {}", found.told, found.report);
        assert_eq!((found.exit, searches(&log)), (Some(1), 0), "{}", found.told);
        assert!(found.journal()?.contains(said), "{said:?} is missing");
        assert!(found.report["draft"].is_null() && !found.folder.path().join("artifacts").join("records").exists());
    }
    Ok(())
}

#[test]
fn a_sign_on_by_credentials_is_recorded_as_references_and_replays_from_their_sources() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    register(&address, USER, SECRET)?;
    let found = record(&address, &[SIGN_ON, SEARCH, BY_AMOUNT], [USER, SECRET])?;
    ensure!(found.exit == Some(0), "{} {}", found.told, found.report);
    assert_eq!(found.report["draft"]["verification"]["verified"], "complete");
    let document: Value = serde_json::from_slice(&std::fs::read(found.draft()?)?)?;
    for (step, name) in [(1, "username"), (2, "password")] {
        let value = &document["steps"][step]["action"]["value"];
        assert_eq!(value, &json!({"from": "credential", "name": name}), "{document}");
    }
    assert_eq!(document["credentials"].as_array().map(Vec::len), Some(2));
    let prompts = found.journal()?;
    assert!(prompts.contains("username (credential), password (credential)"), "{prompts}");
    let replay = |set: bool| -> Result<(Option<i32>, Value, Vec<u8>)> {
        let mut command = Command::new(waymark()?);
        command.current_dir(root()).args(["replay", "--json", "--base-url", &address, "--param", "amount=100.00"]);
        command.arg("--artifact").arg(found.draft()?).arg("--evidence").arg(found.folder.path().join("replays"));
        command.arg("--keep-inputs").env_remove("PARABANK_USERNAME").env_remove("PARABANK_PASSWORD");
        if set {
            command.env("PARABANK_USERNAME", USER).env("PARABANK_PASSWORD", SECRET);
        }
        let output = command.output()?;
        let result = serde_json::from_slice(&output.stdout)?;
        Ok((output.status.code(), result, [output.stdout, output.stderr].concat()))
    };
    let (exit, result, said) = replay(true)?;
    assert_eq!(exit, Some(0), "{result}");
    found.is_without(&[USER, SECRET], &said)?;
    let (exit, result, _) = replay(false)?;
    assert_eq!((exit, &result["error"]["code"]), (Some(1), &json!("credential_unavailable")), "{result}");
    Ok(())
}

#[test]
fn a_credential_goes_only_where_it_is_hidden_or_where_the_profile_says() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let astray = r#"
{"action": "type", "label": "Find by Amount", "value": "username", "reason": "the page asks for it"}
{"action": "blocked", "text": "refused", "reason": "no way on"}
"#;
    let found = record(&address, &[SIGN_ON, astray], ["john", "demo"])?;
    assert_eq!(found.report["result"]["error"]["code"], "blocked", "{} {}", found.told, found.report);
    assert!(found.journal()?.contains("`username` is secret, and this field shows"), "{}", found.told);
    let shown = r#"
{"action": "type", "label": "Username", "value": "password", "reason": "the page asks for it"}
{"action": "blocked", "text": "refused", "reason": "no way on"}
"#;
    let found = record(&address, &[shown], ["john", "demo"])?;
    assert!(found.journal()?.contains("`password` is secret, and this field shows"), "{}", found.told);
    Ok(())
}

#[test]
fn a_credential_stands_in_no_byte_of_what_a_discovery_writes_and_is_not_offered_without_a_value() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let found = record(&address, &[SIGN_ON, GIVES_UP], [USER, SECRET])?;
    assert_eq!(found.exit, Some(1), "the bank does not know them: {}", found.report);
    found.is_without(&[USER, SECRET], b"")?;
    let found = record(&address, &[SIGN_ON, GIVES_UP], [USER, ""])?;
    let notes = found.report["notes"].to_string();
    assert!(notes.contains("the credential `password` is not offered: its source holds nothing"), "{notes}");
    let journal = found.journal()?;
    assert!(journal.contains("there is no value `password`; there are: amount, username"), "{journal}");
    Ok(())
}
