//! What may happen besides the steps, and the bounds.

use super::condition::{checkpoint, condition};
use super::step::{action, dialog};
use super::value::source;
use super::words::{duration, listed, own_words, quoted, times};
use super::{Lines, Section};
use crate::{
    Artifact, Detector, Guard, Outcome, Recovery, Remedy, ResolutionResult, StepId, SubflowBody, Then, Trigger,
};

pub(super) fn outcomes(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    if artifact.outcomes.is_empty() {
        lines.say(0, "None is declared; a screen that is not expected stops the run.");
    }
    artifact.outcomes.iter().for_each(|outcome| answer(&mut lines, outcome));
    lines.under("Answers the application may give instead")
}

pub(super) fn recoveries(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    if artifact.recoveries.is_empty() {
        lines.say(0, "None is declared.");
    }
    artifact.recoveries.iter().for_each(|recovery| remedy(&mut lines, recovery));
    lines.under("Nuisances it deals with by itself")
}

/// Steps that are walked under a name.
pub(super) fn ways(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    if artifact.subflows.is_empty() {
        lines.say(0, "None.");
    }
    for way in &artifact.subflows {
        let body = match &way.body {
            SubflowBody::Steps { from, to } => format!("the steps from {from} to {to}"),
            SubflowBody::Capability { id, digest, .. } => {
                format!("the capability {id} with exactly the digest {}", quoted(&digest.0))
            }
        };
        lines.say(0, format!("- {}: {body}", way.id));
        if !way.description.is_empty() {
            lines.say(1, own_words(&way.description));
        }
        if let SubflowBody::Capability { parameters, .. } = &way.body {
            for (name, value) in parameters {
                lines.say(1, format!("- it is given as {name}: {}", source(value)));
            }
        }
    }
    lines.under("Ways that are walked again under a name")
}

pub(super) fn bounds(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    let limits = &artifact.limits;
    lines.say(
        0,
        format!(
            "A step may take {}, the run {}; the time of people counts in neither, that of remedies not for a step.",
            duration(limits.step_deadline_ms),
            duration(limits.run_deadline_ms)
        ),
    );
    lines.say(
        0,
        format!(
            "A safe step is repeated at most {}, all steps of a run together {}; remedies are used {} in a run.",
            times(limits.retries_per_step),
            times(limits.retries_per_run),
            times(limits.recoveries_per_run)
        ),
    );
    for (code, trigger) in &artifact.escalation.triggers {
        let what = match trigger {
            Trigger::Escalate => "a person is asked",
            Trigger::Fail => "the run fails",
        };
        lines.say(0, format!("On {code}, whatever is common, {what}."));
    }
    lines.under("Bounds, and when a person is asked")
}

fn answer(lines: &mut Lines, outcome: &Outcome) {
    let ends = match outcome.failure {
        true => "the application failed; the run fails as app_error",
        false => "an answer, no failure; the run ends with exit code 2",
    };
    lines.say(0, format!("- {}: {ends}", outcome.code));
    lines.say(1, own_words(&outcome.description));
    match &outcome.detector {
        Detector::Condition(when) => condition(lines, 1, "Recognised when ", when),
        Detector::Resolution { step, result } => {
            let result = match result {
                ResolutionResult::RowAbsent => "its table is there and complete, and has no such row",
                ResolutionResult::OptionAbsent => "its control is there and offers no such option",
                ResolutionResult::TargetAmbiguous => "more than one thing fits",
            };
            lines.say(1, format!("Recognised when, looking for the target of {step}, {result}."));
        }
    }
    if outcome.after.is_empty() {
        lines.say(1, "It may come after any step.");
    } else {
        let after: Vec<&StepId> = outcome.after.iter().collect();
        lines.say(1, format!("It may come after {} only.", listed(&after, "and")));
    }
    if let Some(guard) = &outcome.guard {
        believed(lines, guard);
    }
    if let Some(code) = &outcome.application_code {
        lines.say(1, format!("The application's own code for it is {}.", quoted(code)));
    }
}

fn believed(lines: &mut Lines, guard: &Guard) {
    if *guard == Guard::default() {
        lines.say(1, "A guard is declared that asks for nothing.");
    }
    if let Some(absent) = &guard.absent {
        condition(lines, 1, "Not believed while ", absent);
    }
    if let Some(ms) = guard.stable_for_ms {
        lines.say(1, format!("Believed once the screen has stayed the same for {}.", duration(ms)));
    }
    if guard.after_request {
        lines.say(1, "Believed once a request has been answered since the action.");
    }
}

fn remedy(lines: &mut Lines, recovery: &Recovery) {
    lines.say(0, format!("- {}, at most {} in a run", recovery.id, times(recovery.limit)));
    lines.say(1, own_words(&recovery.description));
    condition(lines, 1, "Recognised when ", &recovery.when);
    match &recovery.remedy {
        Remedy::Act { action: what, checkpoint: after } => {
            action(lines, 1, "Then it ", what);
            checkpoint(lines, 2, "Proven when ", after);
        }
        Remedy::Wait { until, deadline_ms } => {
            condition(lines, 1, &format!("Then it waits, at most {}, until ", duration(*deadline_ms)), until);
        }
        Remedy::Run { subflow } => lines.say(1, format!("Then it walks the way {subflow}.")),
        Remedy::Answer { dialog: what } => lines.say(1, format!("Then it answers {}", dialog(what))),
    }
    let then = match recovery.then {
        Then::Continue => "After that the step is looked at again, and repeated only where nothing of it landed.",
        Then::RewalkFromSafePoint => {
            "After that the walk begins again at the last safe point, never past a risky step that was done."
        }
    };
    lines.say(1, then);
}
