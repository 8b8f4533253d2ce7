//! Types, forms and sources of values, in words.

use super::words::{counted, listed, quoted};
use crate::{CurrencyPlace, DateOrder, DisplayFormat, ReadFormat, Type, ValueExpr};

/// A type without the columns of a table.
pub(super) fn kind(what: &Type) -> String {
    match what {
        Type::Text => "text".to_owned(),
        Type::Integer => "a whole number".to_owned(),
        Type::Decimal => "a decimal number".to_owned(),
        Type::Money { currency: Some(code) } => format!("an amount of money in {}", quoted(code)),
        Type::Money { currency: None } => "an amount of money with its currency".to_owned(),
        Type::Date => "a date".to_owned(),
        Type::Boolean => "yes or no".to_owned(),
        Type::Enum { values } => {
            let words: Vec<String> = values.iter().map(|word| quoted(word)).collect();
            format!("one of the words {}", listed(&words, "or"))
        }
        Type::Table { columns, .. } => format!("a table of {}", counted(columns.len() as u64, "column")),
        Type::File => "a file".to_owned(),
    }
}

/// How a screen writes it; empty where nothing is declared.
pub(super) fn read_format(format: &ReadFormat) -> String {
    let mut parts = Vec::new();
    if let Some(locale) = format.locale {
        parts.push(format!("numbers as in {}", locale.as_str()));
    }
    if let Some(code) = &format.currency {
        parts.push(format!("in {} where the screen names no currency", quoted(code)));
    }
    if let Some(order) = format.date_order {
        let order = match order {
            DateOrder::MonthDayYear => "month, day, year",
            DateOrder::DayMonthYear => "day, month, year",
            DateOrder::YearMonthDay => "year, month, day",
        };
        parts.push(format!("dates in the order {order}"));
    }
    if format.percent {
        parts.push("with a percent sign, which is left out".to_owned());
    }
    if !format.null_words.is_empty() {
        let words: Vec<String> = format.null_words.iter().map(|word| quoted(word)).collect();
        parts.push(format!("none where the screen shows {}", listed(&words, "or")));
    }
    if parts.is_empty() { String::new() } else { format!("; on the screen: {}", parts.join("; ")) }
}

/// How a value of a type is written.
pub(super) fn written(kind: &Type, format: &DisplayFormat) -> String {
    match (kind, &format.date) {
        (Type::Date, Some(pattern)) => format!("as {}", quoted(pattern)),
        (Type::Date, None) => "as \"yyyy-MM-dd\"".to_owned(),
        _ => display_format(format),
    }
}

/// How it is written when it is typed.
pub(super) fn display_format(format: &DisplayFormat) -> String {
    let mut parts = vec![match format.locale {
        Some(locale) => format!("numbers as in {}", locale.as_str()),
        None => "numbers by the common convention".to_owned(),
    }];
    if let Some(decimals) = format.decimals {
        parts.push(format!("{} behind the decimal mark", counted(decimals, "digit")));
    }
    if format.grouping {
        parts.push("thousands grouped".to_owned());
    }
    match format.currency {
        Some(CurrencyPlace::Before) => parts.push("the currency before the amount".to_owned()),
        Some(CurrencyPlace::After) => parts.push("the currency after the amount".to_owned()),
        None => {}
    }
    if let Some(date) = &format.date {
        parts.push(format!("dates as {}", quoted(date)));
    }
    parts.join(", ")
}

/// Where a value comes from.
pub(super) fn source(value: &ValueExpr) -> String {
    match value {
        ValueExpr::Parameter { name } => format!("what the caller gives as {name}"),
        ValueExpr::Credential { name } => format!("the secret {name}, looked up at that moment"),
        ValueExpr::Variable { name } => format!("what the installation has as {name}"),
        ValueExpr::Literal { value, confirmed } => {
            let confirmed = if *confirmed { " (the analyst confirmed that it is no value of a caller)" } else { "" };
            format!("always {}{confirmed}", quoted(value))
        }
    }
}
