//! The published shapes of documents.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use waymark_run::{EffectEntry, JournalLine, Rejection, RunResult};

use crate::{Catalog, Description};
#[cfg(feature = "discovery")]
use crate::{DiscoveryReport, SuiteReport, Verification};

/// Every schema and what it describes.
pub const SCHEMAS: &[(&str, &str)] = &[
    ("artifact", "a capability, as it is stored in `artifacts/`"),
    ("overlay", "what differs for one tenant, as it lies in `config/tenants/`"),
    ("run-result", "what a run gives, on standard output and as `result.json`"),
    ("event", "one line of `run.jsonl` and of `--events`"),
    ("effect", "one line of `effects.jsonl`"),
    ("catalog", "the capabilities of a folder, as `list` gives them"),
    ("capability", "what a caller has to know of a capability, as `describe` gives it"),
    ("error", "what a call gives that never became a run"),
    #[cfg(feature = "discovery")]
    ("goal", "what an analyst wants done, as `discover --goal-file` reads it from JSON"),
    #[cfg(feature = "discovery")]
    ("discovery", "what a discovery gives, on standard output"),
    #[cfg(feature = "discovery")]
    ("suite", "what a suite of goals gives, on standard output"),
    #[cfg(feature = "discovery")]
    ("verification", "what replays without a model proved of a draft, as it lies beside it"),
];

/// A schema (draft 2020-12) by its name; `None` where there is none.
#[must_use]
pub fn schema(name: &str) -> Option<Value> {
    let generator = || SchemaSettings::draft2020_12().into_generator();
    let schema = match name {
        "artifact" => serde_json::to_value(waymark_artifact::json_schema()),
        "overlay" => serde_json::to_value(waymark_artifact::overlay_schema()),
        "run-result" => serde_json::to_value(generator().into_root_schema_for::<RunResult>()),
        "effect" => serde_json::to_value(generator().into_root_schema_for::<EffectEntry>()),
        "error" => serde_json::to_value(generator().into_root_schema_for::<Rejection>()),
        "event" => event(),
        "catalog" => serde_json::to_value(generator().into_root_schema_for::<Catalog>()),
        "capability" => serde_json::to_value(generator().into_root_schema_for::<Description>()),
        #[cfg(feature = "discovery")]
        "goal" => serde_json::to_value(waymark_goal::goal_schema()),
        #[cfg(feature = "discovery")]
        "discovery" => serde_json::to_value(generator().into_root_schema_for::<DiscoveryReport>()),
        #[cfg(feature = "discovery")]
        "suite" => serde_json::to_value(generator().into_root_schema_for::<SuiteReport>()),
        #[cfg(feature = "discovery")]
        "verification" => serde_json::to_value(generator().into_root_schema_for::<Verification>()),
        _ => return None,
    };
    let mut schema = schema.ok()?;
    if !matches!(name, "artifact" | "overlay" | "goal") {
        schema["$id"] = Value::from(format!("urn:waymark:{name}:1"));
    }
    Some(schema)
}

/// Every event with what it holds; stored lines have their number and the digest of the line before too.
fn event() -> Result<Value, serde_json::Error> {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = serde_json::to_value(generator.into_root_schema_for::<JournalLine>())?;
    schema["title"] = json!("A line of a run's journal");
    schema["properties"]["seq"] = json!({
        "type": "integer", "minimum": 0,
        "description": "Number of the line, from 0; in stored journals only.",
    });
    schema["properties"]["prev"] = json!({
        "type": "string", "pattern": "^sha256:[0-9a-f]{64}$",
        "description": "Digest of the line before, without its end; in stored journals only.",
    });
    if let Some(events) = schema["oneOf"].as_array_mut() {
        if let Some(ended) = events.iter_mut().find(|event| event["properties"]["event"]["const"] == "run_ended") {
            ended["properties"]["folder"] = json!({
                "description": "The name of the folder before and after the end; in stored journals only.",
                "type": "object",
                "properties": { "from": { "type": "string" }, "to": { "type": "string" } },
                "required": ["from", "to"],
            });
        }
        events.push(json!({
            "description": "The first line of a stored journal.",
            "type": "object",
            "properties": {
                "event": { "type": "string", "const": "journal_opened" },
                "schema": { "type": "string", "const": "waymark.journal/1" },
                "folder": { "type": "string", "description": "The name of the folder while the run goes on." },
            },
            "required": ["event", "schema", "folder"],
        }));
    }
    Ok(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{SCHEMAS, schema};

    fn fits(line: &Value) -> bool {
        jsonschema::is_valid(&schema("event").unwrap_or_default(), line)
    }

    #[test]
    fn every_schema_that_is_listed_is_one_and_says_which() {
        for (name, _) in SCHEMAS {
            let schema = schema(name).unwrap_or_default();
            assert_eq!(schema["$id"], format!("urn:waymark:{name}:1"), "{name}");
            assert!(jsonschema::meta::is_valid(&schema), "{name}");
        }
        assert_eq!(schema("nothing"), None);
    }

    #[test]
    fn an_event_must_be_known_and_hold_all_of_its_fields() {
        let ended = json!({"seq": 7, "at_ms": 5, "event": "step_ended", "step": "go", "took_ms": 4});
        assert!(fits(&ended));
        assert!(fits(
            &json!({"at_ms": 0, "event": "journal_opened", "schema": "waymark.journal/1", "folder": "replay"})
        ));
        for (field, value) in [("event", json!("step_vanished")), ("took_ms", json!("soon")), ("at_ms", json!(-1))] {
            let mut other = ended.clone();
            other[field] = value;
            assert!(!fits(&other), "{other}");
        }
        assert!(!fits(&json!({"at_ms": 5, "event": "step_ended", "step": "go"})));
    }
}
