//! How values are written on screens.
//!
//! Reading never guesses: the whole text must be the value. Where a text can be read in more than one way and the
//! document does not say which, it is refused as ambiguous. Writing is exact: nothing is rounded.

mod currency;
mod date;
mod locale;
mod number;
mod read;
mod write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Type;

pub(crate) use currency::is_code as is_currency_code;
pub(crate) use date::{DatePattern, iso as iso_date};
pub use locale::Locale;
pub(crate) use number::MAX_INTEGER;
pub use read::read;
pub use write::display;

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
    /// Whether a percent sign stands behind the number (integer and decimal only). It must then be there, and is
    /// left out; the number is never rescaled: `2,35 %` is 2.35. Without this, a percent sign is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub percent: bool,
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
    /// Digits behind the decimal mark; filled up with zeros. A value with more of them is refused, not rounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u32>,
    /// Whether thousands are grouped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub grouping: bool,
    /// Where the three letters of the currency of an amount stand; left out: the amount only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<CurrencyPlace>,
    /// The pattern of a date, of `yyyy`, `MM`, `dd` (or `M`, `d` without leading zeros) and separators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl DisplayFormat {
    /// Whether its pattern of a date, where it has one, can be written.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.date.as_deref().is_none_or(|pattern| DatePattern::parse(pattern).is_ok())
    }

    /// What it says that a value of this type does not have, by the names of its fields.
    #[must_use]
    pub fn unfit(&self, kind: &Type) -> Vec<&'static str> {
        let money = matches!(kind, Type::Money { .. });
        let fraction = money || *kind == Type::Decimal;
        let number = fraction || *kind == Type::Integer;
        let said = [
            ("locale", self.locale.is_some(), number),
            ("decimals", self.decimals.is_some(), fraction),
            ("grouping", self.grouping, number),
            ("currency", self.currency.is_some(), money),
            ("date", self.date.is_some(), *kind == Type::Date),
        ];
        said.into_iter().filter(|(_, given, fits)| *given && !fits).map(|(field, ..)| field).collect()
    }

    /// The format by which a field is read back that was filled in this format: equal values are equal however the
    /// field groups or pads them.
    #[must_use]
    pub fn read_format(&self) -> ReadFormat {
        ReadFormat {
            locale: Some(self.locale.unwrap_or_default()),
            date_order: self.date.as_deref().and_then(|p| DatePattern::parse(p).ok()).map(|p| p.order()),
            ..ReadFormat::default()
        }
    }
}

/// Where the three letters of a currency stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CurrencyPlace {
    /// `USD 10.50`
    Before,
    /// `10.50 USD`
    After,
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
    /// The value has no such written form. The value itself is not in the message.
    #[error("the value cannot be written: {why}")]
    Unwritable {
        /// Why.
        why: &'static str,
    },
}
