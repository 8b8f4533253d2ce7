//! Proving: did what was delivered have its effect?

use waymark_artifact::{Checkpoint, Condition, Risk, Step, StepId};
use waymark_run::{Code, Effect, RunEvent};
use waymark_surface::Settling;

use super::flow::called;
use super::look::stopped;
use super::{Machine, Next, Phase, Purpose};

impl Machine {
    /// The act was delivered and something was seen since.
    pub(super) fn prove(&mut self) -> Next {
        let Some(step) = self.current().cloned() else { return self.enter() };
        if let Some(next) = self.answers_and_nuisances() {
            return next;
        }
        let settled = self.at_rest();
        let checkpoint = step.checkpoint.clone().unwrap_or_else(opened);
        let check = match self.check(&checkpoint) {
            Ok(check) => check,
            Err(error) => return self.end(Code::Internal, error.to_string()),
        };
        let risky = self.must_not_repeat() || self.progress().committed;
        // What held before the act proves nothing by itself: at least the screen must have come to rest. What must not
        // be repeated is believed of a screen at rest only (a "Saved" may come before the answer), and where it held
        // before, something must have reacted.
        let certain = self.is_certain();
        let believed = if checkpoint.condition.has_negative() && !certain {
            false
        } else if risky {
            settled && !(check.held_before && self.no_reaction())
        } else {
            settled || !check.held_before
        };
        let dialogs_left = self.progress().dialogs < step.opens.dialogs.len();
        let window_left = self.window_left();
        let read = !step.action.reads_back() || self.progress().read_back;
        // A document that the server could not make may look like the one that was expected.
        let broken = self.failed_document().is_some();
        let holds = check.holds && read && !broken;
        if holds && believed && !dialogs_left && window_left.is_none() {
            return self.done(Some(check));
        }
        if settled && !holds {
            if self.progress().remedied && !risky {
                self.tell(&check);
                return self.again(&step, "a nuisance came in between".into(), false);
            }
            if !risky && self.app_error().is_some() {
                self.tell(&check);
            }
            if let Some(next) = self.application_error(settled && !risky) {
                return next;
            }
            if risky && self.app_error().is_some() {
                return self.without_proof(&step, &checkpoint, settled);
            }
            // A control that holds something else will not change its mind by waiting.
            if let Some(why) = self.progress().mismatch.clone() {
                if risky {
                    return self.without_proof(&step, &checkpoint, settled);
                }
                self.tell(&check);
                if self.may_retry() {
                    return self.again(&step, why, true);
                }
                return self.end_with(Code::CheckpointUnmet, why, step.description.clone(), Vec::new());
            }
        }
        if self.now < self.progress().attempt_until {
            return self.look_on();
        }
        if risky && self.now < self.progress().step_until {
            return self.keep_looking();
        }
        if risky {
            return self.without_proof(&step, &checkpoint, settled);
        }
        if let Some((rule, location)) = self.progress().route_refused.clone() {
            self.tell(&check);
            return self.stopped_by(&rule, &location);
        }
        if holds && (dialogs_left || window_left.is_some()) {
            self.tell(&check);
            let message = match window_left {
                Some(name) => format!("the window \"{name}\" did not open"),
                None => "a declared dialog did not open".into(),
            };
            return self.end_with(Code::CheckpointUnmet, message, checkpoint.description, Vec::new());
        }
        if settled && !holds && self.may_retry() {
            self.tell(&check);
            let why = if self.no_reaction() { "nothing reacted" } else { "the checkpoint did not come" };
            return self.again(&step, why.into(), true);
        }
        if self.now < self.progress().step_until {
            return self.keep_looking();
        }
        if let Some(error) = self.app_error() {
            self.tell(&check);
            return self.end(Code::AppError, error);
        }
        if check.holds && !read && !broken {
            self.tell(&check);
            let message = "the control could not be read back".into();
            return self.end_with(Code::CheckpointUnmet, message, step.description, Vec::new());
        }
        let code = if settled { Code::CheckpointUnmet } else { Code::NotSettled };
        self.unmet(code, &checkpoint, &check)
    }

    fn may_retry(&mut self) -> bool {
        let limits = self.plan.artifact.limits.clone();
        let left = self.now < self.progress().step_until;
        left && self.progress().retries < limits.retries_per_step && self.retries < limits.retries_per_run
    }

    /// Does a safe step once more.
    fn again(&mut self, step: &Step, why: String, spends: bool) -> Next {
        let limits = self.plan.artifact.limits.clone();
        let now = self.now;
        if spends {
            self.retries += 1;
            self.progress().retries += 1;
        }
        let count = self.progress().retries;
        self.events.push(RunEvent::Retried { step: step.id.clone(), count, why });
        let progress = self.progress();
        progress.phase = Phase::Looking;
        progress.relooks = 0;
        progress.dialogs = 0;
        progress.delivered = false;
        progress.remedied = false;
        progress.read_back = false;
        progress.mismatch = None;
        let left = progress.step_until.saturating_sub(now);
        let attempts = u64::from(limits.retries_per_step.saturating_sub(progress.retries)) + 1;
        progress.attempt_until = now + left / attempts;
        self.look_now()
    }

    /// A risky step was delivered and its checkpoint did not come: it is never sent again. The artifact's read-only
    /// check decides, where there is one.
    pub(super) fn without_proof(&mut self, step: &Step, checkpoint: &Checkpoint, settled: bool) -> Next {
        if let Ok(check) = self.check(checkpoint) {
            self.tell(&check);
        }
        let Some(reconcile) = &step.reconcile else {
            self.effect = Effect::Unknown;
            let stopped = self.progress().route_refused.clone().map(|(rule, location)| stopped(&rule, &location));
            let why = match stopped.or_else(|| self.app_error()) {
                Some(why) => why,
                None if !settled => "the screen did not come to rest".into(),
                None if self.progress().held_before => "nothing shows that it had an effect".into(),
                None => "its checkpoint did not come".into(),
            };
            let message = format!("\"{}\" was delivered and {why}; it was not repeated", called(step));
            return self.end_with(Code::EffectUnknown, message, checkpoint.description.clone(), Vec::new());
        };
        let Some(steps) = self.plan.subflow(&reconcile.subflow) else {
            return self.end(Code::Internal, format!("the sub-flow `{}` is not there", reconcile.subflow));
        };
        self.progress().unanswered = !settled;
        // Only looking is allowed on the way.
        if let Some(risky) = steps.iter().find(|s| s.risk > Risk::Safe) {
            return self.end(Code::Internal, format!("the reconcile check would do the risky step `{}`", risky.id));
        }
        self.push(steps, Purpose::Reconcile)
    }

    /// The way of a reconcile check was walked.
    pub(super) fn reconciled(&mut self) -> Next {
        let below = self.walks.len().saturating_sub(2);
        let Some(step) = self.walks.get(below).and_then(|w| w.steps.get(w.at)).cloned() else {
            return self.end(Code::Internal, "a reconcile check without its step".into());
        };
        let Some(reconcile) = step.reconcile.clone() else {
            return self.end(Code::Internal, "a reconcile check that is not declared".into());
        };
        let settled = self.settling() == Settling::Settled;
        let landed = self.verdict(&reconcile.landed).is_ok_and(|v| v.holds);
        let mut leaves = self.leaves(&reconcile.landed);
        leaves.extend(reconcile.not_landed.iter().flat_map(|c| self.leaves(c)));
        let not_landed = reconcile.not_landed.as_ref().is_some_and(|c| self.verdict(c).is_ok_and(|v| v.holds));
        let held_before = self.landed_before.contains(&step.id);
        let unanswered = self.walks[below].progress.unanswered;
        if !settled {
            if self.now < self.progress().step_until {
                return self.look_on();
            }
        } else if landed && !not_landed && !held_before {
            self.walks.pop();
            self.events.push(RunEvent::Reconciled { step: step.id.clone(), found: "landed", leaves });
            return self.done(None);
        } else if not_landed && !landed && !unanswered && self.half_document().is_none() {
            self.walks.pop();
            self.events.push(RunEvent::Reconciled { step: step.id.clone(), found: "not_landed", leaves });
            self.progress().committed = false;
            self.effect = Effect::None;
            if let Some(index) = self.progress().answer {
                return self.answer(index, false);
            }
            let message = format!("\"{}\" was delivered and had no effect; it was not repeated", called(&step));
            return self.end(Code::CheckpointUnmet, message);
        }
        self.walks.pop();
        self.events.push(RunEvent::Reconciled { step: step.id.clone(), found: "unknown", leaves });
        let why = match (landed, not_landed) {
            (true, false) if held_before => "what would show it was there before",
            (false, true) if unanswered => "it had no answer yet, so it may still have its effect",
            _ => "what came of it could not be found out",
        };
        self.report_held_before(&step);
        self.end(Code::EffectUnknown, format!("\"{}\" was delivered; {why}", called(&step)))
    }

    /// A risky step is over. What the screen says right after it is its word alone, where the record can be looked up:
    /// whether it was done is known once that shows it.
    pub(super) fn believed(&mut self, step: &Step, on_sight: bool) {
        let read_back = step.checkpoint.as_ref().is_some_and(|c| c.read_back);
        self.on_word = (on_sight && !read_back && step.reconcile.is_some()).then(|| step.id.clone());
        self.effect = if self.on_word.is_some() { Effect::Unknown } else { Effect::Done };
    }

    /// Whether the screen shows the record of a step that was believed on the application's word.
    pub(super) fn look_for_record(&mut self) {
        let Some(id) = self.on_word.as_ref().filter(|id| !self.landed_before.contains(*id)) else { return };
        let Some(reconcile) = self.plan.artifact.steps.iter().find(|s| s.id == *id).and_then(|s| s.reconcile.clone())
        else {
            return;
        };
        let holds = |condition| self.verdict(condition).is_ok_and(|v| v.holds);
        if holds(&reconcile.landed) && !reconcile.not_landed.as_ref().is_some_and(holds) {
            self.on_word = None;
            self.effect = Effect::Done;
        }
    }

    /// Remembers of each step that is still to be done whether its reconcile check would say "landed" already.
    pub(super) fn note_what_landed_before(&mut self) {
        let main = &self.walks[0];
        let open = main.steps.iter().skip(main.at).filter(|s| !self.risked.contains(&s.id));
        let held: Vec<StepId> = open
            .filter(|s| s.reconcile.as_ref().is_some_and(|r| self.verdict(&r.landed).is_ok_and(|v| v.holds)))
            .map(|s| s.id.clone())
            .collect();
        self.landed_before.extend(held);
    }

    /// What would prove the step held before it was done.
    pub(super) fn report_held_before(&mut self, step: &Step) {
        if self.landed_before.contains(&step.id) && !self.held_before.contains(&step.id) {
            self.held_before.push(step.id.clone());
        }
    }

    /// A declared answer was seen. Where something risky was sent whose effect can be looked up, that is done first: an
    /// application that says no may have done it all the same.
    pub(super) fn answered(&mut self, index: usize, also: bool) -> Next {
        let step = self.current().filter(|s| s.reconcile.is_some()).cloned();
        match step {
            Some(step) if self.progress().committed => {
                let leaves = self.answer_leaves(index, also);
                self.progress().answer = Some(index);
                self.progress().answer_leaves = leaves;
                let checkpoint = step.checkpoint.clone().unwrap_or_else(opened);
                self.without_proof(&step, &checkpoint, true)
            }
            _ => self.answer(index, also),
        }
    }
}

/// The checkpoint of a step that declares none and only opens something: the dialog is gone.
pub(super) fn opened() -> Checkpoint {
    Checkpoint { description: "No dialog is open.".into(), condition: Condition::DialogClosed {}, read_back: false }
}
