//! What changes something at the console of 1998: sub-accounts and transfers, recorded for one member and done for another,
//! with the host's own log of what it was sent.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use waymark_fixture_apps::{Fault, Log};

use crate::console::{OPERATOR, console, discover, recorded, replayed};
use crate::{Ran, root, waymark};

/// A recording of one of the console's jobs: its report, and the draft that it wrote, beside the sign-on that it is built on.
struct Recorded {
    report: Value,
    draft: Value,
    file: String,
    folder: tempfile::TempDir,
}

/// Records it beside the sign-on, with the caller's consent where it is needed, and tries it with other values too.
fn record(
    address: &str,
    capability: &str,
    params: &str,
    others: &[(&str, &str)],
    consent: Option<&str>,
) -> Result<Recorded> {
    let folder = tempfile::tempdir()?;
    recorded("meridian.sign_on", address, folder.path(), &[])?;
    let script = format!("fixtures/scripts/meridian_{capability}.jsonl");
    let params = format!("fixtures/params/{params}.json");
    let others: Vec<String> = others.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut more = vec!["--no-pictures", "--params-file", &params];
    more.extend(others.iter().flat_map(|other| ["--probe", other]));
    more.extend(consent.iter().flat_map(|consent| ["--approve-risk", consent]));
    let start = format!("{address}/");
    let report = discover(&format!("meridian.{capability}"), &start, script.as_ref(), folder.path(), &more)?;
    let file = report["draft"]["file"].as_str().with_context(|| report.to_string())?.to_owned();
    let draft = serde_json::from_slice(&std::fs::read(&file)?)?;
    Ok(Recorded { report, draft, file, folder })
}

/// Approves the draft as a reviewer would.
fn approve(recorded: &Recorded) -> Result<()> {
    let digest = recorded.report["draft"]["digest"].as_str().with_context(|| recorded.report["draft"].to_string())?;
    let id = recorded.draft["id"].as_str().context("no id")?;
    let output = Command::new(waymark()?)
        .current_dir(root())
        .args(["approve", id, "--digest", digest, "--by", "reviewer", "--artifacts"])
        .arg(recorded.folder.path().join("artifacts"))
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Whether nothing of the record of the discovery stands in the steps.
fn holds_no_record(draft: &Value) -> Result<()> {
    let mut steps = draft["steps"].to_string();
    steps.push_str(&draft["checkpoint"].to_string());
    for data in [
        "ALVAREZ",
        "MARIA",
        "12345",
        "KESTREL",
        "HALDEN",
        "1,234.56",
        "1,000.00",
        "1000.00",
        "MONEY MARKET",
        "20.00",
        "R700",
    ] {
        ensure!(!steps.contains(data), "{data:?} is of one record: {steps}");
    }
    Ok(())
}

fn told(ran: &Ran) -> String {
    format!("{}, effect {}", ran.ended(), ran.result["effect"].as_str().unwrap_or("?"))
}

fn posts(log: &Log, screen: &str) -> usize {
    log.count_requests(|r| r.method == "POST" && r.path.ends_with(screen))
}

#[test]
fn shares_that_were_read_of_one_member_are_read_of_any_other() -> Result<()> {
    let (_runtime, _running, address, _log) = console()?;
    let found = record(&address, "read_shares", "member_12345", &[("member_number", "23456")], None)?;
    let verification = &found.report["draft"]["verification"];
    assert_eq!(
        (&verification["verified"], &verification["probes"][0]["came"]),
        (&json!("complete"), &json!("success"))
    );
    holds_no_record(&found.draft)?;
    for (member, ended, first) in [
        ("12399", "0 none", json!("12399-00")),
        ("45678", "0 none", json!("45678-10")),
        ("00000", "2 member_not_found", Value::Null),
        ("34567", "2 not_entitled", Value::Null),
    ] {
        let given = json!({ "member_number": member });
        let ran = replayed(&address, &found.file, OPERATOR, &["--params", &given.to_string()])?;
        assert_eq!(ran.ended(), ended, "{member}: {}", ran.result);
        assert_eq!(ran.result["outputs"]["shares"]["rows"][0]["share_id"], first, "{member}: {}", ran.result);
    }
    Ok(())
}

#[test]
fn a_sub_account_is_opened_once_for_another_member_whatever_the_host_says_then() -> Result<()> {
    let (_runtime, running, address, log) = console()?;
    let other = [
        ("member_number", "12399"),
        ("from_share", "12399-00 REGULAR SAVINGS"),
        ("account_type", "HOLIDAY CLUB"),
        ("opening_deposit", "55.00"),
    ];
    let found = record(&address, "open_sub_account", "open_12345", &other, Some("risky"))?;
    let verification = &found.report["draft"]["verification"];
    // One of this type was opened by the discovery itself just now.
    assert_eq!(verification["verified"], "to_commit_point", "{verification}");
    assert_eq!(verification["probes"][0]["came"], "to_commit_point", "{verification}");
    assert_eq!(posts(&log, "/sa0510"), 1, "a proof opens none");
    holds_no_record(&found.draft)?;
    approve(&found)?;
    for (fault, account_type, deposit, ended) in [
        ("", "HOLIDAY CLUB", "55.00", "0 none, effect done"),
        // Another type than the one that is there already, and the same type with another deposit.
        ("", "CERTIFICATE 12 MO", "1500.00", "0 none, effect done"),
        ("host_500:1@SA0510", "HOLIDAY CLUB", "56.00", "0 none, effect done"),
        ("host_500:1@submit", "HOLIDAY CLUB", "57.00", "1 app_error, effect none"),
        ("host_500:1@SA0510", "HOLIDAY CLUB", "55.00", "3 effect_unknown, effect unknown"),
        ("session_expired:1@SA0320", "HOLIDAY CLUB", "58.00", "0 none, effect done"),
        ("", "MONEY MARKET", "5.00", "2 below_minimum, effect none"),
    ] {
        running.clear_faults();
        running.inject(fault.split_whitespace().map(str::parse).collect::<Result<Vec<Fault>, _>>()?)?;
        log.clear();
        let given = json!({
            "member_number": "12399",
            "from_share": "12399-00 REGULAR SAVINGS", "account_type": account_type, "opening_deposit": deposit,
        });
        let consent = ["--mode", "unattended", "--approve-risk", "risky", "--params", &given.to_string()];
        let ran = replayed(&address, &found.file, OPERATOR, &consent)?;
        assert_eq!(told(&ran), ended, "{fault} {account_type} {deposit}: {}", ran.result);
        assert_eq!(posts(&log, "/sa0510"), 1, "{fault} {account_type} {deposit}");
    }
    Ok(())
}

#[test]
fn a_transfer_is_told_by_what_the_caller_gave_and_by_no_number_that_only_looks_like_it() -> Result<()> {
    let (_runtime, running, address, log) = console()?;
    let other = [
        ("member_number", "12399"),
        ("from_share", "12399-00 REGULAR SAVINGS"),
        ("to_share", "12399-30 MONEY MARKET"),
        ("amount", "1055.00"),
        ("memo", "gift"),
    ];
    let found = record(&address, "transfer", "transfer_shares_12345", &other, Some("irreversible"))?;
    assert_eq!(found.report["draft"]["verification"]["probes"][0]["came"], "to_commit_point");
    holds_no_record(&found.draft)?;
    let steps = found.draft["steps"].as_array().context("no steps")?;
    let post = steps.iter().find(|s| s["id"] == "press_post_transfer").context("no press")?;
    assert_eq!(post["risk"], "irreversible");
    // It asks once more: what it would move stands there still.
    for name in ["amount", "memo"] {
        assert!(post["precondition"].to_string().contains(&format!("{{param.{name}}}")), "{name}: {post}");
    }
    approve(&found)?;
    let with = |amount: &str| {
        json!({
            "member_number": "12399", "memo": "gift",
            "from_share": "12399-00 REGULAR SAVINGS", "to_share": "12399-30 MONEY MARKET", "amount": amount,
        })
        .to_string()
    };
    // The console writes cents: nothing is rounded, and nothing is started.
    log.clear();
    for (amount, problem) in [("1055.005", "unwritable"), ("0.00", "out_of_range"), ("1,055.00", "wrong_type")] {
        let ran = replayed(&address, &found.file, OPERATOR, &["--params", &with(amount)])?;
        assert_eq!((ran.exit, ran.result["status"].as_str()), (Some(4), Some("rejected")), "{amount}");
        assert!(ran.result.to_string().contains(problem), "{amount}: {}", ran.result);
    }
    assert!(log.requests().is_empty());
    for (fault, amount, ended) in [
        ("", "1055.00", "0 none, effect done"),
        ("host_500:1@TR0620", "31.00", "0 none, effect done"),
        ("app_error:1@TR0620", "32.00", "0 none, effect done"),
        ("host_500:1@submit", "33.00", "1 app_error, effect none"),
    ] {
        running.clear_faults();
        running.inject(fault.split_whitespace().map(str::parse).collect::<Result<Vec<Fault>, _>>()?)?;
        log.clear();
        let consent = ["--mode", "unattended", "--approve-risk", "irreversible", "--params", &with(amount)];
        let ran = replayed(&address, &found.file, OPERATOR, &consent)?;
        assert_eq!(told(&ran), ended, "{fault} {amount}: {}", ran.result);
        assert_eq!(posts(&log, "/tr0620"), 1, "{fault} {amount}");
    }
    Ok(())
}
