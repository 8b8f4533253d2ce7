//! Steps: proofs, risk, windows, dialogs, keys, addresses.

use super::Findings;
use super::codes::*;
use super::logic::{has_positive, is_vacuous, position, steps_of};
use super::sites::{Owner, Part, Sites, Use};
use crate::suggest::shown;
use crate::{
    Action, Artifact, Checkpoint, Condition, DialogAnswer, DialogKindName, DialogOpens, Piece, Remedy, Risk, Step,
    SubflowBody, Template,
};

pub(super) fn check(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    if artifact.steps.is_empty() {
        findings.add(NO_STEPS, "/steps", "the document has no steps");
    }
    for (i, step) in artifact.steps.iter().enumerate() {
        let at = format!("/steps/{i}");
        checkpoint(&at, step, findings);
        risk(&at, step, findings);
        reconcile(artifact, &at, step, findings);
        opens(&at, step, findings);
        run(artifact, &at, step, findings);
    }
    proof("/checkpoint", &artifact.checkpoint, findings);
    for (i, recovery) in artifact.recoveries.iter().enumerate() {
        if let Remedy::Act { checkpoint, .. } = &recovery.remedy {
            proof(&format!("/recoveries/{i}/remedy/act/checkpoint"), checkpoint, findings);
        }
    }
    windows(artifact, sites, findings);
    keys(sites, findings);
    locations(sites, findings);
    subflow_order(artifact, findings);
}

fn checkpoint(at: &str, step: &Step, findings: &mut Findings) {
    match &step.checkpoint {
        None if step.action.changes_state() && !step.action.reads_back() => {
            let message = format!("the step `{}` changes something and has no checkpoint", step.id);
            findings.add(CHECKPOINT_MISSING, at, message);
        }
        None => {}
        Some(checkpoint) => proof(&format!("{at}/checkpoint"), checkpoint, findings),
    }
    if let Some(precondition) = &step.precondition {
        vacuous(&format!("{at}/precondition/condition"), &precondition.condition, findings);
    }
    match &step.action {
        Action::WaitFor { condition } => vacuous(&format!("{at}/action/condition"), condition, findings),
        Action::ScrollToLoad { until, .. } => vacuous(&format!("{at}/action/until"), until, findings),
        _ => {}
    }
}

fn vacuous(pointer: &str, condition: &Condition, findings: &mut Findings) {
    if is_vacuous(condition) {
        findings.add(CHECKPOINT_VACUOUS, pointer, "this holds on any screen");
    }
}

fn proof(at: &str, checkpoint: &Checkpoint, findings: &mut Findings) {
    let pointer = format!("{at}/condition");
    vacuous(&pointer, &checkpoint.condition, findings);
    if checkpoint.condition.has_negative() && !has_positive(&checkpoint.condition) {
        findings.add(CHECKPOINT_NEGATIVE_ONLY, pointer, "this only says what is not there");
    }
}

fn risk(at: &str, step: &Step, findings: &mut Findings) {
    if step.harm() == Risk::Safe {
        return;
    }
    let word = step.harm().as_str();
    let read_back = step.checkpoint.as_ref().is_some_and(|c| c.read_back);
    if !read_back && step.reconcile.is_none() {
        let message = format!("the {word} step `{}` has no proof of its effect", step.id);
        findings.add(RISKY_WITHOUT_PROOF, at, message);
    }
    let known = match &step.action {
        Action::PressKey { target: None, .. } => false,
        other => other.target().is_none_or(|t| t.fingerprint.is_some()),
    };
    if !known {
        let message = format!("the {word} step `{}` does not say what its target looks like", step.id);
        findings.add(RISKY_WITHOUT_FINGERPRINT, format!("{at}/action"), message);
    }
}

fn reconcile(artifact: &Artifact, at: &str, step: &Step, findings: &mut Findings) {
    let Some(reconcile) = &step.reconcile else { return };
    let at = format!("{at}/reconcile");
    vacuous(&format!("{at}/landed"), &reconcile.landed, findings);
    if let Some(not_landed) = &reconcile.not_landed {
        vacuous(&format!("{at}/not_landed"), not_landed, findings);
        if *not_landed == reconcile.landed {
            let message = "the effect landed and did not land on the same sight";
            findings.add(RECONCILE_CONTRADICTION, format!("{at}/not_landed"), message);
        }
    }
    let Some(subflow) = artifact.subflows.iter().find(|s| s.id == reconcile.subflow) else { return };
    if let SubflowBody::Capability { id, .. } = &subflow.body {
        let message = format!("the steps of `{id}` are not seen here");
        findings.add(RECONCILE_UNSEEN, format!("{at}/subflow"), message);
    }
    for risky in steps_of(artifact, subflow).unwrap_or_default().iter().filter(|s| s.harm() != Risk::Safe) {
        let message = format!("`{}` runs the {} step `{}`", subflow.id, risky.harm().as_str(), risky.id);
        findings.add(RECONCILE_UNSAFE, format!("{at}/subflow"), message);
    }
}

/// A step that runs another capability is replaced by the steps of that.
fn run(artifact: &Artifact, at: &str, step: &Step, findings: &mut Findings) {
    let Action::Run { subflow: id } = &step.action else { return };
    let Some(subflow) = artifact.subflows.iter().find(|s| s.id == *id) else { return };
    if matches!(subflow.body, SubflowBody::Steps { .. }) {
        let message = format!("`{id}` is made of steps of this document, which are done where they stand");
        findings.add(RUN_UNFIT, format!("{at}/action/subflow"), message);
    }
    if artifact.steps.iter().filter(|other| other.action == step.action).count() > 1 {
        findings.add(RUN_UNFIT, format!("{at}/action/subflow"), format!("`{id}` is run by more than one step"));
    }
    let more = [
        ("risk", step.risk != Risk::Safe),
        ("only_if", step.only_if.is_some()),
        ("reconcile", step.reconcile.is_some()),
        ("safe_point", step.safe_point),
    ];
    for (field, _) in more.into_iter().filter(|(_, given)| *given) {
        let message = format!("`{field}` is said of the steps of `{id}`, not of the step that runs it");
        findings.add(RUN_UNFIT, format!("{at}/{field}"), message);
    }
}

fn opens(at: &str, step: &Step, findings: &mut Findings) {
    if !step.opens.is_empty() && !step.action.changes_state() {
        let message = format!("{} only looks and opens nothing", step.action.kind());
        findings.add(OPENS_UNFIT, format!("{at}/opens"), message);
    }
    for (i, dialog) in step.opens.dialogs.iter().enumerate() {
        let at = format!("{at}/opens/dialogs/{i}");
        if dialog.answer != DialogAnswer::Dismiss && dialog.risk < step.risk {
            let message = format!("a {} step accepts this dialog as {}", step.risk.as_str(), dialog.risk.as_str());
            findings.add(DIALOG_RISK_LOWER, &at, message);
        }
        answer(&at, dialog, findings);
    }
}

/// Whether the answer is one that the dialog takes.
pub(super) fn answer(at: &str, dialog: &DialogOpens, findings: &mut Findings) {
    match (dialog.kind, &dialog.answer) {
        (DialogKindName::Prompt, DialogAnswer::Accept) => {
            findings.add(PROMPT_WITHOUT_TEXT, format!("{at}/answer"), "the prompt is accepted without a text");
        }
        (DialogKindName::Alert | DialogKindName::Confirm | DialogKindName::Leave, DialogAnswer::Text(_)) => {
            findings.add(DIALOG_ANSWER_UNFIT, format!("{at}/answer"), "this dialog asks for no text");
        }
        _ => {}
    }
}

fn windows(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    let opened: Vec<(usize, &Template)> =
        artifact.steps.iter().enumerate().filter_map(|(i, s)| Some((i, &s.opens.window.as_ref()?.name))).collect();
    for (site, r#use) in &sites.templates {
        if *r#use != Use::Window || site.it.is_empty() {
            continue;
        }
        let known = opened.iter().any(|(i, name)| {
            let in_time = match (site.owner, site.part) {
                (Owner::Step(at), Part::Action | Part::Before) => *i < at,
                (Owner::Step(at), _) => *i <= at,
                _ => true,
            };
            in_time && *name == site.it
        });
        if !known {
            let message = format!("no earlier step opens the window `{}`", shown(&site.it.to_string()));
            findings.add(WINDOW_UNKNOWN, &site.pointer, message);
        }
    }
}

fn keys(sites: &Sites<'_>, findings: &mut Findings) {
    for site in &sites.actions {
        if let Action::PressKey { key, .. } = site.it
            && !is_key(&key.0)
        {
            let message = format!("`{}` is no key", shown(&key.0));
            findings.add(KEY_UNKNOWN, format!("{}/key", site.pointer), message);
        }
    }
}

/// Modifiers, joined by `+`, and a key: one visible character or a name.
fn is_key(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "Enter",
        "Tab",
        "Escape",
        "Space",
        "Backspace",
        "Delete",
        "Insert",
        "Home",
        "End",
        "PageUp",
        "PageDown",
        "ArrowUp",
        "ArrowDown",
        "ArrowLeft",
        "ArrowRight",
        "F1",
        "F2",
        "F3",
        "F4",
        "F5",
        "F6",
        "F7",
        "F8",
        "F9",
        "F10",
        "F11",
        "F12",
    ];
    // The plus sign is a key of its own, also behind modifiers.
    let (modifiers, key) = match name.strip_suffix('+') {
        Some("") => (None, "+"),
        Some(rest) => (rest.strip_suffix('+'), if rest.ends_with('+') { "+" } else { "" }),
        None => name.rsplit_once('+').map_or((None, name), |(modifiers, key)| (Some(modifiers), key)),
    };
    let mut chars = key.chars();
    let one = matches!((chars.next(), chars.next()), (Some(c), None) if !c.is_whitespace() && !c.is_control());
    let known = |m: &str| matches!(m, "Control" | "Alt" | "Shift" | "Meta");
    (one || NAMES.contains(&key)) && modifiers.is_none_or(|all| all.split('+').all(known))
}

fn locations(sites: &Sites<'_>, findings: &mut Findings) {
    for (site, _) in sites.templates.iter().filter(|(_, r#use)| *r#use == Use::Location) {
        let absolute = match site.it.pieces().first() {
            Some(Piece::Variable(_)) | None => true,
            Some(Piece::Text(text)) => has_scheme(text),
            Some(Piece::Parameter(_)) => false,
        };
        if !absolute {
            findings.add(LOCATION_RELATIVE, &site.pointer, "the address does not say where it begins");
        }
    }
}

fn has_scheme(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    })
}

fn subflow_order(artifact: &Artifact, findings: &mut Findings) {
    for (i, subflow) in artifact.subflows.iter().enumerate() {
        if let SubflowBody::Steps { from, to } = &subflow.body
            && let (Some(first), Some(last)) = (position(artifact, from), position(artifact, to))
            && first > last
        {
            let message = format!("`{from}` comes after `{to}`");
            findings.add(SUBFLOW_ORDER, format!("/subflows/{i}/body/steps"), message);
        }
    }
}
