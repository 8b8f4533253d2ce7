//! The one tool of the navigator, and what its arguments mean.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Tool;

/// The words for actions, in the order in which they are offered.
pub const ACTIONS: [&str; 14] = [
    "click",
    "type",
    "choose",
    "check",
    "uncheck",
    "press_key",
    "read",
    "read_table",
    "scroll",
    "wait",
    "accept",
    "dismiss",
    "done",
    "blocked",
];

/// One action as a model wrote it down: flat, with every part there and those that do not matter null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// In a few words, why.
    pub reason: String,
    /// One of [`ACTIONS`].
    pub action: String,
    /// The number of an element.
    #[serde(default)]
    pub element: Option<i64>,
    /// Instead of the number, what the element is called or what tells it apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The name of a value of the caller.
    #[serde(default)]
    pub value: Option<String>,
    /// A literal text, an option, a key, or why it is blocked.
    #[serde(default)]
    pub text: Option<String>,
    /// The name of what is read.
    #[serde(default)]
    pub output: Option<String>,
    /// Headers of a table, with `|` between them.
    #[serde(default)]
    pub columns: Option<String>,
    /// How many rows.
    #[serde(default)]
    pub rows: Option<i64>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Click { element: Pointed },
    Type { element: Pointed, text: Source },
    Choose { element: Pointed, option: Source },
    SetChecked { element: Pointed, checked: bool },
    PressKey { element: Option<Pointed>, key: String },
    Read { element: Pointed, output: String },
    ReadTable { element: Pointed, output: String, columns: Vec<String>, rows: Option<u32> },
    Scroll { element: Option<Pointed> },
    Wait,
    Answer { accept: bool },
    Done,
    Blocked { why: String },
}

/// Which element is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pointed {
    /// That of this number.
    Number(u32),
    /// That which these words mean.
    Label(String),
    /// That of this number; the words must not mean another one.
    Both(u32, String),
}

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A value of the caller, by its name.
    Named(String),
    /// The goal, or the screen.
    Literal(String),
}

/// The tool.
#[must_use]
pub fn tool() -> Tool {
    let text = |about: &str| json!({"type": ["string", "null"], "description": about});
    let number = |about: &str| json!({"type": ["integer", "null"], "description": about});
    Tool {
        name: "act".into(),
        description: "Does one thing.".into(),
        parameters: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["reason", "action", "element", "label", "value", "text", "output", "columns", "rows"],
            "properties": {
                "reason": {"type": "string", "description": "why, in a few words"},
                "action": {"type": "string", "enum": ACTIONS},
                "element": number("its number in the list"),
                "label": text("instead of the number: its name, or what tells it apart"),
                "value": text("name under VALUES to type or choose"),
                "text": text("literal to type or choose, key, or why blocked"),
                "output": text("snake_case name for what is read"),
                "columns": text("headers to read, `|` between"),
                "rows": number("first rows to read; null: all"),
            },
        }),
    }
}

impl Decision {
    /// The decision that a model wrote down.
    ///
    /// # Errors
    /// In words for the model: a part is missing or makes no sense with this action.
    pub fn read(arguments: &Value) -> Result<(Written, Decision), String> {
        let written: Written = serde_json::from_value(arguments.clone()).map_err(|e| e.to_string())?;
        let decision = written.decision()?;
        Ok((written, decision))
    }
}

impl Written {
    fn decision(&self) -> Result<Decision, String> {
        let given = |text: &Option<String>| text.as_ref().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
        let element = || match (self.element, given(&self.label)) {
            (None, None) => Err(format!("`{}` needs the number or the label of an element", self.action)),
            // Lists begin at 1: a model that has to write a number writes none so.
            (None | Some(0), Some(label)) => Ok(Pointed::Label(label)),
            (Some(number), label) => {
                let number = u32::try_from(number).map_err(|_| format!("{number} is no number of the list"))?;
                Ok(label.map_or(Pointed::Number(number), |label| Pointed::Both(number, label)))
            }
        };
        let perhaps = || (self.element.is_some() || given(&self.label).is_some()).then(element).transpose();
        let source = || match (given(&self.value), self.text.clone().filter(|t| !t.is_empty())) {
            (Some(name), None) => Ok(Source::Named(bare(&name).to_owned())),
            (None, Some(text)) => Ok(Source::Literal(text)),
            // Whoever fills in every part says the same twice.
            (Some(name), Some(text)) if bare(&name) == bare(&text) => Ok(Source::Named(bare(&name).to_owned())),
            (Some(_), Some(_)) => Err(format!("`{}` takes either `value` or `text`, not both", self.action)),
            (None, None) => Err(format!("`{}` needs `value` (a name) or `text`", self.action)),
        };
        let output =
            || given(&self.output).ok_or_else(|| format!("`{}` needs `output`, the name of what is read", self.action));
        Ok(match self.action.as_str() {
            "click" => Decision::Click { element: element()? },
            "type" => Decision::Type { element: element()?, text: source()? },
            "choose" => Decision::Choose { element: element()?, option: source()? },
            "check" => Decision::SetChecked { element: element()?, checked: true },
            "uncheck" => Decision::SetChecked { element: element()?, checked: false },
            "press_key" => Decision::PressKey {
                element: perhaps()?,
                key: given(&self.text).ok_or("`press_key` needs the key as `text`")?,
            },
            "read" => Decision::Read { element: element()?, output: output()? },
            "read_table" => Decision::ReadTable {
                element: element()?,
                output: output()?,
                columns: given(&self.columns)
                    .map(|c| c.split('|').map(|h| h.trim().to_owned()).filter(|h| !h.is_empty()).collect())
                    .unwrap_or_default(),
                rows: self.rows.filter(|n| *n > 0).and_then(|n| u32::try_from(n).ok()),
            },
            "scroll" => Decision::Scroll { element: perhaps()? },
            "wait" => Decision::Wait,
            "accept" => Decision::Answer { accept: true },
            "dismiss" => Decision::Answer { accept: false },
            "done" => Decision::Done,
            "blocked" => Decision::Blocked { why: given(&self.text).unwrap_or_else(|| self.reason.clone()) },
            other => return Err(format!("`{other}` is no action; use one of: {}", ACTIONS.join(", "))),
        })
    }
}

/// A name as it is, and not as it stands in the list.
fn bare(name: &str) -> &str {
    name.trim().trim_matches(['{', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: Value, expected: &str) {
        let said = match Decision::read(&arguments) {
            Ok((_, decision)) => format!("{decision:?}"),
            Err(why) => format!("refused: {why}"),
        };
        assert_eq!(said, expected, "{arguments}");
    }

    #[test]
    fn an_action_is_read_with_what_it_needs_and_nothing_else() {
        check(json!({"reason": "r", "action": "click", "element": 3}), "Click { element: Number(3) }");
        check(
            json!({"reason": "r", "action": "type", "element": 3, "value": "{username}", "text": null}),
            "Type { element: Number(3), text: Named(\"username\") }",
        );
        check(
            json!({"reason": "r", "action": "type", "element": 3, "value": "{username}", "text": "username"}),
            "Type { element: Number(3), text: Named(\"username\") }",
        );
        check(
            json!({"reason": "r", "action": "read_table", "element": 1, "output": "accounts", "columns": "Account | Balance*", "rows": 3}),
            "ReadTable { element: Number(1), output: \"accounts\", columns: [\"Account\", \"Balance*\"], rows: Some(3) }",
        );
        check(json!({"reason": "r", "action": "blocked", "text": null}), "Blocked { why: \"r\" }");
    }

    #[test]
    fn an_element_is_named_by_number_by_label_or_by_both() {
        let by = |element: Value, label: Value| json!({"reason": "r", "action": "click", "element": element, "label": label});
        check(by(json!(null), json!(" Log In ")), "Click { element: Label(\"Log In\") }");
        check(by(json!(0), json!("Log In")), "Click { element: Label(\"Log In\") }");
        check(by(json!(3), json!("Log In")), "Click { element: Both(3, \"Log In\") }");
        check(by(json!(3), json!("")), "Click { element: Number(3) }");
        check(
            json!({"reason": "r", "action": "scroll", "label": "Accounts"}),
            "Scroll { element: Some(Label(\"Accounts\")) }",
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_words_that_help() {
        check(
            json!({"reason": "r", "action": "click"}),
            "refused: `click` needs the number or the label of an element",
        );
        check(json!({"reason": "r", "action": "click", "element": -1}), "refused: -1 is no number of the list");
        check(
            json!({"reason": "r", "action": "type", "element": 1, "value": "a", "text": "b"}),
            "refused: `type` takes either `value` or `text`, not both",
        );
        check(
            json!({"reason": "r", "action": "navigate", "text": "http://x"}),
            "refused: `navigate` is no action; use one of: click, type, choose, check, uncheck, press_key, read, read_table, scroll, wait, accept, dismiss, done, blocked",
        );
    }
}
