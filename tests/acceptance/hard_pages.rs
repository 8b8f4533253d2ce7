//! The hard pages: what was pressed is what the page's own log says.

use std::fs;

use anyhow::{Context as _, Result};
use waymark_fixture_apps::Log;

use crate::transfer::approved_copy;
use crate::{Ran, UNPROVEN, cases, clicks, replay, root};

const BROWSERS: [&str; 2] = ["shell", "chromium"];

fn run(address: &str, name: &str, more: &[&str]) -> Result<Ran> {
    replay(address, &format!("fixtures/case-artifacts/{name}.json"), more)
}

fn all_clicks(log: &Log) -> usize {
    log.count(|e| e.kind == "click")
}

#[test]
fn a_form_of_another_site_is_filled_where_it_is_allowed_and_left_alone_where_it_is_not() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    let host = address.replace("127.0.0.1", "localhost");
    for browser in BROWSERS {
        log.clear();
        let ran = run(&host, "f04_other_origin", &["--params", r#"{"card":"REF 4711"}"#, "--browser", browser])?;
        assert_eq!(ran.ended(), "0 none", "{browser}: {}", ran.result);
        assert_eq!(clicks(&log, "F04.pay"), 1);
    }
    // The same, where only the site around it is allowed.
    let config = tempfile::tempdir()?;
    for file in ["risk_policy.yaml", "redaction.yaml"] {
        fs::copy(root().join("config").join(file), config.path().join(file))?;
    }
    let allowlist = fs::read_to_string(root().join("config/allowlist.yaml"))?;
    fs::write(config.path().join("allowlist.yaml"), allowlist.replace(r#""http://127.0.0.1:*", "#, ""))?;
    let folder = config.path().to_str().context("no path")?;
    for browser in BROWSERS {
        log.clear();
        let more = ["--params", r#"{"card":"REF 4711"}"#, "--browser", browser, "--config", folder];
        let ran = run(&host, "f04_other_origin", &more)?;
        assert_ne!(ran.exit, Some(0), "{browser}");
        assert_eq!(log.count_requests(|r| r.path.ends_with("F04_in.html")), 0, "{browser}");
        let told = ran
            .journal
            .iter()
            .any(|line| line.to_string().contains("127.0.0.1") && line.to_string().contains("F04_in"));
        assert!(told, "{browser}: the evidence names what was refused");
    }
    Ok(())
}

#[test]
fn a_window_is_followed_where_it_is_declared_and_for_a_person_where_it_is_not() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    for browser in BROWSERS {
        log.clear();
        let ran = run(&address, "f06_lookup_window", &["--browser", browser])?;
        assert_eq!(ran.ended(), "0 none", "{browser}: {}", ran.result);
        let presses = ["F06.look_up", "F06.popup.ok", "F06.ok"].map(|mark| clicks(&log, mark));
        assert_eq!(presses, [1, 1, 1], "{browser}");
        log.clear();
        assert_eq!(run(&address, "f06_window_undeclared", &["--browser", browser])?.ended(), "3 unexpected_window");
        assert_eq!((clicks(&log, "F06.look_up"), all_clicks(&log)), (1, 1), "{browser}");
    }
    Ok(())
}

#[test]
fn a_row_is_found_by_as_much_as_tells_it_apart() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    let ran = run(&address, "l02_row_of_many", &["--params", r#"{"account":"AC-37"}"#])?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    assert_eq!((clicks(&log, "L02.edit.AC-37"), all_clicks(&log)), (1, 1));
    log.clear();
    let both = ["--params", r#"{"name":"Ann Lee","born":"1991-07-09"}"#];
    assert_eq!(run(&address, "l08_name_and_birth", &both)?.ended(), "0 none");
    assert_eq!((clicks(&log, "L08.open.Ann Lee.1991-07-09"), all_clicks(&log)), (1, 1));
    log.clear();
    let name = ["--params", r#"{"name":"Ann Lee"}"#];
    assert_eq!(run(&address, "l08_name_alone", &name)?.ended(), "3 target_ambiguous");
    assert_eq!(run(&address, "l08_multiple_matches", &name)?.ended(), "2 multiple_matches");
    assert_eq!(all_clicks(&log), 0);
    Ok(())
}

#[test]
fn what_lies_in_the_recorded_slot_is_not_taken_for_what_was_recorded() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    let ran = run(&address, "l05_other_in_the_slot", &[])?;
    // Nothing on the page shows that it was approved.
    assert_eq!(ran.ended(), UNPROVEN);
    assert_eq!(ran.result["drift"]["score"], 0);
    assert_eq!((clicks(&log, "L05.Approve"), all_clicks(&log)), (1, 1));
    let resolved = ran.journal.iter().find(|line| line["event"] == "resolved" && line["step"] == "approve");
    assert_eq!(resolved.context("not resolved")?["report"]["hint_moved"], true);
    log.clear();
    assert_eq!(run(&address, "l05_hint_alone", &[])?.ended(), "3 fingerprint_mismatch");
    assert_eq!(all_clicks(&log), 0);
    Ok(())
}

#[test]
fn a_page_that_is_slower_than_the_engine_is_waited_for_and_no_risky_press_repeated() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    let ran = run(&address, "t04_no_records_first", &[])?;
    assert_eq!((ran.ended().as_str(), &ran.result["outputs"]["amount"]), ("0 none", &"10.00".into()));
    let ran = run(&address, "t05_faster_than_the_page", &[])?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    let retries = ran.journal.iter().filter(|line| line["event"] == "retried").count();
    assert_eq!((retries, clicks(&log, "T05.open")), (1, 2));
    log.clear();
    assert_eq!(run(&address, "t05_risky", &[])?.ended(), UNPROVEN);
    assert_eq!(clicks(&log, "T05.open"), 1);
    Ok(())
}

#[test]
fn a_save_whose_answer_is_lost_is_looked_up_and_never_repeated() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    let ran = run(&address, "e01_saved_but_timeout", &[])?;
    assert_eq!((ran.ended().as_str(), &ran.result["effect"]), ("0 none", &"done".into()), "{}", ran.result);
    assert_eq!(clicks(&log, "E01.save"), 1);
    log.clear();
    let ran = run(&address, "e01_without_a_list", &[])?;
    assert_eq!((ran.ended().as_str(), &ran.result["effect"]), (UNPROVEN, &"unknown".into()));
    assert_eq!(clicks(&log, "E01.save"), 1);
    log.clear();
    let ran = run(&address, "e03_one_submit", &["--params", r#"{"ref":"R-7"}"#])?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    assert_eq!(log.count(|e| e.kind == "submit"), 1);
    Ok(())
}

#[test]
fn a_deletion_is_not_asked_for_without_approval() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    assert_eq!(run(&address, "d01_undeclared", &[])?.ended(), "3 risk_approval");
    let id = ["--params", r#"{"id":"42"}"#];
    assert_eq!(run(&address, "d01_confirm", &id)?.ended(), "3 risk_approval");
    let granted = ["--params", r#"{"id":"42"}"#, "--approve-risk", "irreversible"];
    assert_eq!(run(&address, "d01_confirm", &granted)?.ended(), "3 risk_approval");
    assert_eq!(all_clicks(&log), 0);
    Ok(())
}

#[test]
fn a_question_is_accepted_where_it_is_the_declared_one_about_this_record_and_else_left_to_a_person() -> Result<()> {
    let (_runtime, _running, address, log) = cases()?;
    let declared = approved_copy("fixtures/case-artifacts/d01_confirm.json", |_| {})?;
    let undeclared = approved_copy("fixtures/case-artifacts/d01_undeclared.json", |_| {})?;
    let consent = ["--mode", "unattended", "--approve-risk", "irreversible"];
    let (this, other) = (["--params", r#"{"id":"42"}"#], ["--params", r#"{"id":"43"}"#]);
    for browser in BROWSERS {
        let run = |file: &str, params: &[&str]| {
            log.clear();
            let ran = replay(&address, file, &[&consent[..], params, &["--browser", browser]].concat())?;
            // While the question is open the page reports nothing, so the presses are counted in the journal.
            let count = |event: &str, kind: &str| {
                ran.journal.iter().filter(|line| line["event"] == event && line.to_string().contains(kind)).count()
            };
            let effect = ran.result["effect"].as_str().unwrap_or("?").to_owned();
            let told = format!(
                "{}, effect {effect}, pressed {}, answered {}",
                ran.ended(),
                count("dispatched", "click"),
                count("dispatched", "answer_dialog")
            );
            anyhow::Ok((told, ran.result))
        };
        let (told, result) = run(&declared.file, &this)?;
        assert_eq!(told, "0 none, effect done, pressed 1, answered 1", "{browser}: {result}");
        assert_eq!(clicks(&log, "D01.delete"), 1, "{browser}");
        // The question names another record than the one that was given, or nobody declared any.
        for (file, params) in [(&declared.file, &other[..]), (&undeclared.file, &[])] {
            let (told, result) = run(file, params)?;
            assert_eq!(told, "3 unexpected_dialog, effect unknown, pressed 1, answered 0", "{browser}: {result}");
        }
    }
    Ok(())
}
