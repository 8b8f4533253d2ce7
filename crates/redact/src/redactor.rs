//! Masking texts and structured data.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value};

use crate::forms::Forms;
use crate::known::{Known, Span, Words};
use crate::number;
use crate::view::views;
use crate::{MASK, Rules};

/// Why something could not be masked. Then it must not be written, and the run fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedactError {
    /// Bytes that are no text.
    #[error("the bytes are not UTF-8, so they cannot be searched")]
    NotText,
    /// A rule whose expression cannot be used.
    #[error("the form `{name}` cannot be used: {why}")]
    Form {
        /// The form.
        name: String,
        /// Why.
        why: String,
    },
    /// The registered values cannot be searched for.
    #[error("the registered values cannot be searched for: {why}")]
    Values {
        /// Why.
        why: String,
    },
}

/// The one that masks. It is shared by everything that writes; values are registered as soon as they are
/// resolved, before anything can have seen them.
pub struct Redactor {
    forms: Forms,
    known: RwLock<Arc<Known>>,
}

/// What stands in for a value: `‹redacted:KIND›`, where KIND is the name it was registered under, the name of its
/// field, or the form it was found by.
#[must_use]
pub fn mask(kind: &str) -> String {
    format!("‹redacted:{}›", word(kind))
}

impl Redactor {
    /// A redactor with no values registered yet.
    ///
    /// # Errors
    /// An expression of the rules cannot be used.
    pub fn new(rules: &Rules) -> Result<Self, RedactError> {
        let forms = Forms::new(rules).map_err(|(name, error)| RedactError::Form { name, why: error.to_string() })?;
        Ok(Redactor { forms, known: RwLock::default() })
    }

    /// From now on masks a value wherever it turns up. `kind` names it in the mask and must not be part of it.
    /// Values of one character, and `true`, `false`, `null`, are masked only where they are the whole text; those of
    /// two or three characters only as whole words; fewer than ten digits not inside a longer number or a hash;
    /// empty ones never.
    ///
    /// # Errors
    /// The value cannot be searched for.
    pub fn register(&self, kind: &str, value: &str) -> Result<(), RedactError> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let next = known.with(&word(kind), value).map_err(|error| RedactError::Values { why: error.to_string() })?;
        *known = Arc::new(next);
        Ok(())
    }

    /// The text with everything masked that must not be seen; borrowed where there is nothing.
    #[must_use]
    pub fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.known();
        let spans = self.spans(&known, text, Words::OfText);
        replace(text, &spans, |span| match (shown(&known, &span.kind), span.quoted) {
            (mask, true) => format!("\"{mask}\""),
            (mask, false) => mask,
        })
    }

    /// The same for bytes.
    ///
    /// # Errors
    /// They are no text.
    pub fn redact_bytes(&self, bytes: &[u8]) -> Result<String, RedactError> {
        let text = std::str::from_utf8(bytes).map_err(|_| RedactError::NotText)?;
        Ok(self.redact_text(text).into_owned())
    }

    /// Masks strings and keys everywhere, numbers that equal a registered one, and the values of fields with
    /// names that say enough.
    pub fn redact_json(&self, value: &mut Value) {
        let known = self.known();
        self.redact_value(&known, value);
    }

    /// The name of a file, with masks that file systems take (`redacted-KIND`).
    #[must_use]
    pub fn redact_file_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let known = self.known();
        let spans = self.spans(&known, name, Words::OfFileName);
        replace(name, &spans, |span| format!("redacted-{}", span.kind))
    }

    /// Whether a registered value stands in the text, in whatever encoding.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        let known = self.known();
        let mut spans = Vec::new();
        known.len() > 0
            && views(text, known.any_blank).iter().any(|view| {
                known.find(view, Words::OfText, &mut spans);
                !spans.is_empty()
            })
    }

    /// The ranges of a text that would be masked in it, in order and apart.
    #[must_use]
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let known = self.known();
        let spans = self.spans(&known, text, Words::OfText);
        spans
            .into_iter()
            .filter(|span| !is_mask(&text[span.start..span.end]))
            .map(|span| span.start..span.end)
            .collect()
    }

    /// Whether any value is registered.
    #[must_use]
    pub fn knows_any(&self) -> bool {
        self.known().len() > 0
    }

    fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn spans(&self, known: &Known, text: &str, words: Words) -> Vec<Span> {
        let mut spans = Vec::new();
        for view in views(text, known.any_blank) {
            known.find(&view, words, &mut spans);
            if !view.squeezed {
                self.forms.find(&view, &mut spans);
            }
        }
        merge(spans)
    }

    fn redact_value(&self, known: &Known, value: &mut Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                let text = number.to_string();
                // Short numbers are counts and codes far more often than they are secrets.
                if number::digits(&text) >= number::MIN_DIGITS
                    && let Some(span) = self.spans(known, &text, Words::OfText).first()
                {
                    *value = Value::String(shown(known, &span.kind));
                }
            }
            Value::String(text) => {
                if let Cow::Owned(masked) = self.redact_text(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(known, item)),
            Value::Object(fields) => {
                let mut masked = Map::new();
                for (key, mut value) in std::mem::take(fields) {
                    if self.forms.field(&key) {
                        mask_field(known, &key, &mut value);
                    }
                    self.redact_value(known, &mut value);
                    masked.insert(free(&masked, self.redact_text(&key).into_owned()), value);
                }
                *fields = masked;
            }
        }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} values)", self.known().len())
    }
}

/// Masks what a field with a telling name holds; what lies deeper is not the field's value.
fn mask_field(known: &Known, key: &str, value: &mut Value) {
    match value {
        Value::String(text) if text.is_empty() || is_mask(text) => {}
        Value::String(_) | Value::Number(_) => *value = Value::String(shown(known, &word(key))),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_field(known, key, item)),
        Value::Null | Value::Bool(_) | Value::Object(_) => {}
    }
}

/// The mask of a kind, or the plain one where the words of the mask would themselves show a value.
fn shown(known: &Known, kind: &str) -> String {
    let mask = mask(kind);
    if known.occurs_in(&mask) { MASK.to_owned() } else { mask }
}

fn is_mask(text: &str) -> bool {
    text == MASK || (text.starts_with("‹redacted:") && text.ends_with('›'))
}

/// A kind as one plain word.
fn word(kind: &str) -> String {
    let plain: String =
        kind.chars().take(40).map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if plain.is_empty() { "value".to_owned() } else { plain }
}

/// A key that no field has yet: two that are masked alike must not become one.
fn free(fields: &Map<String, Value>, key: String) -> String {
    if !fields.contains_key(&key) {
        return key;
    }
    (2u32..).map(|n| format!("{key}#{n}")).find(|key| !fields.contains_key(key)).unwrap_or(key)
}

/// In order, and overlapping ones as one.
fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

fn replace<'a>(text: &'a str, spans: &[Span], mask: impl Fn(&Span) -> String) -> Cow<'a, str> {
    let mut out = String::new();
    let mut at = 0;
    for span in spans.iter().filter(|span| !is_mask(&text[span.start..span.end])) {
        out.push_str(&text[at..span.start]);
        out.push_str(&mask(span));
        at = span.end;
    }
    if at == 0 && out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}
