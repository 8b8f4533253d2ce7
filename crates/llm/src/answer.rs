//! Whether an answer is a call of the tool.

use serde_json::{Map, Value};
use waymark_discovery::Tool;

/// Letters of a reason that are told.
const SHOWN: usize = 400;

/// Checks arguments against the tool's schema.
///
/// # Errors
/// What does not fit, for the model to repair. It repeats pieces of the answer, never of anything else.
pub(crate) fn fits(schema: &Value, arguments: &Value) -> Result<(), String> {
    let validator =
        jsonschema::validator_for(schema).map_err(|error| format!("the tool's schema is unsound: {error}"))?;
    let problems: Vec<String> = validator
        .iter_errors(arguments)
        .take(4)
        .map(|error| match error.instance_path().as_str() {
            "" => error.to_string(),
            place => format!("{place}: {error}"),
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(shown(&problems.join("; "))) }
}

/// Fields that may be null and were left out, put in as null: leaving them out says the same.
pub(crate) fn completed(schema: &Value, mut arguments: Value) -> Value {
    if let (Value::Object(given), Some(Value::Object(properties))) = (&mut arguments, schema.get("properties")) {
        for (key, property) in properties {
            if !given.contains_key(key) && may_be_null(property) {
                given.insert(key.clone(), Value::Null);
            }
        }
    }
    arguments
}

/// The arguments in an answer that was written as text: an object of them, alone, in a code fence or between words, or
/// a call of the tool written out.
///
/// # Errors
/// There is none, or another tool is called.
pub(crate) fn in_text(tool: &Tool, text: &str) -> Result<Value, String> {
    let whole = |at: usize| {
        let mut stream = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        stream.next().and_then(Result::ok)
    };
    let starts = text.match_indices('{').map(|(at, _)| at).take(16);
    let Some(object) = starts.filter_map(whole).next() else {
        return Err(format!("the answer is text and no call of `{}`", tool.name));
    };
    let inner = ["arguments", "parameters", "input"].iter().find_map(|key| object.get(*key));
    match (object.get("name").and_then(Value::as_str), inner) {
        (Some(name), Some(inner)) if object.len() <= 3 => {
            if name == tool.name {
                parsed(inner)
            } else {
                Err(other_tool(tool, name))
            }
        }
        _ => Ok(Value::Object(object)),
    }
}

/// Arguments that a protocol carries as an object or as the text of one.
pub(crate) fn parsed(arguments: &Value) -> Result<Value, String> {
    match arguments {
        Value::String(text) => {
            serde_json::from_str(text).map_err(|error| format!("the arguments are not JSON: {error}"))
        }
        other => Ok(other.clone()),
    }
}

pub(crate) fn other_tool(tool: &Tool, called: &str) -> String {
    format!("`{}` was called; the one tool is `{}`", shown(called), tool.name)
}

fn may_be_null(property: &Value) -> bool {
    let listed =
        |key: &str, wanted: &Value| property.get(key).and_then(Value::as_array).is_some_and(|of| of.contains(wanted));
    property.get("type") == Some(&Value::from("null"))
        || listed("type", &Value::from("null"))
        || listed("enum", &Value::Null)
        || ["anyOf", "oneOf"]
            .iter()
            .any(|key| property.get(*key).and_then(Value::as_array).is_some_and(|of| of.iter().any(may_be_null)))
}

/// Words that somebody else wrote, as they may stand in a message: one line, of bounded length.
pub(crate) fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_said_with_its_place() {
        let schema = json!({
            "type": "object",
            "properties": { "action": { "enum": ["click", "done"] }, "element": { "type": ["integer", "null"] } },
            "required": ["action", "element"],
            "additionalProperties": false,
        });
        assert_eq!(fits(&schema, &json!({ "action": "click", "element": 3 })), Ok(()));
        let said = fits(&schema, &json!({ "action": "fly", "element": "3" })).unwrap_err();
        assert!(said.contains("/action") && said.contains("/element"), "{said}");
        let said = fits(&schema, &json!({ "action": "done", "element": null, "code": "x" })).unwrap_err();
        assert!(said.contains("code"), "{said}");
        assert!(fits(&schema, &json!("click")).is_err());
    }

    fn tool() -> Tool {
        Tool { name: "act".to_owned(), description: String::new(), parameters: Value::Null }
    }

    #[test]
    fn arguments_are_found_in_text() {
        let plain = json!({ "action": "click", "element": 3 });
        for text in [
            r#"{"action":"click","element":3}"#,
            "```json\n{\"action\":\"click\",\"element\":3}\n```",
            r#"I will {press} it: {"action":"click","element":3} now."#,
            r#"{"name":"act","arguments":{"action":"click","element":3}}"#,
            r#"<tool_call>{"name":"act","arguments":"{\"action\":\"click\",\"element\":3}"}</tool_call>"#,
        ] {
            assert_eq!(in_text(&tool(), text).as_ref(), Ok(&plain), "{text}");
        }
        assert!(in_text(&tool(), "I cannot {do} that").unwrap_err().contains("no call of `act`"));
        assert!(
            in_text(&tool(), r#"{"name":"navigate","arguments":{}}"#).unwrap_err().contains("`navigate` was called")
        );
    }

    #[test]
    fn only_what_may_be_null_is_put_in() {
        let schema = json!({ "properties": {
            "a": { "type": ["string", "null"] }, "b": { "type": "string" }, "c": { "enum": ["x", null] },
            "d": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
        } });
        assert_eq!(completed(&schema, json!({ "a": "1" })), json!({ "a": "1", "c": null, "d": null }));
    }
}
