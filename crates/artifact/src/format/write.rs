//! Writing a value as it is typed.

use rust_decimal::Decimal;

use super::{CurrencyPlace, DatePattern, DisplayFormat, FormatError};
use crate::Value;

/// Writes a value as it is typed into a field, or as a reference in a text stands for it.
///
/// Without a format: text as it is, numbers with `.` and without groups, money as the amount alone, dates as ISO,
/// booleans as `true` or `false`, a file as its path.
///
/// # Errors
/// The value has no written form (nothing, tables), or not this one (more decimals than are allowed).
pub fn display(value: &Value, format: Option<&DisplayFormat>) -> Result<String, FormatError> {
    let plain = DisplayFormat::default();
    let format = format.unwrap_or(&plain);
    match value {
        Value::Null => Err(FormatError::Unwritable { why: "there is none" }),
        Value::Text(text) => Ok(text.clone()),
        Value::Integer(n) => number(Decimal::from(*n), format, None),
        Value::Decimal(n) => number(*n, format, format.decimals),
        Value::Money(money) => {
            let amount = number(money.amount, format, format.decimals)?;
            Ok(match format.currency {
                None => amount,
                Some(CurrencyPlace::Before) => format!("{} {amount}", money.currency),
                Some(CurrencyPlace::After) => format!("{amount} {}", money.currency),
            })
        }
        Value::Date(date) => {
            let pattern = DatePattern::parse(format.date.as_deref().unwrap_or("yyyy-MM-dd"))
                .map_err(|why| FormatError::Unwritable { why })?;
            Ok(pattern.write(*date))
        }
        Value::Boolean(b) => Ok(b.to_string()),
        Value::File(file) => Ok(file.path.clone()),
        Value::Table(_) => Err(FormatError::Unwritable { why: "a table is no text" }),
    }
}

fn number(n: Decimal, format: &DisplayFormat, decimals: Option<u32>) -> Result<String, FormatError> {
    let n = match decimals {
        None => n,
        Some(places) => {
            let least = n.normalize();
            if least.scale() > places {
                return Err(FormatError::Unwritable { why: "it has more decimals than the format allows" });
            }
            let mut padded = least;
            padded.rescale(places);
            if padded.scale() != places {
                return Err(FormatError::Unwritable { why: "it has too many digits for so many decimals" });
            }
            padded
        }
    };
    let marks = format.locale.unwrap_or_default().marks();
    let plain = n.abs().to_string();
    let (whole, tenths) = match plain.split_once('.') {
        Some((whole, tenths)) => (whole, Some(tenths)),
        None => (plain.as_str(), None),
    };
    let mut out = String::new();
    if n.is_sign_negative() && !n.is_zero() {
        out.push('-');
    }
    for (at, digit) in whole.char_indices() {
        if format.grouping && at > 0 && (whole.len() - at) % 3 == 0 {
            out.extend(marks.groups.first());
        }
        out.push(digit);
    }
    if let Some(tenths) = tenths {
        out.push(marks.decimal);
        out.push_str(tenths);
    }
    Ok(out)
}
