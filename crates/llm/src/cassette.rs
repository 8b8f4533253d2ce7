//! Answers of a discovery's models, recorded once and played back.
//!
//! A cassette is lines of JSON: first its head, which names who answered, then one line for each question in the order in which
//! they were asked, of both roles, with the question's digest and never its words. It is played back strictly in order: another
//! question than the recorded one has no answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use waymark_artifact::Digest;
use waymark_discovery::{
    Call, CallStatus, Choice, Decided, Model, ModelError, ModelName, ModelRequest, Role, Selected, Selector, Usage,
};
use waymark_redact::Redactor;

const KIND: &str = "waymark.cassette/1";

/// A recording under way, of both roles.
#[derive(Clone)]
pub struct Recording(Arc<Mutex<Tape>>);

struct Tape {
    head: Head,
    turns: Vec<Value>,
    redactor: Arc<Redactor>,
}

/// A recording that answers in a model's place; the roles that it answers for share it.
#[derive(Clone, Debug)]
pub struct Cassette {
    file: String,
    head: Head,
    name: ModelName,
    turns: Arc<Mutex<Turns>>,
}

#[derive(Debug)]
struct Turns {
    left: VecDeque<(usize, Turn)>,
    /// Number of the next question to the navigator.
    turn: u32,
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

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    cassette: String,
    navigator: ModelName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selector: Option<ModelName>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    role: Role,
    digest: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ModelError>,
    /// Whether more than the reason was taken out of the arguments: then they are another answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    masked: bool,
    /// How each call ended; what it used was used when it was recorded.
    calls: Vec<CallStatus>,
}

impl Recording {
    /// A recording of nothing yet. Every line goes through the redactor.
    #[must_use]
    pub fn new(navigator: ModelName, selector: Option<ModelName>, redactor: Arc<Redactor>) -> Self {
        let head = Head { cassette: KIND.to_owned(), navigator, selector };
        Recording(Arc::new(Mutex::new(Tape { head, turns: Vec::new(), redactor })))
    }

    /// The model, with its answers recorded.
    #[must_use]
    pub fn model(&self, model: Box<dyn Model>) -> Box<dyn Model> {
        Box::new(Recorded { of: model, recording: self.clone() })
    }

    /// The selector, with its answers recorded.
    #[must_use]
    pub fn selector(&self, selector: Box<dyn Selector>) -> Box<dyn Selector> {
        Box::new(Recorded { of: selector, recording: self.clone() })
    }

    /// The text of the cassette; `None` where nothing was answered.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let tape = locked(&self.0);
        let mut head = serde_json::to_value(&tape.head).unwrap_or_default();
        tape.redactor.redact_json(&mut head);
        let lines = std::iter::once(&head).chain(&tape.turns).map(|line| format!("{line}\n"));
        (!tape.turns.is_empty()).then(|| lines.collect())
    }

    fn keep(&self, request: &ModelRequest, reply: Result<Value, ModelError>, calls: &[Call]) {
        let (arguments, error) = match reply {
            Ok(arguments) => (Some(arguments), None),
            Err(error) => (None, Some(error)),
        };
        let calls = calls.iter().map(|call| call.status).collect();
        let turn = Turn { role: request.role, digest: digest(request), arguments, error, masked: false, calls };
        let mut tape = locked(&self.0);
        let mut line = serde_json::to_value(&turn).unwrap_or_default();
        // A digest is no value of anybody, whatever digits it holds.
        let digest = line.get("digest").cloned();
        tape.redactor.redact_json(&mut line);
        if let Some(digest) = digest {
            line["digest"] = digest;
        }
        let apart = |arguments: Option<&Value>| {
            let mut arguments = arguments.cloned().unwrap_or_default();
            arguments.as_object_mut().and_then(|fields| fields.remove("reason"));
            arguments
        };
        if apart(line.get("arguments")) != apart(turn.arguments.as_ref()) {
            line["masked"] = Value::Bool(true);
        }
        tape.turns.push(line);
    }
}

/// Somebody whose answers are recorded.
struct Recorded<T> {
    of: T,
    recording: Recording,
}

impl Model for Recorded<Box<dyn Model>> {
    fn name(&self) -> ModelName {
        self.of.name()
    }

    fn decide<'a>(&'a mut self, request: &'a ModelRequest, deadline: Duration) -> BoxFuture<'a, Decided> {
        Box::pin(async move {
            let decided = self.of.decide(request, deadline).await;
            self.recording.keep(request, decided.reply.clone(), &decided.calls);
            decided
        })
    }
}

impl Selector for Recorded<Box<dyn Selector>> {
    fn name(&self) -> ModelName {
        self.of.name()
    }

    fn select<'a>(&'a mut self, choice: &'a Choice, deadline: Duration) -> BoxFuture<'a, Selected> {
        Box::pin(async move {
            let selected = self.of.select(choice, deadline).await;
            // Whatever protocol it was asked in: it is played back as the answer to the same question.
            let reply = selected.reply.clone().map(|element| json!({ "reason": "", "element": element }));
            self.recording.keep(&choice.request(), reply, &selected.calls);
            selected
        })
    }
}

impl Cassette {
    /// Reads a recording. `file` is the label that errors carry.
    ///
    /// # Errors
    /// The first line that is none of a cassette, or cannot be played back.
    pub fn from_text(file: &str, text: &str) -> Result<Self, CassetteError> {
        let fail = |line, message: String| CassetteError { file: file.to_owned(), line, message };
        let mut lines = (1usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let (line, head) = lines.next().ok_or_else(|| fail(1, "the cassette is empty".to_owned()))?;
        let head: Head = serde_json::from_str(head).map_err(|error| fail(line, error.to_string()))?;
        if head.cassette != KIND {
            return Err(fail(line, format!("this is no `{KIND}`")));
        }
        let mut left = VecDeque::new();
        for (line, text) in lines {
            let turn: Turn = serde_json::from_str(text).map_err(|error| fail(line, error.to_string()))?;
            if turn.arguments.is_some() == turn.error.is_some() {
                return Err(fail(line, "a turn has either arguments or an error".to_owned()));
            }
            if turn.masked {
                let message = "this answer held what must not be seen; without that it would be another answer";
                return Err(fail(line, message.to_owned()));
            }
            left.push_back((line, turn));
        }
        let name = played(&head.navigator);
        let turns = Arc::new(Mutex::new(Turns { left, turn: 1 }));
        Ok(Cassette { file: file.to_owned(), head, name, turns })
    }

    /// The same recording in the other role; `None` where nobody was there in it.
    #[must_use]
    pub fn selector(&self) -> Option<Self> {
        let name = played(self.head.selector.as_ref()?);
        Some(Cassette { name, ..self.clone() })
    }

    /// How many answers were not asked for yet.
    #[must_use]
    pub fn left(&self) -> usize {
        locked(&self.turns).left.len()
    }

    fn answer(&self, request: &ModelRequest) -> Decided {
        let mut turns = locked(&self.turns);
        let unfit = |turn, why: String| Decided { reply: Err(ModelError::Unrecorded { turn, why }), calls: Vec::new() };
        // Between two questions to the navigator, the selector is asked in the turn of the former.
        let number = if request.role == Role::Navigator { turns.turn } else { turns.turn.saturating_sub(1) };
        let Some((line, turn)) = turns.left.front() else {
            return unfit(number, format!("{} holds no further answer", self.file));
        };
        if turn.role != request.role {
            let other = if turn.role == Role::Navigator { "whoever decides" } else { "whoever tells elements apart" };
            return unfit(number, format!("{} line {line} is an answer of {other}", self.file));
        }
        if turn.digest != digest(request) {
            let why = "the goal, or what is shown of the screen, is not as it was";
            return unfit(number, format!("{} line {line} answers another question: {why}", self.file));
        }
        let Some((_, turn)) = turns.left.pop_front() else { return unfit(number, self.file.clone()) };
        turns.turn += u32::from(request.role == Role::Navigator);
        let call = |status| Call {
            role: request.role,
            name: self.name.clone(),
            usage: Usage::default(),
            latency_ms: 0,
            status,
            price_micros: None,
        };
        let calls = turn.calls.iter().copied().map(call).collect();
        let reply = match (turn.arguments, turn.error) {
            (Some(arguments), _) => Ok(arguments),
            (None, Some(error)) => Err(error),
            (None, None) => return unfit(number, format!("{} has an empty turn", self.file)),
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

/// Who is named where a recording answers.
fn played(of: &ModelName) -> ModelName {
    ModelName { provider: "cassette".to_owned(), model: format!("{}/{}", of.provider, of.model), simulated: true }
}

fn digest(request: &ModelRequest) -> Digest {
    // A request is plain data, which always has a JSON form.
    Digest::of(&serde_json::to_vec(request).unwrap_or_default())
}

/// Nobody panics while it is held.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
