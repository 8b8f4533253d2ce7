//! A capability as it is for one tenant.

use std::collections::{BTreeMap, BTreeSet};

use super::words::Words;
use super::{Delta, Insertion, Overlay};
use crate::suggest::did_you_mean;
use crate::{
    Action, Artifact, Candidate, CapabilityId, Checkpoint, Detector, Digest, DisplayFormat, Name, ReadFormat, Remedy,
    Step, StepId, Type,
};

/// Why an overlay cannot be put on a capability.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// It was made for another document.
    #[error("it was made for `{id}` with the digest {made_for}, and this is {found}")]
    Stale {
        /// Which capability.
        id: CapabilityId,
        /// What it was made for.
        made_for: Digest,
        /// What there is.
        found: Digest,
    },
    /// It names what the capability does not have.
    #[error("{place}: {message}")]
    Unknown {
        /// Where in the overlay, as a JSON pointer.
        place: String,
        /// In words.
        message: String,
    },
}

/// A capability as it is for one tenant, and what is to be said of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The whole.
    pub artifact: Artifact,
    /// Words and frames that stand nowhere in the capability, and forms of parameters that are its own already, as JSON
    /// pointers into the overlay.
    pub unused: Vec<String>,
}

/// Puts what differs for a tenant on a capability that was put together (see [`expand`](crate::expand)); `base` is the
/// digest of the capability as it is stored. A capability that the overlay does not name gets its variables only.
///
/// # Errors
/// It was made for another document, or names what is not there.
pub fn apply(overlay: &Overlay, artifact: &Artifact, base: &Digest) -> Result<Applied, ApplyError> {
    let mut whole = artifact.clone();
    for variable in &mut whole.variables {
        if let Some(value) = overlay.variables.get(&variable.name) {
            variable.default = Some(value.clone());
        }
    }
    let mut unused = Vec::new();
    let named = overlay.capabilities.iter().enumerate().filter(|(_, delta)| delta.base.id == artifact.id);
    for (number, delta) in named {
        if delta.base.digest != *base {
            let (id, made_for) = (delta.base.id.clone(), delta.base.digest.clone());
            return Err(ApplyError::Stale { id, made_for, found: base.clone() });
        }
        unused.extend(put(delta, &format!("/capabilities/{number}"), &mut whole)?);
    }
    Ok(Applied { artifact: whole, unused })
}

/// Where the ways of a step are others than in `stored`: for each of them, in their order, how far it lies down the stored
/// ladder; below all of it, where only the overlay has it. Both are put together (see [`expand`](crate::expand)).
#[must_use]
pub fn base_drift(stored: &Artifact, whole: &Artifact) -> BTreeMap<StepId, Vec<u32>> {
    let ladder = |step: &Step| step.action.target().map(|target| target.candidates.clone()).unwrap_or_default();
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let known: BTreeMap<&StepId, &Step> = stored.steps.iter().map(|step| (&step.id, step)).collect();
    let differing = whole.steps.iter().filter_map(|step| {
        let (own, now) = (known.get(&step.id).map(|step| ladder(step)).unwrap_or_default(), ladder(step));
        let same = |a: &Candidate, b: &Candidate| a.find == b.find && a.within == b.within;
        let depth = |way: &Candidate| place(own.iter().position(|other| same(way, other)).unwrap_or(own.len()));
        (own != now).then(|| (step.id.clone(), now.iter().map(depth).collect()))
    });
    differing.collect()
}

fn put(delta: &Delta, at: &str, whole: &mut Artifact) -> Result<Vec<String>, ApplyError> {
    let mut words = Words::new(&delta.relabel, &delta.frames);
    reword(whole, &mut words);
    let places = (0..delta.relabel.len())
        .map(|i| format!("{at}/relabel/{i}"))
        .chain((0..delta.frames.len()).map(|i| format!("{at}/frames/{i}")));
    let mut unused: Vec<String> =
        places.zip(&words.used).filter(|(_, used)| **used == 0).map(|(place, _)| place).collect();

    for (i, change) in delta.steps.iter().enumerate() {
        let place = format!("{at}/steps/{i}");
        let step = step_of(whole, &change.step, &place)?;
        if !change.prepend.is_empty() {
            let Some(target) = step.action.target_mut() else {
                return unknown(&place, format!("the step `{}` has no target", change.step));
            };
            target.candidates.splice(0..0, change.prepend.iter().cloned());
        }
        if let Some(format) = &change.format {
            let Some(own) = format_of(&mut step.action) else {
                return unknown(&place, format!("the step `{}` types nothing", change.step));
            };
            *own = Some(format.clone());
        }
    }
    for (i, change) in delta.parameters.iter().enumerate() {
        let place = format!("{at}/parameters/{i}");
        let Some(own) = whole.parameters.iter().position(|own| own.name == change.parameter) else {
            let near = did_you_mean(change.parameter.as_str(), whole.parameters.iter().map(|own| own.name.as_str()));
            return unknown(
                &format!("{place}/parameter"),
                format!("there is no parameter `{}`{near}", change.parameter),
            );
        };
        let own = &mut whole.parameters[own].format;
        if own.as_ref() == Some(&change.format) {
            unused.push(place);
        }
        *own = Some(change.format.clone());
    }
    for (i, change) in delta.outputs.iter().enumerate() {
        let place = format!("{at}/outputs/{i}");
        *read_format(whole, &change.output, change.column.as_ref(), &place)? = change.format.clone();
    }
    for (i, insertion) in delta.insert.iter().enumerate() {
        insert(whole, insertion, &format!("{at}/insert/{i}"))?;
    }
    let codes: BTreeSet<Name> = whole.outcomes.iter().map(|outcome| outcome.code.clone()).collect();
    if let Some(twice) = delta.outcomes.iter().find(|outcome| codes.contains(&outcome.code)) {
        let message = format!("the capability has the answer `{}` already; it cannot be redefined", twice.code);
        return unknown(&format!("{at}/outcomes"), message);
    }
    whole.outcomes.extend(delta.outcomes.iter().cloned());
    let names: BTreeSet<Name> = whole.recoveries.iter().map(|recovery| recovery.id.clone()).collect();
    if let Some(twice) = delta.recoveries.iter().find(|recovery| names.contains(&recovery.id)) {
        let message = format!("the capability has the remedy `{}` already; it cannot be redefined", twice.id);
        return unknown(&format!("{at}/recoveries"), message);
    }
    whole.recoveries.extend(delta.recoveries.iter().cloned());
    Ok(unused)
}

/// Every word in its place.
fn reword(whole: &mut Artifact, words: &mut Words<'_>) {
    if let Some(screen_id) = &mut whole.application.screen_id {
        words.place(&mut screen_id.place);
    }
    for step in &mut whole.steps {
        reword_action(&mut step.action, words);
        for checkpoint in step.precondition.iter_mut().chain(step.checkpoint.as_mut()) {
            reword_proof(checkpoint, words);
        }
        if let Some(reconcile) = &mut step.reconcile {
            words.condition(&mut reconcile.landed);
            if let Some(not_landed) = &mut reconcile.not_landed {
                words.condition(not_landed);
            }
        }
    }
    reword_proof(&mut whole.checkpoint, words);
    for outcome in &mut whole.outcomes {
        if let Detector::Condition(condition) = &mut outcome.detector {
            words.condition(condition);
        }
        if let Some(absent) = outcome.guard.as_mut().and_then(|guard| guard.absent.as_mut()) {
            words.condition(absent);
        }
    }
    for recovery in &mut whole.recoveries {
        words.condition(&mut recovery.when);
        match &mut recovery.remedy {
            Remedy::Act { action, checkpoint } => {
                reword_action(action, words);
                reword_proof(checkpoint, words);
            }
            Remedy::Wait { until, .. } => words.condition(until),
            Remedy::Run { .. } | Remedy::Answer { .. } => {}
        }
    }
}

fn reword_proof(checkpoint: &mut Checkpoint, words: &mut Words<'_>) {
    words.condition(&mut checkpoint.condition);
}

fn reword_action(action: &mut Action, words: &mut Words<'_>) {
    if let Some(target) = action.target_mut() {
        words.frame(&mut target.frame);
        let looks = target.fingerprint.clone().map(|mut fingerprint| {
            words.fingerprint(&mut fingerprint);
            fingerprint
        });
        let others: Vec<_> = target
            .candidates
            .iter()
            .filter_map(|candidate| words.candidate(candidate))
            .map(|mut other| {
                "the words that are published here".clone_into(&mut other.why);
                other.fingerprint.clone_from(&looks);
                other
            })
            .collect();
        target.candidates.splice(0..0, others);
    }
    match action {
        // A table is read by one set of headers: there is no second way.
        Action::ReadTable { columns, except, .. } => {
            for column in columns {
                words.header(&mut column.header);
            }
            words.keys(except);
        }
        Action::WaitFor { condition } | Action::ScrollToLoad { until: condition, .. } => words.condition(condition),
        _ => {}
    }
}

fn insert(whole: &mut Artifact, insertion: &Insertion, place: &str) -> Result<(), ApplyError> {
    let Some(after) = whole.steps.iter().position(|step| step.id == insertion.after) else {
        return no_step(whole, &insertion.after, &format!("{place}/after"));
    };
    if let Some(twice) = insertion.steps.iter().find(|new| whole.steps.iter().any(|step| step.id == new.id)) {
        return unknown(place, format!("the capability has a step `{}` already", twice.id));
    }
    whole.steps.splice(after + 1..after + 1, insertion.steps.iter().cloned());
    Ok(())
}

fn step_of<'a>(whole: &'a mut Artifact, id: &StepId, place: &str) -> Result<&'a mut Step, ApplyError> {
    match whole.steps.iter().position(|step| step.id == *id) {
        Some(at) => Ok(&mut whole.steps[at]),
        None => no_step(whole, id, &format!("{place}/step")),
    }
}

fn no_step<T>(whole: &Artifact, id: &StepId, place: &str) -> Result<T, ApplyError> {
    let near = did_you_mean(id.as_str(), whole.steps.iter().map(|step| step.id.as_str()));
    unknown(place, format!("there is no step `{id}`{near}"))
}

fn unknown<T>(place: &str, message: String) -> Result<T, ApplyError> {
    Err(ApplyError::Unknown { place: place.to_owned(), message })
}

fn format_of(action: &mut Action) -> Option<&mut Option<DisplayFormat>> {
    match action {
        Action::Type { format, .. } => Some(format),
        _ => None,
    }
}

fn read_format<'a>(
    whole: &'a mut Artifact,
    output: &Name,
    column: Option<&Name>,
    place: &str,
) -> Result<&'a mut ReadFormat, ApplyError> {
    let Some(at) = whole.outputs.iter().position(|own| own.name == *output) else {
        let near = did_you_mean(output.as_str(), whole.outputs.iter().map(|own| own.name.as_str()));
        return unknown(&format!("{place}/output"), format!("there is no output `{output}`{near}"));
    };
    let own = &mut whole.outputs[at];
    let Some(column) = column else { return Ok(&mut own.format) };
    let found = match &mut own.kind {
        Type::Table { columns, .. } => columns.iter_mut().find(|one| one.name == *column),
        _ => None,
    };
    match found {
        Some(found) => Ok(&mut found.format),
        None => unknown(&format!("{place}/column"), format!("`{output}` has no column `{column}`")),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a document that cannot be read is a broken test")]

    use serde_json::{Value, json};

    use super::*;
    use crate::{Relabel, load};

    const OVERVIEW: &[u8] = include_bytes!("../../../../artifacts/parabank.read_accounts_overview.v1.json");

    const TRANSFER: &[u8] = include_bytes!("../../../../artifacts/parabank.transfer_funds.v1.json");

    /// The overview with this delta on it, as JSON, or why it cannot be put on.
    fn check(delta: Value) -> Result<(Value, Vec<String>), String> {
        let base = load(OVERVIEW).unwrap();
        let digest = base.digest().unwrap();
        let mut delta = delta;
        if delta["base"].is_null() {
            delta["base"] = json!({ "id": base.id.as_str(), "digest": digest.to_string() });
        }
        let overlay: Overlay = serde_json::from_value(json!({
            "schema": "waymark.overlay/1", "tenant": "harbor", "variables": { "base_url": "http://harbor" },
            "capabilities": [delta] }))
        .map_err(|error| error.to_string())?;
        let applied = apply(&overlay, &base, &digest).map_err(|error| error.to_string())?;
        let wrong: Vec<_> =
            crate::validate(&applied.artifact).into_iter().filter(|f| f.severity == crate::Severity::Error).collect();
        assert_eq!(wrong, []);
        let told = serde_json::to_value(&applied.artifact).unwrap();
        assert_ne!(applied.artifact.digest().unwrap(), digest, "the digest of the whole covers the overlay");
        Ok((told, applied.unused))
    }

    fn base() -> Value {
        serde_json::from_slice(OVERVIEW).unwrap()
    }

    /// The number of the step that presses the button.
    fn press(document: &Value) -> usize {
        document["steps"].as_array().unwrap().iter().position(|step| step["id"] == "press_log_in").unwrap()
    }

    #[test]
    fn a_relabelled_button_is_looked_for_by_its_new_name_first_and_by_its_old_one_then() {
        let (whole, unused) = check(json!({ "relabel": [{ "from": "Log In", "to": "Sign On" }] })).unwrap();
        assert_eq!(unused, [""; 0]);
        let at = press(&whole);
        let (target, old) = (&whole["steps"][at]["action"]["target"], &base()["steps"][at]["action"]["target"]);
        let (new, kept) = (target["candidates"].as_array().unwrap(), old["candidates"].as_array().unwrap());
        assert_eq!(new[new.len() - kept.len()..], kept[..], "its own rungs stay as they are");
        assert_eq!(target["fingerprint"], old["fingerprint"], "and so does what it looked like");
        assert_eq!(new[0]["find"]["name"], "Sign On");
        assert_eq!(new[0]["fingerprint"]["name"], "Sign On");
        assert_eq!(whole["variables"][0]["default"], "http://harbor");
    }

    #[test]
    fn a_check_takes_either_word_for_what_is_there_and_neither_for_what_is_not() {
        let leaf = |kind: &str, word: &str| json!({ "kind": kind, "match": { "text": word } });
        let said = [Relabel { from: "Accounts  Overview".into(), to: "Deposits".into() }];
        for (kind, whole) in [("text_present", "any"), ("text_absent", "all")] {
            let mut condition = serde_json::from_value(leaf(kind, "Accounts Overview")).unwrap();
            Words::new(&said, &[]).condition(&mut condition);
            let both = json!({ "kind": whole, "of": [leaf(kind, "Deposits"), leaf(kind, "Accounts Overview")] });
            assert_eq!(serde_json::to_value(&condition).unwrap(), both);
            let mut other = serde_json::from_value(leaf(kind, "Accounts Overview of 2026")).unwrap();
            Words::new(&said, &[]).condition(&mut other);
            assert_eq!(serde_json::to_value(&other).unwrap(), leaf(kind, "Accounts Overview of 2026"));
        }
    }

    #[test]
    fn a_prepended_way_is_tried_before_those_that_there_are() {
        let way = json!({ "find": { "rung": "label", "role": "textbox", "label": "Operator" }, "why": "it is called so here" });
        let (whole, _) = check(json!({ "steps": [{ "step": "press_log_in", "prepend": [way] }] })).unwrap();
        let at = press(&whole);
        assert_eq!(whole["steps"][at]["action"]["target"]["candidates"][0], way);
    }

    #[test]
    fn steps_are_inserted_after_the_one_that_is_named() {
        let step = json!({ "id": "wait_more", "action": { "kind": "wait_for",
            "condition": { "kind": "text_present", "match": { "text": "Ready" } } } });
        let (whole, _) = check(json!({ "insert": [{ "after": "press_log_in", "steps": [step] }] })).unwrap();
        assert_eq!(whole["steps"][press(&whole) + 1]["id"], "wait_more");
    }

    #[test]
    fn formats_of_outputs_are_those_of_the_tenant() {
        let delta =
            json!({ "outputs": [{ "output": "accounts", "column": "balance", "format": { "locale": "de-DE" } }] });
        let (whole, _) = check(delta).unwrap();
        let columns = whole["outputs"][0]["type"]["table"]["columns"].as_array().unwrap();
        let balance = columns.iter().find(|column| column["name"] == "balance").unwrap();
        assert_eq!(balance["format"], json!({ "locale": "de-DE" }));
    }

    #[test]
    fn a_parameter_is_written_as_the_tenant_writes_it() {
        let mut base = load(TRANSFER).unwrap();
        let amount = base.parameters.iter().position(|own| own.name.as_str() == "amount").unwrap();
        base.parameters[amount].kind = Type::Money { currency: Some("USD".into()) };
        (base.parameters[amount].pattern, base.parameters[amount].max_length) = (None, None);
        let form = json!({ "locale": "de-DE", "decimals": 2, "grouping": true });
        let run = |base: &Artifact, parameter: &str| {
            let digest = base.digest().unwrap();
            let delta = json!({ "base": { "id": base.id.as_str(), "digest": digest.to_string() },
                "parameters": [{ "parameter": parameter, "format": form }] });
            let overlay = json!({ "schema": "waymark.overlay/1", "tenant": "harbor", "capabilities": [delta] });
            apply(&serde_json::from_value(overlay).unwrap(), base, &digest).map_err(|error| error.to_string())
        };
        let Applied { artifact, unused } = run(&base, "amount").unwrap();
        assert_eq!(
            (serde_json::to_value(&artifact.parameters[amount].format).unwrap(), unused),
            (form.clone(), vec![])
        );
        let wrong: Vec<_> =
            crate::validate(&artifact).into_iter().filter(|f| f.severity == crate::Severity::Error).collect();
        assert_eq!(wrong, []);
        assert_eq!(run(&artifact, "amount").unwrap().unused, ["/capabilities/0/parameters/0"], "it is its own already");
        assert_eq!(
            run(&base, "amuont").unwrap_err(),
            "/capabilities/0/parameters/0/parameter: there is no parameter `amuont`; did you mean `amount`?"
        );
        let text = run(&base, "from_account").unwrap().artifact;
        assert!(
            crate::validate(&text).iter().any(|f| f.code == "constraint_unfit"),
            "a text is written in one way only"
        );
    }

    #[test]
    fn words_that_stand_nowhere_are_told() {
        let delta = json!({ "relabel": [{ "from": "Log In", "to": "Sign On" }, { "from": "Log Out", "to": "Leave" }],
            "frames": [{ "from": "main", "to": "work" }] });
        assert_eq!(check(delta).unwrap().1, ["/capabilities/0/relabel/1", "/capabilities/0/frames/0"]);
    }

    #[test]
    fn what_does_not_fit_the_capability_is_refused_with_its_place() {
        let told = |delta: Value| check(delta).unwrap_err();
        let stale = json!({ "base": { "id": "parabank.read_accounts_overview", "digest": format!("sha256:{}", "0".repeat(64)) } });
        assert!(
            told(stale).starts_with("it was made for `parabank.read_accounts_overview` with the digest sha256:000")
        );
        assert_eq!(
            told(json!({ "steps": [{ "step": "press_login" }] })),
            "/capabilities/0/steps/0/step: there is no step `press_login`; did you mean `press_log_in`?"
        );
        assert_eq!(
            told(json!({ "outputs": [{ "output": "accounts", "column": "owner", "format": {} }] })),
            "/capabilities/0/outputs/0/column: `accounts` has no column `owner`"
        );
        assert_eq!(
            told(json!({ "insert": [{ "after": "press_log_in", "steps": [{ "id": "press_log_in",
                "action": { "kind": "wait_for", "condition": { "kind": "dialog_closed" } } }] }] })),
            "/capabilities/0/insert/0: the capability has a step `press_log_in` already"
        );
        assert!(told(json!({ "checkpoint": {} })).contains("unknown field `checkpoint`"));
    }
}
