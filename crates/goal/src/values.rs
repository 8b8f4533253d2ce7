//! The values of a run, from the sources that the goal names.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value as Json};
use waymark_artifact::{Name, Value, parse_input};

use crate::check::{misfit, parameter, secret_literal};
use crate::document::{Condition, DataKey, DeclaredOutcome, Source};
use crate::goal::Goal;
use crate::line;
use crate::problem::{GoalError, GoalErrors, Where, Wrong, shown};

/// What the shell has at hand. Only the variables that [`Goal::variables`] names are looked at.
#[derive(Clone, Default)]
pub struct Given {
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// The parameter file, read.
    pub params_file: Map<String, Json>,
    /// The object from standard input, read.
    pub stdin: Map<String, Json>,
}

/// The values of a run by the names of the goal's data. They do not print.
#[derive(Clone, Default, PartialEq)]
pub struct Values(BTreeMap<Name, Value>);

impl Values {
    /// One value.
    #[must_use]
    pub fn get(&self, name: &Name) -> Option<&Value> {
        self.0.get(name)
    }

    /// All of them.
    #[must_use]
    pub fn into_map(self) -> BTreeMap<Name, Value> {
        self.0
    }

    /// All of them, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Value)> {
        self.0.iter()
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys().map(Name::as_str)).finish()
    }
}

impl Goal {
    /// The environment variables that the goal names: the only ones that may be read for it.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let sources = self.data().iter().map(|key| &key.from);
        let sources = sources.chain(self.outcomes().iter().flat_map(|outcome| outcome.when.values()));
        sources.filter_map(|from| match from {
            Source::Env(variable) => Some(variable.as_str()),
            Source::Value(_) | Source::ParamsFile | Source::Stdin => None,
        })
    }

    /// Whether the goal wants an object from standard input.
    #[must_use]
    pub fn wants_stdin(&self) -> bool {
        self.data().iter().any(|key| key.from == Source::Stdin)
    }

    /// The values of a run. What the parameter file or standard input give stands before what the goal itself says.
    ///
    /// # Errors
    /// A value is missing, given twice, unknown or misfit, or a sensitive one stands in the words that a model would see.
    pub fn values(&self, given: &Given) -> Result<Values, GoalErrors> {
        let mut errors = self.unknown(given);
        let mut values = BTreeMap::new();
        for key in self.data() {
            match value_of(key, &key.from, given).and_then(|json| read(key, &json)) {
                Ok(value) => {
                    values.insert(key.name.clone(), value);
                }
                Err(wrong) => errors.push(wrong.at(Where::Data(key.name.as_str().into()))),
            }
        }
        errors.extend(self.told(&values));
        if errors.is_empty() { Ok(Values(values)) } else { Err(GoalErrors(errors)) }
    }

    /// The values with which a declared outcome is provoked: those of the run, but for what its `when` says. None where
    /// nothing provokes it.
    ///
    /// # Errors
    /// As for [`Goal::values`].
    pub fn provoking(
        &self,
        outcome: &DeclaredOutcome,
        values: &Values,
        given: &Given,
    ) -> Option<Result<Values, GoalErrors>> {
        if outcome.when.is_empty() {
            return None;
        }
        let sources = outcome.when.iter().map(|(name, from)| (name.as_str(), from.clone()));
        Some(self.changed(values, sources.collect(), given))
    }

    /// The values of another run (`--probe`): those of this one, but for the lines `NAME=SOURCE`.
    ///
    /// # Errors
    /// As for [`Goal::values`]; a sensitive value may not stand in a line.
    pub fn probe(&self, lines: &[String], values: &Values, given: &Given) -> Result<Values, GoalErrors> {
        let mut sources = Vec::new();
        for (at, text) in lines.iter().enumerate() {
            let place = || Where::Flag { flag: "--probe", number: (lines.len() > 1).then_some(at + 1) };
            let name = text.split('=').next().unwrap_or_default().trim();
            let Some(key) = self.data().iter().find(|key| key.name.as_str() == name) else {
                return Err(GoalErrors(vec![self.no_data(name).at(place())]));
            };
            let read = line::data(text).map_err(|wrong| GoalErrors(vec![wrong.at(place())]))?;
            let from = match read.from {
                Source::Value(_) if key.sensitive => {
                    return Err(GoalErrors(vec![secret_literal(&key.name, false).at(place())]));
                }
                Source::Value(Json::String(text)) => Source::Value(line::value(&key.kind, &text)),
                from => from,
            };
            sources.push((key.name.as_str(), from));
        }
        self.changed(values, sources, given)
    }

    fn changed(&self, values: &Values, sources: Vec<(&str, Source)>, given: &Given) -> Result<Values, GoalErrors> {
        let mut out = values.clone();
        // The sources of a change are its own: what the file gives for this run is what is to be changed.
        let own = Given { env: given.env.clone(), ..Given::default() };
        for (name, from) in sources {
            let place = || Where::Data(name.into());
            let Some(key) = self.data().iter().find(|key| key.name.as_str() == name) else {
                return Err(GoalErrors(vec![self.no_data(name).at(place())]));
            };
            let given = if matches!(from, Source::Env(_) | Source::Value(_)) { &own } else { given };
            let value = value_of(key, &from, given).and_then(|json| read(key, &json));
            out.0.insert(key.name.clone(), value.map_err(|wrong| GoalErrors(vec![wrong.at(place())]))?);
        }
        let told = self.told(&out.0);
        if told.is_empty() { Ok(out) } else { Err(GoalErrors(told)) }
    }

    /// Names in the sources that are no data of the goal.
    fn unknown(&self, given: &Given) -> Vec<GoalError> {
        let names = given.params_file.keys().map(|name| ("--params-file", name));
        let names = names.chain(given.stdin.keys().map(|name| ("stdin", name)));
        let unknown = names.filter(|(_, name)| !self.data().iter().any(|key| key.name.as_str() == name.as_str()));
        unknown.map(|(flag, name)| self.no_data(name).at(Where::Flag { flag, number: None })).collect()
    }

    fn no_data(&self, name: &str) -> Wrong {
        let known: Vec<&str> = self.data().iter().map(|key| key.name.as_str()).collect();
        let hint = if known.is_empty() {
            "the goal names no data".to_owned()
        } else {
            format!("there is {}", known.join(", "))
        };
        Wrong::new("unknown_name", format!("`{}` is no data of this goal", shown(name)), hint)
    }

    /// Whether a secret stands in the goal's own words, which a model would see and a document would repeat.
    #[must_use]
    pub fn tells(&self, secret: &str) -> bool {
        self.words().iter().any(|text| holds(text, secret))
    }

    fn words(&self) -> Vec<&str> {
        let mut words: Vec<&str> = vec![self.task(), self.start()];
        words.extend(self.0.title.as_deref());
        words.extend(self.conditions().iter().map(|condition| match condition {
            Condition::Text(text) | Condition::NotText(text) | Condition::Url(text) => text.as_str(),
        }));
        words.extend(self.outcomes().iter().flat_map(|outcome| [outcome.shows.as_str(), outcome.description.as_str()]));
        words.extend(self.data().iter().map(|key| key.description.as_str()));
        words.extend(self.outputs().iter().map(|output| output.description.as_str()));
        words
    }

    /// Sensitive values in words that a model would see.
    fn told(&self, values: &BTreeMap<Name, Value>) -> Vec<GoalError> {
        let secrets = self.data().iter().filter(|key| key.sensitive);
        let secrets = secrets.filter_map(|key| Some((key, written(values.get(&key.name)?)?)));
        let told = secrets.filter(|(_, secret)| self.tells(secret));
        told.map(|(key, _)| {
            let message = "its value stands in the goal's own words, which a model would see";
            let hint = format!("say `{}` there instead of the value", key.name);
            Wrong::new("secret_in_words", message, hint).at(Where::Data(key.name.as_str().into()))
        })
        .collect()
    }
}

fn value_of(key: &DataKey, from: &Source, given: &Given) -> Result<Json, Wrong> {
    let name = key.name.as_str();
    match (given.params_file.get(name), given.stdin.get(name)) {
        (Some(_), Some(_)) => {
            let message = "the parameter file and standard input both give it";
            return Err(Wrong::new("value_twice", message, "keep one of the two"));
        }
        (Some(value), None) | (None, Some(value)) => return Ok(value.clone()),
        (None, None) => {}
    }
    match from {
        Source::Value(json) => Ok(json.clone()),
        Source::Env(variable) => match given.env.get(variable) {
            Some(text) => Ok(line::value(&key.kind, text)),
            None => {
                let message = format!("the environment variable {variable} is not set");
                Err(Wrong::new("value_missing", message, "export it, or give the value in the parameter file"))
            }
        },
        Source::ParamsFile => Err(Wrong::new(
            "value_missing",
            "the parameter file does not give it",
            "add it to the file that `--params-file` names",
        )),
        Source::Stdin => {
            Err(Wrong::new("value_missing", "standard input does not give it", "write one JSON object with its name"))
        }
    }
}

fn read(key: &DataKey, json: &Json) -> Result<Value, Wrong> {
    parse_input(&parameter(key), json).map_err(|problem| misfit(&problem.message))
}

/// The text by which a value would be told.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(n) => Some(n.to_string()),
        Value::Decimal(d) => Some(d.to_string()),
        Value::Money(money) => Some(money.amount.to_string()),
        Value::Date(date) => Some(date.to_string()),
        Value::Null | Value::Boolean(_) | Value::Table(_) | Value::File(_) => None,
    }
}

/// Whether a text holds a secret as a token of its own.
fn holds(text: &str, secret: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !secret.trim().is_empty()
        && text
            .match_indices(secret)
            .any(|(at, found)| edge(text[..at].chars().next_back()) && edge(text[at + found.len()..].chars().next()))
}
