//! The goal itself, whatever face it came by.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use waymark_artifact::{CapabilityId, Name, Type};

/// The name of the document's version.
pub const SCHEMA: &str = "waymark.goal/1";

/// What a goal says, before it was checked. A [`crate::Goal`] is one that was, and cannot be changed any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// `waymark.goal/1`.
    pub(crate) schema: SchemaWord,
    /// What the capability will be called; suggested from the task if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) capability: Option<CapabilityId>,
    /// Its title; suggested from the task if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// The address at which the job begins.
    pub(crate) url: String,
    /// The job in words.
    pub(crate) task: String,
    /// What must hold at the end, all of it; checked by the engine whatever a model says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) success: Vec<Condition>,
    /// The values that the job needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) data: Vec<DataKey>,
    /// The answers that the application may give instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outcomes: Vec<DeclaredOutcome>,
    /// What the job is to read, where the analyst names it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outputs: Vec<WantedOutput>,
    /// When discovery gives up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) limits: Limits,
}

/// A condition of success. Texts are compared with white space folded, and only with what is visible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// The screen shows this text.
    Text(String),
    /// The screen does not show this text.
    NotText(String),
    /// The address contains this.
    Url(String),
}

/// A value that the job needs. A model sees its name, type and description.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataKey {
    /// Its name.
    pub name: Name,
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its type, as in an artifact; no table and no file.
    #[serde(rename = "type", default = "text", skip_serializing_if = "is_text")]
    pub kind: Type,
    /// Whether it must never be seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    /// Whether a caller may leave it out; what is done with it is then left out too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// A regular expression that the whole text must fit (text only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Characters at most (text only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// The least value, as a plain decimal such as `0.01` (integer, decimal and money only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<String>,
    /// Where its value comes from.
    pub from: Source,
}

impl DataKey {
    /// Data of which nothing but type and source is said.
    pub(crate) fn plain(name: Name, kind: Type, from: Source) -> Self {
        DataKey {
            name,
            description: String::new(),
            kind,
            sensitive: false,
            optional: false,
            pattern: None,
            max_length: None,
            minimum: None,
            from,
        }
    }
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// An environment variable.
    Env(String),
    /// The document itself; never for what is sensitive.
    Value(Json),
    /// The parameter file.
    ParamsFile,
    /// Standard input, one JSON object.
    Stdin,
}

/// An answer that the application may give instead of success.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclaredOutcome {
    /// What a caller branches on.
    pub code: Name,
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What the screen says then. None where it is known by what is missing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shows: String,
    /// What is missing then, where no text says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<Absent>,
    /// Whether it is an answer to the step that is more than safe, in place of the effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_risky: bool,
    /// Values of data that bring it about: `env` or `value` only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<Name, Source>,
}

/// What a screen does not offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Absent {
    /// A row with the value of this data.
    Row(Name),
    /// An option that is the value of this data.
    Option(Name),
}

impl Absent {
    /// The data whose value is missing.
    #[must_use]
    pub fn name(&self) -> &Name {
        match self {
            Absent::Row(name) | Absent::Option(name) => name,
        }
    }
}

/// Something that the job is to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedOutput {
    /// Its name.
    pub name: Name,
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its type; by what is seen if left out. None where there are columns.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Type>,
    /// The columns of a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<WantedColumn>,
}

/// A column of a table that is to be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedColumn {
    /// Its name.
    pub name: Name,
    /// Its type; by what is seen if left out.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Type>,
    /// Whether its cells may be empty; those that are seen empty may be anyway.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Whether it tells rows apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub key: bool,
}

/// When discovery gives up. Every call of a model counts, whichever role asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Actions at most.
    pub steps: u32,
    /// Model calls at most.
    pub model_calls: u32,
    /// Seconds at most.
    pub seconds: u32,
    /// Money at most; binds only where prices are configured.
    pub usd: Usd,
    /// Seconds at most for one question to a model, with its retries.
    pub call_seconds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 40, model_calls: 60, seconds: 900, usd: Usd { micros: 2_000_000 }, call_seconds: 90 }
    }
}

/// An exact amount of US dollars, written as a text such as `"2.50"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usd {
    /// In millionths.
    pub micros: u64,
}

impl Usd {
    /// Reads digits with at most six behind the point, and no sign.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) || part.len() > 6 || whole.len() > 9 {
            return None;
        }
        let micros = format!("{part:0<6}").parse::<u64>().ok()?;
        Some(Usd { micros: whole.parse::<u64>().ok()? * 1_000_000 + micros })
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = format!("{:06}", self.micros % 1_000_000);
        let part = part.trim_end_matches('0');
        write!(f, "{}.{part:0<2}", self.micros / 1_000_000)
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Usd::parse(&text).ok_or_else(|| serde::de::Error::custom("an amount of dollars is a text such as \"2.50\""))
    }
}

impl JsonSchema for Usd {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Usd".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^[0-9]{1,9}(\.[0-9]{1,6})?$" })
    }
}

/// The one word that `schema` may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchemaWord;

impl Serialize for SchemaWord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(SCHEMA)
    }
}

impl<'de> Deserialize<'de> for SchemaWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            SCHEMA => Ok(SchemaWord),
            _ => Err(serde::de::Error::custom(format!("a goal says `\"schema\": \"{SCHEMA}\"`"))),
        }
    }
}

impl JsonSchema for SchemaWord {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SchemaWord".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": SCHEMA })
    }
}

pub(crate) fn text() -> Type {
    Type::Text
}

fn is_text(kind: &Type) -> bool {
    *kind == Type::Text
}

fn is_default(limits: &Limits) -> bool {
    *limits == Limits::default()
}
