//! What a run did, and what it was told: the two journals that are written at its end, when every secret is known.

use serde_json::{Value as Json, json};
use waymark_artifact::{Digest, Name};
use waymark_replay::{Ending, Machine, PolicySource, Recording, input_lines};

use crate::ids::keyed_hash;
use crate::recorder::Recorder;
use crate::run::Request;

/// Writes the effect journal and, where it is kept, the journal of inputs. Gives the digest of the former; `None` where
/// nothing can be written any more.
pub fn write(
    recorder: &mut Recorder<'_>,
    machine: &Machine,
    request: &Request,
    ending: &Ending,
    key: &[u8],
) -> Option<Digest> {
    if recorder.failure().is_some() {
        return None;
    }
    let redactor = recorder.redactor.clone();
    let hide = |name: &Name, value: &Json| {
        let mut seen = json!({ "value": value });
        redactor.redact_json(&mut seen);
        let hidden = request.plan.hides(name) || seen["value"] != *value;
        hidden.then(|| keyed_hash(key, name.as_str(), &value.to_string()))
    };
    let digest = match recorder.folder.effects(&machine.effects(ending, &hide)) {
        Ok(digest) => digest,
        Err(error) => {
            recorder.fail(&error);
            return None;
        }
    };
    if let Some(policy) = &request.keep_inputs {
        inputs(recorder, request, policy, &digest);
    }
    Some(digest)
}

/// Writes what the machine was told, and what comes of it when another one is told the same.
fn inputs(recorder: &mut Recorder<'_>, request: &Request, policy: &PolicySource, live: &Digest) {
    let redactor = recorder.redactor.clone();
    let mask = |text: &str| redactor.redact_text(text).into_owned();
    let lines = match input_lines(&request.plan, policy, &recorder.inputs(), &mask) {
        Ok(lines) => lines,
        Err(error) => return recorder.folder.gap(format!("the inputs of the run have no written form: {error}")),
    };
    let end = |text: &str| match Recording::parse(text).and_then(|recording| recording.digest()) {
        Ok(effects) => json!({"effects": effects, "live": live}),
        // What was masked may be what the walk needs.
        Err(error) => json!({"effects": null, "live": live, "why": error.to_string()}),
    };
    if let Err(error) = recorder.folder.inputs(&lines, end) {
        recorder.fail(&error);
    }
}
