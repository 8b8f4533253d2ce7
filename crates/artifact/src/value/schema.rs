//! The JSON Schemas of what a caller gives and gets.

use serde_json::{Map, Value as Json, json};

use super::Type;
use crate::format::MAX_INTEGER;
use crate::{Artifact, OutputColumn, Parameter};

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

/// The JSON Schema (draft 2020-12) of the outputs of a capability that ended in success, as its result holds them.
#[must_use]
pub fn schema_of_outputs(artifact: &Artifact) -> Json {
    let mut properties = Map::new();
    for output in &artifact.outputs {
        let schema = described(output_type(&output.kind), &output.description);
        properties.insert(output.name.to_string(), if output.optional { or_null(schema) } else { schema });
    }
    let required: Vec<&str> = artifact.outputs.iter().filter(|o| !o.optional).map(|o| o.name.as_str()).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Outputs of {} {}", artifact.id, artifact.version),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Values that are given back have one form each, where callers may choose among several.
fn output_type(kind: &Type) -> Json {
    let amount = json!({ "type": "string", "pattern": DECIMAL });
    match kind {
        Type::Decimal => amount,
        Type::Money { currency } => {
            let code = match currency {
                Some(code) => json!({ "const": code }),
                None => json!({ "type": "string", "pattern": "^[A-Z]{3}$" }),
            };
            object([("amount", amount), ("currency", code)])
        }
        Type::Table { columns, .. } => {
            let row = columns.iter().map(|column| (column.name.as_str(), cell(column)));
            let rows = json!({ "type": "array", "items": object(row) });
            let told = |what: &str| json!({ "type": "boolean", "description": what });
            object([
                ("rows", rows),
                ("complete", told("whether all that was asked for was read")),
                ("more", told("whether there is more than was asked for")),
            ])
        }
        Type::File => object([
            ("path", json!({ "type": "string" })),
            ("bytes", json!({ "type": "integer", "minimum": 0 })),
            ("sha256", json!({ "type": "string" })),
        ]),
        Type::Text | Type::Integer | Type::Date | Type::Boolean | Type::Enum { .. } => of_type(kind),
    }
}

fn cell(column: &OutputColumn) -> Json {
    let schema = output_type(&column.kind);
    let schema = if column.description.is_empty() { schema } else { described(schema, &column.description) };
    if column.optional { or_null(schema) } else { schema }
}

/// An object with exactly these fields.
fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Json)>) -> Json {
    let properties: Map<String, Json> = fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

fn described(mut schema: Json, description: &str) -> Json {
    if let Json::Object(map) = &mut schema {
        map.insert("description".into(), json!(description));
    }
    schema
}

fn or_null(schema: Json) -> Json {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn property(parameter: &Parameter) -> Json {
    let mut schema = described(of_type(&parameter.kind), &parameter.description);
    if let Json::Object(map) = &mut schema {
        if parameter.kind == Type::Text {
            if let Some(pattern) = &parameter.pattern {
                map.insert("pattern".into(), json!(format!("^(?:{pattern})$")));
            }
            if let Some(limit) = parameter.max_length {
                map.insert("maxLength".into(), json!(limit));
            }
        }
        if let Some(least) = &parameter.minimum {
            // An amount may be a text, of which a schema cannot say how much it is.
            let described = format!("{} At least {least}.", parameter.description);
            map.insert("description".into(), json!(described.trim_start()));
            if parameter.kind == Type::Integer
                && let Ok(least) = least.parse::<i64>()
            {
                map.insert("minimum".into(), json!(least.max(-MAX_INTEGER)));
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "values that cannot be written are a broken test")]

    use std::collections::BTreeMap;

    use rust_decimal::Decimal;
    use time::macros::date;

    use super::*;
    use crate::{FileValue, MoneyValue, Name, TableValue, Value, load};

    /// Whether a value, as results hold it, fits the schema of an output of this type.
    fn check(kind: &Json, value: &Value, fits: bool) {
        let file = include_bytes!("../../../../fixtures/artifacts/valid/everything.json");
        let mut artifact = load(file).unwrap();
        artifact.outputs.truncate(1);
        artifact.outputs[0].kind = serde_json::from_value(kind.clone()).unwrap();
        artifact.outputs[0].optional = false;
        let name = artifact.outputs[0].name.to_string();
        let outputs = BTreeMap::from([(name, serde_json::to_value(value).unwrap())]);
        let schema = schema_of_outputs(&artifact);
        assert!(jsonschema::meta::is_valid(&schema), "{schema}");
        assert_eq!(jsonschema::is_valid(&schema, &json!(outputs)), fits, "{schema}\n{outputs:?}");
        assert!(!jsonschema::is_valid(&schema, &json!({})), "an output that must be there may be missing: {schema}");
    }

    #[test]
    fn what_a_result_holds_fits_the_schema_of_its_outputs() {
        let ten = || Decimal::new(1050, 2);
        let money = |currency: &str| Value::Money(MoneyValue { amount: ten(), currency: currency.to_owned() });
        let dollars = json!({ "money": { "currency": "USD" } });
        check(&json!("text"), &Value::Text("a".into()), true);
        check(&json!("text"), &Value::Integer(1), false);
        check(&json!("integer"), &Value::Integer(-1), true);
        check(&json!("decimal"), &Value::Decimal(ten()), true);
        check(&dollars, &money("USD"), true);
        check(&dollars, &money("EUR"), false);
        check(&dollars, &Value::Decimal(ten()), false);
        check(&json!({ "money": {} }), &money("EUR"), true);
        check(&json!("date"), &Value::Date(date!(2026 - 11 - 30)), true);
        check(&json!("boolean"), &Value::Boolean(true), true);
        check(&json!({ "enum": { "values": ["Open"] } }), &Value::Text("Open".into()), true);
        check(&json!({ "enum": { "values": ["Open"] } }), &Value::Text("Gone".into()), false);
        check(&json!("text"), &Value::Null, false);
        let stored = FileValue { path: "a.pdf".into(), bytes: 3, sha256: "0".into() };
        check(&json!("file"), &Value::File(stored), true);
    }

    #[test]
    fn the_rows_of_a_table_have_exactly_their_columns() {
        let table = json!({ "table": { "columns": [
            { "name": "account", "type": "text" },
            { "name": "balance", "type": { "money": { "currency": "USD" } }, "optional": true },
        ] } });
        let row = |cells: &[(&str, Value)]| {
            let cells = cells.iter().map(|(name, value)| (Name::new(name).unwrap(), value.clone()));
            Value::Table(TableValue { rows: vec![cells.collect()], complete: true, more: false })
        };
        let account = || ("account", Value::Text("12345".into()));
        check(&table, &row(&[account(), ("balance", Value::Null)]), true);
        check(&table, &row(&[account(), ("balance", Value::Text("1.50".into()))]), false);
        check(&table, &row(&[("balance", Value::Null)]), false);
        check(&table, &row(&[account(), ("balance", Value::Null), ("owner", Value::Null)]), false);
    }
}
