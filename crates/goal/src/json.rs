//! The JSON face.

use serde_json::Value as Json;
use serde_path_to_error::{Path, Segment};
use waymark_artifact::load_written;

use crate::document::{Document, SCHEMA};
use crate::goal::{Checked, Goal, finish};
use crate::line;
use crate::problem::{GoalError, GoalErrors, Part, Where, Wrong, shown};

impl Goal {
    /// Reads a goal from JSON.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_json(bytes: &[u8]) -> Result<Checked, GoalErrors> {
        let one = |wrong: Wrong, pointer: &str| GoalErrors(vec![wrong.at(Where::Pointer(pointer.into()))]);
        let json = load_written(bytes).map_err(|error| {
            let code = if error.code == "too_large" { "too_large" } else { "not_json" };
            let place = error.at.map_or_else(String::new, |(line, column)| format!(" at line {line}, column {column}"));
            one(Wrong::new(code, format!("{}{place}", error.message), error.hint), &error.pointer)
        })?;
        if let Some(word) = json.get("schema").and_then(Json::as_str).filter(|word| *word != SCHEMA) {
            let message = format!("the schema `{}` is not known", shown(word));
            return Err(one(
                Wrong::new("schema_unknown", message, format!("this program reads `{SCHEMA}`")),
                "/schema",
            ));
        }
        let claims = claims(&json);
        if !claims.is_empty() {
            return Err(GoalErrors(claims));
        }
        let document: Document = serde_path_to_error::deserialize(&json).map_err(|error| {
            let wrong = Wrong::new(
                "shape",
                shown_long(&error.inner().to_string()),
                "compare with the published schema of goals",
            );
            one(wrong, &pointer(error.path()))
        })?;
        finish(document, |part| Where::Pointer(place(part).into()), Vec::new())
    }

    /// The goal as JSON, indented, with a line end. [`Goal::from_json`] reads the same goal from it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.0).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Conditions that are none, said better than by their shape.
fn claims(json: &Json) -> Vec<GoalError> {
    let conditions = json.get("success").and_then(Json::as_array);
    let wrong = |condition: &Json| match condition {
        Json::String(text) => Some(match line::condition(text) {
            Ok(_) => {
                let hint = r#"in JSON a condition is {"text": "…"}, {"not_text": "…"} or {"url": "…"}"#;
                Wrong::new("shape", "a condition is written as a line here", hint)
            }
            Err(wrong) => wrong,
        }),
        Json::Object(parts) if parts.contains_key("visual") => Some(line::visual()),
        Json::Object(parts) => {
            let known = ["text", "not_text", "url"];
            let odd = parts.keys().find(|key| !known.contains(&key.as_str()))?;
            Some(line::free_form(odd))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => None,
    };
    let found =
        conditions.into_iter().flatten().enumerate().filter_map(|(at, condition)| Some((at, wrong(condition)?)));
    found.map(|(at, wrong)| wrong.at(Where::Pointer(place(Part::Success(at)).into()))).collect()
}

fn place(part: Part) -> String {
    match part {
        Part::Title => "/title".to_owned(),
        Part::Start => "/url".to_owned(),
        Part::Task => "/task".to_owned(),
        Part::AllSuccess => "/success".to_owned(),
        Part::Success(at) => format!("/success/{at}"),
        Part::Data(at) => format!("/data/{at}"),
        Part::Outcome(at) => format!("/outcomes/{at}"),
        Part::Output(at) => format!("/outputs/{at}"),
        Part::Limit(name) => format!("/limits/{name}"),
    }
}

fn pointer(path: &Path) -> String {
    let mut out = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => out.push_str(&format!("/{index}")),
            Segment::Map { key } => out.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1"))),
            Segment::Enum { variant } => out.push_str(&format!("/{variant}")),
            Segment::Unknown => {}
        }
    }
    out
}

fn shown_long(text: &str) -> String {
    text.chars().take(300).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
