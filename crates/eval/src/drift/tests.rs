//! Whether the trial itself can be trusted: it is seen by nobody, and what is wrong is told as wrong.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};

use super::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn report_of(cases: &[&str]) -> DriftReport {
    let request = DriftRequest {
        root: root(),
        artifacts: Vec::new(),
        seed: 1,
        steps: None,
        cases: cases.iter().map(|case| (*case).to_owned()).collect(),
        jobs: 2,
        baseline: false,
        out: None,
        command: String::new(),
    };
    drift(&request, &mut |_| {}).unwrap()
}

#[test]
fn what_is_planted_is_told_as_wrong() {
    let report = report_of(&[
        // Another element by the label that is pressed; another field behind the caption; a double in its place; other figures.
        "parabank.transfer_funds/press_transfer_funds/planted/1",
        "parabank.transfer_funds/type_amount/planted/1",
        "parabank.transfer_funds/press_transfer/planted/1",
        "parabank.transfer_funds/read_balance/planted/1",
        "parabank.read_accounts_overview/press_log_in/planted/1",
        "meridian.transfer/type_amount/planted/1",
    ]);
    for line in &report.lines {
        assert_eq!(line.verdict, Verdict::Wrong, "{line:?}");
        let what = if line.case.contains("/read_") { "read something else" } else { "it touched" };
        assert!(line.wrong.iter().any(|wrong| wrong.contains(what)), "{line:?}");
    }
    assert_eq!(report.lines.len(), 6);
}

#[test]
fn a_deleted_target_is_refused_and_an_untouched_rest_survives() {
    let report = report_of(&[
        "parabank.transfer_funds/press_transfer/delete_target/1",
        "parabank.transfer_funds/press_transfer/rename_names/1",
    ]);
    let verdicts: Vec<Verdict> = report.lines.iter().map(|line| line.verdict).collect();
    assert_eq!(verdicts, [Verdict::Refused, Verdict::Survived], "{:?}", report.lines);
}

#[test]
fn a_run_does_the_same_with_an_ear_in_its_pages_and_without_one() {
    let stage = Stage::set(&root()).unwrap();
    let capabilities = tried::capabilities(&stage, &root(), &[]).unwrap();
    let mut world = World::new(false).unwrap();
    for capability in &capabilities {
        let course = Course::walk(&mut world, &stage, capability).unwrap();
        let ear = Arc::new(Ear::untouched());
        let mut effects = |ear: Option<&Arc<Ear>>| {
            let ran = world.run(&stage, &capability.call(&course.values, ear), &mut |_, _| ()).unwrap();
            (ran.result["effect_journal"].as_str().unwrap().to_owned(), ran.sent())
        };
        assert_eq!(effects(None), effects(Some(&ear)), "{}", capability.name);
        assert!(ear.events() > 0, "{}: it heard nothing", capability.name);
        assert!(!course.places.is_empty(), "{}: no step has a place", capability.name);
    }
}
