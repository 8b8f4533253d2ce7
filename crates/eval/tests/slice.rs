//! A slice of the trial on every change, and whether the stored report is still true.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};

use waymark_eval::{DriftLine, DriftReport, DriftRequest, Verdict, drift, read_drift, render_drift, source_digest};

/// Runs of the slice.
const SLICE: usize = 12;

/// Lines of the stored report that are run again.
const AGAIN: usize = 10;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn tried(seed: u64, steps: Option<usize>, cases: Vec<String>) -> DriftReport {
    let command = String::new();
    let request = DriftRequest {
        root: root(),
        artifacts: Vec::new(),
        seed,
        steps,
        cases,
        jobs: 2,
        baseline: false,
        out: None,
        command,
    };
    drift(&request, &mut |_| {}).unwrap()
}

/// The number that the state of the sources is: another slice for every state, and the same one when it is looked into.
fn of_sources() -> u64 {
    u64::from_str_radix(&source_digest(&root()).unwrap()[..12], 16).unwrap()
}

#[test]
fn a_slice_of_all_changes_at_all_steps_touches_nothing_else() {
    let report = tried(of_sources(), Some(SLICE), Vec::new());
    let wrong: Vec<&DriftLine> = report.lines.iter().filter(|line| line.verdict == Verdict::Wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(report.lines.len(), SLICE);
}

#[test]
fn the_stored_report_is_rendered_from_its_lines_and_some_of_them_come_out_again() {
    let folder = root().join("evidence/evals");
    let stored = read_drift(&folder).unwrap();
    let told = std::fs::read_to_string(folder.join("drift.md")).unwrap();
    assert!(told == render_drift(&stored), "drift.md is not what its lines say: ./x long drift");
    assert_eq!(stored.count(Verdict::Wrong), 0, "the stored report has wrong runs");
    if stored.head.sources != source_digest(&root()).unwrap() {
        eprintln!("the sources have moved on since the report was written: ./x long drift");
    }
    let every = (stored.lines.len() / AGAIN).max(1);
    let first = usize::try_from(of_sources() % u64::try_from(every).unwrap()).unwrap();
    let cases = stored.lines.iter().skip(first).step_by(every).take(AGAIN).map(|line| line.case.clone());
    let again = tried(0, None, cases.collect());
    assert_eq!(again.count(Verdict::Wrong), 0, "{:#?}", again.lines);
    for line in &again.lines {
        let known = stored.lines.iter().find(|known| known.case == line.case).unwrap();
        assert_eq!((line.verdict, &line.changed), (known.verdict, &known.changed), "{line:#?}");
    }
}
