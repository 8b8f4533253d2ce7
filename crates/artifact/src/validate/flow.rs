//! Answers and remedies.

use super::Findings;
use super::codes::*;
use super::logic::{follows_from, is_vacuous, position, positive_leaves, steps_of};
use super::steps::answer;
use crate::{
    Action, Artifact, Condition, Detector, Guard, Outcome, Recovery, Relation, Remedy, ResolutionResult, Risk, Rung,
    Step, Target, Then,
};

pub(super) fn check(artifact: &Artifact, findings: &mut Findings) {
    for (i, outcome) in artifact.outcomes.iter().enumerate() {
        let at = format!("/outcomes/{i}");
        if let Detector::Condition(condition) = &outcome.detector {
            vacuous(&format!("{at}/detector/condition"), condition, findings);
            overlap(artifact, outcome, &format!("{at}/detector/condition"), condition, findings);
        }
        same_detector(artifact, i, findings);
        guard(&at, outcome, findings);
        resolution(artifact, &at, outcome, findings);
    }
    for (i, recovery) in artifact.recoveries.iter().enumerate() {
        let at = format!("/recoveries/{i}");
        vacuous(&format!("{at}/when"), &recovery.when, findings);
        if let Some(name) = checkpoint_that_shows(artifact, &recovery.when, |_| true, true) {
            let message = format!("`{}` is seen wherever the checkpoint of {name} holds", recovery.id);
            findings.add(RECOVERY_OVERLAPS_CHECKPOINT, format!("{at}/when"), message);
        }
        remedy(artifact, &at, recovery, findings);
        if recovery.then == Then::RewalkFromSafePoint && !artifact.steps.iter().any(|s| s.safe_point) {
            findings.add(REWALK_WITHOUT_SAFE_POINT, format!("{at}/then"), "no step is a safe point");
        }
    }
}

fn vacuous(pointer: &str, condition: &Condition, findings: &mut Findings) {
    if is_vacuous(condition) {
        findings.add(DETECTOR_VACUOUS, pointer, "this holds on any screen");
    }
}

/// What has a checkpoint that cannot hold without the condition holding too.
fn checkpoint_that_shows(
    artifact: &Artifact,
    condition: &Condition,
    counts: impl Fn(&Step) -> bool,
    run: bool,
) -> Option<String> {
    let shows = |checkpoint: &Condition| follows_from(condition, &positive_leaves(checkpoint));
    let step = artifact
        .steps
        .iter()
        .filter(|s| counts(s))
        .find(|s| s.checkpoint.as_ref().is_some_and(|c| shows(&c.condition)))
        .map(|s| format!("step `{}`", s.id));
    step.or_else(|| (run && shows(&artifact.checkpoint.condition)).then(|| "the run".to_owned()))
}

fn overlap(artifact: &Artifact, outcome: &Outcome, at: &str, condition: &Condition, findings: &mut Findings) {
    let counts = |step: &Step| outcome.after.is_empty() || outcome.after.contains(&step.id);
    let run = artifact.steps.last().is_none_or(&counts);
    if let Some(name) = checkpoint_that_shows(artifact, condition, counts, run) {
        let message = format!("`{}` is seen wherever the checkpoint of {name} holds", outcome.code);
        findings.add(OUTCOME_OVERLAPS_CHECKPOINT, at, message);
    }
}

fn same_detector(artifact: &Artifact, i: usize, findings: &mut Findings) {
    let outcome = &artifact.outcomes[i];
    let meets = |other: &&Outcome| {
        other.detector == outcome.detector
            && (other.after.is_empty()
                || outcome.after.is_empty()
                || other.after.iter().any(|s| outcome.after.contains(s)))
    };
    if let Some(other) = artifact.outcomes[..i].iter().find(meets) {
        let message = format!("`{}` and `{}` are recognised by the same thing", other.code, outcome.code);
        findings.add(OUTCOME_SAME_DETECTOR, format!("/outcomes/{i}/detector"), message);
    }
}

fn guard(at: &str, outcome: &Outcome, findings: &mut Findings) {
    let empty = outcome.guard.as_ref().is_some_and(|g| *g == Guard::default());
    if empty {
        findings.add(GUARD_EMPTY, format!("{at}/guard"), "the guard asks for nothing");
    }
    if is_negative(&outcome.detector) && outcome.guard.is_none() {
        let message = format!("`{}` says that something is not there, and nothing guards it", outcome.code);
        findings.add(NEGATIVE_OUTCOME_UNGUARDED, at, message);
    }
}

/// Whether an answer says that something is not there: by form, or by a text that begins with "No …" or says "not found".
fn is_negative(detector: &Detector) -> bool {
    match detector {
        Detector::Resolution { result, .. } => {
            matches!(result, ResolutionResult::RowAbsent | ResolutionResult::OptionAbsent)
        }
        Detector::Condition(condition) => {
            condition.has_negative()
                || positive_leaves(condition).into_iter().any(|leaf| match leaf {
                    Condition::TextPresent { text, .. } => {
                        let text = text.text.to_string().to_lowercase();
                        text.starts_with("no ") || text.contains("not found")
                    }
                    _ => false,
                })
        }
    }
}

fn resolution(artifact: &Artifact, at: &str, outcome: &Outcome, findings: &mut Findings) {
    let Detector::Resolution { step, result } = &outcome.detector else { return };
    let Some(step) = position(artifact, step).and_then(|i| artifact.steps.get(i)) else { return };
    let (fits, needs) = match result {
        ResolutionResult::RowAbsent => (step.action.target().is_some_and(has_row), "a row key in its ladder"),
        ResolutionResult::OptionAbsent => (matches!(step.action, Action::Choose { .. }), "a choice"),
        ResolutionResult::TargetAmbiguous => (step.action.target().is_some(), "a target"),
    };
    if !fits {
        let message = format!("the step `{}` does not have {needs}", step.id);
        findings.add(RESOLUTION_UNFIT, format!("{at}/detector/resolution"), message);
    }
}

fn has_row(target: &Target) -> bool {
    let row = |relation: &Relation| matches!(relation, Relation::Row { .. } | Relation::Cell { .. });
    target.candidates.iter().any(|candidate| {
        candidate.within.iter().any(row) || matches!(&candidate.find, Rung::Anchor { relation, .. } if row(relation))
    })
}

/// Whether a condition says of a dialog that it is open.
fn names_a_dialog(condition: &Condition) -> bool {
    match condition {
        Condition::DialogOpened { .. } => true,
        Condition::All { of } => of.iter().any(names_a_dialog),
        _ => false,
    }
}

fn remedy(artifact: &Artifact, at: &str, recovery: &Recovery, findings: &mut Findings) {
    match &recovery.remedy {
        Remedy::Answer { dialog } => {
            let place = format!("{at}/remedy/answer/dialog");
            if !names_a_dialog(&recovery.when) {
                let message = format!("`{}` answers a dialog and does not say that one is open", recovery.id);
                findings.add(REMEDY_UNFIT, format!("{at}/when"), message);
            }
            if dialog.risk != Risk::Safe {
                let message = format!("`{}` gives a {} answer", recovery.id, dialog.risk.as_str());
                findings.add(RECOVERY_RISKY, format!("{place}/risk"), message);
            }
            if recovery.then != Then::Continue {
                let message = "after the answer to a dialog the walk goes on where it is";
                findings.add(REMEDY_UNFIT, format!("{at}/then"), message);
            }
            answer(&place, dialog, findings);
        }
        Remedy::Act { action, .. } => {
            if matches!(action, Action::Read { .. } | Action::ReadTable { .. }) {
                let message = "a remedy does not read outputs";
                findings.add(REMEDY_UNFIT, format!("{at}/remedy/act/action"), message);
            }
        }
        Remedy::Wait { until, .. } => vacuous(&format!("{at}/remedy/wait/until"), until, findings),
        Remedy::Run { subflow: id } => {
            let Some(subflow) = artifact.subflows.iter().find(|s| s.id == *id) else { return };
            for step in steps_of(artifact, subflow).unwrap_or_default().iter().filter(|s| s.harm() != Risk::Safe) {
                let message = format!("`{id}` runs the {} step `{}`", step.harm().as_str(), step.id);
                findings.add(RECOVERY_RISKY, format!("{at}/remedy/run/subflow"), message);
            }
        }
    }
}
