//! What makes the bundled bank hard to drive: hidden errors, random and double ids, choices that fill late, a form for
//! signing on at any address, names that stand beside their control or nowhere. The bank's own log says what happened.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use waymark_fixture_apps::{Delays, Event, Log};

use crate::{Ran, clicks, command, parabank, ran, replay, root, waymark};

fn artifact(name: &str) -> String {
    format!("fixtures/case-artifacts/parabank_{name}.json")
}

/// The member's own values and these.
fn with(more: &Value) -> String {
    let mut all = json!({"username": "john", "password": "demo"});
    if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
        all.extend(more.clone());
    }
    all.to_string()
}

fn trap(address: &str, name: &str, more: &Value) -> Result<Ran> {
    replay(address, &artifact(name), &["--params", &with(more)])
}

fn bill() -> Value {
    json!({
        "payee": "Acme Power", "street": "1 Main St", "city": "Springfield", "state": "CA", "zip_code": "90210",
        "phone": "555-0100", "payee_account": "778899", "amount": "12.50", "from_account": "12456",
    })
}

fn transfer(from: &str, to: &str) -> Value {
    json!({"from_account": from, "to_account": to, "amount": "12.5"})
}

/// What each marked control was left with.
fn filled(log: &Log) -> BTreeMap<String, String> {
    let typed = |e: &Event| e.kind == "input" || e.kind == "change";
    log.events().into_iter().filter(typed).filter_map(|e| Some((e.mark?, e.value?))).collect()
}

/// Ends the session that the browser of a run has, as the bank does to one that was idle for too long.
pub(crate) fn end_session(log: &Log, address: &str) -> Result<()> {
    let requests = log.requests();
    let session = requests.iter().rev().find_map(|r| r.raw_path.split_once(";jsessionid=").map(|(_, id)| id));
    let session = session.context("no request told its session")?;
    let host = address.trim_start_matches("http://").trim_end_matches("/parabank");
    let mut stream = TcpStream::connect(host)?;
    let path = format!("/parabank/logout.htm;jsessionid={session}");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    anyhow::ensure!(answer.starts_with("HTTP/1.1 302"), "{answer}");
    Ok(())
}

/// A run whose session ends while the overview waits for its accounts.
fn with_a_session_that_ends(name: &str) -> Result<(Ran, Log)> {
    let slow = Delays { accounts: Duration::from_millis(1_500), ..Delays::default() };
    let (runtime, _running, address, log) = parabank(slow)?;
    let evidence = tempfile::tempdir()?;
    let child = command(&address, &artifact(name), evidence.path(), &["--params", &with(&json!({}))])?.spawn()?;
    let waits = |log: &Log| log.count_requests(|r| r.path.ends_with("/accounts")) > 0;
    let seen = runtime.block_on(log.wait_for(Duration::from_secs(60), waits));
    let ended = end_session(&log, &address);
    let ran = ran(child.wait_with_output()?, evidence)?;
    assert!(seen, "the run never came to the overview: {}", ran.result);
    ended?;
    Ok((ran, log))
}

/// A configuration that lets a session go where the bundled one does not.
fn without_denials() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for name in ["allowlist.yaml", "risk_policy.yaml", "redaction.yaml"] {
        let text = std::fs::read_to_string(root().join("config").join(name))?;
        let text = match name {
            "allowlist.yaml" => format!("{}\ndeny: []\n", text.split("\ndeny:").next().context("nothing is denied")?),
            _ => text,
        };
        std::fs::write(folder.path().join(name), text)?;
    }
    Ok(folder)
}

#[test]
fn the_artifacts_of_the_traps_are_strict_but_for_names_that_nobody_published() -> Result<()> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root().join("fixtures/case-artifacts"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.extend(name.starts_with("parabank_").then_some(path));
    }
    assert!(files.len() >= 10, "{files:?}");
    let output = std::process::Command::new(waymark()?).args(["validate", "--json"]).args(&files).output()?;
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let said = String::from_utf8(output.stdout)?;
    let answer: Value = serde_json::from_str(&said)?;
    let mut codes = BTreeSet::new();
    gather(&answer, &mut codes);
    let known = ["leads_with_inferred_name", "ordinal_unscoped", "fingerprint_coverage"];
    assert!(codes.contains(known[0]) && codes.iter().all(|code| known.contains(&code.as_str())), "{codes:?}");
    Ok(())
}

/// The codes of all findings, wherever they stand.
fn gather(value: &Value, codes: &mut BTreeSet<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| gather(one, codes)),
        Value::Object(all) => {
            if all.contains_key("severity") {
                codes.extend(all.get("code").and_then(Value::as_str).map(str::to_owned));
            }
            all.values().for_each(|one| gather(one, codes));
        }
        _ => {}
    }
}

#[test]
fn a_hidden_error_block_is_not_seen_and_a_field_with_a_new_id_each_time_is_found_by_its_caption() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let mut phones = BTreeSet::new();
    for _ in 0..3 {
        log.clear();
        let ran = trap(&address, "billpay_fill", &bill())?;
        // The page holds "Error!" and ten times "is required." from the start, and nobody sees them.
        assert_eq!(ran.ended(), "0 none", "{}", ran.result);
        let expected = [
            ("login.username", "john"),
            ("billpay.payee.name", "Acme Power"),
            ("billpay.payee.address.street", "1 Main St"),
            ("billpay.payee.address.city", "Springfield"),
            ("billpay.payee.address.state", "CA"),
            ("billpay.payee.address.zipCode", "90210"),
            ("billpay.payee.phoneNumber", "555-0100"),
            ("billpay.payee.accountNumber", "778899"),
            ("billpay.verifyAccount", "778899"),
            ("billpay.amount", "12.50"),
            ("billpay.fromAccountId", "12456"),
        ];
        assert_eq!(filled(&log), expected.map(|(mark, value)| (mark.to_owned(), value.to_owned())).into());
        assert_eq!(log.count_requests(|r| r.path.ends_with("/billpay")), 0);
        let phone = log.events().into_iter().find(|e| e.mark.as_deref() == Some("billpay.payee.phoneNumber"));
        phones.extend(phone.map(|e| e.element));
    }
    assert_eq!(phones.len(), 3, "{phones:?}");
    Ok(())
}

#[test]
fn a_choice_waits_for_its_options_and_says_where_there_is_none() -> Result<()> {
    let slow = Delays { accounts: Duration::from_millis(2_500), ..Delays::default() };
    let (_runtime, _running, address, log) = parabank(slow)?;
    let ran = trap(&address, "transfer_fill", &transfer("12567", "13344"))?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    let expected = [
        ("login.username", "john"),
        ("transfer.amount", "12.50"),
        ("transfer.from", "12567"),
        ("transfer.to", "13344"),
    ];
    assert_eq!(filled(&log), expected.map(|(mark, value)| (mark.to_owned(), value.to_owned())).into());

    let declared = trap(&address, "transfer_fill", &transfer("99999", "13344"))?;
    assert_eq!(declared.ended(), "2 from_account_not_found", "{}", declared.result);
    let undeclared = trap(&address, "transfer_fill", &transfer("12567", "99999"))?;
    assert_eq!(undeclared.ended(), "1 option_absent", "{}", undeclared.result);
    assert_eq!(clicks(&log, "transfer.submit"), 0);
    assert_eq!(log.count_requests(|r| r.method == "POST" && r.path.ends_with("/transfer")), 0);
    Ok(())
}

#[test]
fn an_id_that_leads_to_a_hidden_element_is_followed_nowhere() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let ran = trap(&address, "hidden_twin", &json!({"amount": "12.50"}))?;
    assert_eq!(ran.ended(), "3 target_not_found", "{}", ran.result);
    assert_eq!(log.count(|e| e.kind == "input" && e.path.contains("billpay")), 0);
    Ok(())
}

#[test]
fn a_session_that_ended_is_told_by_what_the_page_says_not_by_its_address() -> Result<()> {
    let (ran, log) = with_a_session_that_ends("session_ended")?;
    assert_eq!(ran.ended(), "2 session_ended", "{}", ran.result);
    let requests = log.requests();
    let page = requests.iter().rfind(|r| r.path.ends_with(".htm") && r.path != "/parabank/logout.htm");
    let page = page.context("no page was asked for")?;
    assert_eq!((page.path.as_str(), page.status), ("/parabank/transfer.htm", Some(200)));
    assert_eq!(clicks(&log, "login.submit"), 1);
    Ok(())
}

#[test]
fn a_session_that_ended_is_begun_again_where_the_artifact_says_how() -> Result<()> {
    let (ran, log) = with_a_session_that_ends("session_recovered")?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    assert_eq!(ran.result["recovered"][0]["recovery"], "session_expired");
    assert_eq!((clicks(&log, "login.submit"), clicks(&log, "nav.transfer")), (2, 2));
    Ok(())
}

#[test]
fn a_link_that_is_only_a_picture_is_meant_by_its_place_and_by_no_name() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let config = without_denials()?;
    let config = ["--config", config.path().to_str().context("a plain path")?];
    let pressed =
        || -> Vec<String> { log.events().into_iter().filter(|e| e.kind == "click").map(|e| e.element).collect() };

    let picture = replay(&address, &artifact("unnamed_link"), &config)?;
    assert_eq!(picture.ended(), "0 none", "{}", picture.result);
    assert_eq!(pressed(), ["img"]);
    log.clear();
    let named = [&config[..], &["--params", r#"{"name":"Admin Page"}"#]].concat();
    assert_eq!(replay(&address, &artifact("admin_link"), &named)?.ended(), "0 none");
    assert_eq!(pressed(), [r#"a "Admin Page""#]);
    log.clear();
    let unnamed = [&config[..], &["--params", r#"{"name":""}"#]].concat();
    assert_eq!(replay(&address, &artifact("admin_link"), &unnamed)?.ended(), "3 target_not_found");
    assert_eq!(pressed(), [""; 0]);

    // What it leads to is denied: the press is made, and the page is not loaded.
    let denied = replay(&address, &artifact("unnamed_link"), &[])?;
    assert_eq!(denied.ended(), "3 policy_blocked", "{}", denied.result);
    assert_eq!(log.count_requests(|r| r.path.ends_with("/admin.htm")), 0);
    Ok(())
}

#[test]
fn of_four_buttons_of_one_name_the_meant_one_is_pressed_or_none() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let pressed = || ["by_id", "by_date", "by_range", "by_amount"].map(|b| clicks(&log, &format!("findtrans.{b}")));

    let ran = trap(&address, "find_ambiguous", &json!({}))?;
    assert_eq!(ran.ended(), "3 target_ambiguous", "{}", ran.result);
    assert_eq!(pressed(), [0, 0, 0, 0]);
    let ran = trap(&address, "find_by_amount", &json!({"account": "12345", "amount": "1000"}))?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    assert_eq!(pressed(), [0, 0, 0, 1]);
    assert_eq!(filled(&log).get("findtrans.amount").map(String::as_str), Some("1000.00"));
    let days = json!({"account": "12345", "from_day": "2026-08-01", "to_day": "2026-09-30"});
    let ran = trap(&address, "find_by_range", &days)?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    assert_eq!(pressed(), [0, 0, 1, 1]);
    let typed = filled(&log);
    assert_eq!(typed.get("findtrans.fromDate").map(String::as_str), Some("08-01-2026"));
    assert_eq!(typed.get("findtrans.toDate").map(String::as_str), Some("09-30-2026"));
    Ok(())
}
