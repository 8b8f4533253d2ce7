//! The one written form, and the digest.
#![expect(clippy::unwrap_used, reason = "a failed read is a failed test")]

use proptest::prelude::*;
use serde_json::Value as Json;
use waymark_artifact::{Artifact, ValueExpr, canonical_json, load};

const EVERYTHING: &str = include_str!("../../../fixtures/artifacts/valid/everything.json");

fn everything() -> Artifact {
    load(EVERYTHING.as_bytes()).unwrap()
}

fn digest(text: &str) -> String {
    load(text.as_bytes()).unwrap().digest().unwrap().to_string()
}

/// The same JSON with keys in reverse order and other white space.
fn reversed(json: &Json, out: &mut String) {
    match json {
        Json::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push_str("{\n");
            for (i, key) in keys.into_iter().rev().enumerate() {
                out.push_str(if i > 0 { " ,\t" } else { "" });
                out.push_str(&format!("{} :  ", Json::String(key.clone())));
                reversed(&map[key], out);
            }
            out.push_str(" }");
        }
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ",\r\n" } else { " " });
                reversed(item, out);
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

fn leaves(json: &Json, pointer: String, out: &mut Vec<String>) {
    match json {
        Json::Object(map) => map.iter().for_each(|(key, value)| leaves(value, format!("{pointer}/{key}"), out)),
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| leaves(item, format!("{pointer}/{i}"), out));
        }
        _ => out.push(pointer),
    }
}

#[test]
fn keys_are_in_order_and_nothing_is_between_them() {
    let text = String::from_utf8(canonical_json(&everything()).unwrap()).unwrap();
    assert!(
        text.starts_with(r#"{"application":{"entry":"{var.base_url}/index","name":"Ledger","screen_id":{"#),
        "{text}"
    );
    assert!(!text.contains('\n') && !text.contains("\": "));
}

#[test]
fn order_of_keys_and_white_space_do_not_change_the_digest() {
    let mut other = String::new();
    reversed(&serde_json::from_str(EVERYTHING).unwrap(), &mut other);
    assert_ne!(other, EVERYTHING);
    assert_eq!(digest(&other), digest(EVERYTHING));
}

#[test]
fn a_default_that_is_written_out_is_the_same_document() {
    let mut json: Json = serde_json::from_str(EVERYTHING).unwrap();
    json["steps"][0]["risk"] = "safe".into();
    json["steps"][0]["only_if"] = Json::Null;
    json["recoveries"][1]["limit"] = 1.into();
    assert_eq!(digest(&json.to_string()), digest(EVERYTHING));
}

#[test]
fn any_changed_content_changes_the_digest() {
    let whole: Json = serde_json::from_str(EVERYTHING).unwrap();
    let before = digest(EVERYTHING);
    let mut pointers = Vec::new();
    leaves(&whole, String::new(), &mut pointers);
    let mut changed = 0;
    for pointer in pointers {
        let mut json = whole.clone();
        let leaf = json.pointer_mut(&pointer).unwrap();
        *leaf = match &*leaf {
            Json::String(text) => Json::String(format!("{text}x")),
            Json::Number(n) => Json::from(n.as_u64().unwrap() + 1),
            Json::Bool(b) => Json::Bool(!b),
            other => other.clone(),
        };
        // A changed word of a list is no document any more.
        if let Ok(artifact) = load(json.to_string().as_bytes()) {
            changed += 1;
            assert_ne!(artifact.digest().unwrap().to_string(), before, "{pointer}");
        }
    }
    assert!(changed > 200, "only {changed} places were changed");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again_as_the_same(
        title in "\\PC{0,30}",
        note in any::<String>(),
        literal in any::<String>(),
        hint in any::<String>(),
        order in proptest::sample::subsequence((0usize..25).collect::<Vec<_>>(), 1..25),
        deadline in any::<u32>(),
        limit in any::<u32>(),
    ) {
        let mut artifact = everything();
        artifact.title = title;
        artifact.provenance.note = note;
        artifact.limits.run_deadline_ms = limit;
        let steps = std::mem::take(&mut artifact.steps);
        artifact.steps = order.into_iter().filter_map(|i| steps.get(i).cloned()).collect();
        for step in &mut artifact.steps {
            step.deadline_ms = Some(deadline);
            if let waymark_artifact::Action::Type { value, target, .. } = &mut step.action {
                *value = ValueExpr::Literal { value: literal.clone(), confirmed: true };
                target.candidates.push(waymark_artifact::Candidate {
                    find: waymark_artifact::Rung::NativeHint { hint: [("web".to_owned(), hint.clone())].into() },
                    within: Vec::new(),
                    fingerprint: None,
                    why: literal.clone(),
                });
            }
        }
        let bytes = canonical_json(&artifact).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let back = load(&bytes).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&back, &artifact);
        prop_assert_eq!(back.digest().ok(), artifact.digest().ok());
    }
}
