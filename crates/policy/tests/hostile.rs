//! Configurations that are broken, cut off, nested deep or meant to do harm.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "the test reads its corpus from files")]

#[path = "../../artifact/tests/sound/damage.rs"]
mod damage;
mod sound;

use std::fs;
use std::path::Path;

use damage::{damaged, damages};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use waymark_policy::{PolicyError, Profile, redaction_rules};

const ALLOWLIST: &str = include_str!("../../../config/allowlist.yaml");
const RISK: &str = include_str!("../../../config/risk_policy.yaml");
const REDACTION: &str = include_str!("../../../config/redaction.yaml");
const PARABANK: &str = include_str!("../../../config/profiles/parabank.yaml");

fn seeded(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(8), failure_persistence: None, ..Config::default() }
}

/// The rules of redaction, changed like this, are refused with this code.
fn check(change: impl Fn(&str) -> String, code: &str) -> PolicyError {
    let error = redaction_rules(&change(REDACTION)).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    error
}

#[test]
fn each_way_to_be_wrong_has_its_code() {
    check(|_| String::new(), "empty");
    check(|text| format!("{text}# {}\n", "x".repeat(300_000)), "too_large");
    check(|text| format!("{text}\nversion: 1\n"), "duplicate_key");
    check(|text| format!("{text}\nmisspelt: 1\n"), "unknown_field");
    check(|text| text.replacen("version: 1", "version: 2", 1), "version_unknown");
    check(|text| text.replacen("version: 1", "version: [", 1), "not_yaml");
    check(|_| "version: 1\n".to_owned(), "missing_field");
    let many = "[".to_owned() + &"{name: a, regex: b},".repeat(65) + "]";
    check(|text| text.replace("custom: []", &format!("custom: {many}")), "too_complex");
    check(|_| format!("version: {}", "[".repeat(10_000)), "not_yaml");
    check(|_| format!("field_names: [{}]", vec!["x"; 30_000].join(",")), "too_complex");
    check(|_| format!("field_names: [{}]", "&a x, *a, ".repeat(100)), "too_complex");
}

#[test]
fn control_characters_of_a_text_do_not_reach_the_terminal() {
    let error = check(|text| format!("{text}\n\"\u{1b}[2J\": 1\n"), "not_yaml");
    assert!(!error.to_string().contains('\u{1b}'), "{error}");
}

#[test]
fn a_profile_that_holds_a_secret_in_place_of_its_source_does_not_show_it() {
    let error = Profile::load("p", &PARABANK.replace("env PARABANK_PASSWORD", "hunter2")).unwrap_err();
    assert!(!error.to_string().contains("hunter2"), "{error}");
    assert!(error.place().is_some(), "{error}");
}

#[test]
fn what_is_wrong_with_the_whole_is_told_at_the_field_it_belongs_to() {
    let line = |text: &str| Profile::load("p", text).unwrap_err().place().map(|place| place.line);
    let begins = |field: &str| PARABANK.lines().position(|line| line.starts_with(field)).map(|at| at as u64 + 1);
    assert_eq!(line(&PARABANK.replace("name: password", "name: username")), begins("credentials"));
    assert_eq!(line(&PARABANK.replace("code: no_transactions", "code: not_authorized")), begins("outcomes"));
    assert_eq!(line(&PARABANK.replace("path: /index.htm", "path: //evil.example/")), begins("entry_point"));
}

#[test]
fn all_that_fuzzing_found_is_answered_soundly() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fuzz/yaml");
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        sound::configuration(&fs::read(entry.unwrap().path()).unwrap());
        read += 1;
    }
    assert!(read > 3, "only {read} texts");
}

#[test]
fn damaged_configurations_are_answered_soundly() {
    let texts = [('a', ALLOWLIST), ('r', RISK), ('p', PARABANK), ('x', REDACTION)];
    let texts = texts.map(|(which, text)| (which as u8, text));
    proptest!(seeded(128), |((which, text) in prop::sample::select(texts.to_vec()), damages in damages())| {
        let mut bytes = vec![which];
        bytes.extend(damaged(text.as_bytes(), &damages));
        sound::configuration(&bytes);
    });
}

#[test]
fn any_text_is_answered_soundly() {
    proptest!(seeded(128), |(which in "[arpx]", text in "[\\PC\n]{0,120}")| {
        sound::configuration(format!("{which}{text}").as_bytes());
    });
}
