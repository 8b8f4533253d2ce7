//! The JSON Schema of what a caller gives.

use serde_json::{Map, Value as Json, json};

use super::Type;
use crate::format::MAX_INTEGER;
use crate::{Artifact, Parameter};

/// An exact decimal number as a string.
const DECIMAL: &str = r"^-?[0-9]+(\.[0-9]+)?$";

/// The JSON Schema (draft 2020-12) of the parameters of a capability: one object, nothing unknown in it.
#[must_use]
pub fn schema_of_inputs(artifact: &Artifact) -> Json {
    let mut properties = Map::new();
    for parameter in &artifact.parameters {
        properties.insert(parameter.name.to_string(), property(parameter));
    }
    let required: Vec<&str> = artifact.parameters.iter().filter(|p| !p.optional).map(|p| p.name.as_str()).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Parameters of {} {}", artifact.id, artifact.version),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(parameter: &Parameter) -> Json {
    let mut schema = of_type(&parameter.kind);
    if let Json::Object(map) = &mut schema {
        map.insert("description".into(), json!(parameter.description));
        if parameter.kind == Type::Text {
            if let Some(pattern) = &parameter.pattern {
                map.insert("pattern".into(), json!(format!("^(?:{pattern})$")));
            }
            if let Some(limit) = parameter.max_length {
                map.insert("maxLength".into(), json!(limit));
            }
        }
        if parameter.sensitive {
            map.insert("writeOnly".into(), json!(true));
        }
    }
    schema
}

fn of_type(kind: &Type) -> Json {
    let whole = json!({ "type": "integer", "minimum": -MAX_INTEGER, "maximum": MAX_INTEGER });
    let amount = json!({ "anyOf": [{ "type": "string", "pattern": DECIMAL }, whole] });
    match kind {
        Type::Text => json!({ "type": "string" }),
        Type::Integer => whole,
        Type::Decimal => amount,
        Type::Money { currency } => {
            let code = match currency {
                Some(code) => json!({ "const": code }),
                None => json!({ "type": "string", "pattern": "^[A-Z]{3}$" }),
            };
            let object = json!({
                "type": "object",
                "properties": { "amount": amount, "currency": code },
                "required": ["amount", "currency"],
                "additionalProperties": false,
            });
            match currency {
                Some(_) => json!({ "anyOf": [{ "type": "string", "pattern": DECIMAL }, whole, object] }),
                None => object,
            }
        }
        Type::Date => json!({ "type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" }),
        Type::Boolean => json!({ "type": "boolean" }),
        Type::Enum { values } => json!({ "enum": values }),
        Type::File => json!({ "type": "string", "minLength": 1, "description": "the path of a file" }),
        Type::Table { .. } => json!(false),
    }
}
