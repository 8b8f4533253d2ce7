#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use futures_util::FutureExt as _;
use serde_json::json;
use waymark_discovery::{ByModel, Candidate, Tool};
use waymark_redact::Rules;

use super::*;
use crate::Scripted;

fn request(prompt: &str) -> ModelRequest {
    let parameters =
        json!({ "type": "object", "properties": { "text": { "type": "string" }, "reason": { "type": "string" } } });
    ModelRequest {
        role: Role::Navigator,
        instructions: String::new(),
        prompt: prompt.to_owned(),
        tool: Tool { name: "act".to_owned(), description: String::new(), parameters },
        max_output_tokens: 10,
    }
}

fn choice(wanted: &str) -> Choice {
    let candidates = [2, 4].map(|number| Candidate { number, words: "button \"Save\"".into() }).into();
    Choice { action: "click".into(), wanted: wanted.into(), reason: "r".into(), candidates }
}

fn ask(model: &mut dyn Model, prompt: &str) -> Decided {
    model.decide(&request(prompt), Duration::from_secs(1)).now_or_never().unwrap()
}

fn choose(selector: &mut dyn Selector, wanted: &str) -> Result<Option<i64>, ModelError> {
    selector.select(&choice(wanted), Duration::from_secs(1)).now_or_never().unwrap().reply
}

/// The cassette of two answers of the navigator, one of the selector between them, and a failure.
fn recorded(second: &str) -> String {
    let script =
        format!("{{\"text\": \"one\", \"reason\": \"pay canary-4711\"}}\n{second}\n{{\"error\": \"rate_limited\"}}\n");
    let selects = "{\"for\": \"selector\", \"arguments\": {\"reason\": \"canary-4711\", \"element\": 4}}";
    let redactor = Redactor::new(&Rules::default()).unwrap();
    redactor.register("password", "canary-4711").unwrap();
    let navigator = Box::new(Scripted::from_text("s", &script).unwrap());
    let mut its = Scripted::from_text("s", selects).unwrap();
    let selector = Box::new(ByModel(Box::new(its.split_off(Role::Selector))));
    let recording = Recording::new(navigator.name(), Some(selector.name()), Arc::new(redactor));
    assert_eq!(recording.text(), None, "there is no recording of nothing");
    let (mut navigator, mut selector) = (recording.model(navigator), recording.selector(selector));
    assert!(ask(navigator.as_mut(), "first canary-4711").reply.is_ok());
    assert_eq!(choose(selector.as_mut(), "Save"), Ok(Some(4)));
    assert!(ask(navigator.as_mut(), "second").reply.is_ok());
    assert_eq!(ask(navigator.as_mut(), "third").reply, Err(ModelError::RateLimited));
    recording.text().unwrap()
}

const SECOND: &str = "{\"text\": \"two\", \"reason\": \"r\"}";

#[test]
fn what_was_recorded_is_played_back_in_both_roles_and_labelled() {
    let mut model = Cassette::from_text("c.jsonl", &recorded(SECOND)).unwrap();
    let mut selector = ByModel(Box::new(model.selector().unwrap()));
    for name in [model.name(), selector.name()] {
        assert!(name.simulated && name.provider == "cassette" && name.model.starts_with("scripted/"), "{name:?}");
    }
    let first = ask(&mut model, "first canary-4711");
    assert_eq!(first.reply.unwrap()["text"], "one");
    assert!(first.calls.len() == 1 && first.calls[0].name.simulated && first.calls[0].usage == Usage::default());
    assert_eq!(choose(&mut selector, "Save"), Ok(Some(4)));
    assert!(ask(&mut model, "second").reply.is_ok());
    assert_eq!(ask(&mut model, "third").reply, Err(ModelError::RateLimited));
    assert_eq!(model.left(), 0);
    let over = ask(&mut model, "fourth").reply.unwrap_err();
    assert_eq!(over.code(), "cassette_mismatch");
    assert_eq!(over.to_string(), "turn 4 does not fit the recording: c.jsonl holds no further answer");
}

#[test]
fn another_question_has_no_answer_and_its_turn_is_named() {
    let mut model = Cassette::from_text("c.jsonl", &recorded(SECOND)).unwrap();
    let mut selector = ByModel(Box::new(model.selector().unwrap()));
    let said = ask(&mut model, "other").reply.unwrap_err().to_string();
    assert!(said.starts_with("turn 1 does not fit the recording: c.jsonl line 2 answers another question"), "{said}");
    assert!(ask(&mut model, "first canary-4711").reply.is_ok());
    // Nothing is skipped.
    let said = ask(&mut model, "second").reply.unwrap_err().to_string();
    assert!(
        said.starts_with("turn 2 ") && said.ends_with("line 3 is an answer of whoever tells elements apart"),
        "{said}"
    );
    let said = choose(&mut selector, "Store").unwrap_err().to_string();
    assert!(said.starts_with("turn 1 ") && said.contains("line 3 answers another question"), "{said}");
    assert_eq!(model.left(), 3);
}

#[test]
fn no_secret_is_on_a_cassette() {
    let text = recorded(SECOND);
    assert!(!text.contains("canary") && !text.contains("4711") && text.contains("pay "), "{text}");
}

#[test]
fn an_answer_of_which_something_was_taken_out_is_not_played_back() {
    let text = recorded("{\"text\": \"say canary-4711\", \"reason\": \"r\"}");
    assert!(!text.contains("canary"), "{text}");
    let error = Cassette::from_text("c.jsonl", &text).unwrap_err();
    assert!(error.line == 4 && error.message.contains("must not be seen"), "{error}");
}

#[test]
fn a_line_that_is_none_of_a_cassette_is_named() {
    let good = recorded(SECOND);
    for (text, line) in [
        (String::new(), 1),
        ("{}".to_owned(), 1),
        (good.replace(KIND, "other/1"), 1),
        (good.replace("\"rate_limited\"", "\"rained_off\""), 5),
        (good.replacen("\"digest\"", "\"digests\"", 1), 2),
    ] {
        assert_eq!(Cassette::from_text("c.jsonl", &text).unwrap_err().line, line);
    }
}
