//! Faults of a stand-in, from the command line.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::thread::JoinHandle;

use crate::common::{ARTIFACT, call, code, err, object, out, waymark};
use serde_json::Value;

const KEY: &str = "0123456789abcdef0123456789abcdef";

/// A stand-in in a process of its own, which ends with this.
struct Fixture {
    child: Child,
    base_url: String,
    key: String,
    said: Value,
}

impl Fixture {
    fn start(name: &str, more: &[&str]) -> Self {
        let mut child = waymark(&[&["fixture", name, "--port", "0", "--json"], more].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let word = |name: &str| said[name].as_str().unwrap().to_owned();
        Fixture { child, base_url: word("base_url"), key: word("key"), said }
    }

    fn origin(&self) -> &str {
        let authority = self.base_url.strip_prefix("http://").unwrap().split('/').next().unwrap();
        &self.base_url[..7 + authority.len()]
    }

    fn get(&self, path: &str) -> String {
        let host = &self.origin()[7..];
        let mut stream = TcpStream::connect(host).unwrap();
        let key = format!("x-waymark-key: {}\r\n", self.key);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n{key}Connection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    fn document(&self, path: &str) -> Value {
        serde_json::from_str(self.get(path).split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn log(&self) -> Value {
        self.document(&format!("/__oracle/log?key={}", self.key))
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// Something that answers these in turn, whatever it is asked, and tells what it was asked.
fn stranger(answers: &'static [&'static str]) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/parabank", listener.local_addr().unwrap());
    let heard = std::thread::spawn(move || {
        let answer = |text: &&str| {
            let mut stream = listener.accept().unwrap().0;
            let mut asked = Vec::new();
            let mut part = [0u8; 4096];
            let complete = |asked: &[u8]| {
                let text = String::from_utf8_lossy(asked).into_owned();
                text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
                    // A question without a length has no body.
                    let head = head.to_lowercase();
                    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                    length.is_none_or(|length| length.trim() == body.len().to_string())
                })
            };
            while !complete(&asked) {
                let read = stream.read(&mut part).unwrap();
                asked.extend_from_slice(&part[..read]);
            }
            stream.write_all(text.as_bytes()).unwrap();
            String::from_utf8(asked).unwrap()
        };
        answers.iter().map(answer).collect()
    });
    (address, heard)
}

/// A replay that is refused because of its faults: where and with which word. It says nothing but that.
fn check(arguments: &[&str], expected: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let evidence = folder.path().join("evidence");
    let fixed = ["replay", "--artifact", ARTIFACT, "--params-file", "fixtures/params/john.json"];
    let place = ["--evidence", evidence.to_str().unwrap()];
    let output = call(&[&fixed[..], &place, arguments, &["--json"]].concat());
    let value = object(&output);
    assert_eq!(code(&output), 4, "{arguments:?}: {value}");
    assert_eq!((&value["status"], &value["error"]["code"]), (&"rejected".into(), &"invalid_invocation".into()));
    let problems = value["error"]["problems"].as_array().unwrap();
    let found: Vec<_> =
        problems.iter().map(|p| (p["place"].as_str().unwrap(), p["problem"].as_str().unwrap())).collect();
    assert_eq!(found, expected, "{arguments:?}: {value}");
    assert!(problems.iter().all(|p| !p["hint"].as_str().unwrap().is_empty()), "{value}");
    assert!(!evidence.exists(), "{arguments:?}: nothing was started");
}

#[test]
fn a_fault_that_there_is_not_is_a_bad_invocation_that_names_those_that_there_are() {
    for fault in ["earthquake", "server_error:0", "server_error:x", "server_error@attic", "interstitial@accounts", ""] {
        for arguments in [&["fixture", "parabank", "--port", "0"][..], &["replay", "--artifact", ARTIFACT]] {
            let output = call(&[arguments, &["--inject", fault, "--json"]].concat());
            assert_eq!(code(&output), 4, "{fault}");
            assert_eq!(object(&output)["error"]["problems"][0]["problem"], "invalid_value", "{fault}");
        }
    }
    let output = call(&["fixture", "parabank", "--inject", "earthquake"]);
    assert!(err(&output).contains("there are interstitial, session_timeout, slow_load"), "{}", err(&output));
}

#[test]
fn faults_need_an_address_on_this_machine_and_a_key() {
    let both = [("--base-url", "missing"), ("--fixture-key", "missing")];
    check(&["--inject", "slow_load"], &both);
    check(&["--inject", "slow_load", "--fixture-key", KEY], &both[..1]);
    check(&["--inject", "slow_load", "--base-url", "http://127.0.0.1:1/parabank"], &both[1..]);
    for elsewhere in ["http://bank.example/parabank", "https://127.0.0.1/parabank", "http://127.0.0.1@bank.example/"] {
        check(
            &["--inject", "slow_load", "--fixture-key", KEY, "--base-url", elsewhere],
            &[("--base-url", "not_loopback")],
        );
    }
    let output = call(&["replay", "--artifact", ARTIFACT, "--fixture-key", KEY, "--json"]);
    assert_eq!((code(&output), &object(&output)["error"]["problems"][0]["problem"]), (4, &"missing_argument".into()));
}

#[test]
fn whatever_is_no_stand_in_is_never_told_the_key() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = format!("http://127.0.0.1:{port}/parabank");
    check(&["--inject", "slow_load", "--fixture-key", KEY, "--base-url", &nobody], &[("--base-url", "no_answer")]);
    for answer in [
        &["HTTP/1.1 200 OK\r\n\r\nhello"][..],
        &["HTTP/1.1 404 Not Found\r\n\r\n{\"schema\":\"waymark.fixture-hook/1\"}"],
        &["HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n"],
        &["HTTP/1.1 200 OK\r\n\r\n{\"schema\":\"other\"}"],
        &["SSH-2.0-OpenSSH\r\n"],
        &[""],
    ] {
        let (address, heard) = stranger(answer);
        check(
            &["--inject", "slow_load", "--fixture-key", KEY, "--base-url", &address],
            &[("--base-url", "not_a_fixture")],
        );
        let heard = heard.join().unwrap();
        assert!(heard.len() == 1 && heard[0].starts_with("GET /waymark-fixture ") && !heard[0].contains(KEY));
    }
}

#[test]
fn a_key_of_another_stand_in_or_a_stand_in_without_faults_is_refused() {
    let fixture = Fixture::start("parabank", &[]);
    for key in [KEY, "x y", "", "a\r\nb"] {
        check(
            &["--inject", "slow_load", "--fixture-key", key, "--base-url", &fixture.base_url],
            &[("--fixture-key", "wrong_key")],
        );
    }
    assert_eq!(fixture.document("/waymark-fixture/faults")["faults"], serde_json::json!([]));
    let cases = Fixture::start("cases", &[]);
    check(
        &["--inject", "slow_load", "--fixture-key", &cases.key, "--base-url", &cases.base_url],
        &[("--inject", "no_faults")],
    );
    let output = call(&["fixture", "cases", "--port", "0", "--inject", "slow_load", "--json"]);
    assert_eq!((code(&output), &object(&output)["error"]["problems"][0]["problem"]), (4, &"no_faults".into()));
}

#[test]
fn faults_are_set_before_a_run_and_taken_away_after_it_even_if_it_is_refused() {
    const HOOK: &str = "HTTP/1.1 200 OK\r\n\r\n{\"schema\":\"waymark.fixture-hook/1\",\"modes\":[\"slow_load\"]}";
    const DONE: &str = "HTTP/1.1 200 OK\r\n\r\n{}";
    let (address, heard) = stranger(&[HOOK, DONE, DONE]);
    let arguments = ["--inject", "slow_load", "--inject", "server_error:2@activity", "--fixture-key", KEY];
    let more = ["--base-url", &address, "--browser", "./no-such-browser", "--params", "{}", "--json"];
    let output = call(&[&["replay", "--artifact", ARTIFACT][..], &arguments, &more].concat());
    assert_eq!(code(&output), 4);
    assert!(object(&output)["error"].to_string().contains("no-such-browser"), "{}", out(&output));
    let heard = heard.join().unwrap();
    assert!(
        heard[1].starts_with("POST /waymark-fixture/faults ") && heard[1].contains(&format!("x-waymark-key: {KEY}"))
    );
    assert!(heard[1].ends_with(r#"{"faults":["slow_load:always","server_error:2@activity"]}"#), "{}", heard[1]);
    assert!(heard[2].starts_with("DELETE /waymark-fixture/faults ") && heard[2].contains(KEY));

    const REFUSED: &str = "HTTP/1.1 400 Bad Request\r\n\r\nthere is no fault `slow_load`";
    let (address, heard) = stranger(&[HOOK, REFUSED]);
    check(&["--inject", "slow_load", "--fixture-key", KEY, "--base-url", &address], &[("--inject", "refused")]);
    assert_eq!(heard.join().unwrap().len(), 2);
}

#[test]
fn the_console_is_served_in_each_skin_with_faults_at_its_screens() {
    for (variant, brand) in [("a", "Meridian"), ("b", "Harbor Desk"), ("c", "Meridian")] {
        let fixture = Fixture::start("meridian", &["--variant", variant, "--inject", "host_500:1@MI0100"]);
        assert_eq!(fixture.said["faults"], serde_json::json!(["server_error:1@MI0100"]));
        assert!(fixture.base_url.ends_with("/meridian"));
        assert!(fixture.get("/meridian/nav").contains(brand), "{variant}");
        assert!(fixture.get("/meridian/mi0100").starts_with("HTTP/1.1 500"), "{variant}");
        assert!(fixture.get("/meridian/mi0100").starts_with("HTTP/1.1 200"), "{variant}");
    }
}

#[test]
fn what_one_stand_in_has_is_refused_of_another() {
    for (arguments, place) in [
        (&["parabank", "--inject", "slow@MI0200"][..], "--inject"),
        (&["parabank", "--inject", "app_error"], "--inject"),
        (&["meridian", "--inject", "slow@overview"], "--inject"),
        (&["parabank", "--variant", "b"], "--variant"),
        (&["cases", "--idle", "5"], "--idle"),
    ] {
        let output = call(&[&["fixture"], arguments, &["--port", "0", "--json"]].concat());
        let value = object(&output);
        assert_eq!((code(&output), &value["error"]["problems"][0]["place"]), (4, &place.into()), "{value}");
    }
}

#[test]
fn a_stand_in_goes_wrong_from_its_start_if_it_is_told_to() {
    let fixture = Fixture::start("parabank", &["--inject", "server_error:1@index", "--inject", "interstitial"]);
    assert_eq!(fixture.said["faults"], serde_json::json!(["server_error:1@index", "interstitial:1"]));
    assert!(fixture.get("/parabank/index.htm").starts_with("HTTP/1.1 500"));
    assert!(fixture.get("/parabank/index.htm").starts_with("HTTP/1.1 200"));
    assert_eq!(fixture.log()["strikes"][0]["mode"], "server_error");
    assert_eq!(fixture.document("/waymark-fixture/faults")["faults"], serde_json::json!(["interstitial:1"]));
}

/// What a run ended with, in a real browser, unattended by anybody.
fn replayed(arguments: &[&str]) -> (i32, Value) {
    let folder = tempfile::tempdir().unwrap();
    let fixed = ["replay", "--artifact", ARTIFACT, "--params-file", "fixtures/params/john.json", "--json"];
    let output = call(&[&fixed[..], &["--evidence", folder.path().to_str().unwrap()], arguments].concat());
    (code(&output), object(&output))
}

#[test]
fn a_run_meets_the_faults_it_was_given_and_the_next_one_does_not() {
    let fixture = Fixture::start("parabank", &[]);
    let address = ["--base-url", &fixture.base_url];
    let faults = ["--inject", "server_error", "--fixture-key", &fixture.key];
    let (exit, value) = replayed(&[&address[..], &faults].concat());
    assert!(exit == 1 || exit == 3, "{value}");
    let strikes = fixture.log()["strikes"].as_array().unwrap().clone();
    assert!(!strikes.is_empty() && strikes.iter().all(|s| s["mode"] == "server_error" && s["place"] == "overview"));
    let (exit, value) = replayed(&address);
    assert_eq!(exit, 0, "{value}");
    assert_eq!(fixture.log()["strikes"].as_array().unwrap().len(), strikes.len());
}

#[test]
fn a_run_is_not_let_to_the_hooks_of_the_stand_in() {
    let fixture = Fixture::start("parabank", &[]);
    for path in ["/waymark-fixture", "/waymark-fixture/faults"] {
        let (exit, value) = replayed(&["--base-url", &format!("{}{path}", fixture.origin())]);
        assert_eq!((exit, &value["escalation"]["code"]), (3, &"policy_blocked".into()), "{value}");
    }
    assert_eq!(fixture.log()["hook_calls"], 0);
}
