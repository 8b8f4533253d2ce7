//! Commands that need no browser, and what they print.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::{ARTIFACT, call, code, err, object, out, root, waymark};
use serde_json::{Value, json};

/// Stores a run as one that ended, without a journal.
fn stored(evidence: &Path, folder: &str, status: &str, exit: u8) {
    let path = evidence.join(folder);
    fs::create_dir_all(&path).unwrap();
    let reference = json!({
        "id": "parabank.read_accounts_overview", "version": "1.0.0", "digest": "sha256:0", "tenant": "base",
        "effective_digest": "sha256:0",
    });
    let result = json!({
        "schema": "waymark.run-result/1", "run_id": "abc", "status": status, "exit_code": exit,
        "capability": reference, "outputs": {}, "business_outcome": null, "escalation": null,
        "error": null, "recovered": [], "human_assisted": false, "effect": "none", "not_attempted": [],
        "held_before": [], "drift": {"score": 0, "steps": []}, "steps": {"done": 1, "total": 1},
        "started_at": "2026-11-30T04:41:18Z", "duration_ms": 2412, "evidence": null, "evidence_gaps": [],
    });
    fs::write(path.join("result.json"), result.to_string()).unwrap();
}

#[test]
fn the_reference_artifacts_are_valid_and_warnings_count_when_strict() {
    let output = call(&["validate", ARTIFACT, "artifacts/parabank.read_account_activity.v1.json", "--json"]);
    let value = object(&output);
    assert_eq!(code(&output), 0, "{value}");
    assert_eq!((value["errors"].as_u64(), value["items"].as_array().unwrap().len()), (Some(0), 2));
    let strict = call(&["validate", ARTIFACT, "--strict", "--json"]);
    let warnings = object(&strict)["warnings"].as_u64().unwrap();
    assert!(warnings > 0, "the reference leads with inferred names");
    assert_eq!(code(&strict), 4);
}

#[test]
fn an_artifact_is_told_in_plain_english() {
    let output = call(&["show", ARTIFACT]);
    assert_eq!((code(&output), err(&output).as_str()), (0, ""));
    let text = out(&output);
    let parts =
        ["What it takes\n  - username: text", "Risk: safe", "What is proven of it", "\n  Its digest is sha256:"];
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
    let value = object(&call(&["show", ARTIFACT, "--json"]));
    assert_eq!((value["schema"].as_str(), value["exit_code"].as_u64()), (Some("waymark.show/1"), Some(0)));
    assert!(value["sections"].as_array().unwrap().iter().all(|part| text.contains(part["heading"].as_str().unwrap())));
}

#[test]
fn words_of_an_artifact_cannot_move_what_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turned.json");
    let mut artifact: Value = serde_json::from_slice(&fs::read(root().join(ARTIFACT)).unwrap()).unwrap();
    artifact["title"] = "safe\u{202e}\u{1b}[2J".into();
    artifact["steps"][1]["action"]["target"]["description"] = "field\u{2066}\n1. nothing".into();
    artifact["steps"][1]["action"]["target"]["candidates"] = Value::Array(Vec::new());
    fs::write(&file, artifact.to_string()).unwrap();
    let output = call(&["show", file.to_str().unwrap()]);
    assert_eq!(code(&output), 4, "{}", err(&output));
    for text in [out(&output), err(&output)] {
        let moved = text.chars().find(|c| (c.is_control() && *c != '\n') || "\u{202e}\u{2066}".contains(*c));
        assert_eq!(moved, None, "{text}");
    }
    assert!(out(&output).contains("safe<U+202E><U+001B>[2J"), "{}", out(&output));
}

#[test]
fn capabilities_are_listed_and_described_by_name() {
    let text = out(&call(&["list"]));
    assert!(text.contains("parabank.read_accounts_overview@1.0.0 "), "{text}");
    let catalog = object(&call(&["list", "--json"]));
    assert_eq!(catalog["schema"], "waymark.catalog/1");
    assert_eq!(catalog["unfit"], json!([]), "the artifacts of the repository are all of use");
    for entry in catalog["items"].as_array().unwrap() {
        let id = entry["id"].as_str().unwrap();
        let told = call(&["describe", id]);
        assert_eq!((code(&told), err(&told).as_str()), (0, ""), "{id}");
        let json = object(&call(&["describe", id, "--json"]));
        assert_eq!((&json["schema"], &json["digest"]), (&json!("waymark.capability/1"), &entry["digest"]));
        for name in json["parameters"]["properties"].as_object().unwrap().keys() {
            assert!(out(&told).contains(&format!("\n  {name} ")), "{name}: {}", out(&told));
        }
    }
}

#[test]
fn a_capability_that_is_not_there_is_refused_before_anything_starts() {
    let evidence = tempfile::tempdir().unwrap();
    let place = evidence.path().to_str().unwrap();
    for call in [
        call(&["invoke", "parabank.read_account_overview", "--json", "--evidence", place]),
        call(&["invoke", "parabank.read_accounts_overview@9.0.0", "--json", "--evidence", place]),
        call(&["describe", "parabank.nothing", "--json"]),
        call(&["list", "--artifacts", "no/such/folder", "--json"]),
    ] {
        let rejection = object(&call);
        assert_eq!((code(&call), &rejection["error"]["code"]), (4, &json!("invalid_invocation")), "{rejection}");
    }
    assert_eq!(fs::read_dir(evidence.path()).unwrap().count(), 0);
    let told = err(&call(&["invoke", "parabank.read_account_overview"]));
    assert!(told.contains("did you mean `parabank.read_accounts_overview`?"), "{told}");
}

#[test]
fn what_is_no_artifact_is_told_as_the_checks_tell_it() {
    for (file, code_word, sections) in
        [("no-such.json", "unreadable", 0), ("fixtures/artifacts/invalid/blank_text.json", "blank_text", 1)]
    {
        let output = call(&["show", file]);
        assert_eq!((code(&output), out(&output).is_empty()), (4, sections == 0), "{file}");
        assert!(err(&output).contains(code_word) && err(&output).contains("hint: "), "{}", err(&output));
        assert_eq!(object(&call(&["show", "--json", file]))["findings"][0]["code"], code_word, "{file}");
    }
}

#[test]
fn a_file_that_is_not_there_is_an_error_of_validate() {
    let output = call(&["validate", "no-such.json", ARTIFACT]);
    assert_eq!(code(&output), 4);
    assert!(out(&output).contains("there is no such file"), "{}", out(&output));
    assert!(out(&output).contains("parabank.read_accounts_overview@1.0.0"), "the other file is still checked");
}

#[test]
fn every_stored_artifact_that_must_be_valid_is_and_each_of_the_others_has_a_finding() {
    for (folder, valid) in [("valid", true), ("invalid", false)] {
        let mut files: Vec<_> = fs::read_dir(root().join("fixtures/artifacts").join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
            .filter(|path| path.ends_with(".json"))
            .collect();
        files.sort();
        assert!(!files.is_empty(), "{folder}");
        let mut arguments = vec!["validate", "--json"];
        arguments.extend(files.iter().map(String::as_str));
        let output = call(&arguments);
        assert_eq!(code(&output), if valid { 0 } else { 4 });
        for item in object(&output)["items"].as_array().unwrap() {
            let findings = item["findings"].as_array().unwrap();
            let errors = findings.iter().filter(|finding| finding["severity"] == "error").count();
            assert!(if valid { errors == 0 } else { !findings.is_empty() }, "{item}");
        }
    }
}

#[test]
fn runs_are_listed_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let evidence = folder.path().to_str().unwrap();
    let none = call(&["runs", "list", "--evidence", evidence]);
    assert_eq!((code(&none), out(&none).as_str()), (0, ""));
    assert!(err(&none).contains("no runs"), "{}", err(&none));

    stored(folder.path(), "replay-success-20261130T044118Z-aaa", "success", 0);
    stored(folder.path(), "replay-failed-20261201T044118Z-bbb", "failed", 1);
    fs::create_dir(folder.path().join("replay-success-20261202T044118Z-ccc")).unwrap();
    fs::create_dir(folder.path().join("replay-running-20261203T044118Z-ddd")).unwrap();
    let text = out(&call(&["runs", "list", "--evidence", evidence]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    for (line, id, word) in
        [(0, "ddd", "interrupted"), (1, "ccc", "broken"), (2, "bbb", "failed"), (3, "aaa", "success")]
    {
        assert!(lines[line].contains(id) && lines[line].contains(word), "{text}");
    }
    let value = object(&call(&["runs", "list", "--evidence", evidence, "--limit", "1", "--json"]));
    assert_eq!(value["items"].as_array().unwrap().len(), 1);

    let shown = call(&["runs", "show", "aaa", "--evidence", evidence]);
    assert_eq!(code(&shown), 0);
    assert!(out(&shown).contains("result.json"), "{}", out(&shown));
    let unknown = call(&["runs", "show", "zzz", "--evidence", evidence, "--json"]);
    assert_eq!(code(&unknown), 4);
    assert_eq!(object(&unknown)["error"]["problems"][0]["problem"], "unknown");
}

#[test]
fn a_schema_is_printed_and_the_documents_fit_it() {
    let names = object(&call(&["schema", "--json"]));
    let names: Vec<&str> =
        names["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    let mut expected = vec!["artifact", "overlay", "run-result", "event", "effect", "catalog", "capability", "error"];
    if cfg!(feature = "discovery") {
        expected.extend(["goal", "discovery", "suite", "verification"]);
    }
    assert_eq!(names, expected);
    for name in names {
        let output = call(&["schema", name]);
        assert_eq!(code(&output), 0);
        let schema: Value = serde_json::from_str(&out(&output)).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
    }
}

#[test]
fn a_machine_without_a_browser_is_told_how_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = waymark(&["doctor", "--json", "--evidence", folder.path().to_str().unwrap()]);
    let output = command.env("PATH", folder.path()).output().unwrap();
    let value = object(&output);
    assert_eq!(code(&output), 1, "{value}");
    assert_eq!(value["ready"], false);
    let shell = &value["items"][0];
    assert_eq!(shell["state"], "problem");
    assert!(shell["hint"].as_str().unwrap().contains("apt install"), "{shell}");
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = call(&["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(out(&output).contains("replay"), "{shell}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let mut child = waymark(&["schema", "artifact"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0);
    assert_eq!(err(&output), "", "no word about a broken pipe");
    let full = fs::File::create("/dev/full").unwrap();
    let output = waymark(&["schema", "artifact"]).stdout(full).output().unwrap();
    assert!(!err(&output).contains("panicked"), "{}", err(&output));
}

fn started(name: &str) -> (Child, String) {
    let mut child = waymark(&["fixture", name, "--port", "0", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(said["fixture"], name);
    assert!(!said["key"].as_str().unwrap().is_empty());
    (child, said["base_url"].as_str().unwrap().to_owned())
}

fn get(base_url: &str, path: &str) -> String {
    let rest = base_url.strip_prefix("http://").unwrap();
    let (host, prefix) = rest.split_once('/').map_or((rest, String::new()), |(h, p)| (h, format!("/{p}")));
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET {prefix}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

fn ends(mut child: Child) -> i32 {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            return -2;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_stand_in_is_served_until_its_standard_input_closes() {
    for (name, page, text) in [("parabank", "/index.htm", "ParaBank"), ("cases", "/L01.html", "<")] {
        let (mut child, base_url) = started(name);
        let answer = get(&base_url, page);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(text), "{answer}");
        drop(child.stdin.take());
        assert_eq!(ends(child), 0, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_stand_in_ends_with_a_signal() {
    for signal in ["INT", "TERM"] {
        let (child, _) = started("parabank");
        let sent = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(ends(child), 0, "{signal}");
    }
}

#[test]
fn a_port_that_is_taken_is_a_bad_invocation() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = call(&["fixture", "parabank", "--port", &port, "--json"]);
    assert_eq!(code(&output), 4);
    assert_eq!(object(&output)["error"]["problems"][0]["place"], "--port");
}
