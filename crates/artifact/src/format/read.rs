//! Reading a value as the screen writes it.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use waymark_snapshot::squash;

use super::currency::{Named, is_code};
use super::number::{Dress, MAX_INTEGER, Unread, digits, undress};
use super::{FormatError, Locale, ReadFormat, date};
use crate::{MoneyValue, Type, Value};

/// The longest text that is read as a number or date.
const MAX_FIGURES: usize = 100;

/// Reads a value as the screen writes it. The whole text must be the value; white space is squashed, an empty text
/// and the declared null words are [`Value::Null`].
///
/// - Numbers: a sign before or behind, or parentheses; thousands in well-formed groups. Without a declared locale a
///   text is read only if every usual convention that can read it reads the same (`1,234.50`, `12.00`); else it is
///   ambiguous (`1.234`). A percent sign is refused unless declared, and never rescales.
/// - Money: currency by sign, by three letters, or declared; what stands there must agree with what is declared.
/// - Dates: figures with a year of four digits, in the declared order; ISO in any case. No order declared: only if
///   there is one way to read it.
/// - Booleans: yes, no, true, false, Y, N in any case. Enum words: exactly.
///
/// # Errors
/// It is none, or it is ambiguous under the declared format.
pub fn read(kind: &Type, format: &ReadFormat, text: &str) -> Result<Value, FormatError> {
    let text = squash(text);
    if text.is_empty() || format.null_words.iter().any(|word| squash(word) == text) {
        return Ok(Value::Null);
    }
    let reader = Reader { text: &text, format };
    match kind {
        Type::Text => Ok(Value::Text(text)),
        Type::Integer => reader.integer(),
        Type::Decimal => reader.number("decimal number").map(Value::Decimal),
        Type::Money { currency } => reader.money(currency.as_deref()),
        Type::Date => reader.date(),
        Type::Boolean => reader.boolean(),
        Type::Enum { values } => {
            if values.contains(&text) {
                Ok(Value::Text(text))
            } else {
                Err(reader.not("word of the list"))
            }
        }
        Type::Table { .. } => Err(reader.not("table: tables are read row by row")),
        Type::File => Err(reader.not("file")),
    }
}

struct Reader<'a> {
    text: &'a str,
    format: &'a ReadFormat,
}

impl Reader<'_> {
    fn not(&self, what: &'static str) -> FormatError {
        FormatError::NotA { text: self.text.to_owned(), what }
    }

    fn ambiguous(&self, why: &'static str) -> FormatError {
        FormatError::Ambiguous { text: self.text.to_owned(), why }
    }

    fn undressed(&self, what: &'static str) -> Result<(Dress<'_>, Decimal), FormatError> {
        if self.text.len() > MAX_FIGURES {
            return Err(self.not(what));
        }
        let (dress, figures) = undress(self.text).ok_or_else(|| self.not(what))?;
        let mut amount = digits(figures, self.format.locale).map_err(|unread| match unread {
            Unread::None => self.not(what),
            Unread::Several => self.ambiguous("declare the locale"),
        })?;
        // A negative zero is zero.
        amount.set_sign_negative(dress.negative && !amount.is_zero());
        Ok((dress, amount))
    }

    fn number(&self, what: &'static str) -> Result<Decimal, FormatError> {
        let (dress, amount) = self.undressed(what)?;
        match (dress.currency, dress.percent, self.format.percent) {
            (Some(_), _, _) => Err(self.not("number without a currency")),
            (None, true, false) => Err(self.not("number without a percent sign")),
            (None, false, true) => Err(self.not("number with a percent sign")),
            (None, ..) => Ok(amount),
        }
    }

    fn integer(&self) -> Result<Value, FormatError> {
        let amount = self.number("whole number")?;
        if amount.scale() != 0 {
            return Err(self.not("whole number"));
        }
        let whole = amount.to_i64().filter(|n| (-MAX_INTEGER..=MAX_INTEGER).contains(n));
        whole.map(Value::Integer).ok_or_else(|| self.not("whole number between -(2^53-1) and 2^53-1"))
    }

    fn money(&self, currency: Option<&str>) -> Result<Value, FormatError> {
        let (dress, amount) = self.undressed("amount of money")?;
        if dress.percent {
            return Err(self.not("amount of money"));
        }
        let declared = currency.or(self.format.currency.as_deref());
        let currency = self.currency(dress.currency, declared)?;
        if !is_code(&currency) {
            return Err(self.not("amount in a known currency"));
        }
        Ok(Value::Money(MoneyValue { amount, currency }))
    }

    fn currency(&self, named: Option<Named<'_>>, declared: Option<&str>) -> Result<String, FormatError> {
        match (named, declared) {
            (None, None) => Err(self.ambiguous("declare the currency")),
            (None, Some(declared)) => Ok(declared.to_owned()),
            (Some(Named::Code(code)), Some(declared)) if code != declared => {
                Err(self.not("amount in the declared currency"))
            }
            (Some(Named::Code(code)), _) => Ok(code.to_owned()),
            (Some(Named::Sign(of)), Some(declared)) => {
                if of.contains(&declared) {
                    Ok(declared.to_owned())
                } else {
                    Err(self.not("amount in the declared currency"))
                }
            }
            (Some(Named::Sign(of)), None) => {
                let home = self.format.locale.map(Locale::home_currency);
                match of {
                    [only] => Ok((*only).to_owned()),
                    _ => home
                        .filter(|home| of.contains(home))
                        .map(str::to_owned)
                        .ok_or_else(|| self.ambiguous("several currencies have this sign; declare the currency")),
                }
            }
        }
    }

    fn date(&self) -> Result<Value, FormatError> {
        let what = "date with a year of four digits";
        if self.text.len() > MAX_FIGURES {
            return Err(self.not(what));
        }
        date::read(self.text, self.format.date_order).map(Value::Date).map_err(|unread| match unread {
            Unread::None => self.not(what),
            Unread::Several => self.ambiguous("declare the order of day, month and year"),
        })
    }

    fn boolean(&self) -> Result<Value, FormatError> {
        match self.text.to_ascii_lowercase().as_str() {
            "yes" | "true" | "y" => Ok(Value::Boolean(true)),
            "no" | "false" | "n" => Ok(Value::Boolean(false)),
            _ => Err(self.not("yes or no")),
        }
    }
}
