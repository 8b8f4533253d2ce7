//! A capability with the capabilities it is built on put in their places.
//!
//! A step `run` stands for the steps of a sub-flow that is another capability, pinned by its digest (signing on is one).
//! What is replayed is the whole: one plain document, with a digest of its own.

use std::collections::BTreeMap;

use crate::rewrite::rewrite;
use crate::{
    Action, Artifact, CapabilityId, Condition, Detector, Digest, Name, OnlyIf, Piece, Remedy, Step, StepId, Subflow,
    SubflowBody, Template, ValueExpr,
};

/// Why a capability cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The capability that it is built on is not among those that are there.
    #[error("`{subflow}` is `{id}` with exactly the digest {digest}, and that is not there")]
    Missing {
        /// The sub-flow.
        subflow: Name,
        /// Which capability.
        id: CapabilityId,
        /// The digest it must have.
        digest: Digest,
    },
    /// What it is built on is of no use for that.
    #[error("`{subflow}`: `{id}` {why}")]
    Unfit {
        /// The sub-flow.
        subflow: Name,
        /// Which capability.
        id: CapabilityId,
        /// In words.
        why: String,
    },
}

/// The capability with everything it is built on in its place; itself where it is built on nothing.
///
/// # Errors
/// What it is built on is not among `pinned`, or is of no use for that.
pub fn expand(artifact: &Artifact, pinned: &[Artifact]) -> Result<Artifact, ExpandError> {
    let as_it_is = |part: &Artifact, _: &Digest| -> Result<Artifact, ExpandError> { Ok(part.clone()) };
    expand_with(artifact, pinned, as_it_is)
}

/// As [`expand`], where each part is what `of` makes of the one that is pinned and its digest: what differs for a tenant in
/// signing on differs wherever something is built on it.
///
/// # Errors
/// As for [`expand`], and what `of` refuses.
pub fn expand_with<E: From<ExpandError>>(
    artifact: &Artifact,
    pinned: &[Artifact],
    mut of: impl FnMut(&Artifact, &Digest) -> Result<Artifact, E>,
) -> Result<Artifact, E> {
    let mut whole = artifact.clone();
    for subflow in &artifact.subflows {
        let SubflowBody::Capability { id, digest, parameters } = &subflow.body else { continue };
        let found = pinned.iter().find(|other| other.id == *id && other.digest().is_ok_and(|own| own == *digest));
        let Some(part) = found else {
            let (subflow, id, digest) = (subflow.id.clone(), id.clone(), digest.clone());
            return Err(ExpandError::Missing { subflow, id, digest }.into());
        };
        let part = of(part, digest)?;
        put(&mut whole, subflow, &part, parameters).map_err(|why| ExpandError::Unfit {
            subflow: subflow.id.clone(),
            id: id.clone(),
            why,
        })?;
    }
    Ok(whole)
}

/// Puts one capability in the place of the step that runs it.
fn put(
    whole: &mut Artifact,
    subflow: &Subflow,
    part: &Artifact,
    parameters: &BTreeMap<Name, ValueExpr>,
) -> Result<(), String> {
    let runs = |step: &Step| matches!(&step.action, Action::Run { subflow: of } if *of == subflow.id);
    let places: Vec<usize> = (0..whole.steps.len()).filter(|at| runs(&whole.steps[*at])).collect();
    let [place] = places[..] else {
        return Err(format!("is run by {} steps; it has to be one, and remedies can name it then", places.len()));
    };
    let fits_in = fit(part)?;
    take_forms(whole, fits_in, parameters)?;
    let mut part = given(fits_in, parameters)?;
    let proof = renamed(&mut part, &subflow.id, &whole.steps[place])?;
    part.steps.push(proof);

    let (Some(first), Some(last)) = (part.steps.first().map(|s| s.id.clone()), part.steps.last().map(|s| s.id.clone()))
    else {
        return Err("has no steps".to_owned());
    };
    let run = whole.steps.remove(place);
    if let Some(before) = run.precondition
        && let Some(step) = part.steps.first_mut()
    {
        step.precondition.get_or_insert(before);
    }
    whole.steps.splice(place..place, part.steps);
    if let Some(own) = whole.subflows.iter_mut().find(|own| own.id == subflow.id) {
        own.body = SubflowBody::Steps { from: first, to: last };
    }
    whole.subflows.extend(part.subflows);
    add(&mut whole.credentials, part.credentials, |credential| credential.name.clone());
    add(&mut whole.variables, part.variables, |variable| variable.name.clone());
    add(&mut whole.outcomes, part.outcomes, |outcome| outcome.code.clone());
    add(&mut whole.recoveries, part.recoveries, |recovery| recovery.id.clone());
    Ok(())
}

/// Whether a capability can be a part of another one.
fn fit(part: &Artifact) -> Result<&Artifact, String> {
    if !part.outputs.is_empty() {
        return Err("gives outputs; only what gives none can be a part of another capability".to_owned());
    }
    if part.subflows.iter().any(|own| matches!(own.body, SubflowBody::Capability { .. })) {
        return Err("is built on another capability itself".to_owned());
    }
    Ok(part)
}

/// What the part knows of how the application writes its parameters: the values that it is given are written so.
fn take_forms(whole: &mut Artifact, part: &Artifact, parameters: &BTreeMap<Name, ValueExpr>) -> Result<(), String> {
    for known in &part.parameters {
        let (Some(format), Some(ValueExpr::Parameter { name })) = (&known.format, parameters.get(&known.name)) else {
            continue;
        };
        let Some(own) = whole.parameters.iter_mut().find(|own| own.name == *name && own.kind == known.kind) else {
            return Err(format!(
                "writes its parameter `{}` in a form of its own, and `{name}` is of another type",
                known.name
            ));
        };
        if own.format.get_or_insert_with(|| format.clone()) != format {
            return Err(format!("writes its parameter `{}` in another form than `{name}` has", known.name));
        }
    }
    Ok(())
}

/// The part with the values that the whole gives it.
fn given(part: &Artifact, parameters: &BTreeMap<Name, ValueExpr>) -> Result<Artifact, String> {
    let missing = part.parameters.iter().find(|own| !own.optional && !parameters.contains_key(&own.name));
    if let Some(missing) = missing {
        return Err(format!("needs its parameter `{}`", missing.name));
    }
    if let Some(unknown) = parameters.keys().find(|name| part.parameters.iter().all(|own| own.name != **name)) {
        return Err(format!("has no parameter `{unknown}`"));
    }
    let mut unsayable = None;
    let text = |template: &Template, _| {
        template.parameters().next()?;
        let mut pieces = Vec::new();
        for piece in template.pieces() {
            pieces.push(match piece {
                Piece::Parameter(name) => match parameters.get(name) {
                    Some(ValueExpr::Parameter { name }) => Piece::Parameter(name.clone()),
                    Some(ValueExpr::Variable { name }) => Piece::Variable(name.clone()),
                    Some(ValueExpr::Literal { value, .. }) => Piece::Text(value.clone()),
                    Some(ValueExpr::Credential { .. }) => {
                        unsayable = Some(format!("looks for its parameter `{name}`, which is a credential here"));
                        return None;
                    }
                    // It stands in a step that is left out.
                    None => return None,
                },
                other => other.clone(),
            });
        }
        Some(Template::of(pieces))
    };
    let value = |value: &ValueExpr| match value {
        ValueExpr::Parameter { name } => parameters.get(name).cloned(),
        ValueExpr::Credential { .. } | ValueExpr::Variable { .. } | ValueExpr::Literal { .. } => None,
    };
    let mut part = rewrite(part, text, value).map_err(|error| format!("cannot be put in: {error}"))?;
    if let Some(why) = unsayable {
        return Err(why);
    }
    part.steps.retain(|step| step.only_if.as_ref().is_none_or(|only| parameters.contains_key(&only.parameter)));
    for step in &mut part.steps {
        step.only_if = match step.only_if.take().map(|only| &parameters[&only.parameter]) {
            Some(ValueExpr::Parameter { name }) => Some(OnlyIf { parameter: name.clone() }),
            _ => None,
        };
    }
    part.parameters.clear();
    Ok(part)
}

/// Calls everything in the part by names that tell where it comes from; the step that proves it.
fn renamed(part: &mut Artifact, subflow: &Name, run: &Step) -> Result<Step, String> {
    let long = |name: &str| format!("`{subflow}_{name}` is no name: it is too long");
    let step_id = |id: &StepId| StepId::new(&format!("{subflow}_{id}")).map_err(|_| long(id.as_str()));
    let name = |name: &Name| Name::new(&format!("{subflow}_{name}")).map_err(|_| long(name.as_str()));
    for step in &mut part.steps {
        step.id = step_id(&step.id)?;
        if let Some(reconcile) = &mut step.reconcile {
            reconcile.subflow = name(&reconcile.subflow)?;
        }
    }
    for own in &mut part.subflows {
        own.id = name(&own.id)?;
        if let SubflowBody::Steps { from, to } = &mut own.body {
            (*from, *to) = (step_id(from)?, step_id(to)?);
        }
    }
    for recovery in &mut part.recoveries {
        if let Remedy::Run { subflow: of } = &mut recovery.remedy {
            *of = name(of)?;
        }
    }
    let all: Vec<StepId> = part.steps.iter().map(|step| step.id.clone()).collect();
    for outcome in &mut part.outcomes {
        // An answer to signing on is none to what comes later.
        outcome.after = if outcome.after.is_empty() {
            all.clone()
        } else {
            outcome.after.iter().map(step_id).collect::<Result<_, _>>()?
        };
        if let Detector::Resolution { step, .. } = &mut outcome.detector {
            *step = step_id(step)?;
        }
    }
    let mut of = vec![part.checkpoint.condition.clone()];
    of.extend(run.checkpoint.iter().map(|checkpoint| checkpoint.condition.clone()));
    let condition = if of.len() == 1 { of.remove(0) } else { Condition::All { of } };
    Ok(Step {
        id: StepId::new(&format!("{subflow}_done")).map_err(|_| long("done"))?,
        description: format!("Wait until that is done: {}", part.checkpoint.description),
        action: Action::WaitFor { condition },
        risk: crate::Risk::Safe,
        only_if: None,
        precondition: None,
        checkpoint: None,
        opens: crate::Opens::default(),
        reconcile: None,
        deadline_ms: run.deadline_ms,
        safe_point: false,
    })
}

/// Adds what is not there yet by its name.
fn add<T>(own: &mut Vec<T>, others: Vec<T>, name: impl Fn(&T) -> Name) {
    for other in others {
        if own.iter().all(|one| name(one) != name(&other)) {
            own.push(other);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a document that cannot be read is a broken test")]

    use serde_json::{Value, json};

    use super::*;
    use crate::{load, validate};

    fn shows(name: &str) -> Value {
        json!({ "kind": "element_present", "element": { "find": { "rung": "role_name", "role": "heading", "name": name } } })
    }

    fn document(id: &str, parameters: &[&str], steps: Value, more: Value) -> Value {
        let mut document = json!({
            "schema": "waymark.artifact/1", "id": id, "version": "1.0.0", "title": "T", "description": "D.",
            "application": { "name": "Ledger", "surface": "web", "entry": "{var.base_url}/" },
            "engine": { "ladder": 1, "settle": 1 },
            "variables": [{ "name": "base_url", "description": "Where.", "default": "http://127.0.0.1:1" }],
            "parameters": parameters.iter().map(|name| json!({ "name": name, "description": "P.", "type": "text" }))
                .collect::<Vec<_>>(),
            "steps": steps,
            "checkpoint": { "description": "The menu is there.", "condition": shows("Menu") },
            "provenance": { "created_at": "2026-11-30T00:00:00Z", "source": "hand", "author": "a test" },
        });
        for (field, value) in more.as_object().unwrap() {
            document[field] = value.clone();
        }
        document
    }

    fn field(name: &str) -> Value {
        json!({ "description": name, "candidates": [{ "find": { "rung": "label", "role": "textbox", "label": name } }] })
    }

    fn sign_on() -> Value {
        let steps = json!([
            { "id": "open", "action": { "kind": "open", "location": "{var.base_url}/" }, "safe_point": true,
              "checkpoint": { "description": "The form.", "condition": shows("Sign on") } },
            { "id": "user", "action": { "kind": "type", "target": field("User"), "value": { "from": "parameter", "name": "user" } } },
            { "id": "branch", "only_if": { "parameter": "branch" },
              "action": { "kind": "type", "target": field("Branch"), "value": { "from": "parameter", "name": "branch" } } },
            { "id": "secret", "action": { "kind": "type", "target": field("Password"), "value": { "from": "credential", "name": "teller" } },
              "checkpoint": { "description": "Greets.", "condition": shows("Hello {param.user}") } },
        ]);
        let mut document = document(
            "ledger.sign_on",
            &["user", "branch"],
            steps,
            json!({
                "credentials": [{ "name": "teller", "description": "The password." }],
                "outcomes": [{ "code": "rejected", "description": "No.", "detector": { "condition": shows("Sorry") } }],
            }),
        );
        document["parameters"][1]["optional"] = json!(true);
        document
    }

    /// What comes of a capability that signs on with these values: its steps, or why it cannot be put together.
    fn check(given: Value, edit: impl FnOnce(&mut Value, &mut Value)) -> Result<Artifact, String> {
        let (mut part, steps) = (
            sign_on(),
            json!([
                { "id": "enter", "action": { "kind": "run", "subflow": "sign_on" },
                  "checkpoint": { "description": "In.", "condition": shows("Welcome") } },
                { "id": "look", "action": { "kind": "open", "location": "{var.base_url}/list" }, "safe_point": true,
                  "checkpoint": { "description": "The list.", "condition": shows("List") } },
            ]),
        );
        let mut whole = document("ledger.look", &["member"], steps, json!({}));
        edit(&mut whole, &mut part);
        let part = load(part.to_string().as_bytes()).unwrap();
        whole["subflows"] = json!([{ "id": "sign_on", "body": { "capability": {
            "id": "ledger.sign_on", "digest": part.digest().unwrap().to_string(), "parameters": given } } }]);
        let whole = load(whole.to_string().as_bytes()).unwrap();
        let come = expand(&whole, &[part]).map_err(|error| error.to_string())?;
        let wrong: Vec<_> = validate(&come).into_iter().filter(|f| f.severity == crate::Severity::Error).collect();
        assert_eq!(wrong, [], "{come:#?}");
        Ok(come)
    }

    fn ids(artifact: &Artifact) -> Vec<&str> {
        artifact.steps.iter().map(|step| step.id.as_str()).collect()
    }

    #[test]
    fn the_steps_of_the_pinned_capability_stand_where_it_is_run() {
        let come = check(json!({ "user": { "from": "parameter", "name": "member" } }), |_, _| {}).unwrap();
        assert_eq!(ids(&come), ["sign_on_open", "sign_on_user", "sign_on_secret", "sign_on_done", "look"]);
        let text = serde_json::to_value(&come).unwrap();
        assert_eq!(text["steps"][1]["action"]["value"], json!({ "from": "parameter", "name": "member" }));
        assert_eq!(text["steps"][2]["checkpoint"]["condition"], shows("Hello {param.member}"));
        let proof = json!({ "kind": "all", "of": [shows("Menu"), shows("Welcome")] });
        assert_eq!(text["steps"][3]["action"]["condition"], proof);
        assert_eq!(text["subflows"][0]["body"]["steps"], json!({ "from": "sign_on_open", "to": "sign_on_done" }));
        assert_eq!(text["credentials"][0]["name"], "teller");
        assert_eq!(text["outcomes"][0]["after"], json!(["sign_on_open", "sign_on_user", "sign_on_secret"]));
        assert_eq!(text["parameters"].as_array().unwrap().len(), 1);
        assert_eq!(expand(&come, &[]).unwrap(), come, "what is whole stays as it is");
    }

    #[test]
    fn what_the_pinned_capability_writes_in_a_form_is_written_so_in_the_whole() {
        let dollars = json!({ "money": { "currency": "USD" } });
        let form = |decimals: u32| json!({ "locale": "en-US", "decimals": decimals, "grouping": true });
        let run = |whole_type: Value, whole_form: Value| {
            let given = json!({ "user": { "from": "parameter", "name": "member" } });
            let come = check(given, |whole, part| {
                (part["parameters"][0]["type"], part["parameters"][0]["format"]) = (dollars.clone(), form(2));
                (whole["parameters"][0]["type"], whole["parameters"][0]["format"]) = (whole_type, whole_form);
            });
            come.map(|come| serde_json::to_value(&come.parameters[0].format).unwrap())
        };
        assert_eq!(run(dollars.clone(), Value::Null), Ok(form(2)));
        assert_eq!(run(dollars.clone(), form(2)), Ok(form(2)));
        let told = run(dollars.clone(), form(3)).unwrap_err();
        assert!(told.ends_with("writes its parameter `user` in another form than `member` has"), "{told}");
        let told = run(json!("text"), Value::Null).unwrap_err();
        assert!(told.ends_with("and `member` is of another type"), "{told}");
    }

    #[test]
    fn a_step_that_depends_on_a_value_stands_there_only_where_one_is_given() {
        let literal =
            json!({ "user": { "from": "literal", "value": "ana" }, "branch": { "from": "literal", "value": "7" } });
        let come = check(literal, |_, _| {}).unwrap();
        assert_eq!(ids(&come)[2], "sign_on_branch");
        assert_eq!(come.steps[2].only_if, None);
        assert_eq!(serde_json::to_value(&come.steps[3].checkpoint).unwrap()["condition"], shows("Hello ana"));
        let given = json!({ "user": { "from": "parameter", "name": "member" }, "branch": { "from": "parameter", "name": "branch" } });
        let come = check(given, |whole, _| {
            let branch = json!({ "name": "branch", "description": "B.", "type": "text", "optional": true });
            whole["parameters"].as_array_mut().unwrap().push(branch);
        });
        assert_eq!(come.unwrap().steps[2].only_if.as_ref().unwrap().parameter.as_str(), "branch");
    }

    #[test]
    fn another_document_than_the_pinned_one_is_not_taken() {
        let part = load(sign_on().to_string().as_bytes()).unwrap();
        let whole = check(json!({ "user": { "from": "literal", "value": "ana" } }), |_, _| {}).unwrap();
        let mut whole = serde_json::to_value(whole).unwrap();
        let other = format!("sha256:{}", "0".repeat(64));
        whole["subflows"][0]["body"] = json!({ "capability": { "id": "ledger.sign_on", "digest": other } });
        let whole = load(whole.to_string().as_bytes()).unwrap();
        let error = expand(&whole, &[part]).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("`sign_on` is `ledger.sign_on` with exactly the digest {other}, and that is not there")
        );
    }

    #[test]
    fn what_is_of_no_use_as_a_part_is_told_with_the_reason() {
        let literal = || json!({ "user": { "from": "literal", "value": "ana" } });
        let told = |given: Value, edit: fn(&mut Value, &mut Value)| check(given, edit).unwrap_err();
        assert_eq!(told(json!({}), |_, _| {}), "`sign_on`: `ledger.sign_on` needs its parameter `user`");
        let unknown =
            json!({ "user": { "from": "literal", "value": "ana" }, "who": { "from": "literal", "value": "b" } });
        assert_eq!(told(unknown, |_, _| {}), "`sign_on`: `ledger.sign_on` has no parameter `who`");
        let secret = json!({ "user": { "from": "credential", "name": "teller" } });
        assert!(told(secret, |_, _| {}).contains("looks for its parameter `user`, which is a credential here"));
        let none = told(literal(), |whole, _| {
            whole["steps"].as_array_mut().unwrap().remove(0);
        });
        assert!(none.contains("is run by 0 steps"), "{none}");
        let long = told(literal(), |_, part| part["steps"][0]["id"] = json!("o".repeat(60)));
        assert!(long.contains("it is too long"), "{long}");
    }
}
