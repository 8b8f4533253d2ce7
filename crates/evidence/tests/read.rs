//! Reading runs, also broken ones.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{folder, redactor, result, step};
use proptest::prelude::*;
use waymark_artifact::{Risk, StepId};
use waymark_evidence::{ReadError, RunFolder, RunState, find, journal, runs, show, verify};
use waymark_run::{DeliveryWord, Effect, JournalLine, RunEvent, RunStatus};

fn ended(root: &Path, utc: &str, id: &str, status: RunStatus) -> PathBuf {
    let mut run = RunFolder::create(root, "replay", utc, id, redactor(&[])).unwrap();
    run.append(&step("one")).unwrap();
    run.append(&step("two")).unwrap();
    run.finish(1, result(status)).unwrap().path
}

fn change(folder: &Path, change: impl Fn(String) -> String) {
    let path = folder.join("run.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, change(text)).unwrap();
}

#[test]
fn runs_are_listed_newest_first() {
    let root = tempfile::tempdir().unwrap();
    ended(root.path(), "20261130T044118Z", "old", RunStatus::Success);
    ended(root.path(), "20261201T000000Z", "new", RunStatus::NeedsHuman);
    fs::create_dir(root.path().join("something-else")).unwrap();
    fs::write(root.path().join("latest.json"), "{}").unwrap();
    let ids: Vec<String> = runs(root.path()).unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(ids, ["new", "old"]);
}

#[test]
fn a_root_that_is_not_there_has_no_runs() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(runs(&root.path().join("none")).unwrap(), []);
}

#[test]
fn a_run_of_a_living_process_goes_on_and_one_of_a_dead_process_is_interrupted() {
    let root = tempfile::tempdir().unwrap();
    let run = folder(root.path(), "k3v9", redactor(&[]));
    assert_eq!(runs(root.path()).unwrap()[0].state, RunState::Running);

    let mut child = std::process::Command::new("true").spawn().unwrap();
    let pid = child.id();
    child.wait().unwrap();
    let owner = format!("{{\"pid\":{pid},\"started\":\"x\",\"process_began\":null}}");
    fs::write(run.path().join("owner.json"), owner).unwrap();
    let listed = &runs(root.path()).unwrap()[0];
    assert_eq!(listed.state, RunState::Interrupted);
    assert_eq!(listed.status, None, "nobody knows how it ended");
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_has_the_number_of_a_dead_one_does_not_own_its_run() {
    let root = tempfile::tempdir().unwrap();
    let run = folder(root.path(), "k3v9", redactor(&[]));
    let owner = format!("{{\"pid\":{},\"started\":\"x\",\"process_began\":\"1\"}}", std::process::id());
    fs::write(run.path().join("owner.json"), owner).unwrap();
    assert_eq!(runs(root.path()).unwrap()[0].state, RunState::Interrupted);
}

#[test]
fn a_run_that_was_dropped_is_interrupted_though_its_process_lives() {
    let root = tempfile::tempdir().unwrap();
    drop(folder(root.path(), "k3v9", redactor(&[])));
    assert_eq!(runs(root.path()).unwrap()[0].state, RunState::Interrupted);
}

#[test]
fn a_run_is_found_by_path_name_id_beginning_of_id_and_latest() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path(), "20261130T044118Z", "k3v9", RunStatus::Success);
    ended(root.path(), "20251130T044118Z", "k4", RunStatus::Success);
    for key in [path.to_str().unwrap(), path.file_name().unwrap().to_str().unwrap(), "k3v9", "k3", "latest"] {
        assert_eq!(find(root.path(), key).unwrap(), path, "{key}");
    }
    assert!(matches!(find(root.path(), "k"), Err(ReadError::Ambiguous { found, .. }) if found.len() == 2));
    for key in ["zz", "", "../k3v9", "/"] {
        assert!(matches!(find(root.path(), key), Err(ReadError::Unknown { .. })), "{key}");
    }
}

#[test]
fn a_changed_line_is_named() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path(), "20261130T044118Z", "k3v9", RunStatus::Success);
    change(&path, |text| text.replace("\"one\"", "\"ONE\""));
    let first = verify(&path).unwrap().first.unwrap();
    assert_eq!(first.line, 3, "the line after the changed one does not follow: {first:?}");
}

#[test]
fn a_line_that_was_taken_out_is_named() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path(), "20261130T044118Z", "k3v9", RunStatus::Success);
    change(&path, |text| text.lines().enumerate().filter(|(n, _)| *n != 1).map(|(_, l)| format!("{l}\n")).collect());
    assert_eq!(verify(&path).unwrap().first.unwrap().line, 2);
}

#[test]
fn a_journal_cut_after_a_whole_line_has_no_end() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path(), "20261130T044118Z", "k3v9", RunStatus::Success);
    change(&path, |text| text.lines().take(2).map(|line| format!("{line}\n")).collect());
    let verified = verify(&path).unwrap();
    assert!(!verified.ended && !verified.holds() && verified.first.is_none(), "{verified:?}");
}

#[test]
fn a_torn_last_line_is_reported_and_the_lines_before_it_stand() {
    let root = tempfile::tempdir().unwrap();
    let run = {
        let mut run = folder(root.path(), "k3v9", redactor(&[]));
        run.append(&step("one")).unwrap();
        run.path().to_owned()
    };
    change(&run, |text| format!("{text}{{\"seq\":2,\"at"));
    let read = journal(&run).unwrap();
    assert!(read.torn && !read.ended && read.problems.is_empty(), "{read:?}");
    assert_eq!(read.lines.len(), 2);
}

#[test]
fn a_changed_result_and_a_changed_picture_are_found() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path(), "20261130T044118Z", "k3v9", RunStatus::Success);
    let file = path.join("result.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("12345", "99999")).unwrap();
    let first = verify(&path).unwrap().first.unwrap();
    assert!(first.message.contains("result.json"), "{first:?}");
}

#[test]
fn broken_folders_are_shown_as_broken() {
    let root = tempfile::tempdir().unwrap();
    let no_result = root.path().join("replay-success-20261130T044118Z-a");
    let no_json = root.path().join("replay-success-20261130T044118Z-b");
    let a_file = root.path().join("replay-success-20261130T044118Z-c");
    fs::create_dir(&no_result).unwrap();
    fs::create_dir(&no_json).unwrap();
    fs::write(no_json.join("result.json"), "{\"schema\": hunter2").unwrap();
    fs::write(no_json.join("run.jsonl"), b"\xff\xfe\n[]\n{}\n\n").unwrap();
    fs::write(&a_file, "").unwrap();
    let listed = runs(root.path()).unwrap();
    assert_eq!(listed.len(), 3);
    for run in &listed {
        assert_eq!(run.state, RunState::Broken, "{run:?}");
        assert!(run.problem.is_some());
    }
    let shown = show(root.path(), "b").unwrap();
    let lines: Vec<usize> = shown.journal.problems.iter().map(|problem| problem.line).collect();
    assert!(lines.starts_with(&[1, 2, 3]), "{:?}", shown.journal.problems);
    assert!(!shown.summary.problem.unwrap().contains("hunter2"), "a reader's error repeats no content");
    assert!(show(root.path(), "a").unwrap().summary.problem.is_some());
    assert!(show(root.path(), "c").is_ok());
}

#[test]
fn a_folder_whose_name_and_result_disagree_says_so() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path(), "20261130T044118Z", "k3v9", RunStatus::Failed);
    fs::rename(&path, root.path().join("replay-success-20261130T044118Z-k3v9")).unwrap();
    let listed = &runs(root.path()).unwrap()[0];
    assert_eq!(listed.status, Some(RunStatus::Failed));
    assert!(listed.problem.as_deref().unwrap().contains("`success`"), "{listed:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_in_the_journal_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("run.jsonl"), &bytes).unwrap();
        let read = journal(root.path()).unwrap();
        prop_assert!(bytes.is_empty() || read.torn || !read.problems.is_empty());
    }

    #[test]
    fn any_changed_byte_of_a_journal_is_found(at in 0usize..10_000, to in any::<u8>()) {
        let root = tempfile::tempdir().unwrap();
        let path = ended(root.path(), "20261130T044118Z", "k3v9", RunStatus::Success);
        let file = path.join("run.jsonl");
        let mut bytes = fs::read(&file).unwrap();
        let at = at % bytes.len();
        prop_assume!(bytes[at] != to);
        bytes[at] = to;
        fs::write(&file, &bytes).unwrap();
        let verified = verify(&path).unwrap();
        // The last line has none behind it: what the result does not repeat can be changed there.
        let in_last_line = bytes[..at].iter().filter(|b| **b == b'\n').count() >= 3;
        prop_assert!(!verified.holds() || in_last_line, "byte {at}: {verified:?}");
    }
}

/// What is told of a run whose writer was killed after these lines: the effect, and what the sentence says.
fn check_killed(lines: &str, effect: Option<Effect>, says: &str) {
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", redactor(&[]));
    let authorized = |step: &str, number, risk, allowed| RunEvent::Authorized {
        step: StepId::new(step).unwrap(),
        authorization: number,
        act: "click",
        risk,
        rule: String::new(),
        epoch: 1,
        allowed,
        code: None,
        message: String::new(),
    };
    for line in lines.split_whitespace() {
        let (word, number) = line.split_at(line.len() - 1);
        let number: u64 = number.parse().unwrap();
        let step = StepId::new(&format!("step_{number}")).unwrap();
        let found = |found| RunEvent::Reconciled { step: step.clone(), found, leaves: Vec::new() };
        let dispatched = |delivery| RunEvent::Dispatched {
            step: step.clone(),
            authorization: number,
            act: "click",
            delivery,
            detail: String::new(),
        };
        let event = match word {
            "safe" => authorized(step.as_str(), number, Risk::Safe, true),
            "risky" => authorized(step.as_str(), number, Risk::Risky, true),
            "irreversible" => authorized(step.as_str(), number, Risk::Irreversible, true),
            "refused" => authorized(step.as_str(), number, Risk::Irreversible, false),
            "delivered" => dispatched(DeliveryWord::Delivered),
            "undelivered" => dispatched(DeliveryWord::NotDelivered),
            "unclear" => dispatched(DeliveryWord::Unknown),
            "ended" => RunEvent::StepEnded { step, took_ms: 1 },
            "landed" => found("landed"),
            "lost" => found("not_landed"),
            "open" => found("unknown"),
            other => panic!("{other}"),
        };
        run.append(&JournalLine { at_ms: 1, event }).unwrap();
    }
    drop(run);
    let listed = &runs(root.path()).unwrap()[0];
    assert_eq!((listed.state, listed.effect), (RunState::Interrupted, effect), "{lines}: {listed:?}");
    let problem = listed.problem.clone().unwrap();
    assert!(problem.starts_with("whoever wrote it is gone; ") && problem.contains(says), "{lines}: {problem}");
}

#[test]
fn the_journal_of_a_killed_run_tells_whether_something_may_have_been_sent() {
    let check = |lines: &str, effect: Effect, says: &str| check_killed(lines, Some(effect), says);
    check("", Effect::None, "no risky step was sent");
    check("safe1 delivered1 ended1", Effect::None, "no risky step was sent");
    check("refused1", Effect::None, "no risky step was sent");
    // Written down and perhaps done: nobody knows before it is looked up.
    for lines in ["risky1", "irreversible1", "irreversible1 delivered1", "risky1 unclear1", "risky1 delivered1 open1"] {
        check(lines, Effect::Unknown, "`step_1` may have been sent and its effect is NOT KNOWN: check the record");
    }
    check("risky1 undelivered1", Effect::None, "no risky step was sent");
    check("risky1 undelivered1 risky1", Effect::Unknown, "NOT KNOWN");
    check("irreversible1 delivered1 ended1", Effect::Done, "`step_1` was sent and proven");
    check("irreversible1 delivered1 ended1 safe2 delivered2", Effect::Done, "`step_1` was sent and proven");
    check("irreversible1 delivered1 ended1 risky2", Effect::Unknown, "`step_2` may have been sent");
    check("irreversible1 delivered1 ended1 risky2 undelivered2", Effect::Done, "`step_1` was sent and proven");
    check("irreversible1 unclear1 safe2 delivered2 ended2 landed1", Effect::Done, "sent and proven");
    check("irreversible1 delivered1 lost1", Effect::None, "`step_1` was sent and had no effect");
}

#[test]
fn of_a_journal_that_was_changed_or_taken_away_nobody_says_that_nothing_was_sent() {
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", redactor(&[]));
    run.append(&step("one")).unwrap();
    run.append(&step("two")).unwrap();
    let path = run.path().to_owned();
    drop(run);
    change(&path, |text| text.replace("\"one\"", "\"ONE\""));
    let listed = &runs(root.path()).unwrap()[0];
    assert_eq!((listed.state, listed.effect), (RunState::Interrupted, None));
    assert!(listed.problem.as_ref().unwrap().contains("does not tell what was sent"), "{listed:?}");
    fs::remove_file(path.join("run.jsonl")).unwrap();
    let listed = &runs(root.path()).unwrap()[0];
    assert_eq!(listed.effect, None);
    assert!(listed.problem.as_ref().unwrap().contains("no journal"), "{listed:?}");
}

#[test]
fn a_run_that_was_killed_before_its_result_was_written_says_how_it_had_ended() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path(), "20261130T044118Z", "k3v9", RunStatus::Success);
    fs::remove_file(path.join("result.json")).unwrap();
    fs::rename(&path, root.path().join("replay-running-20261130T044118Z-k3v9")).unwrap();
    let listed = &runs(root.path()).unwrap()[0];
    assert_eq!((listed.state, listed.status, listed.effect), (RunState::Interrupted, None, Some(Effect::None)));
    let problem = listed.problem.as_ref().unwrap();
    assert!(problem.contains("it had ended as success, effect none, and its result was not written"), "{problem}");
}
