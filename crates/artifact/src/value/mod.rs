//! Typed values: what callers give and get.

mod input;
mod schema;

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use time::Date;

use crate::{Name, OutputColumn};

pub use input::{InputProblem, parse_input, parse_inputs};
pub(crate) use input::{anchored, plain_decimal};
pub use input::{is_pattern, is_plain_decimal};
pub use schema::{schema_of_inputs, schema_of_outputs};

/// The type of a parameter, output or column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Type {
    /// Any text.
    Text,
    /// A whole number between -(2^53-1) and 2^53-1.
    Integer,
    /// An exact decimal number, written as a text.
    Decimal,
    /// An exact amount in a currency.
    Money {
        /// The currency, as three letters; read from the screen if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        currency: Option<String>,
    },
    /// A calendar day.
    Date,
    /// True or false.
    Boolean,
    /// One of these words.
    Enum {
        /// The words.
        values: Vec<String>,
    },
    /// Rows of typed columns (outputs only).
    Table {
        /// The columns.
        columns: Vec<OutputColumn>,
        /// The columns that tell rows apart.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        key: Vec<Name>,
    },
    /// A file.
    File,
}

/// A typed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// None.
    Null,
    /// A text; also the word of an enum.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// An exact decimal.
    Decimal(Decimal),
    /// An amount.
    Money(MoneyValue),
    /// A day.
    Date(Date),
    /// True or false.
    Boolean(bool),
    /// Rows.
    Table(TableValue),
    /// A file.
    File(FileValue),
}

/// An exact amount in a currency. The scale is kept: `10.50` stays `10.50`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoneyValue {
    /// The amount.
    pub amount: Decimal,
    /// Three letters.
    pub currency: String,
}

/// Rows that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableValue {
    /// The rows, each with every column.
    pub rows: Vec<BTreeMap<Name, Value>>,
    /// Whether all that was asked for was read.
    pub complete: bool,
    /// Whether there is more than was asked for.
    pub more: bool,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileValue {
    /// Where it lies.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its digest.
    pub sha256: String,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Integer(n) => serializer.serialize_i64(*n),
            Value::Decimal(d) => serializer.collect_str(d),
            Value::Money(money) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("amount", &money.amount.to_string())?;
                map.serialize_entry("currency", &money.currency)?;
                map.end()
            }
            Value::Date(date) => serializer.collect_str(date),
            Value::Boolean(b) => serializer.serialize_bool(*b),
            Value::Table(table) => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("rows", &table.rows)?;
                map.serialize_entry("complete", &table.complete)?;
                map.serialize_entry("more", &table.more)?;
                map.end()
            }
            Value::File(file) => file.serialize(serializer),
        }
    }
}

/// Where the value of an action comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "snake_case", deny_unknown_fields)]
pub enum ValueExpr {
    /// A parameter of the caller.
    Parameter {
        /// Its name.
        name: Name,
    },
    /// A credential.
    Credential {
        /// Its name.
        name: Name,
    },
    /// A variable.
    Variable {
        /// Its name.
        name: Name,
    },
    /// The same text in every run.
    Literal {
        /// The text; for toggles `true` or `false`.
        value: String,
        /// Whether the analyst confirmed that it is no value of theirs.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        confirmed: bool,
    },
}
