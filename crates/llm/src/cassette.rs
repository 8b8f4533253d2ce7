//! Answers of a model, recorded once and played back.
//!
//! A cassette is lines of JSON: first its head, then one line for each question, with the question's digest and never its
//! words. It is played back strictly in order: another question than the recorded one has no answer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waymark_artifact::Digest;
use waymark_discovery::{Call, CallStatus, Decided, Model, ModelError, ModelName, ModelRequest, Role, Usage};
use waymark_redact::Redactor;

const KIND: &str = "waymark.cassette/1";

/// Takes each line of a cassette as it comes; a recording that was broken off is there up to its last answer.
pub type Sink = Box<dyn FnMut(&str) -> Result<(), String> + Send>;

/// A model whose answers are recorded.
pub struct Recorder {
    model: Box<dyn Model>,
    redactor: Arc<Redactor>,
    sink: Sink,
    begun: bool,
}

/// A recording that answers in a model's place.
#[derive(Debug)]
pub struct Cassette {
    file: String,
    name: ModelName,
    turns: VecDeque<(usize, Turn)>,
}

/// Why a text is no cassette.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file} line {line}: {message}\n  hint: record it anew; a cassette is not written by hand")]
pub struct CassetteError {
    /// The label of the text.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    cassette: String,
    provider: String,
    model: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    role: Role,
    digest: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ModelError>,
    /// How each call ended; what it used was used when it was recorded.
    calls: Vec<CallStatus>,
}

impl Recorder {
    /// Records a model. Every line goes through the redactor before it goes to the sink.
    #[must_use]
    pub fn new(model: Box<dyn Model>, redactor: Arc<Redactor>, sink: Sink) -> Self {
        Recorder { model, redactor, sink, begun: false }
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), ModelError> {
        let unwritable = |why: String| ModelError::ScriptEnded { why: format!("the answer cannot be recorded: {why}") };
        let mut json = serde_json::to_value(line).map_err(|error| unwritable(error.to_string()))?;
        // A digest is no value of anybody, whatever digits it holds.
        let digest = json.get("digest").cloned();
        self.redactor.redact_json(&mut json);
        if let Some(digest) = digest {
            json["digest"] = digest;
        }
        (self.sink)(&format!("{json}\n")).map_err(unwritable)
    }

    fn record(&mut self, request: &ModelRequest, decided: &Decided) -> Result<(), ModelError> {
        if !self.begun {
            let ModelName { provider, model, .. } = self.model.name();
            self.write(&Head { cassette: KIND.to_owned(), provider, model })?;
            self.begun = true;
        }
        let (arguments, error) = match &decided.reply {
            Ok(arguments) => (Some(arguments.clone()), None),
            Err(error) => (None, Some(error.clone())),
        };
        let calls = decided.calls.iter().map(|call| call.status).collect();
        self.write(&Turn { role: request.role, digest: digest(request), arguments, error, calls })
    }
}

impl Model for Recorder {
    fn name(&self) -> ModelName {
        self.model.name()
    }

    fn decide<'a>(&'a mut self, request: &'a ModelRequest, deadline: Duration) -> BoxFuture<'a, Decided> {
        Box::pin(async move {
            let mut decided = self.model.decide(request, deadline).await;
            if let Err(error) = self.record(request, &decided) {
                decided.reply = Err(error);
            }
            decided
        })
    }
}

impl Cassette {
    /// Reads a recording. `file` is the label that errors carry.
    ///
    /// # Errors
    /// The first line that is none of a cassette.
    pub fn from_text(file: &str, text: &str) -> Result<Self, CassetteError> {
        let fail = |line, message: String| CassetteError { file: file.to_owned(), line, message };
        let mut lines = (1usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (line, head) = lines.next().ok_or_else(|| fail(1, "the cassette is empty".to_owned()))?;
        let head: Head = serde_json::from_str(head).map_err(|error| fail(line, error.to_string()))?;
        if head.cassette != KIND {
            return Err(fail(line, format!("this is no `{KIND}`")));
        }
        let mut turns = VecDeque::new();
        for (line, text) in lines {
            let turn: Turn = serde_json::from_str(text).map_err(|error| fail(line, error.to_string()))?;
            if turn.arguments.is_some() == turn.error.is_some() {
                return Err(fail(line, "a turn has either arguments or an error".to_owned()));
            }
            turns.push_back((line, turn));
        }
        let name = ModelName { provider: head.provider, model: head.model, simulated: true };
        Ok(Cassette { file: file.to_owned(), name, turns })
    }

    /// How many answers were not asked for yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.turns.len()
    }

    fn answer(&mut self, request: &ModelRequest) -> Decided {
        let none = |why: String| Decided { reply: Err(ModelError::ScriptEnded { why }), calls: Vec::new() };
        let Some((line, turn)) = self.turns.front() else {
            return none(format!("{} holds no further answer", self.file));
        };
        if turn.role != request.role || turn.digest != digest(request) {
            return none(format!(
                "{} line {line} answers another question: what a model is shown has changed; record it anew",
                self.file
            ));
        }
        let Some((_, turn)) = self.turns.pop_front() else { return none(self.file.clone()) };
        let call = |status| Call {
            role: request.role,
            name: self.name.clone(),
            usage: Usage::default(),
            latency_ms: 0,
            status,
            price_micros: None,
        };
        let calls = turn.calls.iter().copied().map(call).collect();
        let unanswered = || ModelError::ScriptEnded { why: format!("{} has an empty turn", self.file) };
        let reply = match (turn.arguments, turn.error) {
            (Some(arguments), _) => Ok(arguments),
            (None, error) => Err(error.unwrap_or_else(unanswered)),
        };
        Decided { reply, calls }
    }
}

impl Model for Cassette {
    fn name(&self) -> ModelName {
        self.name.clone()
    }

    fn decide<'a>(&'a mut self, request: &'a ModelRequest, _: Duration) -> BoxFuture<'a, Decided> {
        Box::pin(std::future::ready(self.answer(request)))
    }
}

fn digest(request: &ModelRequest) -> Digest {
    // A request is plain data, which always has a JSON form.
    Digest::of(&serde_json::to_vec(request).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use std::sync::Mutex;

    use futures_util::FutureExt as _;
    use serde_json::json;
    use waymark_discovery::Tool;
    use waymark_redact::Rules;

    use super::*;
    use crate::Scripted;

    fn request(prompt: &str, role: Role) -> ModelRequest {
        let parameters = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        ModelRequest {
            role,
            instructions: String::new(),
            prompt: prompt.to_owned(),
            tool: Tool { name: "act".to_owned(), description: String::new(), parameters },
            max_output_tokens: 10,
        }
    }

    fn ask(model: &mut dyn Model, prompt: &str, role: Role) -> Decided {
        model.decide(&request(prompt, role), Duration::from_secs(1)).now_or_never().unwrap()
    }

    /// The cassette of two answers and a failure.
    fn recorded() -> String {
        let script = "{\"text\": \"one\"}\n{\"for\": \"selector\", \"text\": \"pay canary-4711\"}\n{\"error\": \"rate_limited\"}\n";
        let redactor = Redactor::new(&Rules::default()).unwrap();
        redactor.register("password", "canary-4711").unwrap();
        let lines = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&lines);
        let sink: Sink = Box::new(move |line| {
            kept.lock().map_err(|error| error.to_string())?.push_str(line);
            Ok(())
        });
        let mut model = Recorder::new(Box::new(Scripted::from_text("s", script).unwrap()), Arc::new(redactor), sink);
        assert!(ask(&mut model, "first canary-4711", Role::Navigator).reply.is_ok());
        assert!(ask(&mut model, "second", Role::Selector).reply.is_ok());
        assert_eq!(ask(&mut model, "third", Role::Navigator).reply, Err(ModelError::RateLimited));
        lines.lock().unwrap().clone()
    }

    #[test]
    fn what_was_recorded_is_played_back_and_labelled() {
        let mut model = Cassette::from_text("c.jsonl", &recorded()).unwrap();
        assert!(model.name().simulated);
        let first = ask(&mut model, "first canary-4711", Role::Navigator);
        assert_eq!(first.reply, Ok(json!({ "text": "one" })));
        assert!(first.calls.len() == 1 && first.calls[0].name.simulated && first.calls[0].usage == Usage::default());
        assert!(ask(&mut model, "second", Role::Selector).reply.is_ok());
        assert_eq!(ask(&mut model, "third", Role::Navigator).reply, Err(ModelError::RateLimited));
        assert_eq!(model.left(), 0);
        assert_eq!(ask(&mut model, "fourth", Role::Navigator).reply.unwrap_err().code(), "script_ended");
    }

    #[test]
    fn another_question_has_no_answer() {
        for (prompt, role) in [("other", Role::Navigator), ("first canary-4711", Role::Selector)] {
            let mut model = Cassette::from_text("c.jsonl", &recorded()).unwrap();
            let said = ask(&mut model, prompt, role).reply.unwrap_err().to_string();
            assert!(said.contains("c.jsonl line 2 answers another question"), "{said}");
            assert_eq!(model.left(), 3);
        }
    }

    #[test]
    fn no_secret_is_on_a_cassette() {
        let text = recorded();
        assert!(!text.contains("canary") && !text.contains("4711") && text.contains("pay "), "{text}");
    }

    #[test]
    fn an_answer_that_cannot_be_recorded_is_none() {
        let redactor = Arc::new(Redactor::new(&Rules::default()).unwrap());
        let script = Scripted::from_text("s", "{\"text\": \"one\"}").unwrap();
        let mut model = Recorder::new(Box::new(script), redactor, Box::new(|_| Err("the disk is full".to_owned())));
        let said = ask(&mut model, "x", Role::Navigator).reply.unwrap_err().to_string();
        assert!(said.contains("the disk is full"), "{said}");
    }

    #[test]
    fn a_line_that_is_none_of_a_cassette_is_named() {
        let good = recorded();
        for (text, line) in [
            (String::new(), 1),
            ("{}".to_owned(), 1),
            (good.replace(KIND, "other/1"), 1),
            (good.replace("\"rate_limited\"", "\"rained_off\""), 4),
            (good.replacen("\"digest\"", "\"digests\"", 1), 2),
        ] {
            assert_eq!(Cassette::from_text("c.jsonl", &text).unwrap_err().line, line);
        }
    }
}
