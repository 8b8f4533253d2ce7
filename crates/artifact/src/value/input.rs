//! Reading what a caller gave, before anything else happens.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::{FileValue, MoneyValue, Type, Value};
use crate::format::{FormatError, MAX_INTEGER, is_currency_code, iso_date};
use crate::suggest::{did_you_mean, shown};
use crate::{Name, Parameter};

/// The memory that the machine of one pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

/// The longest text of a file's path.
const MAX_PATH: usize = 4096;

/// One problem with what a caller gave. The value itself is never in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputProblem {
    /// The parameter.
    pub parameter: String,
    /// Stable word: `missing`, `unknown`, `null`, `wrong_type`, `out_of_range`, `not_one_of`, `pattern`, `too_long`,
    /// `unwritable` (this application has no such written form of it: nothing is rounded).
    pub problem: &'static str,
    /// A sentence.
    pub message: String,
}

/// Reads all values that a caller gave. Optional parameters that were left out are not in the result.
///
/// # Errors
/// Everything that is wrong with them, at once: in the order of the parameters, then the unknown names.
pub fn parse_inputs(
    parameters: &[Parameter],
    given: &Map<String, Json>,
) -> Result<BTreeMap<Name, Value>, Vec<InputProblem>> {
    let mut values = BTreeMap::new();
    let mut problems = Vec::new();
    for parameter in parameters {
        match given.get(parameter.name.as_str()) {
            Some(json) => match parse_input(parameter, json) {
                Ok(value) => {
                    values.insert(parameter.name.clone(), value);
                }
                Err(problem) => problems.push(problem),
            },
            None if parameter.optional => {}
            None => {
                let message = format!("`{}` is missing: {}", parameter.name, expected(&parameter.kind));
                problems.push(InputProblem { parameter: parameter.name.to_string(), problem: "missing", message });
            }
        }
    }
    let known = || parameters.iter().map(|p| p.name.as_str());
    let mut unknown: Vec<&String> = given.keys().filter(|key| known().all(|name| name != *key)).collect();
    unknown.sort();
    for key in unknown {
        let message = format!("there is no parameter `{}`{}", shown(key), did_you_mean(key, known()));
        problems.push(InputProblem { parameter: shown(key), problem: "unknown", message });
    }
    if problems.is_empty() { Ok(values) } else { Err(problems) }
}

/// Reads one value that a caller gave, by the type of its parameter:
///
/// - text, enum, file (a path): a JSON string; a file's size and digest are filled in by whoever opens it (0 and empty).
/// - integer: a JSON integer between -(2^53-1) and 2^53-1.
/// - decimal: a JSON string such as `"-1234.50"`, or a JSON integer; never a JSON fraction, which is not exact.
/// - money: as decimal where the parameter declares its currency, or `{"amount": "1234.50", "currency": "USD"}`.
/// - date: a JSON string `"2026-11-30"`.
/// - boolean: `true` or `false`.
///
/// # Errors
/// What is wrong with it. The value itself is not in the message.
pub fn parse_input(parameter: &Parameter, given: &Json) -> Result<Value, InputProblem> {
    let input = Input { parameter };
    let value = input.value(given)?;
    input.at_least(&value)?;
    match parameter.written(&value) {
        Err(FormatError::Unwritable { why }) => Err(input.problem("unwritable", why)),
        _ => Ok(value),
    }
}

/// The pattern as a machine that fits whole texts only.
///
/// # Errors
/// It is no regular expression, or too large a one.
pub(crate) fn anchored(pattern: &str) -> Result<Regex, regex::Error> {
    // Compiled alone first: `a)|(b` must not become sound by the frame around it.
    RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build()?;
    RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(PATTERN_BYTES).build()
}

/// Whether a pattern can be that of a parameter.
#[must_use]
pub fn is_pattern(pattern: &str) -> bool {
    anchored(pattern).is_ok()
}

/// What is expected of a type, in words.
fn expected(kind: &Type) -> String {
    match kind {
        Type::Text => "a text".to_owned(),
        Type::Integer => "a whole number between -(2^53-1) and 2^53-1, without quotes".to_owned(),
        Type::Decimal => "an exact decimal number as a string, such as \"1234.50\"".to_owned(),
        Type::Money { currency: Some(currency) } => {
            format!(
                "an amount as a string, such as \"1234.50\", or {{\"amount\": \"1234.50\", \"currency\": \"{currency}\"}}"
            )
        }
        Type::Money { currency: None } => "{\"amount\": \"1234.50\", \"currency\": \"USD\"}".to_owned(),
        Type::Date => "a day as a string, such as \"2026-11-30\"".to_owned(),
        Type::Boolean => "true or false, without quotes".to_owned(),
        Type::Enum { values } => {
            let words: Vec<String> = values.iter().take(20).map(|word| format!("\"{}\"", shown(word))).collect();
            let more = if values.len() > 20 { ", …" } else { "" };
            format!("one of {}{more}", words.join(", "))
        }
        Type::Table { .. } => "nothing: tables are outputs only".to_owned(),
        Type::File => "the path of a file".to_owned(),
    }
}

struct Input<'a> {
    parameter: &'a Parameter,
}

impl Input<'_> {
    fn value(&self, given: &Json) -> Result<Value, InputProblem> {
        match (&self.parameter.kind, given) {
            (_, Json::Null) => Err(self.problem("null", "null is no value; leave an optional parameter out instead")),
            (Type::Text, Json::String(text)) => self.text(text),
            (Type::Integer, Json::Number(number)) => match number.as_i64() {
                Some(n) if (-MAX_INTEGER..=MAX_INTEGER).contains(&n) => Ok(Value::Integer(n)),
                None if number.is_f64() => Err(self.problem("wrong_type", "")),
                _ => Err(self.problem("out_of_range", "it is beyond the whole numbers that JSON keeps exact")),
            },
            (Type::Decimal, json) => self.decimal(json).map(Value::Decimal),
            (Type::Money { currency }, json) => self.money(currency.as_deref(), json),
            (Type::Date, Json::String(text)) => iso_date(text)
                .map(Value::Date)
                .ok_or_else(|| self.problem("wrong_type", "there is no such day in this form")),
            (Type::Boolean, Json::Bool(b)) => Ok(Value::Boolean(*b)),
            (Type::Enum { values }, Json::String(text)) => {
                if values.contains(text) {
                    Ok(Value::Text(text.clone()))
                } else {
                    Err(self.problem("not_one_of", ""))
                }
            }
            (Type::File, Json::String(path)) => {
                if path.is_empty() || path.contains('\0') {
                    Err(self.problem("wrong_type", "this is no path"))
                } else if path.len() > MAX_PATH {
                    Err(self.problem("too_long", "the path has more than 4096 bytes"))
                } else {
                    Ok(Value::File(FileValue { path: path.clone(), bytes: 0, sha256: String::new() }))
                }
            }
            (Type::Table { .. }, _) => Err(self.problem("wrong_type", "a table cannot be given")),
            (
                Type::Text | Type::Integer | Type::Date | Type::Boolean | Type::Enum { .. } | Type::File,
                Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_),
            ) => Err(self.problem("wrong_type", "")),
        }
    }

    fn at_least(&self, value: &Value) -> Result<(), InputProblem> {
        let Some(minimum) = &self.parameter.minimum else { return Ok(()) };
        let given = match value {
            Value::Integer(n) => Decimal::from(*n),
            Value::Decimal(n) => *n,
            Value::Money(money) => money.amount,
            _ => return Ok(()),
        };
        match plain_decimal(minimum) {
            Some(least) if given >= least => Ok(()),
            Some(least) => Err(self.problem("out_of_range", &format!("at least {least}"))),
            None => Err(self.problem("out_of_range", "the declared minimum cannot be used")),
        }
    }

    fn problem(&self, problem: &'static str, why: &str) -> InputProblem {
        let name = &self.parameter.name;
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        let message = format!("`{name}` must be {}{why}", expected(&self.parameter.kind));
        InputProblem { parameter: name.to_string(), problem, message }
    }

    fn text(&self, text: &str) -> Result<Value, InputProblem> {
        let limit = self.parameter.max_length.map_or(usize::MAX, |n| n as usize);
        if text.chars().count() > limit {
            return Err(self.problem("too_long", &format!("at most {limit} characters")));
        }
        // A tab or an escape in a typed text would be a key, not a character.
        if text.chars().any(|c| c.is_control() && c != '\n') {
            return Err(self.problem("pattern", "without control characters other than line ends"));
        }
        if let Some(pattern) = &self.parameter.pattern {
            let fits = anchored(pattern).map_err(|_| self.problem("pattern", "the declared pattern cannot be used"))?;
            if !fits.is_match(text) {
                return Err(self.problem("pattern", &format!("the whole text must fit `{}`", shown(pattern))));
            }
        }
        Ok(Value::Text(text.to_owned()))
    }

    fn decimal(&self, json: &Json) -> Result<Decimal, InputProblem> {
        match json {
            Json::String(text) => {
                if !is_plain_decimal(text) {
                    return Err(self.problem("wrong_type", "digits with `.` as decimal mark, no groups, no currency"));
                }
                Decimal::from_str_exact(text).map_err(|_| self.problem("out_of_range", "at most 28 digits"))
            }
            Json::Number(number) => match number.as_i64() {
                Some(n) if (-MAX_INTEGER..=MAX_INTEGER).contains(&n) => Ok(Decimal::from(n)),
                None if number.is_f64() => {
                    Err(self.problem("wrong_type", "a JSON fraction is not exact; write it as a string, in quotes"))
                }
                _ => Err(self.problem("out_of_range", "write it as a string, in quotes")),
            },
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => Err(self.problem("wrong_type", "")),
        }
    }

    fn money(&self, declared: Option<&str>, json: &Json) -> Result<Value, InputProblem> {
        let Json::Object(parts) = json else {
            let Some(currency) = declared else {
                return Err(self.problem("wrong_type", "the currency must be given"));
            };
            let amount = self.decimal(json)?;
            return Ok(Value::Money(MoneyValue { amount, currency: currency.to_owned() }));
        };
        let (Some(amount), Some(Json::String(currency)), 2) = (parts.get("amount"), parts.get("currency"), parts.len())
        else {
            return Err(self.problem("wrong_type", "exactly `amount` and `currency`"));
        };
        let amount = self.decimal(amount)?;
        if !is_currency_code(currency) {
            return Err(self.problem("not_one_of", "the currency is three capital letters of ISO 4217"));
        }
        if declared.is_some_and(|declared| declared != currency) {
            return Err(self.problem("not_one_of", "the currency is another than the declared one"));
        }
        Ok(Value::Money(MoneyValue { amount, currency: currency.clone() }))
    }
}

/// A number of digits with `.` as decimal mark.
pub(crate) fn plain_decimal(text: &str) -> Option<Decimal> {
    is_plain_decimal(text).then(|| Decimal::from_str_exact(text).ok()).flatten()
}

/// Whether a text is digits with `.` as decimal mark, and a `-` before them at most: no groups, no currency.
#[must_use]
pub fn is_plain_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, tenths) = digits.split_once('.').unwrap_or((digits, "0"));
    let sound = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    sound(whole) && sound(tenths)
}
