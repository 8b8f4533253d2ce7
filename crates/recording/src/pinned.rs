//! Signing on by the capability that is recorded for that, instead of by steps of one's own.

use waymark_artifact::{
    Action, Artifact, Checkpoint, Condition, Detector, Name, Opens, Remedy, Risk, Step, StepId, Subflow, SubflowBody,
};

/// What the sub-flow is called.
const SIGN_ON: &str = "sign_on";

/// The document with its first steps replaced by the capability that does the same; as it is, with the reason, where it
/// begins otherwise.
///
/// # Errors
/// In words: why its own steps stay.
pub fn built_on(artifact: Artifact, sign_on: &Artifact) -> Result<Artifact, (Box<Artifact>, String)> {
    match replaced(&artifact, sign_on) {
        Ok(built) => Ok(built),
        Err(why) => Err((Box::new(artifact), format!("it is not built on {}: {why}", sign_on.id))),
    }
}

fn replaced(artifact: &Artifact, sign_on: &Artifact) -> Result<Artifact, String> {
    let many = sign_on.steps.len();
    if many == 0 || artifact.steps.len() <= many {
        return Err("it has nothing more to do".to_owned());
    }
    if !sign_on.parameters.is_empty() || !sign_on.outputs.is_empty() {
        return Err("that takes values or gives some".to_owned());
    }
    let (own, rest) = artifact.steps.split_at(many);
    if let Some((one, other)) = own.iter().zip(&sign_on.steps).find(|(one, other)| one.action != other.action) {
        return Err(format!("its step `{}` is another one than `{}`", one.id, other.id));
    }
    let name = |word: &str| Name::new(word).map_err(|error| error.to_string());
    let subflow = name(SIGN_ON)?;
    let digest = sign_on.digest().map_err(|error| error.to_string())?;
    let mut built = artifact.clone();
    let run = Step {
        id: StepId::new(SIGN_ON).map_err(|error| error.to_string())?,
        description: sign_on.title.clone(),
        action: Action::Run { subflow: subflow.clone() },
        risk: Risk::Safe,
        only_if: None,
        precondition: None,
        checkpoint: proof(own, sign_on),
        opens: Opens::default(),
        reconcile: None,
        deadline_ms: None,
        safe_point: false,
    };
    built.steps = std::iter::once(run).chain(rest.iter().cloned()).collect();
    // A walk begins again where one is signed on, not in the middle of signing on.
    if let Some(next) = built.steps.get_mut(1) {
        next.safe_point |= next.risk == Risk::Safe;
    }
    let gone: Vec<&StepId> = own.iter().map(|step| &step.id).collect();
    let mut of_ways: Vec<Name> = Vec::new();
    built.subflows.retain(|way| match &way.body {
        SubflowBody::Steps { from, to } if gone.contains(&from) && gone.contains(&to) => {
            of_ways.push(way.id.clone());
            false
        }
        _ => true,
    });
    let inside = |id: &StepId| gone.contains(&id);
    if built
        .subflows
        .iter()
        .any(|way| matches!(&way.body, SubflowBody::Steps { from, to } if inside(from) || inside(to)))
    {
        return Err("one of its ways begins while it signs on".to_owned());
    }
    if built.steps.iter().filter_map(|step| step.reconcile.as_ref()).any(|check| of_ways.contains(&check.subflow)) {
        return Err("it looks for a record while it signs on".to_owned());
    }
    for recovery in &mut built.recoveries {
        if let Remedy::Run { subflow: way } = &mut recovery.remedy
            && of_ways.contains(way)
        {
            way.clone_from(&subflow);
        }
    }
    // What the application says to signing on is told by the capability that does it.
    let own_answers = |code: &Name| sign_on.outcomes.iter().any(|outcome| outcome.code == *code);
    built.outcomes.retain_mut(|outcome| {
        let many = outcome.after.len();
        outcome.after.retain(|id| !gone.contains(&id));
        let by_step = matches!(&outcome.detector, Detector::Resolution { step, .. } if gone.contains(&step));
        !by_step && (many == 0 || !outcome.after.is_empty() || !own_answers(&outcome.code))
    });
    if built.outcomes.iter().any(|outcome| {
        outcome.after.is_empty()
            && artifact.outcomes.iter().any(|was| was.code == outcome.code && !was.after.is_empty())
    }) {
        return Err("one of its answers comes while it signs on, and that capability does not know it".to_owned());
    }
    built.credentials.retain(|credential| sign_on.credentials.iter().all(|other| other.name != credential.name));
    built.subflows.push(Subflow {
        id: subflow,
        description: sign_on.title.clone(),
        body: SubflowBody::Capability { id: sign_on.id.clone(), digest, parameters: Default::default() },
    });
    Ok(built)
}

/// What the last of its own steps was proven by, where that is more than what proves the capability.
fn proof(own: &[Step], sign_on: &Artifact) -> Option<Checkpoint> {
    let last = own.last()?.checkpoint.clone()?;
    let known: &Condition = &sign_on.checkpoint.condition;
    (last.condition != *known).then_some(last)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a document that cannot be read is a broken test")]

    use serde_json::{Value, json};
    use waymark_artifact::{expand, load, validate};

    use super::*;

    fn shows(name: &str) -> Value {
        json!({ "kind": "element_present", "element": { "find": { "rung": "role_name", "role": "heading", "name": name } } })
    }

    fn step(id: &str, action: Value, proof: Option<&str>) -> Value {
        let mut step = json!({ "id": id, "action": action });
        if let Some(heading) = proof {
            step["checkpoint"] = json!({ "description": heading, "condition": shows(heading) });
        }
        step
    }

    fn pressed(name: &str) -> Value {
        json!({ "kind": "click", "target": { "description": name,
            "candidates": [{ "find": { "rung": "role_name", "role": "button", "name": name } }] } })
    }

    fn document(id: &str, steps: Vec<Value>) -> Value {
        json!({
            "schema": "waymark.artifact/1", "id": id, "version": "1.0.0", "title": "Sign on", "description": "D.",
            "application": { "name": "Core", "surface": "web", "entry": "{var.base_url}/" },
            "engine": { "ladder": 1, "settle": 1 },
            "variables": [{ "name": "base_url", "description": "Where.", "default": "http://127.0.0.1:1" }],
            "credentials": [{ "name": "password", "description": "P." }],
            "steps": steps,
            "checkpoint": { "description": "The menu is there.", "condition": shows("Menu") },
            "outcomes": [{ "code": "rejected", "description": "No.", "detector": { "condition": shows("Sorry") }, "after": ["press"] }],
            "provenance": { "source": "hand", "author": "a test", "created_at": "2026-11-30T00:00:00Z" },
        })
    }

    fn signing_on() -> Vec<Value> {
        let field = json!({ "description": "Password",
            "candidates": [{ "find": { "rung": "label", "role": "textbox", "label": "Password" } }] });
        let typed = json!({ "kind": "type", "target": field, "value": { "from": "credential", "name": "password" } });
        let mut open = step("open", json!({ "kind": "open", "location": "{var.base_url}/" }), Some("Sign on"));
        open["safe_point"] = json!(true);
        vec![open, step("type_it", typed, None), step("press", pressed("Go"), Some("Menu"))]
    }

    /// What becomes of a capability that signs on and presses a button, after `edit` of both.
    fn check(edit: impl FnOnce(&mut Value, &mut Value)) -> Result<(Value, Vec<String>), String> {
        let (mut steps, mut sign_on) = (signing_on(), document("core.sign_on", signing_on()));
        steps.push(step("look", pressed("List"), Some("List")));
        let mut whole = document("core.look", steps);
        whole["subflows"] = json!([{ "id": "sign_on_again", "body": { "steps": { "from": "open", "to": "press" } } }]);
        whole["recoveries"] = json!([{ "id": "session_expired", "description": "E.", "when": shows("Ended"),
            "remedy": { "run": { "subflow": "sign_on_again" } }, "then": "rewalk_from_safe_point", "limit": 2 }]);
        edit(&mut whole, &mut sign_on);
        let [whole, sign_on] = [whole, sign_on].map(|document| load(document.to_string().as_bytes()).unwrap());
        let built = built_on(whole.clone(), &sign_on).map_err(|(kept, why)| {
            assert_eq!(*kept, whole, "what stays is as it was");
            why
        })?;
        let replayed = expand(&built, &[sign_on]).unwrap();
        for document in [&built, &replayed] {
            let wrong: Vec<_> = validate(document).into_iter().filter(|f| f.severity.as_str() == "error").collect();
            assert_eq!(wrong, []);
        }
        let ids = replayed.steps.iter().map(|step| step.id.to_string()).collect();
        Ok((serde_json::to_value(&built).unwrap(), ids))
    }

    #[test]
    fn signing_on_is_left_to_the_capability_for_it_and_comes_back_when_it_is_replayed() {
        let (built, replayed) = check(|_, _| {}).unwrap();
        assert_eq!(built["steps"][0]["action"], json!({ "kind": "run", "subflow": "sign_on" }));
        assert_eq!(built["steps"][1]["safe_point"], true);
        assert_eq!(built["recoveries"][0]["remedy"], json!({ "run": { "subflow": "sign_on" } }));
        assert_eq!(built["subflows"].as_array().unwrap().len(), 1);
        assert_eq!(built["credentials"], Value::Null, "its secrets are that capability's");
        assert_eq!(built["outcomes"], Value::Null, "and so are the answers to it");
        assert_eq!(replayed, ["sign_on_open", "sign_on_type_it", "sign_on_press", "sign_on_done", "look"]);
    }

    #[test]
    fn a_capability_that_begins_otherwise_keeps_its_own_steps() {
        let other = check(|whole, _| whole["steps"][2]["action"] = pressed("Enter"));
        assert_eq!(other.unwrap_err(), "it is not built on core.sign_on: its step `press` is another one than `press`");
        let alone = check(|whole, _| {
            whole["steps"].as_array_mut().unwrap().pop();
        });
        assert_eq!(alone.unwrap_err(), "it is not built on core.sign_on: it has nothing more to do");
    }

    #[test]
    fn an_answer_to_signing_on_that_the_capability_for_it_does_not_know_is_not_lost() {
        let answer = check(|_, sign_on| sign_on["outcomes"][0]["code"] = "locked".into());
        assert!(answer.unwrap_err().contains("that capability does not know it"));
        let everywhere = check(|whole, _| {
            whole["outcomes"][0].as_object_mut().unwrap().remove("after");
        });
        assert_eq!(everywhere.unwrap().0["outcomes"][0]["code"], "rejected");
    }
}
