//! A document in plain English: what it says of the committed ones, and that it leaves nothing out.
//!
//! `UPDATE=1` writes the stored texts anew.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads its corpus from files, and a file that cannot be read is a failed test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use waymark_artifact::{Artifact, json_schema, prose};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every committed artifact and every valid document of the corpus.
fn documents() -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for folder in ["artifacts", "fixtures/artifacts/valid"] {
        let mut paths: Vec<PathBuf> = fs::read_dir(root().join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
        paths.sort();
        assert!(paths.len() >= 3, "{folder} holds {paths:?}");
        for path in paths {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            out.push((name, serde_json::from_slice(&fs::read(&path).unwrap()).unwrap()));
        }
    }
    out
}

fn read(document: &Value) -> Option<Artifact> {
    Artifact::deserialize(document).ok()
}

fn told(artifact: &Artifact) -> String {
    let mut out = String::new();
    for section in prose(artifact) {
        out.push_str(&format!("{}\n", section.heading));
        for line in section.lines {
            out.push_str(&format!("  {}{}\n", "  ".repeat(usize::from(line.depth)), line.text));
        }
    }
    out
}

/// The pointer of every value in a document, the whole itself left out.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, v)| (key.replace('~', "~0").replace('/', "~1"), v)).collect(),
        Value::Array(all) => all.iter().enumerate().map(|(at, v)| (at.to_string(), v)).collect(),
        _ => Vec::new(),
    };
    for (key, value) in inside {
        let pointer = format!("{at}/{key}");
        places(value, &pointer, out);
        out.push(pointer);
    }
}

/// The words that the schema knows: those of one field alone under its name, those of types that have a name of their
/// own under none.
type Words = BTreeMap<String, BTreeSet<String>>;

fn words(schema: &Value, field: &str, out: &mut Words) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                if let (true, Some(word)) = (key == "const", value.as_str()) {
                    out.entry(field.to_owned()).or_default().insert(word.to_owned());
                }
                match (key.as_str(), value) {
                    ("properties", Value::Object(fields)) => fields.iter().for_each(|(key, v)| words(v, key, out)),
                    ("enum", Value::Array(all)) => {
                        let all = all.iter().filter_map(Value::as_str).map(str::to_owned);
                        out.entry(field.to_owned()).or_default().extend(all);
                    }
                    ("$defs", Value::Object(types)) => types.values().for_each(|value| words(value, "", out)),
                    _ => words(value, field, out),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|value| words(value, field, out)),
        _ => {}
    }
}

/// Other values that could stand in the place of this one, in groups: only where nothing of a group can be read, the
/// next one is tried.
fn others(value: &Value, field: &str, known: &Words) -> Vec<Vec<Value>> {
    match value {
        Value::String(text) => {
            let words = known.get(field).or(known.get("")).into_iter().flatten().filter(|word| *word != text);
            vec![
                vec![Value::from(format!("{text}x"))],
                vec![Value::from("9.8.7")],
                words.map(|word| Value::from(word.as_str())).collect(),
                vec![json!({"first": 3})],
            ]
        }
        Value::Number(number) => number.as_u64().map(|n| vec![vec![Value::from(n + 1)]]).unwrap_or_default(),
        Value::Bool(is) => vec![vec![Value::from(!is)]],
        Value::Null => vec![vec![Value::from("x")], vec![Value::from(7)], vec![Value::from(true)]],
        Value::Object(_) | Value::Array(_) => Vec::new(),
    }
}

/// The document without what stands at a pointer.
fn without(document: &Value, pointer: &str) -> Value {
    let mut out = document.clone();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match out.pointer_mut(parent).unwrap() {
        Value::Object(map) => drop(map.remove(&key.replace("~1", "/").replace("~0", "~"))),
        Value::Array(all) => drop(all.remove(key.parse().unwrap())),
        _ => {}
    }
    out
}

/// What came of changing a document at every place.
#[derive(Default)]
struct Changes {
    /// Changes that could be read and mean something else.
    tried: usize,
    /// Those after which the text was the same.
    silent: Vec<String>,
    /// Leaves that have no other value.
    fixed: Vec<String>,
}

/// Changes each leaf, takes each part away and turns each list around, one at a time.
fn change_all(name: &str, document: &Value, known: &Words) -> Changes {
    let artifact = read(document).unwrap();
    let text = told(&artifact);
    let (mut pointers, mut out) = (Vec::new(), Changes::default());
    places(document, "", &mut pointers);
    for pointer in pointers {
        let value = document.pointer(&pointer).unwrap();
        let mut try_one = |changed: &Value| {
            let Ok(other) = Artifact::deserialize(changed) else { return false };
            // What means the same by the document's own rules is no change.
            if other != artifact {
                out.tried += 1;
                if told(&other) == text {
                    out.silent.push(format!("{name} {pointer} {value}"));
                }
            }
            true
        };
        let groups = others(value, pointer.rsplit('/').next().unwrap_or_default(), known);
        let mut changed = document.clone();
        let leaf = !groups.is_empty();
        let found = groups.into_iter().any(|group| {
            let read = group.into_iter().map(|other| {
                *changed.pointer_mut(&pointer).unwrap() = other;
                try_one(&changed)
            });
            read.fold(false, |any, read| any | read)
        });
        try_one(&without(document, &pointer));
        if value.as_array().is_some_and(|all| all.len() > 1) {
            let mut changed = document.clone();
            changed.pointer_mut(&pointer).unwrap().as_array_mut().unwrap().reverse();
            try_one(&changed);
        }
        if leaf && !found {
            out.fixed.push(format!("{name} {pointer} {value}"));
        }
    }
    out
}

#[test]
fn nothing_of_a_document_is_left_unsaid() {
    let mut known = Words::new();
    words(&serde_json::to_value(json_schema()).unwrap(), "", &mut known);
    let documents = documents();
    let changes: Vec<Changes> = std::thread::scope(|scope| {
        let known = &known;
        let running: Vec<_> =
            documents.iter().map(|(name, document)| scope.spawn(move || change_all(name, document, known))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for ((name, _), changes) in documents.iter().zip(&changes) {
        assert!(changes.tried > 50, "{name}: {} changes were tried", changes.tried);
    }
    let silent: Vec<String> = changes.iter().flat_map(|c| c.silent.clone()).collect();
    assert!(silent.is_empty(), "changed without a word:\n{}", silent.join("\n"));
    // One version of the schema is known, so its word has no other; a tag of what has other fields than its
    // neighbours cannot be changed alone. Every other leaf was changed.
    let mut fixed: Vec<String> = changes.into_iter().flat_map(|c| c.fixed).collect();
    fixed.retain(|place| {
        let pointer = place.split(' ').nth(1).unwrap_or_default();
        let tag = pointer.rsplit('/').next().unwrap_or_default();
        pointer != "/schema" && !matches!(tag, "kind" | "rung" | "relation" | "from")
    });
    assert!(fixed.is_empty(), "could not be changed:\n{}", fixed.join("\n"));
}

#[test]
fn no_text_of_a_document_breaks_out_of_its_line() {
    for (name, document) in documents() {
        let mut pointers = Vec::new();
        places(&document, "", &mut pointers);
        for pointer in pointers.iter().filter(|p| document.pointer(p).unwrap().is_string()) {
            let mut document = document.clone();
            let place = document.pointer_mut(pointer).unwrap();
            *place = Value::from(format!(
                "{}\n\u{1b}[2J\r\u{9b}1m\u{202e}\u{2066}\u{200b}\u{2028}\u{feff}",
                place.as_str().unwrap()
            ));
            let Some(artifact) = read(&document) else { continue };
            for line in prose(&artifact).iter().flat_map(|s| &s.lines) {
                let bad = line
                    .text
                    .chars()
                    .find(|c| c.is_control() || "\u{202e}\u{2066}\u{200b}\u{2028}\u{feff}".contains(*c));
                assert_eq!(bad, None, "{name} {pointer}: {}", line.text);
            }
        }
    }
}

#[test]
fn the_committed_artifacts_read_as_they_were_reviewed() {
    let folder = root().join("fixtures/prose");
    let updating = std::env::var_os("UPDATE").is_some();
    let mut names = BTreeSet::new();
    for (name, document) in documents() {
        if !name.starts_with("parabank.") && !name.starts_with("meridian.") && name != "everything" {
            continue;
        }
        let text = told(&read(&document).unwrap());
        let file = folder.join(format!("{name}.txt"));
        if updating {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &text).unwrap();
        }
        assert_eq!(text, fs::read_to_string(&file).unwrap_or_default(), "{name}: UPDATE=1 writes it anew");
        names.insert(format!("{name}.txt"));
    }
    let stored: BTreeSet<String> =
        fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(stored, names, "a text without its document");
}

#[test]
fn a_document_that_takes_and_gives_nothing_says_so() {
    let (_, document) = documents().into_iter().find(|(name, _)| name == "smallest").unwrap();
    let mut document: Map<String, Value> = document.as_object().unwrap().clone();
    for part in ["parameters", "outputs", "outcomes", "recoveries", "subflows"] {
        document.remove(part);
    }
    let text = told(&read(&Value::from(document)).unwrap());
    for said in ["What it takes\n  Nothing.", "What it gives\n  Nothing but how it ended.", "None is declared;"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
