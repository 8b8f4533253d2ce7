//! From step to step, and to the end.

use waymark_artifact::{Action, Name, Risk};
use waymark_artifact::{Checkpoint, Detector, DialogOpens, Remedy, ResolutionResult, Step, StepId, Then, Trigger};
use waymark_run::{
    AttemptReport, BusinessOutcome, Code, Effect, ObservationClass, RecoveredReport, RunEvent, RunStatus, StepRef,
};
use waymark_surface::{DialogFact, Settling};

use super::classify::Check;
use super::{Machine, Next, Phase, Progress, Purpose, Walk};
use crate::Ending;

/// How long a picture may take, and how long at least where the time of the run is over.
const PICTURE_MS: u64 = 3_000;
const PICTURE_LEAST_MS: u64 = 500;

/// How long the end of a reconcile check may take to come to rest.
const RECONCILE_MS: u64 = 15_000;

impl Machine {
    /// Enters the step that the innermost walk stands at, or leaves the walk.
    pub(super) fn enter(&mut self) -> Next {
        let now = self.now;
        loop {
            let Some(step) = self.current().cloned() else { return self.leave() };
            if !self.plan.takes_part(&step) {
                self.events.push(RunEvent::StepLeftOut { step: step.id.clone() });
                self.walk_mut().at += 1;
                continue;
            }
            let limits = &self.plan.artifact.limits;
            let deadline = u64::from(step.deadline_ms.unwrap_or(limits.step_deadline_ms));
            // A safe step may be tried again within its deadline: each attempt gets its share.
            let attempts = if step.risk == Risk::Safe { u64::from(limits.retries_per_step) + 1 } else { 1 };
            let mut progress = Progress::fresh(now);
            progress.route_refused = self.progress().route_refused.take();
            progress.phase = Phase::Looking;
            progress.step_until = now + deadline;
            progress.attempt_until = now + deadline / attempts;
            self.walk_mut().progress = progress;
            if self.is_main() {
                self.attempted.insert(step.id.clone());
            }
            let index = self.walk().at + 1;
            let of = self.walk().steps.len();
            self.events.push(RunEvent::StepStarted { step: reference(&step, index, of) });
            return self.look_now();
        }
    }

    /// The step under way is done.
    pub(super) fn done(&mut self, check: Option<Check>) -> Next {
        let Some(step) = self.current().cloned() else { return self.leave() };
        let now = self.now;
        let progress = self.progress().clone();
        let on_sight = check.is_some();
        if let Some(check) = check {
            if check.held_before && self.is_main() && !self.held_before.contains(&step.id) {
                self.held_before.push(step.id.clone());
            }
            self.events.push(RunEvent::Checked { step: Some(step.id.clone()), report: check.report() });
        }
        if progress.committed {
            self.believed(&step, on_sight);
        }
        self.look_for_record();
        self.report_held_before(&step);
        self.progress().committed = false;
        if self.is_main() {
            self.done.insert(step.id.clone());
        }
        self.events.push(RunEvent::StepEnded { step: step.id.clone(), took_ms: now - progress.entered_ms });
        // What the last step left is what the picture at the end of the run shows.
        let last = self.is_main() && self.walk().at + 1 == self.walk().steps.len();
        let undisturbed = self.seen.as_ref().is_none_or(|s| s.dialog.is_none());
        if self.plan.pictures && step.action.changes_state() && undisturbed && !last {
            self.progress().phase = Phase::Capturing;
            return Next::Capture {
                step: step.id.clone(),
                caption: "taken right after the step; the page may still have been changing".into(),
                within_ms: self.picture_ms(),
            };
        }
        self.advance()
    }

    /// How long a picture may take: never so long that it holds up the end of a run whose time is over.
    fn picture_ms(&self) -> u64 {
        let left = u64::from(self.plan.artifact.limits.run_deadline_ms).saturating_sub(self.now);
        (left + PICTURE_LEAST_MS).min(PICTURE_MS)
    }

    /// Goes to the next step.
    pub(super) fn advance(&mut self) -> Next {
        self.walk_mut().at += 1;
        self.enter()
    }

    /// The innermost walk has no more steps.
    fn leave(&mut self) -> Next {
        let now = self.now;
        match self.walk().purpose.clone() {
            Purpose::Main => {
                let limits = &self.plan.artifact.limits;
                let until = now + u64::from(limits.step_deadline_ms);
                let mut progress = Progress::fresh(now);
                progress.route_refused = self.progress().route_refused.take();
                progress.phase = Phase::Final;
                progress.attempt_until = until;
                progress.step_until = until;
                self.walk_mut().progress = progress;
                self.look_now()
            }
            Purpose::Remedy(index) => self.remedied(index),
            Purpose::Reconcile => {
                let mut progress = Progress::fresh(now);
                progress.phase = Phase::Final;
                progress.step_until = now + RECONCILE_MS;
                progress.attempt_until = progress.step_until;
                self.walk_mut().progress = progress;
                self.look_now()
            }
        }
    }

    /// Counts a remedy that is called for. Where it was used as often as it may be, the run ends.
    fn spend(&mut self, index: usize) -> Option<Next> {
        let recovery = self.plan.artifact.recoveries[index].clone();
        let leaves = self.leaves(&recovery.when);
        let step = self.current_id();
        let code = recovery.id.to_string();
        self.events.push(RunEvent::Classified { step, class: ObservationClass::Recoverable, code, leaves });
        let used = self.remedies.get(&recovery.id).copied().unwrap_or(0);
        let total: u32 = self.remedies.values().sum();
        if used >= recovery.limit || total >= self.plan.artifact.limits.recoveries_per_run {
            let message = if used >= recovery.limit {
                format!("the remedy `{}` was used {used} times already", recovery.id)
            } else {
                format!("`{}` is called for, and {total} remedies were used in this run already", recovery.id)
            };
            return Some(self.end(Code::RecoverySpent, message));
        }
        self.remedies.insert(recovery.id.clone(), used + 1);
        None
    }

    /// Answers a dialog that is a declared nuisance; the step under way goes on where it stood.
    pub(super) fn answer_nuisance(&mut self, index: usize, dialog: &DialogFact, declared: &DialogOpens) -> Next {
        if let Some(end) = self.spend(index) {
            return end;
        }
        let phase = self.progress().phase;
        self.progress().nuisance = Some((index, phase));
        self.answer_dialog(dialog, declared)
    }

    /// Begins a declared remedy.
    pub(super) fn remedy(&mut self, index: usize) -> Next {
        if let Some(end) = self.spend(index) {
            return end;
        }
        let recovery = self.plan.artifact.recoveries[index].clone();
        let leads_away = match &recovery.remedy {
            Remedy::Act { action, .. } => matches!(action, Action::Open { .. }),
            Remedy::Wait { .. } | Remedy::Answer { .. } => false,
            Remedy::Run { subflow } => {
                self.plan.subflow(subflow).iter().flatten().any(|s| matches!(s.action, Action::Open { .. }))
            }
        };
        if recovery.then == Then::Continue && leads_away && self.half_filled() {
            let message = format!("the remedy `{}` would clear a form that is half filled in", recovery.id);
            return self.end(Code::UnexpectedState, message);
        }
        let steps = match &recovery.remedy {
            Remedy::Act { action, checkpoint } => {
                vec![remedy_step(&recovery.id, action.clone(), Some(checkpoint.clone()), None)]
            }
            Remedy::Wait { until, deadline_ms } => {
                let action = Action::WaitFor { condition: until.clone() };
                vec![remedy_step(&recovery.id, action, None, Some(*deadline_ms))]
            }
            Remedy::Run { subflow } => match self.plan.subflow(subflow) {
                Some(steps) => steps,
                None => return self.end(Code::Internal, format!("the sub-flow `{subflow}` is not there")),
            },
            // It is answered at once, where the dialog is seen.
            Remedy::Answer { .. } => Vec::new(),
        };
        self.push(steps, Purpose::Remedy(index))
    }

    /// Whether something was filled in that was not sent yet.
    fn half_filled(&self) -> bool {
        let at = self.walk().at + usize::from(self.walk().progress.delivered);
        let before = self.walk().steps.iter().take(at).rev();
        before
            .filter(|s| self.plan.takes_part(s) && s.action.changes_state())
            .map(|s| s.action.reads_back())
            .next()
            .unwrap_or_default()
    }

    pub(super) fn tell_recovered(&mut self, index: usize, then: &'static str) {
        let recovery = &self.plan.artifact.recoveries[index];
        let (id, description) = (recovery.id.to_string(), recovery.description.clone());
        // Behind the last step there is none under way: it counts as that one's.
        let Some(step) = self.current().or_else(|| self.walk().steps.last()).map(|s| s.id.clone()) else { return };
        self.events.push(RunEvent::Recovered { step: step.clone(), recovery: id.clone(), then });
        self.recovered.push(RecoveredReport { recovery: id, step: step.to_string(), description });
    }

    fn remedied(&mut self, index: usize) -> Next {
        let spent = self.now - self.walk().began_ms;
        self.walks.pop();
        let recovery = self.plan.artifact.recoveries[index].clone();
        let then = match recovery.then {
            Then::Continue => "continue",
            Then::RewalkFromSafePoint => "rewalk_from_safe_point",
        };
        self.tell_recovered(index, then);
        let progress = self.progress();
        // The remedy's time is not the step's.
        progress.step_until += spent;
        progress.attempt_until += spent;
        progress.remedied = true;
        match recovery.then {
            Then::Continue => self.look_now(),
            // What the step was to bring about is there: there is nothing to walk again for.
            Then::RewalkFromSafePoint if self.has_its_effect() => self.look_now(),
            Then::RewalkFromSafePoint => self.rewalk(),
        }
    }

    /// Whether the step under way was done and the screen shows what it was to bring about.
    fn has_its_effect(&mut self) -> bool {
        let Some(checkpoint) = self.current().and_then(|step| step.checkpoint.clone()) else { return false };
        let holds = self.verdict(&checkpoint.condition).is_ok_and(|verdict| verdict.holds);
        holds && self.progress().delivered && !checkpoint.condition.is_negative()
    }

    /// Walks again from the last safe point, never past a committed risky step.
    fn rewalk(&mut self) -> Next {
        let at = self.walk().at;
        if self.unproven() {
            // Only looking can tell what came of it.
            return match (self.current().cloned(), self.progress().committed) {
                (Some(step), true) => {
                    let checkpoint = step.checkpoint.clone().unwrap_or_else(super::prove::opened);
                    self.without_proof(&step, &checkpoint, true)
                }
                _ => self.end(Code::EffectUnknown, "a risky step was committed; it is not walked again".into()),
            };
        }
        let from = self.walk().steps.iter().take(at + 1).rposition(|s| s.safe_point);
        let Some(from) = from else {
            return self.end(Code::UnexpectedState, "there is no safe point to walk again from".into());
        };
        if let Some(risky) = self.walk().steps.iter().take(at + 1).skip(from).find(|s| self.risked.contains(&s.id)) {
            let message = format!("`{}` was committed since the last safe point; it is not walked again", risky.id);
            return self.end(Code::UnexpectedState, message);
        }
        self.walk_mut().at = from;
        self.enter()
    }

    /// Walks other steps before going on with this one.
    pub(super) fn push(&mut self, steps: Vec<Step>, purpose: Purpose) -> Next {
        let progress = Progress::fresh(self.now);
        self.walks.push(Walk { steps, at: 0, purpose, progress, began_ms: self.now });
        self.enter()
    }

    /// The run's own checkpoint, or the end of a reconcile check.
    pub(super) fn conclude(&mut self) -> Next {
        if self.walk().purpose == Purpose::Reconcile {
            return self.reconciled();
        }
        if let Some(next) = self.answers_and_nuisances() {
            return next;
        }
        let checkpoint = self.plan.artifact.checkpoint.clone();
        let check = match self.check(&checkpoint) {
            Ok(check) => check,
            Err(error) => return self.end(Code::Internal, error.to_string()),
        };
        let settled = self.settling() == Settling::Settled;
        if check.holds && (self.is_certain() || !checkpoint.condition.has_negative()) {
            self.events.push(RunEvent::Checked { step: None, report: check.report() });
            return self.succeed();
        }
        if self.now >= self.progress().attempt_until {
            let code = if settled { Code::CheckpointUnmet } else { Code::NotSettled };
            return self.unmet(code, &checkpoint, &check);
        }
        self.look_on()
    }

    /// Ends with a check that did not hold.
    pub(super) fn unmet(&mut self, code: Code, checkpoint: &Checkpoint, check: &Check) -> Next {
        let missing: Vec<&str> =
            check.leaves.iter().filter(|(_, holds)| !holds).map(|(words, _)| words.as_str()).collect();
        let step = self.current().map(|s| s.id.clone());
        self.events.push(RunEvent::Checked { step, report: check.report() });
        if let Some((rule, location)) = self.led_away() {
            return self.stopped_by(&rule, &location);
        }
        let message = match code {
            Code::NotSettled => format!("{} The screen did not come to rest in time", checkpoint.description),
            _ => format!("{} Not so: {}", checkpoint.description, missing.join("; ")),
        };
        self.end_with(code, message, checkpoint.description.clone(), Vec::new())
    }

    fn succeed(&mut self) -> Next {
        // The run's own checkpoint stands for whatever nothing else has shown.
        if self.on_word.take().is_some() {
            self.effect = Effect::Done;
        }
        Next::Finish(Box::new(Ending {
            status: RunStatus::Success,
            code: None,
            message: String::new(),
            step: None,
            step_description: String::new(),
            expected: String::new(),
            observed: String::new(),
            attempts: Vec::new(),
            outcome: None,
        }))
    }

    /// Ends with a declared answer.
    pub(super) fn answer(&mut self, index: usize, also: bool) -> Next {
        let leaves = match std::mem::take(&mut self.progress().answer_leaves) {
            leaves if leaves.is_empty() => self.answer_leaves(index, also),
            leaves => leaves,
        };
        let outcome = self.plan.artifact.outcomes[index].clone();
        let step = self.current().map(|s| s.id.clone());
        if outcome.failure {
            let class = ObservationClass::UnexpectedState;
            self.events.push(RunEvent::Classified { step, class, code: outcome.code.to_string(), leaves });
            let own = outcome.application_code.map(|code| format!(" ({code})")).unwrap_or_default();
            let code = if self.unproven() { Code::EffectUnknown } else { Code::AppError };
            let also = self.app_error().map(|error| format!(": {error}")).unwrap_or_default();
            return self.end(code, format!("{}{own}{also}", outcome.description.trim_end_matches('.')));
        }
        // It said "done" of a risky step, and its record was not seen yet: an answer now would be taken for "not done".
        if let Some(risky) = self.on_word.clone() {
            let class = ObservationClass::UnexpectedState;
            self.events.push(RunEvent::Classified { step, class, code: outcome.code.to_string(), leaves });
            let said = outcome.description.trim_end_matches('.');
            let message = format!("the application said that `{risky}` was done, and then answered: {said}");
            return self.end(Code::EffectUnknown, message);
        }
        let outcome = BusinessOutcome {
            code: outcome.code.to_string(),
            message: outcome.description.clone(),
            application_code: outcome.application_code.clone(),
            step: step.as_ref().map(StepId::to_string),
            checkpoint_also_matched: also,
        };
        // The application answered instead of doing it; what was sent is known to have been answered, not what
        // it left behind.
        if self.unproven() {
            self.effect = Effect::Unknown;
        }
        self.events.push(RunEvent::Classified {
            step: step.clone(),
            class: ObservationClass::BusinessOutcome,
            code: outcome.code.clone(),
            leaves,
        });
        Next::Finish(Box::new(Ending {
            status: RunStatus::BusinessOutcome,
            code: None,
            message: outcome.message.clone(),
            step,
            step_description: String::new(),
            expected: String::new(),
            observed: String::new(),
            attempts: Vec::new(),
            outcome: Some(outcome),
        }))
    }

    /// The verdict of each predicate behind a declared answer: its detector, its guard, and the checkpoint that held
    /// along with it.
    pub(super) fn answer_leaves(&self, index: usize, also: bool) -> Vec<(String, bool)> {
        let outcome = &self.plan.artifact.outcomes[index];
        let mut leaves = match &outcome.detector {
            Detector::Condition(condition) => self.leaves(condition),
            Detector::Resolution { step, result } => vec![(format!("`{step}`: {}", result_word(*result)), true)],
        };
        if let Some(absent) = outcome.guard.as_ref().and_then(|g| g.absent.as_ref()) {
            leaves.extend(self.leaves(absent));
        }
        if let Some(checkpoint) = self.current().and_then(|s| s.checkpoint.as_ref()).filter(|_| also) {
            leaves.extend(self.leaves(&checkpoint.condition));
        }
        leaves
    }

    /// Ends with a code.
    pub(super) fn end(&mut self, code: Code, message: String) -> Next {
        self.end_with(code, message, String::new(), Vec::new())
    }

    /// Ends with a code and what belongs to it.
    pub(super) fn end_with(
        &mut self,
        code: Code,
        message: String,
        expected: String,
        attempts: Vec<AttemptReport>,
    ) -> Next {
        let (code, message) = if self.unproven() {
            self.effect = Effect::Unknown;
            self.as_unproven(code, message)
        } else {
            (code, message)
        };
        let step = self.walks[0].steps.get(self.walks[0].at).cloned();
        let inner = self.current().cloned().or_else(|| step.clone());
        let trigger =
            Name::new(code.as_str()).ok().and_then(|n| self.plan.artifact.escalation.triggers.get(&n).copied());
        let status = match (code.row().movable, trigger) {
            (true, Some(Trigger::Escalate)) => RunStatus::NeedsHuman,
            (true, Some(Trigger::Fail)) if !self.unproven() => RunStatus::Failed,
            _ => code.default_status(),
        };
        let status = if status == RunStatus::NeedsHuman && !self.plan.escalate { RunStatus::Failed } else { status };
        self.events.push(RunEvent::Classified {
            step: step.as_ref().map(|s| s.id.clone()),
            class: ObservationClass::UnexpectedState,
            code: code.to_string(),
            leaves: Vec::new(),
        });
        let observed = self.observed();
        self.finish_or_hand(Ending {
            status,
            code: Some(code),
            message,
            step: step.map(|s| s.id),
            step_description: inner.map(|s| s.description).unwrap_or_default(),
            expected,
            observed,
            attempts,
            outcome: None,
        })
    }

    /// What a risky step without proof makes of a code: what would fail the run as if nothing were at stake, and what
    /// came up while finding out, is an unknown effect first.
    fn as_unproven(&mut self, code: Code, message: String) -> (Code, String) {
        let told = matches!(code, Code::BrowserGone | Code::Interrupted | Code::Internal | Code::EffectUnknown);
        let reconciling = self.walks.iter().rposition(|w| w.purpose == Purpose::Reconcile);
        if let Some(at) = reconciling {
            let below = &self.walks[at - 1];
            let step = below.steps.get(below.at).map(|s| s.id.clone());
            self.events.extend(step.map(|step| RunEvent::Reconciled { step, found: "unknown", leaves: Vec::new() }));
        }
        if told {
            return (code, message);
        }
        if reconciling.is_some() || code.default_status() == RunStatus::Failed {
            return (Code::EffectUnknown, format!("a risky step was delivered and is not proven: {message} ({code})"));
        }
        (code, message)
    }

    /// What the screen showed, in a line: title, its own identifier, and headings.
    fn observed(&self) -> String {
        let Some(seen) = &self.seen else { return String::new() };
        if let Some(dialog) = &seen.dialog {
            return format!("a dialog: {}", dialog.text);
        }
        let titles = seen.snapshot.scopes().iter().map(|s| s.title.as_str()).filter(|t| !t.is_empty());
        let headings =
            seen.snapshot.nodes().iter().filter(|n| n.role == waymark_snapshot::Role::Heading).map(|n| n.name.as_str());
        let id = self.screen_id(&seen.snapshot);
        titles.chain(id.as_deref()).chain(headings).take(6).collect::<Vec<_>>().join(" · ")
    }
}

/// What a person would call the step.
pub(super) fn called(step: &Step) -> &str {
    if step.description.is_empty() { step.id.as_str() } else { &step.description }
}

fn reference(step: &Step, index: usize, of: usize) -> StepRef {
    StepRef {
        id: step.id.clone(),
        index: u32::try_from(index).unwrap_or(u32::MAX),
        of: u32::try_from(of).unwrap_or(u32::MAX),
        description: step.description.clone(),
        action: step.action.kind(),
    }
}

fn result_word(result: ResolutionResult) -> &'static str {
    match result {
        ResolutionResult::RowAbsent => "row_absent",
        ResolutionResult::OptionAbsent => "option_absent",
        ResolutionResult::TargetAmbiguous => "target_ambiguous",
    }
}

/// A step made of the action of a remedy.
fn remedy_step(id: &Name, action: Action, checkpoint: Option<Checkpoint>, deadline_ms: Option<u32>) -> Step {
    Step {
        // Names of steps and of recoveries have the same shape.
        id: StepId::new(id.as_str()).unwrap_or_else(|_| unreachable!("a name is a step id")),
        description: format!("remedy {id}"),
        action,
        risk: Risk::Safe,
        only_if: None,
        precondition: None,
        checkpoint,
        opens: waymark_artifact::Opens::default(),
        reconcile: None,
        deadline_ms,
        safe_point: false,
    }
}
