//! Reading runs, also broken ones.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{folder, redactor, result, step};
use proptest::prelude::*;
use waymark_evidence::{ReadError, RunFolder, RunState, find, journal, runs, show, verify};
use waymark_run::RunStatus;

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
