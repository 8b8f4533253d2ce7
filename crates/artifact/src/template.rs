//! Texts with references in them.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Name;

/// A text that may refer to parameters and variables: `Delete record {param.id}`, `{var.base_url}/index.htm`.
/// Braces that are meant as such are doubled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Template {
    pieces: Vec<Piece>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// Text as it stands.
    Text(String),
    /// The value of a parameter, in its display form.
    Parameter(Name),
    /// The value of a variable.
    Variable(Name),
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A brace has no partner.
    #[error("a single `{brace}`; write `{brace}{brace}` for the character, or `{{param.NAME}}` for a reference")]
    Brace {
        /// The brace.
        brace: char,
    },
    /// The reference is neither `param.NAME` nor `var.NAME`.
    #[error("`{{{reference}}}` is no reference; use `{{param.NAME}}` or `{{var.NAME}}`")]
    Reference {
        /// What stood between the braces.
        reference: String,
    },
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// A brace without partner, or a reference of another shape.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = if rest[at..].starts_with('{') { '{' } else { '}' };
            let after = &rest[at + 1..];
            if let Some(doubled) = after.strip_prefix(brace) {
                plain.push(brace);
                rest = doubled;
                continue;
            }
            let end = after.find('}').filter(|_| brace == '{').ok_or(TemplateError::Brace { brace })?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(reference(&after[..end])?);
            rest = &after[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Template { pieces })
    }

    /// A template that is this text and nothing else.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        let pieces = if text.is_empty() { Vec::new() } else { vec![Piece::Text(text.to_owned())] };
        Template { pieces }
    }

    /// A template of these pieces.
    #[must_use]
    pub fn of(pieces: Vec<Piece>) -> Self {
        Template { pieces }
    }

    /// Its pieces in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether it has no references.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.pieces.iter().all(|p| matches!(p, Piece::Text(_)))
    }

    /// The parameters it refers to.
    pub fn parameters(&self) -> impl Iterator<Item = &Name> {
        self.pieces.iter().filter_map(|p| match p {
            Piece::Parameter(name) => Some(name),
            Piece::Text(_) | Piece::Variable(_) => None,
        })
    }

    /// The variables it refers to.
    pub fn variables(&self) -> impl Iterator<Item = &Name> {
        self.pieces.iter().filter_map(|p| match p {
            Piece::Variable(name) => Some(name),
            Piece::Text(_) | Piece::Parameter(_) => None,
        })
    }
}

fn reference(inside: &str) -> Result<Piece, TemplateError> {
    let fail = || TemplateError::Reference { reference: inside.chars().take(80).collect() };
    let (kind, name) = inside.split_once('.').ok_or_else(fail)?;
    let name = Name::new(name).map_err(|_| fail())?;
    match kind {
        "param" => Ok(Piece::Parameter(name)),
        "var" => Ok(Piece::Variable(name)),
        _ => Err(fail()),
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}"))?,
                Piece::Parameter(name) => write!(f, "{{param.{name}}}")?,
                Piece::Variable(name) => write!(f, "{{var.{name}}}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for Template {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Template::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Template {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Template".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "waymark-template",
            "pattern": r"^(?:[^{}]|\{\{|\}\}|\{(?:param|var)\.[a-z][a-z0-9_]{0,63}\})*$",
            "description": "text that may refer to {param.NAME} and {var.NAME}; braces meant as such are doubled"
        })
    }
}
