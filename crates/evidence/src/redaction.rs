//! The door through which everything goes that is written.

use serde_json::{Map, Value, json};
use waymark_redact::Redactor;

use crate::EvidenceError;

/// Keeps secrets out of what is written: the run's [`Redactor`], which whoever learns of new secrets shares.
pub trait Redaction: Send + Sync {
    /// A text without secrets.
    ///
    /// # Errors
    /// It cannot be said to be without.
    fn text(&self, text: &str) -> Result<String, RedactionFailed>;

    /// A document without secrets, looked at with the names of its fields.
    ///
    /// # Errors
    /// It cannot be said to be without.
    fn json(&self, value: Value) -> Result<Value, RedactionFailed>;

    /// A part of a file's name without secrets.
    ///
    /// # Errors
    /// It cannot be said to be without.
    fn file_name(&self, name: &str) -> Result<String, RedactionFailed>;
}

/// Why something could not be redacted. Holds no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RedactionFailed(pub String);

/// The redactor is not believed either: what it gives is searched once more.
impl Redaction for Redactor {
    fn text(&self, text: &str) -> Result<String, RedactionFailed> {
        self.searched(self.redact_text(text).into_owned())
    }

    fn json(&self, mut value: Value) -> Result<Value, RedactionFailed> {
        self.redact_json(&mut value);
        if strings(&value, &mut |text| self.finds(text)) { Err(still_there()) } else { Ok(value) }
    }

    fn file_name(&self, name: &str) -> Result<String, RedactionFailed> {
        self.searched(self.redact_file_name(name).into_owned())
    }
}

trait Searched {
    fn searched(&self, text: String) -> Result<String, RedactionFailed>;
}

impl Searched for Redactor {
    fn searched(&self, text: String) -> Result<String, RedactionFailed> {
        if self.finds(&text) { Err(still_there()) } else { Ok(text) }
    }
}

/// Content of the application and of callers: nothing in it is the engine's own word.
const CONTENT: [&str; 4] = ["fact", "value", "outputs", "variables"];
/// Fields that hold the engine's and the artifact's own words. Masked where a secret happens to be the same word,
/// they would give it away and leave a journal that nobody can read. Names of fields and counts stay likewise.
const WORDS: [&str; 20] = [
    "schema",
    "event",
    "status",
    "code",
    "class",
    "effect",
    "mode",
    "action",
    "act",
    "delivery",
    "kind",
    "run_id",
    "digest",
    "file",
    "effective_digest",
    "effect_journal",
    "effects",
    "live",
    "what",
    "settling",
];

/// A document of ours with everything redacted that came from elsewhere.
pub(crate) fn redacted(redaction: &dyn Redaction, what: &str, value: Value) -> Result<Value, EvidenceError> {
    clean(redaction, "", value).map_err(|failed| failure(what, failed))
}

pub(crate) fn redacted_text(redaction: &dyn Redaction, what: &str, text: &str) -> Result<String, EvidenceError> {
    redaction.text(text).map_err(|failed| failure(what, failed))
}

pub(crate) fn redacted_name(redaction: &dyn Redaction, name: &str) -> Result<String, EvidenceError> {
    redaction.file_name(name).map_err(|failed| failure("the name of a file", failed))
}

fn clean(redaction: &dyn Redaction, key: &str, value: Value) -> Result<Value, RedactionFailed> {
    match value {
        Value::Object(fields) if !CONTENT.contains(&key) => {
            let mut kept = Map::new();
            for (key, value) in fields {
                let value = clean(redaction, &key, value)?;
                kept.insert(key, value);
            }
            Ok(Value::Object(kept))
        }
        Value::Array(items) if !CONTENT.contains(&key) => {
            items.into_iter().map(|item| clean(redaction, key, item)).collect()
        }
        Value::String(word) if WORDS.contains(&key) && is_word(&word) => Ok(Value::String(word)),
        Value::Null | Value::Bool(_) => Ok(value),
        Value::Number(_) if !CONTENT.contains(&key) => Ok(value),
        value => field(redaction, key, value),
    }
}

/// One field by its name and value. The name itself stays: it is ours.
fn field(redaction: &dyn Redaction, key: &str, value: Value) -> Result<Value, RedactionFailed> {
    match redaction.json(json!({ key: value }))? {
        Value::Object(fields) if fields.len() == 1 => Ok(fields.into_iter().next().map_or(Value::Null, |(_, v)| v)),
        _ => Err(RedactionFailed("a field is no field any more".to_owned())),
    }
}

/// Whether `says` says yes to a text or to the name of a field.
fn strings(value: &Value, says: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        Value::String(text) => says(text),
        Value::Array(items) => items.iter().any(|item| strings(item, says)),
        Value::Object(fields) => fields.iter().any(|(key, value)| says(key) || strings(value, says)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn still_there() -> RedactionFailed {
    RedactionFailed("a registered value still stands in it".to_owned())
}

fn failure(what: &str, failed: RedactionFailed) -> EvidenceError {
    EvidenceError::Redaction { what: what.to_owned(), why: failed.0 }
}

/// A name of the vocabulary or a digest; a sentence is neither.
fn is_word(word: &str) -> bool {
    word.len() <= 80 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./:-".contains(&b))
}
