//! Calls that are refused, and calls that need no browser.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::common::{ARTIFACT, call, code, err, object, out, waymark};
use serde_json::Value;

/// A call that is refused as a whole: what a script sees must be the same with and without JSON.
fn refused(arguments: &[&str]) -> Value {
    let plain = call(arguments);
    assert_eq!(code(&plain), 4, "{arguments:?}: {}", err(&plain));
    assert_eq!(out(&plain), "", "{arguments:?} says nothing on standard output");
    assert!(!err(&plain).is_empty(), "{arguments:?}");
    let output = call(&[arguments, &["--json"]].concat());
    assert_eq!(code(&output), 4, "{arguments:?}");
    let value = object(&output);
    assert_eq!((value["schema"].as_str(), value["status"].as_str()), (Some("waymark.error/1"), Some("rejected")));
    assert_eq!(value["exit_code"], 4);
    value
}

fn problems(value: &Value) -> Vec<(String, String)> {
    let word = |problem: &Value, key: &str| problem[key].as_str().unwrap().to_owned();
    value["error"]["problems"].as_array().unwrap().iter().map(|p| (word(p, "place"), word(p, "problem"))).collect()
}

#[test]
fn what_is_not_understood_is_a_bad_invocation() {
    for arguments in [
        &["frob"][..],
        &["replay"],
        &["replay", "--artifact", ARTIFACT, "--frob"],
        &["replay", "--artifact", ARTIFACT, "--mode", "never"],
        &["replay", "--artifact", ARTIFACT, "--operator", "nobody"],
        &["replay", "--artifact", ARTIFACT, "--approve-risk", "all"],
        &["replay", "--artifact", ARTIFACT, "--timeout", "0"],
        &["replay", "--artifact", ARTIFACT, "--outcome-exit", "256"],
        &["replay", "--artifact", ARTIFACT, "--browser", "netscape"],
        &["replay", "--artifact", ARTIFACT, "-q", "-v"],
        &["repl", "--artifact", ARTIFACT],
        &["validate"],
        &["fixture", "nobank"],
        &["fixture", "parabank", "--port", "70000"],
        &["runs"],
        &["schema", "frob"],
        &["completions", "tcsh"],
    ] {
        assert_eq!(refused(arguments)["error"]["code"], "invalid_invocation", "{arguments:?}");
    }
}

#[test]
fn a_near_miss_is_suggested() {
    let value = refused(&["replay", "--artifcat", "x"]);
    assert_eq!(value["error"]["problems"][0]["hint"], "did you mean --artifact?");
}

#[test]
fn all_problems_come_at_once_and_nothing_is_started() {
    let folder = tempfile::tempdir().unwrap();
    let evidence = folder.path().join("evidence");
    let (config, evidence_text) = (folder.path().to_str().unwrap(), evidence.to_str().unwrap());
    let value = refused(&[
        "replay",
        "--artifact",
        ARTIFACT,
        "--params",
        r#"{"usrname":"x"}"#,
        "--param",
        "password=hunter_secret",
        "--base-url",
        "ftp://x",
        "--config",
        config,
        "--evidence",
        evidence_text,
        "--browser",
        "./no-such-browser",
    ]);
    let found = problems(&value);
    let has = |place: &str, problem: &str| found.iter().any(|(p, w)| p.ends_with(place) && w == problem);
    for (place, problem) in [
        ("username", "missing"),
        ("usrname", "unknown"),
        ("password", "sensitive"),
        ("--base-url", "address"),
        ("allowlist.yaml", "missing"),
        ("risk_policy.yaml", "missing"),
        ("redaction.yaml", "missing"),
        ("--browser", "missing"),
    ] {
        assert!(has(place, problem), "{place} {problem}: {found:?}");
    }
    assert!(!value.to_string().contains("hunter_secret"), "{value}");
    assert_eq!(fs::read_dir(&evidence).unwrap().count(), 0, "no run folder");
}

#[test]
fn parameters_are_refused_without_being_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let replay = |arguments: &[&str]| {
        let evidence = folder.path().join("evidence");
        let all = [&["replay", "--artifact", ARTIFACT, "--evidence", evidence.to_str().unwrap()], arguments].concat();
        let value = refused(&all);
        assert_eq!(value["error"]["code"], "invalid_parameters", "{value}");
        assert!(!value.to_string().contains("hunter"), "{value}");
        problems(&value)
    };
    let one = |place: &str, problem: &str| vec![(place.to_owned(), problem.to_owned())];
    let torn = file("torn.json", r#"{"username": "john", "password": "hunter"#);
    assert_eq!(replay(&["--params-file", &torn]), one("--params-file:1:40", "not_json"));
    let list = file("list.json", r#"["hunter"]"#);
    assert_eq!(replay(&["--params-file", &list]), one("--params-file:1:1", "not_an_object"));
    let none = folder.path().join("none.json");
    assert_eq!(replay(&["--params-file", none.to_str().unwrap()]), one("--params-file", "unreadable"));
    let number = file("number.json", r#"{"username": 5, "password": "hunter"}"#);
    assert_eq!(replay(&["--params-file", &number]), one("username", "wrong_type"));
    let right = file("right.json", r#"{"username": "john", "password": "hunter"}"#);
    assert_eq!(replay(&["--params-file", &right, "--params", r#"{"username":"x"}"#]), one("username", "twice"));
    assert_eq!(replay(&["--params-file", &right, "--param", "username=x"]), one("username", "twice"));
    assert_eq!(replay(&["--params-file", &right, "--base-url", "http://a/b?c"]), one("--base-url", "address"));
}

#[test]
fn parameters_can_come_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().to_str().unwrap();
    let evidence = folder.path().join("evidence");
    let mut child = waymark(&["replay", "--artifact", ARTIFACT, "--params-file", "-", "--json", "--config", config])
        .args(["--evidence", evidence.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"username": "john", "pasword": "x"}"#).unwrap();
    let value = object(&child.wait_with_output().unwrap());
    let found = problems(&value);
    assert!(found.contains(&("pasword".to_owned(), "unknown".to_owned())), "{found:?}");
    assert!(!found.iter().any(|(place, _)| place == "username"), "{found:?}");
}

#[test]
fn a_broken_artifact_is_refused_with_file_and_pointer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.json");
    let text = fs::read_to_string(crate::common::root().join(ARTIFACT)).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["steps"][0]["action"]["kind"] = Value::from("opne");
    fs::write(&file, document.to_string()).unwrap();
    let path = file.to_str().unwrap();
    let evidence = folder.path().join("evidence");
    let value = refused(&["replay", "--artifact", path, "--evidence", evidence.to_str().unwrap()]);
    assert_eq!(value["error"]["code"], "invalid_artifact");
    let place = &problems(&value)[0].0;
    assert!(place.starts_with(path) && place.contains("/steps/0"), "{place}");
    let output = call(&["validate", path]);
    assert_eq!(code(&output), 4);
    assert!(out(&output).contains("/steps/0"), "{}", out(&output));
}

#[test]
fn a_file_in_place_of_the_evidence_folder_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let params = "fixtures/params/john.json";
    let value =
        refused(&["replay", "--artifact", ARTIFACT, "--params-file", params, "--evidence", file.to_str().unwrap()]);
    assert_eq!(problems(&value), [("--evidence".to_owned(), "unwritable".to_owned())]);
    assert!(value["error"]["problems"][0]["hint"].as_str().unwrap().contains("--evidence DIR"), "{value}");
}

#[test]
fn with_events_a_refusal_is_the_only_line() {
    let value = object(&call(&["replay", "--artifact", "no-such-file.json", "--events"]));
    assert_eq!(value["error"]["code"], "invalid_artifact");
}

#[test]
fn help_and_version_are_answers() {
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["help"],
        &["replay", "--help"],
        &["run", "-h"],
        &["validate", "--help"],
        &["fixture", "--help"],
        &["runs", "--help"],
        &["runs", "list", "--help"],
        &["runs", "show", "--help"],
        &["schema", "--help"],
        &["doctor", "--help"],
        &["completions", "--help"],
    ] {
        let output = call(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}");
        assert!(!out(&output).is_empty() && err(&output).is_empty(), "{arguments:?}");
        assert!(!out(&output).contains('\u{1b}'), "{arguments:?}: no colour into a pipe");
    }
}

#[test]
fn the_help_of_replay_shows_the_parameter_file_first() {
    let text = out(&call(&["replay", "--help"]));
    let at = |word: &str| text.find(&format!("      {word} ")).unwrap_or_else(|| panic!("{word}: {text}"));
    assert!(at("--params-file") < at("--params") && at("--params") < at("--param"), "{text}");
}

#[test]
fn the_exit_codes_are_in_the_help() {
    let text = out(&call(&["--help"]));
    for (number, word) in [(0, "success"), (1, "failed"), (2, "business outcome"), (3, "person"), (4, "bad invocation")]
    {
        assert!(text.lines().any(|line| line.trim_start().starts_with(&number.to_string()) && line.contains(word)));
    }
}

#[test]
fn no_variable_of_the_environment_changes_an_answer() {
    let plain = call(&["validate", ARTIFACT, "--json"]);
    let mut loud = waymark(&["validate", ARTIFACT, "--json"]);
    for name in ["WAYMARK_CONFIG", "WAYMARK_EVIDENCE", "RUST_LOG", "BROWSER", "OPENAI_API_KEY", "CLICOLOR_FORCE"] {
        loud.env(name, "1");
    }
    assert_eq!(out(&plain), out(&loud.output().unwrap()));
}
