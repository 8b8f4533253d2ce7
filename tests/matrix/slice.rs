//! A slice of the matrix on every change, and whether the stored report is still true.

use std::process::{Command, Output};

use anyhow::{Context as _, Result, ensure};
use waymark_matrix::{Line, NAME, cells, pick, render};
use waymark_tests::report::{read, source_digest};
use waymark_tests::root;

/// Runs of the slice. They take two seconds each, and twice as long where something must be waited for.
const SLICE: usize = 24;

/// How many times the usual time a run is given here: the build is not optimized, and other tests run beside it. How long
/// runs take is shown by the full matrix.
const PATIENCE: &str = "3";

/// Lines of the stored report that are run again.
const AGAIN: usize = 10;

fn matrix(arguments: &[&str]) -> Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_waymark-matrix"))
        .args(arguments)
        .output()
        .context("the matrix could not be started")
}

fn passes(arguments: &[&str]) -> Result<()> {
    let output = matrix(arguments)?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

#[test]
fn a_slice_of_all_faults_at_all_steps_ends_as_it_has_to() -> Result<()> {
    // Another slice for every state of the sources, and the same one when a failure is looked into.
    passes(&[
        "faults",
        "--slice",
        &SLICE.to_string(),
        "--seed",
        &source_digest()?,
        "--jobs",
        "2",
        "--patience",
        PATIENCE,
    ])
}

#[test]
fn what_is_named_in_the_promise_ends_as_promised() -> Result<()> {
    let all: Vec<String> = cells()?.iter().map(ToString::to_string).collect();
    let named = [
        "activity/server_error/activity/always",
        "activity/element_missing/activity/always",
        "activity/rename_control/activity/always",
        "activity/interstitial/overview/once",
        "activity/session_timeout/activity/once",
        "activity/slow_load/transactions/always",
        "transfer/undeclared_dialog/transfer/once",
        "transfer/server_error/booked/always",
        "transfer/answer_reset/submit/always",
        "transfer/answer_reset/booked/always",
        "transfer/done_though_refused/transfer/always",
        "transfer/sent_twice/transfer/always",
        "activity/led_off_origin/activity/always",
    ];
    let mut arguments = vec!["faults", "--jobs", "2", "--patience", PATIENCE];
    for cell in named {
        ensure!(all.iter().any(|known| known == cell), "there is no cell {cell}");
        arguments.extend(["--cell", cell]);
    }
    passes(&arguments)
}

#[test]
fn the_stored_report_is_rendered_from_its_lines_and_some_of_them_come_out_again() -> Result<()> {
    let folder = root().join("evidence/evals");
    let (head, lines) = read::<Line>(&folder, NAME)?;
    let stored = std::fs::read_to_string(folder.join("faults.md"))?;
    ensure!(stored == render(&head, &lines), "faults.md is not what its lines say: ./x long faults");
    ensure!(lines.iter().all(|line| line.wrong.is_empty()), "the stored report has wrong runs");
    if head.sources != source_digest()? {
        eprintln!("the sources have moved on since the report was written: ./x long faults");
    }
    let mut arguments: Vec<String> = ["faults", "--jobs", "2", "--patience", PATIENCE].map(str::to_owned).into();
    let again = pick(&head.sources, AGAIN, lines.len());
    for at in &again {
        arguments.extend(["--cell".to_owned(), lines[*at].cell.clone()]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    passes(&arguments)
}
