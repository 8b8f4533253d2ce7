//! Plans and policies from short texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;
use waymark_artifact::{Artifact, Name, Risk, parse_inputs};
use waymark_policy::{Grants, Mode, Policy, PolicyTexts};
use waymark_replay::{Plan, PolicySource};

use crate::short;

/// A policy that lets the application `app` do everything at `http://app.test/**`, except below `/admin`. Only the
/// words "delete" (irreversible) and "save" (risky) are worse than safe, and buttons named "Go", "Find" and "OK" are safe
/// to press on screens directly below the root.
///
/// # Panics
/// Never; its texts are constant.
#[must_use]
pub fn policy() -> Arc<Policy> {
    let texts = PolicyTexts { allowlist: ALLOWLIST, risk: RISK };
    Arc::new(Policy::load(texts).expect("the texts are constant"))
}

/// The texts of [`policy`].
#[must_use]
pub fn policy_source() -> PolicySource {
    PolicySource { allowlist: ALLOWLIST.to_owned(), risk: RISK.to_owned() }
}

/// A plan from a short text: YAML with the words of [the module above](crate); see the tests of `waymark-replay` for
/// every word. Beside the document it may say `with` (parameters), `vars`, `mode: unattended`, `grant: risky`,
/// `escalate: false`, `waits: true` (for a person) and `pictures: true`.
///
/// # Panics
/// The text is no such plan.
#[must_use]
pub fn plan(text: &str) -> Plan {
    let mut short: Json = serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut take = |key: &str| short.as_object_mut().and_then(|map| map.remove(key));
    let inputs = take("with").unwrap_or_else(|| serde_json::json!({}));
    let variables = take("vars").unwrap_or_else(|| serde_json::json!({}));
    let unattended = take("mode").is_some_and(|mode| mode == "unattended");
    let approve_risk = take("grant").map(|risk| serde_json::from_value::<Risk>(risk).expect("a risk"));
    let escalate = take("escalate") != Some(Json::Bool(false));
    let waits = take("waits") == Some(Json::Bool(true));
    let pictures = take("pictures") == Some(Json::Bool(true));
    let artifact = artifact(short);
    let inputs = inputs.as_object().cloned().unwrap_or_default();
    let inputs = parse_inputs(&artifact.parameters, &inputs).unwrap_or_else(|problems| panic!("{problems:?}"));
    let variables: BTreeMap<Name, String> = serde_json::from_value(variables).expect("texts by name");
    Plan {
        artifact,
        base_drift: BTreeMap::new(),
        inputs,
        variables,
        policy: policy(),
        mode: if unattended { Mode::Unattended } else { Mode::Attended },
        grants: Grants { approve_risk, ..Grants::default() },
        escalate,
        waits,
        pictures,
    }
}

fn artifact(short: Json) -> Artifact {
    let full = short::document(short);
    serde_json::from_value(full.clone()).unwrap_or_else(|error| panic!("{error}\n{full:#}"))
}

const ALLOWLIST: &str = r#"
version: 1
allow:
  - name: app
    application: app
    origins: ["http://app.test"]
    paths: ["/**"]
    methods: [GET, POST]
    actions: [open, click, type, choose, set_checked, press_key, upload, scroll, answer_dialog, close_window]
  - name: looking
    application: looking
    origins: ["http://app.test"]
    paths: ["/**"]
    methods: [GET]
    actions: [open]
deny:
  - name: administration
    paths: ["/admin/**"]
"#;

const RISK: &str = r#"
version: 1
actions:
  open: safe
  click: safe
  type: safe
  choose: safe
  set_checked: safe
  press_key: safe
  upload: risky
  scroll: safe
  answer_dialog: safe
  close_window: safe
safe_keys: [Tab, Escape]
lexicon:
  - {class: irreversible, words: [delete]}
  - {class: risky, words: [save]}
rules:
  - name: leads
    application: app
    screen: {locations: ["/*"]}
    control: {role: button, names: [Go, Find, OK]}
    class: safe
"#;
