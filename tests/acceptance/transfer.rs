//! A transfer that cannot be taken back: sent with approval and consent only, at most once whatever happens, and what
//! came of it is told truthfully. The bank's own log says what was sent.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use waymark_fixture_apps::{Delays, Fault, Log, Options, serve_parabank};

use crate::traps::end_session;
use crate::{Ran, Served, clicks, command, replay, root, waymark};

const TRANSFER: &str = "artifacts/parabank.transfer_funds.v1.json";
const CONSENT: [&str; 4] = ["--mode", "unattended", "--approve-risk", "irreversible"];

/// An amount that no transaction of the bank has yet, and one that one transfer of the account has already.
const NEW: &str = "12.50";
const LISTED: &str = "100.00";

/// The stand-in with these faults.
pub(crate) fn bank(faults: &[&str], delays: Delays) -> Result<Served> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let faults = faults.iter().map(|fault| Ok(fault.parse::<Fault>()?)).collect::<Result<_>>()?;
    let running = runtime.block_on(serve_parabank(Options { delays, faults, ..Options::default() }))?;
    let (address, log) = (running.base_url(), running.log());
    Ok((runtime, running, address, log))
}

fn params(amount: &str) -> String {
    json!({
        "username": "john", "password": "demo", "from_account": "12345", "to_account": "12456", "amount": amount,
    })
    .to_string()
}

/// A copy of an artifact, and a record beside it that approves it.
pub(crate) struct Approved {
    _folder: tempfile::TempDir,
    pub(crate) file: String,
}

/// The transfer, changed by `edit`.
fn approved(edit: impl FnOnce(&mut Value)) -> Result<Approved> {
    approved_copy(TRANSFER, edit)
}

/// Any artifact, by its path from the repository, changed by `edit`.
pub(crate) fn approved_copy(artifact: &str, edit: impl FnOnce(&mut Value)) -> Result<Approved> {
    let folder = tempfile::tempdir()?;
    let source = root().join(artifact);
    let file = folder.path().join(source.file_name().context("no file")?);
    let mut artifact: Value = serde_json::from_slice(&std::fs::read(&source)?)?;
    edit(&mut artifact);
    std::fs::write(&file, serde_json::to_vec(&artifact)?)?;
    let said = std::process::Command::new(waymark()?).args(["validate", "--json"]).arg(&file).output()?;
    let said: Value = serde_json::from_slice(&said.stdout)?;
    let digest = said["items"][0]["digest"].as_str().with_context(|| said.to_string())?;
    approve(folder.path(), &artifact, digest)?;
    let file = file.to_str().context("a plain path")?.to_owned();
    Ok(Approved { _folder: folder, file })
}

fn approve(folder: &Path, artifact: &Value, digest: &str) -> Result<()> {
    let record = json!({
        "schema": "waymark.approval/1", "id": artifact["id"], "version": artifact["version"], "digest": digest,
        "approved_by": "reviewer", "approved_at": "2026-11-30T00:00:00Z",
    });
    std::fs::create_dir_all(folder.join("records"))?;
    let name = format!("{}.approval.json", digest.trim_start_matches("sha256:"));
    Ok(std::fs::write(folder.join("records").join(name), serde_json::to_vec(&record)?)?)
}

/// The press gets so many milliseconds.
fn within(ms: u32) -> impl FnOnce(&mut Value) {
    move |artifact| {
        for step in artifact["steps"].as_array_mut().into_iter().flatten().filter(|s| s["id"] == "press_transfer") {
            step["deadline_ms"] = ms.into();
        }
    }
}

/// One transfer by the approved artifact, with consent.
fn transfer(address: &str, artifact: &Approved, amount: &str) -> Result<Ran> {
    replay(address, &artifact.file, &[&CONSENT[..], &["--params", &params(amount)]].concat())
}

/// How often the transfer was sent.
fn sent(log: &Log) -> usize {
    log.count_requests(|r| r.method == "POST" && r.path.ends_with("/transfer"))
}

/// Exit, code, effect, and how often it was sent.
fn told(ran: &Ran, log: &Log) -> String {
    let before =
        match ran.result["held_before"].as_array().is_some_and(|steps| steps.contains(&json!("press_transfer"))) {
            true => ", held before",
            false => "",
        };
    format!("{}, effect {}, sent {}{before}", ran.ended(), ran.result["effect"].as_str().unwrap_or("?"), sent(log))
}

#[test]
fn what_cannot_be_taken_back_is_sent_with_approval_and_consent_only() -> Result<()> {
    let (_runtime, _running, address, log) = bank(&[], Delays::default())?;
    let given = params(NEW);
    let given = ["--params", given.as_str()];
    let artifact = approved(|_| {})?;
    let refused = [
        (TRANSFER, &[][..]),
        (TRANSFER, &["--approve-risk", "irreversible"]),
        (TRANSFER, &CONSENT),
        (&artifact.file, &[]),
        (&artifact.file, &["--mode", "unattended", "--approve-risk", "risky"]),
    ];
    for (file, consent) in refused {
        let ran = replay(&address, file, &[consent, &given].concat())?;
        assert_eq!(told(&ran, &log), "3 risk_approval, effect none, sent 0", "{file} {consent:?}");
    }
    assert_eq!(clicks(&log, "transfer.submit"), 0);

    let ran = transfer(&address, &artifact, NEW)?;
    assert_eq!(told(&ran, &log), "0 none, effect done, sent 1", "{}", ran.result);
    assert_eq!(clicks(&log, "transfer.submit"), 1);
    let requests = log.requests();
    let post = requests.iter().find(|r| r.method == "POST" && r.path.ends_with("/transfer")).context("no transfer")?;
    assert_eq!(post.query, "fromAccountId=12345&toAccountId=12456&amount=12.50");
    assert_eq!(ran.result["outputs"]["balance"]["amount"], "-2312.50");
    let rows = ran.result["outputs"]["transactions"]["rows"].as_array().context("no rows")?.clone();
    let seen = rows.iter().filter(|r| r["debit"]["amount"] == NEW && r["description"] == "Funds Transfer Sent");
    assert_eq!(seen.count(), 1, "{rows:?}");
    Ok(())
}

#[test]
fn an_approval_lapses_with_any_change_and_an_amount_that_is_none_is_refused() -> Result<()> {
    let (_runtime, _running, address, log) = bank(&[], Delays::default())?;
    let artifact = approved(|_| {})?;
    let text = std::fs::read_to_string(&artifact.file)?;
    std::fs::write(
        &artifact.file,
        text.replace("Press the button \\\"Transfer\\\".", "Press the button \\\"Transfer\\\"!"),
    )?;
    let ran = transfer(&address, &artifact, NEW)?;
    assert_eq!(told(&ran, &log), "3 risk_approval, effect none, sent 0");

    log.clear();
    for amount in ["-12.50", "0.00", "12.505", "1e3", "12,50"] {
        let ran = transfer(&address, &artifact, amount)?;
        assert_eq!((ran.exit, ran.result["status"].as_str()), (Some(4), Some("rejected")), "{amount}");
    }
    assert!(log.requests().is_empty());
    Ok(())
}

#[test]
fn an_account_that_is_not_there_is_an_answer_before_anything_is_sent() -> Result<()> {
    let (_runtime, _running, address, log) = bank(&[], Delays::default())?;
    let artifact = approved(|_| {})?;
    for (was, code) in [("12345", "from_account_not_found"), ("12456", "to_account_not_found")] {
        let given = params(NEW).replace(was, "99999");
        let ran = replay(&address, &artifact.file, &[&CONSENT[..], &["--params", &given]].concat())?;
        assert_eq!(told(&ran, &log), format!("2 {code}, effect none, sent 0"), "{}", ran.result);
    }
    let given = params(NEW).replace("demo", "not-the-password");
    let ran = replay(&address, &artifact.file, &["--params", &given])?;
    assert_eq!(told(&ran, &log), "2 credentials_rejected, effect none, sent 0");
    Ok(())
}

#[test]
fn an_error_of_the_application_is_believed_no_more_than_its_activity() -> Result<()> {
    let artifact = approved(|_| {})?;
    for (fault, amount, expected) in [
        // It failed before anything moved.
        ("server_error:1@submit", NEW, "2 transfer_refused, effect none, sent 1"),
        // It moved the money and failed then: it shows the same error.
        ("server_error:1@booked", NEW, "0 none, effect done, sent 1"),
        // A transfer of the same amount was there before: one that shows proves nothing, nor do two.
        ("server_error:1@submit", LISTED, "3 effect_unknown, effect unknown, sent 1, held before"),
        ("server_error:1@booked", LISTED, "3 effect_unknown, effect unknown, sent 1, held before"),
    ] {
        let (_runtime, _running, address, log) = bank(&[fault], Delays::default())?;
        let ran = transfer(&address, &artifact, amount)?;
        assert_eq!(told(&ran, &log), expected, "{fault} {amount}: {}", ran.result);
        assert_eq!(clicks(&log, "transfer.submit"), 1);
    }
    let (_runtime, _running, address, log) = bank(&[], Delays::default())?;
    let ran = transfer(&address, &artifact, LISTED)?;
    assert_eq!(told(&ran, &log), "0 none, effect done, sent 1, held before", "{}", ran.result);
    Ok(())
}

#[test]
fn an_answer_that_is_late_is_waited_for_and_one_that_does_not_come_is_looked_up() -> Result<()> {
    let slow = |submit| Delays { submit: Duration::from_millis(submit), ..Delays::default() };
    let artifact = approved(|_| {})?;
    let (_runtime, _running, address, log) = bank(&[], slow(4_000))?;
    let ran = transfer(&address, &artifact, NEW)?;
    assert_eq!(told(&ran, &log), "0 none, effect done, sent 1", "{}", ran.result);

    let hasty = approved(within(3_000))?;
    // The money was moved, and only the answer is late.
    let (_runtime, _running, address, log) = bank(&["slow_load:1@booked"], Delays::default())?;
    let ran = transfer(&address, &hasty, NEW)?;
    assert_eq!(told(&ran, &log), "0 none, effect done, sent 1", "{}", ran.result);
    // Nothing has moved yet, and nobody knows whether it still will.
    let (_runtime, _running, address, log) = bank(&[], slow(60_000))?;
    let ran = transfer(&address, &hasty, NEW)?;
    assert_eq!(told(&ran, &log), "3 effect_unknown, effect unknown, sent 1", "{}", ran.result);
    assert_eq!(clicks(&log, "transfer.submit"), 1);
    Ok(())
}

#[test]
fn a_session_that_ends_around_the_press_sends_nothing_twice() -> Result<()> {
    let artifact = approved(|_| {})?;
    // On the way to the form: signed on again, and sent once.
    let (_runtime, _running, address, log) = bank(&["session_timeout:1@transfer"], Delays::default())?;
    let ran = transfer(&address, &artifact, NEW)?;
    assert_eq!(told(&ran, &log), "0 none, effect done, sent 1", "{}", ran.result);
    assert_eq!(ran.result["recovered"][0]["recovery"], "session_expired");

    // With the press itself: it is not carried out, but where that would show the form for signing on stands too.
    let (_runtime, _running, address, log) = bank(&["session_timeout:1@submit"], Delays::default())?;
    let ran = transfer(&address, &artifact, NEW)?;
    assert_eq!(told(&ran, &log), "3 effect_unknown, effect unknown, sent 1", "{}", ran.result);

    // After it: signed on again for what is still to be seen, never past what was sent.
    let slow = Delays { submit: Duration::from_millis(1_500), ..Delays::default() };
    let (runtime, _running, address, log) = bank(&[], slow)?;
    let evidence = tempfile::tempdir()?;
    let given = params(NEW);
    let more = [&CONSENT[..], &["--params", &given]].concat();
    let child = command(&address, &artifact.file, evidence.path(), &more)?.spawn()?;
    let seen = runtime.block_on(log.wait_for(Duration::from_secs(60), |log| sent(log) > 0));
    let ended = end_session(&log, &address);
    let ran = crate::ran(child.wait_with_output()?, evidence)?;
    assert!(seen, "it was never sent: {}", ran.result);
    ended?;
    assert_eq!(told(&ran, &log), "0 none, effect done, sent 1", "{}", ran.result);
    assert_eq!(ran.result["recovered"][0]["recovery"], "session_expired");
    assert_eq!((clicks(&log, "transfer.submit"), clicks(&log, "login.submit")), (1, 2));
    Ok(())
}
