//! The flags' face.

use serde_json::{Map, Value as Json};
use waymark_artifact::{CapabilityId, Name, Type};

use crate::document::{DataKey, Document, Limits, SchemaWord, Source};
use crate::goal::{Checked, Goal, finish, kinds};
use crate::line;
use crate::problem::{GoalError, GoalErrors, Part, Where, Wrong};

/// What was given on the command line, each text as it was written. Not printable: it may hold what is refused.
#[derive(Clone, Default)]
pub struct Flags {
    /// `--goal`: the job in words.
    pub goal: Option<String>,
    /// `--url`: where it begins.
    pub url: Option<String>,
    /// `--capability`: `application.capability`.
    pub capability: Option<String>,
    /// `--title`.
    pub title: Option<String>,
    /// `--success`: `Text: …`, `Not text: …`, `URL: …`.
    pub success: Vec<String>,
    /// `--param`: `NAME`, `NAME=SOURCE`, `NAME (TYPE, sensitive): SOURCE`.
    pub params: Vec<String>,
    /// `--outcome`: `CODE: what the screen says (when NAME = VALUE)`.
    pub outcomes: Vec<String>,
    /// `--output`: `NAME (TYPE)`, `NAME (table COLUMN TYPE, …)`.
    pub outputs: Vec<String>,
    /// `--max-steps`.
    pub max_steps: Option<u32>,
    /// `--max-model-calls`.
    pub max_model_calls: Option<u32>,
    /// `--max-seconds`.
    pub max_seconds: Option<u32>,
    /// `--max-usd`: such as `1.50`.
    pub max_usd: Option<String>,
    /// `--call-seconds`.
    pub call_seconds: Option<u32>,
    /// What `--params-file` holds: a name that no `--param` declares becomes data of the type that its value has.
    pub params_file: Option<Map<String, Json>>,
}

impl Goal {
    /// Reads a goal from flags.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn from_flags(flags: &Flags) -> Result<Checked, GoalErrors> {
        let mut errors: Vec<GoalError> = Vec::new();
        let capability = flags.capability.as_deref().and_then(|word| {
            let read = CapabilityId::new(word)
                .map_err(|error| Wrong::new("not_an_id", error.to_string(), "such as bank.read_balance"));
            kept(read, Where::Flag { flag: "--capability", number: None }, &mut errors)
        });
        let success = all(&flags.success, "--success", line::condition, &mut errors);
        let mut data = all(&flags.params, "--param", line::data, &mut errors);
        let declared = data.len();
        data.extend(from_file(flags, &data, &mut errors));
        let kinds = kinds(&data);
        let outcomes = all(&flags.outcomes, "--outcome", |text| line::outcome(text, &kinds), &mut errors);
        let outputs = all(&flags.outputs, "--output", line::output, &mut errors);
        let standard = Limits::default();
        let usd = flags
            .max_usd
            .as_deref()
            .and_then(|text| kept(line::usd(text), Where::Flag { flag: "--max-usd", number: None }, &mut errors));
        let limits = Limits {
            steps: flags.max_steps.unwrap_or(standard.steps),
            model_calls: flags.max_model_calls.unwrap_or(standard.model_calls),
            seconds: flags.max_seconds.unwrap_or(standard.seconds),
            usd: usd.unwrap_or(standard.usd),
            call_seconds: flags.call_seconds.unwrap_or(standard.call_seconds),
        };
        let document = Document {
            schema: SchemaWord,
            capability,
            title: flags.title.clone(),
            url: flags.url.clone().unwrap_or_default(),
            task: flags.goal.clone().unwrap_or_default(),
            success,
            data,
            outcomes,
            outputs,
            limits,
        };
        let place = |part| match part {
            Part::Title => Where::Flag { flag: "--title", number: None },
            Part::Start => Where::Flag { flag: "--url", number: None },
            Part::Task => Where::Flag { flag: "--goal", number: None },
            Part::AllSuccess => Where::Flag { flag: "--success", number: None },
            Part::Success(at) => nth("--success", at, flags.success.len()),
            Part::Data(at) if at < declared => nth("--param", at, flags.params.len()),
            Part::Data(_) => Where::Flag { flag: "--params-file", number: None },
            Part::Outcome(at) => nth("--outcome", at, flags.outcomes.len()),
            Part::Output(at) => nth("--output", at, flags.outputs.len()),
            Part::Limit("steps") => Where::Flag { flag: "--max-steps", number: None },
            Part::Limit("model_calls") => Where::Flag { flag: "--max-model-calls", number: None },
            Part::Limit("seconds") => Where::Flag { flag: "--max-seconds", number: None },
            Part::Limit("usd") => Where::Flag { flag: "--max-usd", number: None },
            Part::Limit(_) => Where::Flag { flag: "--call-seconds", number: None },
        };
        finish(document, place, errors)
    }
}

/// The names that only the parameter file has, in its order.
fn from_file(flags: &Flags, declared: &[DataKey], errors: &mut Vec<GoalError>) -> Vec<DataKey> {
    let mut keys = Vec::new();
    for (word, value) in flags.params_file.iter().flatten() {
        if declared.iter().any(|key| key.name.as_str() == word) {
            continue;
        }
        let place = Where::Flag { flag: "--params-file", number: None };
        let kind = match value {
            Json::Bool(_) => Type::Boolean,
            Json::Number(number) if !number.is_f64() => Type::Integer,
            Json::Object(_) => Type::Money { currency: None },
            // What a text cannot be is refused with the value, by name.
            Json::String(_) | Json::Number(_) | Json::Null | Json::Array(_) => Type::Text,
        };
        let name = Name::new(word).map_err(|error| Wrong::new("not_an_id", error.to_string(), "rename it in the file"));
        if let Some(name) = kept(name, place, errors) {
            let sensitive = line::secret_like(name.as_str());
            keys.push(DataKey { sensitive, ..DataKey::plain(name, kind, Source::ParamsFile) });
        }
    }
    keys
}

/// Every text that reads.
fn all<T>(
    texts: &[String],
    flag: &'static str,
    read: impl Fn(&str) -> Result<T, Wrong>,
    errors: &mut Vec<GoalError>,
) -> Vec<T> {
    let mut out = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        out.extend(kept(read(text.trim()), nth(flag, at, texts.len()), errors));
    }
    out
}

fn kept<T>(read: Result<T, Wrong>, place: Where, errors: &mut Vec<GoalError>) -> Option<T> {
    read.map_err(|wrong| errors.push(wrong.at(place))).ok()
}

fn nth(flag: &'static str, at: usize, of: usize) -> Where {
    Where::Flag { flag, number: (of > 1).then_some(at + 1) }
}
