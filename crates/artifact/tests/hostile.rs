//! Texts that are broken, cut off, enormous, nested deep or meant to do harm.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads its corpus from files, and a file that cannot be read is a failed test"
)]

#[path = "sound/damage.rs"]
mod damage;
mod sound;

use std::fs;
use std::path::{Path, PathBuf};

use damage::{damaged, damages};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use waymark_artifact::{LoadError, MAX_BYTES, load, load_parameters};

fn corpus(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_none_or(|e| e != "expected"));
    paths.sort();
    assert!(!paths.is_empty(), "nothing in {}", folder.display());
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn seeded(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(8), failure_persistence: None, ..Config::default() }
}

/// The parameters are refused with this code, at this pointer, line and column, with this word in the hint.
fn check(text: &str, code: &str, pointer: &str, at: (usize, usize), hint: &str) {
    let error = load_parameters(text.as_bytes()).unwrap_err();
    assert_eq!((error.code, error.pointer.as_str(), error.at), (code, pointer, Some(at)), "{text}: {error}");
    assert!(error.hint.contains(hint), "{text}: {}", error.hint);
}

#[test]
fn a_parameter_that_stands_twice_is_refused() {
    check(r#"{"account": "1", "account": "2"}"#, "duplicate_key", "/account", (1, 26), "keep one");
    check("{\"sum\": {\"amount\": \"1\",\n \"amount\": \"2\"}}", "duplicate_key", "/sum/amount", (2, 9), "keep one");
    check(r#"{"a": 1, "\u0061": 2}"#, "duplicate_key", "/a", (1, 17), "keep one");
}

#[test]
fn parameters_that_are_no_plain_json_object_are_refused() {
    check("\u{feff}{}", "not_json", "", (1, 1), "byte order mark");
    check("{\n  // mine\n  \"a\": 1}", "not_json", "", (2, 3), "no comments");
    check("{'a': 1}", "not_json", "", (1, 2), "double quotes");
    check("{\"a\": NaN}", "not_json", "", (1, 7), "JSON");
    check("{\"a\": 1,}", "not_json", "", (1, 9), "comma");
    check("{\"a\": \"b", "not_json", "", (1, 8), "cut off");
    check("", "not_json", "", (1, 1), "cut off");
    check("\n [1]", "not_an_object", "", (2, 2), "object");
    check("null", "not_an_object", "", (1, 1), "object");
    let error = load_parameters(b"{\"a\": \"\xff\"}").unwrap_err();
    assert_eq!((error.code, error.at), ("not_utf8", Some((1, 8))));
}

#[test]
fn numbers_beyond_exactness_are_refused_at_their_place() {
    check(r#"{"a": 9007199254740992}"#, "number_too_large", "/a", (1, 22), "as a string");
    check(r#"{"a": {"b": [0, -9007199254740993]}}"#, "number_too_large", "/a/b/1", (1, 33), "as a string");
    check(r#"{"a": 123456789012345678901234567890}"#, "number_too_large", "/a", (1, 36), "as a string");
    let error = load_parameters(br#"{"a": 1e999}"#).unwrap_err();
    assert_eq!(error.code, "number_too_large");
    assert!(load_parameters(br#"{"a": 9007199254740991}"#).is_ok());
}

#[test]
fn depth_size_and_keys_are_bounded() {
    let code = |text: &str| load_parameters(text.as_bytes()).map_err(|LoadError { code, .. }| code).err();
    assert_eq!(code(&format!("{{\"a\": {}", "[".repeat(10_000))), Some("too_deep"));
    assert_eq!(code(&"{\"a\":".repeat(10_000)), Some("too_deep"));
    assert_eq!(code(&format!("{{\"a\": \"{}\"}}", "x".repeat(100 * 1024 * 1024))), Some("too_large"));
    assert_eq!(code(&format!("{{\"{}\": 1}}", "k".repeat(257))), Some("key_too_long"));
    assert_eq!(code(&format!("{{\"{}\": 1}}", "k".repeat(256))), None);
    let large = vec![b' '; MAX_BYTES + 1];
    assert_eq!(load(&large).unwrap_err().code, "too_large");
}

#[test]
fn what_is_refused_is_never_repeated_whole() {
    let error = load_parameters(format!("{{\"{}\": 1}}", "hunter2".repeat(1000)).as_bytes()).unwrap_err();
    assert!(error.message.len() < 400, "{error}");
    let error = load_parameters(br#"{"password": "hunter2"#).unwrap_err();
    assert!(!error.to_string().contains("hunter"), "{error}");
}

#[test]
fn all_that_fuzzing_found_is_answered_soundly() {
    corpus("fuzz/artifact").iter().for_each(|bytes| sound::artifact(bytes));
    corpus("fuzz/params").iter().for_each(|bytes| sound::parameters(bytes));
}

#[test]
fn damaged_documents_are_answered_soundly() {
    let texts = corpus("artifacts/valid");
    let texts = &texts;
    proptest!(seeded(96), |(which in 0..texts.len(), damages in damages())| {
        sound::artifact(&damaged(&texts[which], &damages));
    });
}

#[test]
fn damaged_parameters_are_answered_soundly() {
    let mut texts = corpus("params");
    texts.push(
        br#"{"text": "a", "n": -12, "sum": {"amount": "1234.50", "currency": "USD"}, "day": "2026-11-30", "yes": true}"#
            .to_vec(),
    );
    let texts = &texts;
    proptest!(seeded(512), |(which in 0..texts.len(), damages in damages())| {
        sound::parameters(&damaged(&texts[which], &damages));
    });
}

#[test]
fn any_bytes_are_answered_soundly() {
    proptest!(seeded(256), |(bytes in prop::collection::vec(any::<u8>(), 0..200))| {
        sound::artifact(&bytes);
        sound::parameters(&bytes);
    });
}
