//! Files that are broken, enormous or meant to do harm, by way of the program: exit 4, a code, a place and a hint.

use std::fs;
use std::path::Path;

use crate::common::{ARTIFACT, call, code, err, object, out, root};

/// A capability that needs credentials.
const EVERYTHING: &str = "fixtures/artifacts/valid/everything.json";

/// A file of one gigabyte that takes no room.
fn enormous(path: &Path) -> String {
    fs::File::create(path).unwrap().set_len(1 << 30).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The call is refused with exactly one problem; without `--json`, too.
fn check(arguments: &[&str], place: &str, problem: &str) {
    let evidence = tempfile::tempdir().unwrap();
    let all = [arguments, &["--evidence", evidence.path().to_str().unwrap()]].concat();
    let plain = call(&all);
    assert_eq!((code(&plain), out(&plain).as_str()), (4, ""), "{arguments:?}: {}", err(&plain));
    assert!(err(&plain).contains("hint: "), "{}", err(&plain));
    assert!(!err(&plain).contains("panicked"), "{}", err(&plain));
    let value = object(&call(&[&all[..], &["--json"]].concat()));
    let problems = value["error"]["problems"].as_array().unwrap();
    let found: Vec<_> =
        problems.iter().map(|p| (p["place"].as_str().unwrap(), p["problem"].as_str().unwrap())).collect();
    assert!(found.iter().any(|(at, what)| at.ends_with(place) && *what == problem), "{place} {problem}: {found:?}");
    assert!(problems.iter().all(|p| !p["hint"].as_str().unwrap().is_empty()), "{problems:?}");
}

#[test]
fn a_parameter_file_that_could_be_read_in_two_ways_is_refused_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("params.json");
    let file = path.to_str().unwrap();
    for (text, place, problem) in [
        (&b"{\"username\": \"a\",\n \"username\": \"b\"}"[..], "--params-file:2:11#/username", "duplicate_key"),
        (b"\xef\xbb\xbf{}", "--params-file:1:1", "not_json"),
        (b"{} // none", "--params-file:1:4", "not_json"),
        (b"{\"username\": 9007199254740993}", "--params-file:1:29#/username", "number_too_large"),
        (b"{\"username\": \"\xff\"}", "--params-file:1:15", "not_utf8"),
    ] {
        fs::write(&path, text).unwrap();
        check(&["replay", "--artifact", ARTIFACT, "--params-file", file], place, problem);
    }
    let stated = r#"{"username": "a", "username": "b"}"#;
    check(&["replay", "--artifact", ARTIFACT, "--params", stated], "--params:1:28#/username", "duplicate_key");
}

#[test]
fn an_enormous_file_is_refused_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let file = enormous(&folder.path().join("any"));
    check(&["replay", "--artifact", &file], "any", "too_large");
    check(&["replay", "--artifact", ARTIFACT, "--params-file", &file], "--params-file", "too_large");
    let config = folder.path().to_str().unwrap();
    // The profile is read where an artifact needs credentials.
    let files = ["allowlist.yaml", "risk_policy.yaml", "redaction.yaml", "profiles/ledger.yaml"];
    for (name, artifact) in files.into_iter().zip([ARTIFACT, ARTIFACT, ARTIFACT, EVERYTHING]) {
        fs::create_dir_all(folder.path().join("profiles")).unwrap();
        for name in &files[..3] {
            fs::copy(root().join("config").join(name), folder.path().join(name)).unwrap();
        }
        enormous(&folder.path().join(name));
        check(&["replay", "--artifact", artifact, "--config", config], name, "too_large");
        fs::write(folder.path().join(name), "a: &a [*a, *a]\n").unwrap();
        let said = err(&call(&["replay", "--artifact", artifact, "--config", config]));
        assert!(said.contains(&format!("{name} at line 1, column ")), "{name}: {said}");
    }
}

#[test]
fn a_broken_run_is_shown_as_what_it_is() {
    let root = tempfile::tempdir().unwrap();
    let evidence = root.path().to_str().unwrap();
    let run = root.path().join("replay-success-20261130T044118Z-k3v9");
    fs::create_dir(&run).unwrap();
    for (name, text) in [
        ("run.jsonl", b"[".repeat(100_000)),
        ("run.jsonl", b"\n".repeat(100_000)),
        ("run.jsonl", b"\xff\x1b[2J\n{}\n".to_vec()),
        ("result.json", b"{\"a\":".repeat(100_000)),
    ] {
        fs::write(run.join(name), text).unwrap();
        let shown = call(&["runs", "show", "k3v9", "--evidence", evidence]);
        assert_eq!(code(&shown), 0, "{}", err(&shown));
        assert!(out(&shown).contains("broken"), "{}", out(&shown));
        assert!(!out(&shown).contains('\u{1b}') && !err(&shown).contains("panicked"), "{}", err(&shown));
        object(&call(&["runs", "show", "k3v9", "--json", "--evidence", evidence]));
    }
    enormous(&run.join("run.jsonl"));
    enormous(&run.join("result.json"));
    let shown = out(&call(&["runs", "show", "k3v9", "--evidence", evidence]));
    assert!(shown.contains("result.json cannot be read: it has 1073741824 bytes"), "{shown}");
    let listed = call(&["runs", "list", "--evidence", evidence]);
    assert!(out(&listed).contains("broken"), "{}", out(&listed));
}
