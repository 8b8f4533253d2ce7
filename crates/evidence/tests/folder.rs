//! What a run's folder holds, and what it does when the world does not play along.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::{UTC, folder, redactor, result, step};
use serde_json::Value;
use waymark_artifact::Digest;
use waymark_evidence::{
    EvidenceError, MaskError, Redaction, RedactionFailed, RunFolder, RunState, check_writable, mask, runs, show, verify,
};
use waymark_run::{RunEvent, RunStatus};

/// Fails on whatever holds the word `poison`.
struct Failing;

impl Redaction for Failing {
    fn text(&self, text: &str) -> Result<String, RedactionFailed> {
        if text.contains("poison") { Err(RedactionFailed("poisoned".to_owned())) } else { Ok(text.to_owned()) }
    }

    fn json(&self, value: Value) -> Result<Value, RedactionFailed> {
        self.text(&value.to_string()).map(|_| value)
    }

    fn file_name(&self, name: &str) -> Result<String, RedactionFailed> {
        self.text(name)
    }
}

/// All files below a folder, as one text.
fn everything(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        text.push_str(&format!("== {}\n", path.display()));
        if path.is_dir() {
            text.push_str(&everything(&path));
        } else {
            text.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
        }
    }
    text
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("run.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = image::RgbaImage::from_pixel(20, 10, image::Rgba([255, 255, 255, 255]));
    picture.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}

#[test]
fn a_run_that_ended_lies_under_its_ending_and_verifies() {
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", redactor(&[]));
    assert_eq!(run.path().file_name().unwrap(), "replay-running-20261130T044118Z-k3v9");
    run.append(&step("Type the password.")).unwrap();
    let picture = mask(&png(), &[], 1000).unwrap();
    let report = run.picture(Some("type_password"), "after the step", Ok(&picture)).unwrap();
    let file = report.file.clone().unwrap();
    assert!(file.starts_with("screenshots/001-type_password-") && file.ends_with(".png"), "{file}");
    let mut line = step("");
    line.event = RunEvent::Picture { step: None, report };
    run.append(&line).unwrap();
    assert_eq!(run.snapshot("failure", "window main").unwrap().unwrap(), "snapshots/001-failure.txt");

    let ended = run.finish(2412, result(RunStatus::Success)).unwrap();
    assert_eq!(ended.path, root.path().join("replay-success-20261130T044118Z-k3v9"));
    assert_eq!(ended.result.evidence.as_deref(), ended.path.to_str());
    let names: Vec<_> = fs::read_dir(root.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 1, "only the renamed folder: {names:?}");
    assert!(!ended.path.join("owner.json").exists());

    let lines = lines(&ended.path);
    assert_eq!(lines[0]["event"], "journal_opened");
    assert_eq!(lines[0]["folder"], "replay-running-20261130T044118Z-k3v9");
    let last = lines.last().unwrap();
    assert_eq!(last["event"], "run_ended");
    assert_eq!(last["folder"]["to"], "replay-success-20261130T044118Z-k3v9");
    let stored: Value = serde_json::from_slice(&fs::read(ended.path.join("result.json")).unwrap()).unwrap();
    assert_eq!(stored, serde_json::to_value(&ended.result).unwrap());
    let verified = verify(&ended.path).unwrap();
    assert!(verified.holds(), "{verified:?}");
    assert_eq!(verified.lines, 4);
}

#[test]
fn each_line_carries_the_digest_of_the_line_before() {
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", redactor(&[]));
    run.append(&step("one")).unwrap();
    let text = fs::read_to_string(run.path().join("run.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let second: Value = serde_json::from_str(lines[1]).unwrap();
    assert_eq!(second["prev"], Digest::of(lines[0].as_bytes()).0);
    assert_eq!(second["seq"], 1);
    assert!(lines[1].starts_with(r#"{"seq":1,"at_ms":412,"event":"step_started","#), "{}", lines[1]);
}

#[test]
fn a_secret_is_in_no_file_and_in_no_name() {
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", redactor(&["hunter_secret"]));
    run.append(&step("Type hunter_secret.")).unwrap();
    run.snapshot("failure_hunter_secret", "textbox \"Password\" = hunter_secret").unwrap();
    let picture = mask(&png(), &[], 1000).unwrap();
    run.picture(Some("hunter_secret"), "", Ok(&picture)).unwrap();
    let mut given = result(RunStatus::Success);
    given.outputs.insert("echo".to_owned(), Value::from("it is hunter_secret"));
    let ended = run.finish(1, given).unwrap();
    let text = everything(&ended.path);
    assert!(!text.contains("hunter_secret"), "{text}");
    assert!(text.contains("redacted"), "{text}");
    assert!(verify(&ended.path).unwrap().holds());
}

#[test]
fn a_secret_that_is_a_word_of_the_engine_does_not_spoil_the_journal() {
    for secret in ["success", "event", "step_started", "2412", "type_password", "replay", "sha256"] {
        let root = tempfile::tempdir().unwrap();
        let mut run = folder(root.path(), "k3v9", redactor(&[secret]));
        run.append(&step("one")).unwrap();
        let ended = run.finish(2412, result(RunStatus::Success)).unwrap();
        assert!(verify(&ended.path).unwrap().holds(), "{secret}");
        let listed = runs(root.path()).unwrap();
        assert_eq!(listed[0].status, Some(RunStatus::Success), "{secret}: {listed:?}");
    }
}

#[test]
fn what_cannot_be_redacted_is_not_written() {
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", Arc::new(Failing));
    let refused = |outcome: Result<(), EvidenceError>| {
        assert!(matches!(&outcome, Err(EvidenceError::Redaction { .. })), "{outcome:?}");
    };
    refused(run.append(&step("poison")).map(|_| ()));
    refused(run.snapshot("failure", "poison").map(|_| ()));
    refused(run.snapshot("poison", "fine").map(|_| ()));
    let picture = mask(&png(), &[], 1000).unwrap();
    refused(run.picture(Some("poison"), "", Ok(&picture)).map(|_| ()));
    let path = run.path().to_owned();
    let mut given = result(RunStatus::Success);
    given.held_before.push("poison".to_owned());
    refused(run.finish(1, given).map(|_| ()));
    assert!(!everything(&path).contains("poison"), "{}", everything(&path));
    assert!(path.exists(), "a run that could not be finished keeps its name");
    assert_eq!(runs(root.path()).unwrap()[0].state, RunState::Interrupted);
}

#[test]
fn a_withheld_picture_says_why() {
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", redactor(&[]));
    let report = run.picture(Some("read"), "after", Err(&MaskError::Incomplete)).unwrap();
    assert_eq!(report.file, None);
    assert_eq!(
        report.withheld.unwrap(),
        "a part of the screen may show what must be masked, and could not be read or placed"
    );
    assert!(run.gaps().is_empty(), "withholding is no gap");
}

#[test]
fn a_picture_that_cannot_be_written_is_a_gap_and_the_run_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", redactor(&[]));
    fs::write(run.path().join("screenshots"), "in the way").unwrap();
    let picture = mask(&png(), &[], 1000).unwrap();
    let report = run.picture(Some("read"), "after", Ok(&picture)).unwrap();
    assert!(report.withheld.is_some() && report.file.is_none(), "{report:?}");
    let ended = run.finish(1, result(RunStatus::Success)).unwrap();
    assert_eq!(ended.result.evidence_gaps.len(), 1, "{:?}", ended.result.evidence_gaps);
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let run = folder(root.path(), "k3v9", redactor(&[]));
    fs::create_dir_all(run.path().join("result.json/in_the_way")).unwrap();
    let error = run.finish(1, result(RunStatus::Success)).unwrap_err();
    assert!(matches!(error, EvidenceError::Unwritable { .. }), "{error:?}");
}

#[test]
fn a_folder_that_cannot_be_renamed_keeps_its_name_and_says_so() {
    let root = tempfile::tempdir().unwrap();
    let run = folder(root.path(), "k3v9", redactor(&[]));
    let running = run.path().to_owned();
    fs::create_dir(root.path().join("replay-failed-20261130T044118Z-k3v9")).unwrap();
    let ended = run.finish(1, result(RunStatus::Failed)).unwrap();
    assert_eq!(ended.path, running);
    assert_eq!(ended.result.evidence.as_deref(), running.to_str());
    assert!(ended.result.evidence_gaps[0].contains("could not be renamed"), "{:?}", ended.result.evidence_gaps);
    assert!(verify(&running).unwrap().holds(), "{:?}", verify(&running));
    let shown = show(root.path(), running.to_str().unwrap()).unwrap();
    assert_eq!((shown.summary.state, shown.summary.status), (RunState::Ended, Some(RunStatus::Failed)));
}

#[test]
fn a_root_that_is_a_file_is_refused_with_the_way_out() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    for root in [file.clone(), file.join("below")] {
        let error = check_writable(&root).unwrap_err();
        assert!(error.hint().contains("--evidence DIR"), "{error:?}");
        let made = RunFolder::create(&root, "replay", UTC, "a", redactor(&[]));
        assert!(matches!(made, Err(EvidenceError::Unwritable { .. })), "{made:?}");
    }
}

#[test]
fn a_root_that_is_not_there_is_made_and_a_probe_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let deep = root.path().join("a/b");
    check_writable(&deep).unwrap();
    assert_eq!(fs::read_dir(&deep).unwrap().count(), 0);
}

#[test]
fn names_that_would_lead_elsewhere_are_refused() {
    let root = tempfile::tempdir().unwrap();
    for (kind, utc, id) in
        [("../x", UTC, "a"), ("replay", "yesterday", "a"), ("replay", UTC, "a/b"), ("replay", UTC, "")]
    {
        let made = RunFolder::create(root.path(), kind, utc, id, redactor(&[]));
        assert!(matches!(made, Err(EvidenceError::Name { .. })), "{kind} {utc} {id}: {made:?}");
    }
}

#[cfg(unix)]
#[test]
fn folders_and_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::tempdir().unwrap();
    let mut run = folder(root.path(), "k3v9", redactor(&[]));
    run.snapshot("failure", "x").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(run.path()), 0o700);
    assert_eq!(mode(&run.path().join("run.jsonl")), 0o600);
    assert_eq!(mode(&run.path().join("snapshots/001-failure.txt")), 0o600);
}

#[test]
fn a_beginning_that_fails_leaves_no_folder_that_reads_as_a_run() {
    let root = tempfile::tempdir().unwrap();
    // A link that leads nowhere is no folder to make, and nobody's to remove.
    std::os::unix::fs::symlink("nowhere", root.path().join("replay-running-20261130T044118Z-k3v9")).unwrap();
    let made = RunFolder::create(root.path(), "replay", UTC, "k3v9", redactor(&[]));
    assert!(matches!(made, Err(EvidenceError::Unwritable { .. })), "{made:?}");
    let names: Vec<_> = fs::read_dir(root.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
}
