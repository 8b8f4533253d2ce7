//! Stored journals of inputs, from runs in a real browser: fed twice they give the same effects byte for byte.

#![expect(clippy::unwrap_used, reason = "a journal that cannot be made or read ends the test")]

use std::path::{Path, PathBuf};

use waymark_replay::{INPUTS_SCHEMA, Recording, RecordingError};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/journals")
}

#[expect(clippy::disallowed_methods, reason = "it reads its corpus")]
fn stored() -> Vec<(PathBuf, String)> {
    let mut files: Vec<PathBuf> = folder()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn every_stored_journal_fed_twice_gives_its_effects_byte_for_byte() {
    let stored = stored();
    assert!(stored.len() >= 5, "only {} journals", stored.len());
    for (path, text) in stored {
        let name = path.display();
        let recording = Recording::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let first = recording.feed().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(first, recording.feed().unwrap(), "{name}");
        assert_eq!(first, Recording::parse(&text).unwrap().feed().unwrap(), "{name}: read again");
        assert_eq!(recording.effects, Some(recording.digest().unwrap()), "{name}: other effects than stored");
    }
}

#[test]
fn a_journal_with_another_input_gives_other_effects_or_is_refused() {
    for (path, text) in stored() {
        let recording = Recording::parse(&text).unwrap();
        let expected = recording.feed().unwrap();
        let mut short = recording.clone();
        short.inputs.pop();
        assert!(!short.feed().is_ok_and(|effects| effects == expected), "{}: the last input is none", path.display());
        let mut swapped = recording;
        swapped.inputs.swap(1, 2);
        assert!(!swapped.feed().is_ok_and(|effects| effects == expected), "{}: in any order", path.display());
    }
}

#[test]
fn what_is_no_journal_says_where() {
    let parse = |text: &str| Recording::parse(text).unwrap_err().to_string();
    assert_eq!(parse(""), "line 1: there is none");
    assert!(parse("{\"schema\": 1}").starts_with("line 1: "));
    let (_, text) = stored().remove(0);
    let other = text.replacen(INPUTS_SCHEMA, "waymark.inputs/9", 1);
    assert_eq!(parse(&other), "line 1: `waymark.inputs/9` is not `waymark.inputs/1`");
    let mut recording = Recording::parse(&text).unwrap();
    recording.inputs.remove(0);
    assert!(matches!(recording.feed(), Err(RecordingError::Unasked { index: 1 })));
}
