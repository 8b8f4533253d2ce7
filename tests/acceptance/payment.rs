//! A job that no artifact of the repository does: a bill is paid. Discovered, proven up to the payment and through it, and
//! told truthfully where it is refused. The bank's own log says what was paid.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use waymark_fixture_apps::{Delays, Fault, Log};

use crate::discovery::{Discovered, discover};
use crate::transfer::{approved_copy, bank};
use crate::{Ran, clicks, replay, root, waymark};

const CONSENT: [&str; 2] = ["--approve-risk", "risky"];

/// Discovers it, paying 10.00.
fn pay_bill(address: &str, more: &[&str]) -> Result<Discovered> {
    let given = ["--params-file", "fixtures/params/pay_bill_12345.json"];
    let found = discover(address, "pay_bill", None, &[&given, &CONSENT, more].concat())?;
    ensure!(found.exit == Some(0), "{} {}", found.told, found.report);
    found.is_sound()?;
    Ok(found)
}

/// The amounts that were paid, in their order: what was sent, whatever came of it.
fn paid(log: &Log) -> Vec<String> {
    let requests = log.requests();
    let payments = requests.iter().filter(|r| r.method == "POST" && r.path.ends_with("/billpay"));
    payments.map(|r| r.query.rsplit("amount=").next().unwrap_or_default().to_owned()).collect()
}

/// Replays an approved draft with another amount.
fn pay(address: &str, draft: &str, amount: &str) -> Result<Ran> {
    let mut given: Value = serde_json::from_slice(&std::fs::read(root().join("fixtures/params/pay_bill_12345.json"))?)?;
    given["amount"] = json!(amount);
    let given = given.to_string();
    replay(address, draft, &[&["--mode", "unattended", "--params", &given][..], &CONSENT].concat())
}

#[test]
fn a_payment_is_proven_up_to_where_it_would_be_sent_again() -> Result<()> {
    let (_runtime, _running, address, log) = bank(&[], Delays::default())?;
    let found = pay_bill(&address, &[])?;
    let verification = &found.report["draft"]["verification"];
    assert_eq!((&verification["verified"], &verification["effects"]), (&json!("to_commit_point"), &json!(false)));
    assert_eq!((paid(&log), log.booked()), (vec!["10.00".to_owned()], 1), "{verification}");
    assert_eq!(clicks(&log, "billpay.submit"), 1);
    let draft: Value = serde_json::from_slice(&std::fs::read(found.draft()?)?)?;
    let send = draft["steps"].as_array().context("no steps")?.iter().find(|s| s["id"] == "press_send_payment");
    let send = send.context("no press")?;
    assert_eq!(send["risk"], "risky");
    for name in ["payee_name", "payee_account", "amount", "from_account"] {
        assert!(send["precondition"].to_string().contains(&format!("{{param.{name}}}")), "{name}: {send}");
    }
    for value in ["10.00", "Riverside", "44556677", "12345"] {
        assert!(!draft["steps"].to_string().contains(value), "{value} stands in the steps");
    }
    Ok(())
}

#[test]
fn on_a_test_system_a_payment_is_made_once_more_and_of_another_amount() -> Result<()> {
    let (_runtime, _running, address, log) = bank(&[], Delays::default())?;
    let found = pay_bill(&address, &["--verify-effects", "--probe", "amount=20.00"])?;
    let verification = &found.report["draft"]["verification"];
    assert_eq!((&verification["verified"], &verification["effects"]), (&json!("complete"), &json!(true)));
    assert_eq!(verification["probes"][0]["came"], "success", "{verification}");
    assert_eq!((paid(&log), log.booked()), (vec!["10.00".to_owned(), "20.00".to_owned()], 2), "{verification}");
    let told = Command::new(waymark()?).current_dir(root()).arg("show").arg(found.draft()?).output()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    for said in [
        "17. press_send_payment clicks \"the button \\\"Send Payment\\\"\".",
        "Risk: RISKY, it changes something and is never sent twice.",
        "With another amount: success",
        "to its end: with the same values to the gate before `press_send_payment`, and with another amount to its end",
    ] {
        assert!(told.contains(said), "{said:?} is missing: {told}");
    }
    Ok(())
}

#[test]
fn a_payment_that_the_bank_refuses_is_not_there_and_one_that_it_made_is() -> Result<()> {
    let (_runtime, _running, address, _log) = bank(&[], Delays::default())?;
    let found = pay_bill(&address, &[])?;
    let approved = approved_copy(&found.draft()?, |_| {})?;
    for (fault, expected) in [
        ("server_error:1@submit", "2 payment_refused, effect none"),
        // It paid and failed then: it shows the same error.
        ("server_error:1@booked", "0 none, effect done"),
    ] {
        let (_runtime, running, address, log) = bank(&[], Delays::default())?;
        // A payment of another amount to the same payee stands there already, or none does.
        for earlier in [false, true] {
            if earlier {
                assert_eq!(pay(&address, &approved.file, "7.00")?.ended(), "0 none");
            }
            log.clear();
            running.inject([fault.parse::<Fault>()?])?;
            let amount = if earlier { "31.00" } else { "30.00" };
            let ran = pay(&address, &approved.file, amount)?;
            let effect = ran.result["effect"].as_str().unwrap_or("?");
            assert_eq!(format!("{}, effect {effect}", ran.ended()), expected, "{fault} {earlier}: {}", ran.result);
            assert_eq!(paid(&log), [amount], "{fault}");
        }
    }
    Ok(())
}
