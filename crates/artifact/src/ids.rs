//! Names within a document.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

/// Why a word is no name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no {what}: {rule}")]
pub struct IdError {
    /// The word.
    pub word: String,
    /// What it should have been.
    pub what: &'static str,
    /// How such a name looks.
    pub rule: &'static str,
}

macro_rules! names {
    ($($(#[$doc:meta])* $type:ident, $what:literal, $format:literal, $pattern:literal, $rule:literal, $test:path;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $type(String);

        impl $type {
            /// Reads a name.
            ///
            /// # Errors
            /// The word does not look like one.
            pub fn new(word: &str) -> Result<Self, IdError> {
                if $test(word) {
                    Ok($type(word.to_owned()))
                } else {
                    let word = word.chars().take(80).collect();
                    Err(IdError { word, what: $what, rule: $rule })
                }
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = Cow::<'de, str>::deserialize(deserializer)?;
                $type::new(&word).map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": $format, "pattern": $pattern, "description": $rule })
            }
        }
    )+};
}

names! {
    /// `application.capability`, for example `parabank.read_accounts_overview`.
    CapabilityId, "capability id", "waymark-capability", "^[a-z][a-z0-9_]{0,63}\\.[a-z][a-z0-9_]{0,63}$",
        "application.capability in lower case letters, digits and `_`", is_capability;
    /// The name of a step within its document.
    StepId, "step id", "waymark-name", "^[a-z][a-z0-9_]{0,63}$", "lower case letters, digits and `_`, up to 64", is_name;
    /// The name of a parameter, variable, credential, output, column, outcome, recovery or sub-flow.
    Name, "name", "waymark-name", "^[a-z][a-z0-9_]{0,63}$", "lower case letters, digits and `_`, up to 64", is_name;
}

impl CapabilityId {
    /// The application's part.
    #[must_use]
    pub fn application(&self) -> &str {
        self.0.split('.').next().unwrap_or_default()
    }
}

fn is_name(word: &str) -> bool {
    word.len() <= 64
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn is_capability(word: &str) -> bool {
    word.split_once('.').is_some_and(|(a, b)| is_name(a) && is_name(b))
}
