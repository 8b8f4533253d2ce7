//! A script that stands in for a model.
//!
//! It sees nothing but the request that a model would get: it finds the number of an element in the prompt's own list,
//! by role and name, so a list in another order gives another number and the same action.
//!
//! One turn a line, as JSON; empty lines and lines that begin with `#` are skipped:
//!
//! - `{"action": "click", "element": {"role": "button", "name": "Log In"}, "reason": "…"}`: fields of the tool. `element`
//!   becomes the number. It may also say `row` (the text of a cell beside it), `column` (the header over it), `frame`, or
//!   `context` (any part of its line or of the heading above it). Fields of the tool that are left out are null.
//! - `{"for": "selector", …}`: an answer to the other role; `navigator` is assumed.
//! - `{"arguments": {…}}`: the arguments as they are, checked like a model's.
//! - `{"error": "timeout"}`: the call fails: `timeout`, `rate_limited`, `server_error`, `unreachable`, `rejected`, `declined`,
//!   `invalid_output`.

mod pick;

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value};
use waymark_discovery::{Call, CallStatus, Decided, Model, ModelError, ModelName, ModelRequest, Role, Usage};

use crate::answer::{fits, shown};
use pick::{Wanted, pick};

/// Why a text is no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file} line {line}: {message}\n  hint: {hint}")]
pub struct ScriptError {
    /// The label of the text.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hint: &'static str,
}

/// A script that stands in for a model, from its first turn to its last.
#[derive(Debug)]
pub struct Scripted {
    file: String,
    turns: VecDeque<Turn>,
}

#[derive(Debug)]
struct Turn {
    line: usize,
    role: Role,
    says: Says,
}

#[derive(Debug)]
enum Says {
    Fields { element: Option<Wanted>, fields: Map<String, Value> },
    Arguments(Value),
    Fails(Failing),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Failing {
    Timeout,
    RateLimited,
    ServerError,
    Unreachable,
    Rejected,
    Declined,
    InvalidOutput,
}

impl Scripted {
    /// Reads a script. `file` is its label, which stands as the model's name in ledger and evidence.
    ///
    /// # Errors
    /// The first line that is no turn.
    pub fn from_text(file: &str, text: &str) -> Result<Self, ScriptError> {
        let lines = (1usize..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let turns = lines.map(|(line, text)| turn(file, line, text)).collect::<Result<_, _>>()?;
        Ok(Scripted { file: file.to_owned(), turns })
    }

    /// Takes the turns of one role out, as a script of its own: the roles are independent, and so is their order.
    #[must_use]
    pub fn split_off(&mut self, role: Role) -> Scripted {
        let (its, others) = std::mem::take(&mut self.turns).into_iter().partition(|turn| turn.role == role);
        self.turns = others;
        Scripted { file: self.file.clone(), turns: its }
    }

    /// How many turns were not asked for yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.turns.len()
    }

    fn answer(
        &mut self,
        request: &ModelRequest,
        deadline: Duration,
    ) -> (Result<Value, ModelError>, Option<CallStatus>) {
        let ended = |why: String| (Err(ModelError::ScriptEnded { why }), None);
        let Some(turn) = self.turns.front() else {
            return ended(format!("{} has no turn left, and the {} is asked", self.file, word(request.role)));
        };
        let place = format!("{} line {}", self.file, turn.line);
        if turn.role != request.role {
            return ended(format!("{place} is for the {}, and the {} is asked", word(turn.role), word(request.role)));
        }
        let Some(turn) = self.turns.pop_front() else { return ended(place) };
        let arguments = match turn.says {
            Says::Fails(failing) => {
                let (error, status) = failing.as_answer(deadline);
                return (Err(error), Some(status));
            }
            Says::Arguments(arguments) => arguments,
            Says::Fields { element, fields } => match filled(request, element.as_ref(), fields) {
                Ok(arguments) => arguments,
                Err(why) => return ended(format!("{place}: {why}")),
            },
        };
        match fits(&request.tool.parameters, &arguments) {
            Ok(()) => (Ok(arguments), Some(CallStatus::Answered)),
            Err(why) => (Err(ModelError::InvalidOutput { why: format!("{place}: {why}") }), Some(CallStatus::Misfit)),
        }
    }
}

impl Model for Scripted {
    fn name(&self) -> ModelName {
        ModelName { provider: "scripted".to_owned(), model: self.file.clone(), simulated: true }
    }

    fn decide<'a>(&'a mut self, request: &'a ModelRequest, deadline: Duration) -> BoxFuture<'a, Decided> {
        let (reply, status) = self.answer(request, deadline);
        let name = self.name();
        let call = |status| Call {
            role: request.role,
            name,
            usage: Usage::default(),
            latency_ms: 0,
            status,
            price_micros: None,
        };
        let calls = status.map(call).into_iter().collect();
        Box::pin(std::future::ready(Decided { reply, calls }))
    }
}

/// The fields of a turn as arguments of the tool.
fn filled(request: &ModelRequest, element: Option<&Wanted>, fields: Map<String, Value>) -> Result<Value, String> {
    let Some(Value::Object(properties)) = request.tool.parameters.get("properties") else {
        return Err("the tool has no fields".to_owned());
    };
    let mut arguments: Map<String, Value> = properties.keys().map(|key| (key.clone(), Value::Null)).collect();
    let number = element.map(|wanted| pick(&request.prompt, wanted)).transpose()?;
    let number = number.map(|number| ("element".to_owned(), Value::from(number)));
    for (key, value) in fields.into_iter().chain(number) {
        match arguments.get_mut(&key) {
            Some(place) => *place = value,
            None => {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                return Err(format!("the tool has no field `{}`; it has {}", shown(&key), known.join(", ")));
            }
        }
    }
    Ok(Value::Object(arguments))
}

fn turn(file: &str, line: usize, text: &str) -> Result<Turn, ScriptError> {
    let fail = |message: String, hint| ScriptError { file: file.to_owned(), line, message, hint };
    let whole =
        r#"a turn is a JSON object, such as {"action": "click", "element": {"role": "button", "name": "Log In"}}"#;
    let mut fields = match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return Err(fail("this is JSON, but no object".to_owned(), whole)),
        Err(error) => return Err(fail(format!("not JSON: {error}"), whole)),
    };
    let role = match fields.remove("for") {
        None => Role::Navigator,
        Some(role) => serde_json::from_value(role)
            .map_err(|error| fail(error.to_string(), "`for` says who answers: `navigator` or `selector`"))?,
    };
    let alone = |fields: &Map<String, Value>| {
        if fields.is_empty() {
            return Ok(());
        }
        Err(fail("more stands beside `arguments` or `error`".to_owned(), "each of the two stands alone, but for `for`"))
    };
    let says = if let Some(failing) = fields.remove("error") {
        alone(&fields)?;
        let hint = "say timeout, rate_limited, server_error, unreachable, rejected, declined or invalid_output";
        Says::Fails(serde_json::from_value(failing).map_err(|error| fail(error.to_string(), hint))?)
    } else if let Some(arguments) = fields.remove("arguments") {
        alone(&fields)?;
        Says::Arguments(arguments)
    } else {
        let hint = "`element` says `role` and `name`, and may say `row`, `column`, `frame`, `context`; a number would depend on the order of the list";
        let element = fields.remove("element").filter(|element| !element.is_null());
        let element = element.map(serde_json::from_value).transpose().map_err(|error| fail(error.to_string(), hint))?;
        Says::Fields { element, fields }
    };
    Ok(Turn { line, role, says })
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Navigator => "navigator",
        Role::Selector => "selector",
    }
}

impl Failing {
    fn as_answer(self, deadline: Duration) -> (ModelError, CallStatus) {
        let why = || "the script says so".to_owned();
        match self {
            Self::Timeout => (ModelError::Timeout { seconds: deadline.as_secs() }, CallStatus::Timeout),
            Self::RateLimited => (ModelError::RateLimited, CallStatus::RateLimited),
            Self::ServerError => (ModelError::ServerError { status: 500 }, CallStatus::ServerError),
            Self::Unreachable => (ModelError::Unreachable { why: why() }, CallStatus::Unreachable),
            Self::Rejected => (ModelError::Rejected { status: 401, why: why() }, CallStatus::Rejected),
            Self::Declined => (ModelError::Declined { why: why() }, CallStatus::Declined),
            Self::InvalidOutput => (ModelError::InvalidOutput { why: why() }, CallStatus::Misfit),
        }
    }
}

#[cfg(test)]
mod tests;
