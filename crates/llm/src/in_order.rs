//! A request's body with the fields of a schema in the order in which they are wanted.
//!
//! What a model writes first it has in mind for the rest: one that has to give its reason before its action chooses
//! better, and small models write fields in the order of the schema. JSON values here sort their keys, so the order is
//! taken from `required`, which is a list.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

/// Writes a value, the `properties` beside a `required` in its order.
pub(crate) struct InOrder<'a>(pub(crate) &'a Value);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => serializer.collect_seq(items.iter().map(InOrder)),
            Value::Object(fields) => {
                let required = fields.get("required").and_then(Value::as_array);
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    match (key.as_str(), value, required) {
                        ("properties", Value::Object(properties), Some(required)) => {
                            map.serialize_entry(key, &Properties { properties, required })?;
                        }
                        _ => map.serialize_entry(key, &InOrder(value))?,
                    }
                }
                map.end()
            }
            plain => plain.serialize(serializer),
        }
    }
}

struct Properties<'a> {
    properties: &'a Map<String, Value>,
    required: &'a [Value],
}

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = |key: &str| self.required.iter().position(|name| name == key).unwrap_or(usize::MAX);
        let mut fields: Vec<(&String, &Value)> = self.properties.iter().collect();
        fields.sort_by_key(|(key, _)| place(key));
        serializer.collect_map(fields.into_iter().map(|(key, value)| (key, InOrder(value))))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use serde_json::json;

    use super::*;

    #[test]
    fn fields_stand_in_the_order_in_which_they_are_required() {
        let body = json!({ "tools": [{ "parameters": {
            "required": ["reason", "action"],
            "properties": { "action": { "type": "string" }, "more": {}, "reason": { "type": "string" } },
        } }], "properties": { "b": 1, "a": 2 } });
        let text = serde_json::to_string(&InOrder(&body)).unwrap();
        assert!(
            text.contains(r#""properties":{"reason":{"type":"string"},"action":{"type":"string"},"more":{}}"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), body);
    }
}
