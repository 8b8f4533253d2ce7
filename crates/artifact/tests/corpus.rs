//! The corpora of documents: every file is a case.
//!
//! `UPDATE=1` writes what is expected, and the published schema, anew.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the test reads its corpus from files, and a file that cannot be read is a failed test"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use waymark_artifact::{Artifact, CODES, Severity, canonical_json, json_schema, load, validate};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn documents(folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    paths.sort();
    assert!(!paths.is_empty(), "no documents in {folder}");
    paths
        .into_iter()
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect()
}

fn valid() -> Vec<(String, Artifact)> {
    let bytes = documents("fixtures/artifacts/valid");
    bytes.into_iter().map(|(name, bytes)| (name, load(&bytes).unwrap_or_else(|e| panic!("{e}")))).collect()
}

fn updating() -> bool {
    std::env::var_os("UPDATE").is_some()
}

/// What is said of a document: the load error, or every finding.
fn check(bytes: &[u8]) -> String {
    match load(bytes) {
        Err(error) => {
            let (line, column) = error.at.unwrap_or_default();
            let (code, pointer, message, hint) = (error.code, error.pointer, error.message, error.hint);
            format!("load {code} {pointer:?} at {line}:{column}\n  {message}\n  hint: {hint}\n")
        }
        Ok(artifact) => validate(&artifact)
            .into_iter()
            .map(|f| format!("{} {} {:?}\n  {}\n", f.severity.as_str(), f.code, f.pointer, f.message))
            .collect(),
    }
}

#[test]
fn every_invalid_document_is_refused_for_its_reason() {
    let folder = root().join("fixtures/artifacts/invalid");
    let mut wrong = Vec::new();
    for (name, bytes) in documents("fixtures/artifacts/invalid") {
        let said = check(&bytes);
        assert!(!said.is_empty(), "{name} is valid");
        let path = folder.join(format!("{name}.expected"));
        if updating() {
            fs::write(&path, &said).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if said != expected {
            wrong.push(format!("{name}:\n{said}expected:\n{expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n(UPDATE=1 writes them anew)", wrong.join("\n"));
}

#[test]
fn every_expectation_belongs_to_a_document() {
    let names: BTreeSet<String> = documents("fixtures/artifacts/invalid").into_iter().map(|(name, _)| name).collect();
    for entry in fs::read_dir(root().join("fixtures/artifacts/invalid")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(names.contains(&stem), "{} has no document", path.display());
    }
}

#[test]
fn a_file_that_is_named_after_a_rule_breaks_it_and_every_rule_has_one() {
    let mut missing: BTreeSet<&str> = CODES.iter().map(|(code, ..)| *code).collect();
    for (name, bytes) in documents("fixtures/artifacts/invalid") {
        let Ok(artifact) = load(&bytes) else {
            assert!(name.starts_with("load_"), "{name} is not even read: {}", check(&bytes));
            continue;
        };
        assert!(!name.starts_with("load_"), "{name} is read");
        let codes: Vec<&str> = validate(&artifact).iter().map(|f| f.code).collect();
        if missing.remove(name.as_str()) {
            assert!(codes.contains(&name.as_str()), "{name} breaks {codes:?}");
        }
    }
    assert!(missing.is_empty(), "no document breaks {missing:?}");
}

#[test]
fn every_finding_is_in_the_table_and_points_to_a_place() {
    for (name, bytes) in documents("fixtures/artifacts/invalid") {
        let Ok(artifact) = load(&bytes) else { continue };
        for finding in validate(&artifact) {
            let row = CODES.iter().find(|(code, ..)| *code == finding.code).expect("the code is in the table");
            assert_eq!(row.1, finding.severity, "{name}");
            assert_eq!(row.3, finding.hint, "{name}");
            // What is left out because it is a default is not written; its owner is.
            let json = serde_json::to_value(&artifact).unwrap();
            let owner = finding.pointer.rsplit_once('/').map_or("", |(owner, _)| owner);
            let known = json.pointer(&finding.pointer).or_else(|| json.pointer(owner)).is_some();
            assert!(known || finding.pointer.starts_with("/limits"), "{name}: {}", finding.pointer);
        }
    }
}

#[test]
fn codes_are_told_once() {
    let codes: BTreeSet<&str> = CODES.iter().map(|(code, ..)| *code).collect();
    assert_eq!(codes.len(), CODES.len());
}

#[test]
fn valid_documents_have_no_error_and_no_warning() {
    for (name, artifact) in valid() {
        let bad: Vec<_> = validate(&artifact).into_iter().filter(|f| f.severity != Severity::Note).collect();
        assert!(bad.is_empty(), "{name}: {bad:#?}");
    }
}

#[test]
fn errors_come_first_and_then_the_order_of_the_document() {
    let (_, bytes) =
        documents("fixtures/artifacts/invalid").into_iter().find(|(n, _)| n == "order_of_findings").unwrap();
    let found: Vec<_> = validate(&load(&bytes).unwrap()).into_iter().map(|f| (f.severity, f.code)).collect();
    let expected = [
        (Severity::Error, "blank_text"),
        (Severity::Error, "output_not_read"),
        (Severity::Error, "deadline_zero"),
        (Severity::Error, "unknown_output"),
        (Severity::Warning, "unused_parameter"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_published_schema_is_fresh() {
    let path = root().join("artifacts/schema/artifact.v1.json");
    let fresh = format!("{:#}\n", json_schema().as_value());
    if updating() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &fresh).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    // Compared as JSON: the order of keys depends on how the workspace is built.
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    assert!(read(&published) == read(&fresh), "{} is stale (UPDATE=1 writes it anew)", path.display());
}

#[test]
fn the_published_schema_agrees_with_the_reader() {
    let schema = jsonschema::validator_for(json_schema().as_value()).unwrap();
    let mut all = documents("fixtures/artifacts/valid");
    all.extend(documents("fixtures/artifacts/invalid"));
    let mut shapes = 0;
    for (name, bytes) in all {
        let Ok(json) = serde_json::from_slice::<serde_json::Value>(&bytes) else { continue };
        match load(&bytes) {
            Ok(_) => assert!(schema.is_valid(&json), "{name} is read, but does not fit the schema"),
            Err(error) if matches!(error.code, "shape" | "schema_unknown") => {
                shapes += 1;
                assert!(!schema.is_valid(&json), "{name} fits the schema, but is refused: {error}");
            }
            Err(_) => {}
        }
    }
    assert!(shapes > 10, "only {shapes} documents of a wrong shape");
}

#[test]
fn a_damaged_document_is_refused_with_a_way_out_and_never_panics() {
    for (_, bytes) in documents("fixtures/artifacts/valid") {
        for at in (0..bytes.len()).step_by(211) {
            let mut cut = bytes[..at].to_vec();
            let error = load(&cut).expect_err("half a document is none");
            assert!(!error.hint.is_empty() && !error.message.is_empty(), "{error:?}");
            cut.extend_from_slice(&bytes[at + 1..]);
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x55;
            for damaged in [cut, flipped] {
                match load(&damaged) {
                    Ok(artifact) => drop(validate(&artifact)),
                    Err(error) => assert!(!error.hint.is_empty() && !error.message.is_empty(), "{error:?}"),
                }
            }
        }
    }
}

#[test]
fn every_field_that_is_taken_away_is_missed_by_name_or_was_optional() {
    let (_, bytes) = documents("fixtures/artifacts/valid").into_iter().find(|(n, _)| n == "everything").unwrap();
    let whole: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let mut pointers = Vec::new();
    objects(&whole, String::new(), &mut pointers);
    for (pointer, key) in pointers {
        let mut json = whole.clone();
        json.pointer_mut(&pointer).unwrap().as_object_mut().unwrap().remove(&key);
        if let Err(error) = load(json.to_string().as_bytes()) {
            assert_eq!(error.pointer, pointer, "{key}: {error}");
        }
        let mut json = whole.clone();
        json.pointer_mut(&pointer).unwrap().as_object_mut().unwrap().insert("Zusatz ~/".into(), 1.into());
        let error = load(json.to_string().as_bytes()).expect_err("an unknown field is refused");
        assert!(error.pointer == format!("{pointer}/Zusatz ~0~1") || error.pointer == pointer, "{pointer}: {error}");
    }
}

/// Every object's pointer with each of its keys; free maps (hints) are left out.
fn objects(json: &serde_json::Value, pointer: String, out: &mut Vec<(String, String)>) {
    match json {
        serde_json::Value::Object(map) if !pointer.ends_with("/hint") => {
            for (key, value) in map {
                out.push((pointer.clone(), key.clone()));
                objects(value, format!("{pointer}/{key}"), out);
            }
        }
        serde_json::Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                objects(item, format!("{pointer}/{i}"), out);
            }
        }
        _ => {}
    }
}

#[test]
fn the_bounds_are_kept() {
    let large = vec![b' '; waymark_artifact::MAX_BYTES + 1];
    assert_eq!(load(&large).expect_err("too large").code, "too_large");
    let deep = "[".repeat(1_000_000);
    assert_eq!(load(deep.as_bytes()).expect_err("too deep").code, "too_deep");
}

#[test]
fn no_word_of_one_mechanism_is_in_the_crate_or_the_schema() {
    let words = ["css", "xpath", "dom", "html", "selector", "cdp", "playwright", "uia"];
    let mut files = vec![root().join("crates/artifact/src")];
    let mut texts = vec![("schema".to_owned(), json_schema().as_value().to_string())];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            texts.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
    for (name, text) in texts {
        let text = text.to_lowercase();
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
            assert!(!words.contains(&word), "{name} says `{word}`");
        }
    }
}

#[test]
fn what_is_written_canonically_is_read_again_as_the_same() {
    for (name, artifact) in valid() {
        let bytes = canonical_json(&artifact).unwrap();
        assert_eq!(load(&bytes).unwrap(), artifact, "{name}");
        assert_eq!(canonical_json(&load(&bytes).unwrap()).unwrap(), bytes, "{name}");
    }
}
