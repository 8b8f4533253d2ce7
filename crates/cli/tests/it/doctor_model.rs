//! `doctor --model`: a real server on loopback stands for the provider.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::common::{ARTIFACT, call, code, err, object, out, waymark};
use serde_json::{Value, json};

const KEY: &str = "canary-key-1234567890";

/// A server that gives these answers, one a request, and then ends with what it was asked. An empty body never comes.
struct Server {
    url: String,
    asked: JoinHandle<Vec<String>>,
}

impl Server {
    fn start(answers: Vec<(u16, String)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = std::thread::spawn(move || answers.into_iter().map(|answer| serve(&listener, answer)).collect());
        Server { url, asked }
    }

    fn asked(self) -> Vec<String> {
        self.asked.join().unwrap()
    }
}

fn serve(listener: &TcpListener, (status, body): (u16, String)) -> String {
    let (stream, _) = listener.accept().unwrap();
    let asked = request(&stream);
    let mut stream = stream;
    if body.is_empty() {
        // Whoever asked goes away first.
        let _ = stream.read(&mut [0]);
    } else {
        let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n");
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }
    asked
}

fn request(stream: &TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut reader = BufReader::new(stream);
    let (mut text, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        text.push_str(&line);
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    text + &String::from_utf8(body).unwrap()
}

fn calls(name: &str, arguments: &Value) -> (u16, String) {
    let call = json!({"id": "1", "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let usage = json!({"prompt_tokens": 61, "completion_tokens": 7});
    (200, json!({"choices": [{"finish_reason": "tool_calls", "message": message}], "usage": usage}).to_string())
}

fn says(text: &str) -> (u16, String) {
    let message = json!({"role": "assistant", "content": text});
    (200, json!({"choices": [{"finish_reason": "stop", "message": message}]}).to_string())
}

/// Asks the doctor, from a folder of its own with this `.env`.
fn doctor(arguments: &[&str], variables: &[(&str, &str)], dot_env: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    if !dot_env.is_empty() {
        std::fs::write(folder.path().join(".env"), dot_env).unwrap();
    }
    let config = crate::common::root().canonicalize().unwrap().join("config");
    let evidence = folder.path().join("evidence");
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (config, evidence) = (text(&config), text(&evidence));
    let mut all = vec!["doctor", "--config", &config, "--evidence", &evidence];
    all.extend(arguments);
    let mut command = waymark(&all);
    command.current_dir(folder.path()).envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert!(!format!("{}{}", out(&output), err(&output)).contains(KEY), "the key is told");
    output
}

/// What came of asking a server: number, state, code and form; and what it was asked.
fn tried(answers: Vec<(u16, String)>, more: &[&str]) -> (i32, String, Value, Vec<String>) {
    let server = Server::start(answers);
    let url = server.url.clone();
    let arguments = [&["--json", "--model", "tiny", "--model-url", &url], more].concat();
    let output = doctor(&arguments, &[("OPENAI_API_KEY", KEY)], "");
    let value = object(&output);
    let check = value["models"][0].clone();
    assert_eq!(value["ready"], true, "a replay needs no model: {value}");
    assert_eq!((check["provider"].as_str(), check["model"].as_str()), (Some("openai"), Some("tiny")));
    assert_eq!(check["base_url"], url);
    let word = |key: &str| check[key].as_str().unwrap_or("none").to_owned();
    let said = format!("{} {} {}", word("state"), word("code"), word("form"));
    (code(&output), said, check, server.asked())
}

#[test]
fn a_good_answer_is_told_with_its_time_and_tokens() {
    let (exit, said, check, asked) = tried(vec![calls("answer", &json!({"ready": true}))], &[]);
    assert_eq!((exit, said.as_str()), (0, "ok none tool_call"), "{check}");
    assert_eq!((&check["calls"], &check["input_tokens"], &check["output_tokens"]), (&json!(1), &json!(61), &json!(7)));
    assert!(check["latency_ms"].is_u64());
    assert!(asked[0].contains("/v1/chat/completions") && asked[0].contains(KEY), "{}", asked[0]);
    let server = Server::start(vec![calls("answer", &json!({"ready": true}))]);
    let output = doctor(&["--model", "tiny", "--model-url", &server.url], &[], "");
    let told = out(&output);
    for part in [&format!("openai tiny at {}", server.url), "right form", " ms, 1 calls, 61 tokens in, 7 out"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.contains("strongest model") && told.contains("tools on the provider's side"), "{told}");
    assert!(!server.asked()[0].contains("authorization"), "there is no key");
}

#[test]
fn what_does_not_work_has_its_code_and_one_call() {
    let refuses = || vec![(401, json!({"error": {"message": format!("bad key {KEY}")}}).to_string())];
    let (exit, said, check, _) = tried(refuses(), &[]);
    assert_eq!((exit, said.as_str()), (1, "problem model_rejected none"), "{check}");
    assert!(check["hint"].as_str().unwrap().contains("check the key"), "{check}");
    let (exit, said, check, _) = tried(vec![(503, json!({"error": "down"}).to_string())], &[]);
    assert_eq!((exit, said.as_str(), &check["calls"]), (1, "problem model_server_error none", &json!(1)), "{check}");
    let (exit, said, check, _) = tried(vec![(200, String::new())], &["--call-seconds", "1"]);
    assert_eq!((exit, said.as_str(), &check["calls"]), (1, "problem model_timeout none", &json!(1)), "{check}");
}

#[test]
fn the_form_of_the_answer_is_told() {
    let ready = json!({"ready": true});
    let wrong = || calls("click", &ready);
    let (exit, said, check, _) = tried(vec![wrong(), wrong()], &[]);
    assert_eq!((exit, said.as_str()), (1, "problem invalid_model_output tool_call"), "{check}");
    assert!(check["message"].as_str().unwrap().contains("`click` was called"), "{check}");
    let (exit, said, check, _) = tried(vec![wrong(), calls("answer", &ready)], &[]);
    assert_eq!((exit, said.as_str(), &check["calls"]), (0, "note none tool_call", &json!(2)), "{check}");
    let (exit, said, check, _) = tried(vec![says("{\"ready\": true}")], &[]);
    assert_eq!((exit, said.as_str()), (0, "note none text"), "{check}");
}

#[test]
fn a_refused_connection_is_told_at_once() {
    let url = format!("http://{}/v1", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let output = doctor(&["--json", "--model", "tiny", "--model-url", &url], &[], "");
    let check = object(&output)["models"][0].clone();
    assert_eq!((code(&output), &check["code"]), (1, &json!("model_unreachable")), "{check}");
    assert_eq!(check["calls"], 1);
}

#[test]
fn without_a_key_the_variable_is_named() {
    let output = doctor(&["--json", "--model", "--provider", "anthropic"], &[], "");
    let check = object(&output)["models"][0].clone();
    assert_eq!((code(&output), &check["code"]), (1, &json!("key_missing")), "{check}");
    assert!(check["message"].as_str().unwrap().contains("ANTHROPIC_API_KEY is not set"), "{check}");
    let output = doctor(&["--json", "--model", "--model-url", &format!("http://u:{KEY}@127.0.0.1:1/v1")], &[], "");
    assert_eq!(object(&output)["models"][0]["code"], "address_unusable", "an address with a password is not shown");
}

#[test]
fn the_file_is_read_only_to_ask_a_model_and_what_is_exported_stands_before_it() {
    let server =
        Server::start(vec![calls("answer", &json!({"ready": true})), calls("answer", &json!({"ready": true}))]);
    let file =
        format!("LLM_BASE_URL={0}\nLLM_MODEL=of-file\nSELECTOR_MODEL=tells-apart\nSELECTOR_BASE_URL={0}\n", server.url);
    let output = doctor(&["--json", "--model"], &[("LLM_MODEL", "exported")], &file);
    let models = object(&output)["models"].clone();
    assert_eq!(
        (code(&output), &models[0]["model"], &models[1]["model"]),
        (0, &json!("exported"), &json!("tells-apart"))
    );
    assert_eq!((&models[0]["role"], &models[1]["role"]), (&json!("navigator"), &json!("selector")));
    assert_eq!(server.asked().len(), 2);
    let torn = "this is no file of settings";
    let output = doctor(&["--json", "--model"], &[], torn);
    let models = object(&output)["models"].clone();
    assert_eq!((code(&output), models.as_array().unwrap().len(), &models[0]["code"]), (1, 1, &json!("dot_env")));
    assert!(object(&doctor(&["--json"], &[], torn))["models"].is_null(), "it is not looked at");
}

#[test]
fn what_is_wrong_with_the_selector_names_what_configures_it() {
    let ready = json!({"ready": true});
    let of_selector = |answers: Vec<(u16, String)>| {
        let server = Server::start([vec![calls("answer", &ready)], answers].concat());
        let file = format!("LLM_BASE_URL={0}\nSELECTOR_MODEL=tells-apart\nSELECTOR_BASE_URL={0}\n", server.url);
        let output = doctor(&["--json", "--model"], &[], &file);
        server.asked();
        object(&output)["models"][1].clone()
    };
    let wrong = || calls("click", &ready);
    for answers in [vec![wrong(), wrong()], vec![says("{\"ready\": true}")]] {
        let check = of_selector(answers);
        let hint = check["hint"].as_str().unwrap();
        assert!(hint.contains("SELECTOR_ANSWER_BY=schema") && !hint.contains("LLM_"), "{check}");
    }
    // The same is wrong with both roles, and each is told its own way out.
    let output = doctor(&["--json", "--model"], &[], "LLM_PROVIDER=groq\nSELECTOR_PROVIDER=groq\n");
    let hint = |role: usize| object(&output)["models"][role]["hint"].as_str().unwrap_or_default().to_owned();
    assert!(hint(0).contains("export GROQ_API_KEY") && hint(0).contains("LLM_BASE_URL"), "{}", hint(0));
    assert!(
        hint(1).contains("export SELECTOR_API_KEY or GROQ_API_KEY") && hint(1).contains("SELECTOR_BASE_URL"),
        "{}",
        hint(1)
    );
}

#[test]
fn the_help_says_which_model_to_take_and_other_commands_leave_the_file_alone() {
    for command in ["discover", "doctor"] {
        let help = out(&call(&[command, "--help"])).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            help.contains("Use the strongest model that you have, and not one with tools on its provider's side"),
            "{help}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".env"), "this is no file of settings").unwrap();
    let artifact = crate::common::root().canonicalize().unwrap().join(ARTIFACT);
    let output = waymark(&["validate", artifact.to_str().unwrap()]).current_dir(folder.path()).output().unwrap();
    assert_eq!(code(&output), 0, "{}", err(&output));
}
