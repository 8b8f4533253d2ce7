//! The published shapes of documents.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use waymark_run::{Rejection, RunResult};

/// Every schema and what it describes.
pub const SCHEMAS: [(&str, &str); 4] = [
    ("artifact", "a capability, as it is stored in `artifacts/`"),
    ("run-result", "what a run gives, on standard output and as `result.json`"),
    ("event", "one line of `run.jsonl` and of `--events`"),
    ("error", "what a call gives that never became a run"),
];

/// A schema (draft 2020-12) by its name; `None` where there is none.
#[must_use]
pub fn schema(name: &str) -> Option<Value> {
    let generator = || SchemaSettings::draft2020_12().into_generator();
    let schema = match name {
        "artifact" => serde_json::to_value(waymark_artifact::json_schema()),
        "run-result" => serde_json::to_value(generator().into_root_schema_for::<RunResult>()),
        "error" => serde_json::to_value(generator().into_root_schema_for::<Rejection>()),
        "event" => Ok(event()),
        _ => return None,
    };
    let mut schema = schema.ok()?;
    if name != "artifact" {
        schema["$id"] = Value::from(format!("urn:waymark:{name}:1"));
    }
    Some(schema)
}

/// What every line has; what else it has depends on its event, and more events may come.
fn event() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a run's journal",
        "type": "object",
        "required": ["at_ms", "event"],
        "properties": {
            "at_ms": {
                "type": "integer", "minimum": 0,
                "description": "Milliseconds since the run began, by a clock that never jumps.",
            },
            "event": { "type": "string", "pattern": "^[a-z_]+$", "description": "What happened." },
            "seq": {
                "type": "integer", "minimum": 0,
                "description": "Number of the line, from 0; in stored journals only.",
            },
            "prev": {
                "type": "string", "pattern": "^sha256:[0-9a-f]{64}$",
                "description": "Digest of the line before, without its end; in stored journals only.",
            },
            "step": { "description": "The step: its name, or for `step_started` the step as it is shown." },
        },
    })
}
