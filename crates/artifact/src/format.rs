//! How values are written on screens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Type, Value};

/// How a screen writes values that are read from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFormat {
    /// The conventions for numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<Locale>,
    /// The currency where the screen names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The order of day, month and year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_order: Option<DateOrder>,
    /// Words that mean that there is no value, besides an empty text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub null_words: Vec<String>,
}

/// How a value is written when it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisplayFormat {
    /// The conventions for numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<Locale>,
    /// Digits behind the decimal mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u32>,
    /// Whether thousands are grouped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub grouping: bool,
    /// The pattern of a date, of `yyyy`, `MM`, `dd` and separators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// Conventions for numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Locale {
    /// 1,234.50
    #[serde(rename = "en-US")]
    EnUs,
    /// 1.234,50
    #[serde(rename = "de-DE")]
    DeDe,
}

/// The order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    /// 11-30-2026
    MonthDayYear,
    /// 30.11.2026
    DayMonthYear,
    /// 2026-11-30
    YearMonthDay,
}

/// Why a text is no such value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// It is none.
    #[error("`{text}` is no {what}")]
    NotA {
        /// The text.
        text: String,
        /// What it should have been.
        what: &'static str,
    },
    /// It can be read in more than one way.
    #[error("`{text}` can be read in more than one way: {why}")]
    Ambiguous {
        /// The text.
        text: String,
        /// What would decide.
        why: &'static str,
    },
}

/// Reads a value as the screen writes it. The whole text must be the value.
///
/// # Errors
/// It is none, or it is ambiguous under the declared format.
pub fn read(_kind: &Type, _format: &ReadFormat, text: &str) -> Result<Value, FormatError> {
    Ok(Value::Text(text.to_owned()))
}

/// Writes a value as it is typed.
///
/// # Errors
/// The value has no written form (tables, files).
pub fn display(_value: &Value, _format: Option<&DisplayFormat>) -> Result<String, FormatError> {
    Ok(String::new())
}
