//! Whether an answer is a call of the tool.

use serde_json::Value;

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
}
