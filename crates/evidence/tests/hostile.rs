//! Run folders that are broken, cut off, enormous or meant to do harm.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;
#[path = "../../artifact/tests/sound/damage.rs"]
mod damage;
mod sound;

use std::fs;
use std::path::{Path, PathBuf};

use common::{folder, redactor, result, step};
use damage::{damaged, damages};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use waymark_evidence::{RunState, journal, read_journal, runs, show, verify};
use waymark_run::RunStatus;

fn seeded(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(8), failure_persistence: None, ..Config::default() }
}

fn ended(root: &Path) -> PathBuf {
    let mut run = folder(root, "k3v9", redactor(&[]));
    run.append(&step("one")).unwrap();
    run.append(&step("two")).unwrap();
    run.finish(1, result(RunStatus::Success)).unwrap().path
}

/// A file of this many bytes that takes no room.
fn enormous(path: &Path, bytes: u64) {
    fs::File::create(path).unwrap().set_len(bytes).unwrap();
}

#[test]
fn an_enormous_file_is_refused_by_its_size_and_named() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path());
    enormous(&path.join("run.jsonl"), 1 << 40);
    enormous(&path.join("intervention.json"), 1 << 40);
    let said = journal(&path).unwrap_err().to_string();
    assert!(said.contains("1099511627776 bytes"), "{said}");
    let shown = show(root.path(), "k3v9").unwrap();
    assert!(shown.summary.problem.unwrap().contains("run.jsonl"));
    assert_eq!((shown.verified, shown.intervention), (None, None));
    enormous(&path.join("result.json"), 1 << 40);
    let listed = &runs(root.path()).unwrap()[0];
    assert_eq!(listed.state, RunState::Broken);
    assert!(listed.problem.as_deref().unwrap().contains("result.json"), "{listed:?}");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path());
    for name in ["run.jsonl", "result.json"] {
        fs::remove_file(path.join(name)).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path.join(name)).unwrap();
    }
    assert!(journal(&path).unwrap_err().to_string().contains("no plain file"));
    assert_eq!(runs(root.path()).unwrap()[0].state, RunState::Broken);
    assert!(show(root.path(), "k3v9").unwrap().verified.is_none());
}

#[test]
fn a_journal_of_nothing_but_faults_is_not_read_to_its_end() {
    let read = read_journal(&b"\n".repeat(2_000_000));
    assert_eq!(read.problems.len(), 1001);
    assert!(read.problems.last().unwrap().message.contains("nothing was read"), "{:?}", read.problems.last());
    assert!(!read.ended);
    let read = read_journal(format!("{}{}", "[".repeat(100_000), "\n").as_bytes());
    assert!(read.problems[0].message.contains("too_deep"), "{:?}", read.problems);
}

#[test]
fn a_key_that_stands_twice_in_the_last_line_is_seen() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path());
    let file = path.join("run.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let at = text.rfind("\"event\":\"run_ended\"").unwrap();
    fs::write(&file, format!("{}\"event\":\"run_paused\",{}", &text[..at], &text[at..])).unwrap();
    let verified = verify(&path).unwrap();
    assert!(!verified.holds() && verified.first.as_ref().unwrap().message.contains("duplicate_key"), "{verified:?}");
}

#[test]
fn all_that_fuzzing_found_is_answered_soundly() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fuzz/journal");
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        sound::journal(&fs::read(entry.unwrap().path()).unwrap());
        read += 1;
    }
    assert!(read > 2, "only {read} texts");
}

#[test]
fn damaged_journals_and_results_are_answered_soundly() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path());
    let texts = ["run.jsonl", "result.json"].map(|name| fs::read(path.join(name)).unwrap());
    let texts = &texts;
    proptest!(seeded(384), |(which in 0..texts.len(), damages in damages())| {
        sound::journal(&damaged(&texts[which], &damages));
    });
}

#[test]
fn a_damaged_folder_is_listed_and_shown() {
    let root = tempfile::tempdir().unwrap();
    let path = ended(root.path());
    let whole = ["run.jsonl", "result.json"].map(|name| (path.join(name), fs::read(path.join(name)).unwrap()));
    let whole = &whole;
    proptest!(seeded(48), |(which in 0..whole.len(), damages in damages())| {
        for (at, (path, bytes)) in whole.iter().enumerate() {
            fs::write(path, if at == which { damaged(bytes, &damages) } else { bytes.clone() }).unwrap();
        }
        prop_assert_eq!(runs(root.path()).unwrap().len(), 1);
        let shown = show(root.path(), "k3v9").unwrap();
        let told = shown.summary.problem.is_some() || !shown.verified.is_some_and(|verified| verified.holds());
        let same = whole.iter().all(|(path, bytes)| fs::read(path).unwrap() == *bytes);
        // The last line has none behind it, and blanks in a result mean nothing.
        prop_assert!(told || same || which == 1 || shown.journal.lines.len() == 4);
    });
}
