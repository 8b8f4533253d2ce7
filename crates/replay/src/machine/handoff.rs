//! Standing still for a person, and going on afterwards.
//!
//! What a resume would do is decided in one place, [`Machine::resumption`], for the question beforehand as for the
//! resume itself. It looks again and trusts nothing that was known: the checkpoint of the step already holds, then the
//! next step; else the step once more; a risky step that was delivered and not proven, or that a person may have done
//! meanwhile, is never done again by itself; a screen that fits nothing declared goes nowhere.

use waymark_artifact::{Digest, Risk, Step, StepId};
use waymark_perception::{describe, label_of};
use waymark_run::{ApprovalAsk, Code, Resumption, RunEvent, RunStatus};
use waymark_snapshot::{RoleClass, State, WindowKey};
use waymark_surface::{Ask, Fact, Observation, Observe, Settling, Until};
use waymark_targeting::{Resolution, resolve};

use super::classify::Check;
use super::flow::called;
use super::{Handoff, Machine, Next};
use crate::Ending;

/// What is kept while the walk stands still.
#[derive(Clone, Debug)]
pub(super) struct Handed {
    pub(super) ending: Ending,
    /// Whether the checkpoint of the step held already then: there it proves nothing later.
    held: bool,
}

/// How a resume goes, with what it needs.
enum Way {
    GoesOn(Check),
    Retries { approved: Option<String> },
    Concludes,
    Answers(usize),
    Stays,
}

impl Machine {
    /// Ends, or stands still where a person is waited for. Nobody goes on over a policy.
    pub(super) fn finish_or_hand(&mut self, ending: Ending) -> Next {
        let resumable = ending.status == RunStatus::NeedsHuman && ending.code != Some(Code::PolicyBlocked);
        if !(self.plan.waits && resumable) {
            return Next::Finish(Box::new(ending));
        }
        let main = &self.walks[0];
        let checkpoint = main.steps.get(main.at).and_then(|step| step.checkpoint.as_ref());
        let held = checkpoint.is_some_and(|c| self.verdict(&c.condition).is_ok_and(|v| v.holds));
        let asked = self.asking.clone().filter(|_| ending.code == Some(Code::RiskApproval));
        let approval = asked.and_then(|ask| self.approval(main.steps.get(main.at)?, &ask));
        self.handed = Some(Handed { ending: ending.clone(), held });
        Next::Handoff(Box::new(Handoff { ending, approval }))
    }

    /// No person lets it go on.
    pub(super) fn given_up(&mut self) -> Next {
        match self.handed.take() {
            Some(handed) => Next::Finish(Box::new(handed.ending)),
            None => self.end(Code::Internal, "given up without having been handed over".into()),
        }
    }

    /// How to look while the walk stands still.
    #[must_use]
    pub fn handoff_look(&self) -> Observe {
        let mut at_main = self.clone();
        at_main.walks.truncate(1);
        let watch = at_main.watch().unwrap_or_default();
        Observe { watch, hints: at_main.hints(), until: Until::Now }
    }

    /// What a resume would do now. Changes nothing.
    #[must_use]
    pub fn would_resume(
        &self,
        seen: &Observation,
        off_limits: Option<&(String, String)>,
        drove: bool,
        approved: bool,
    ) -> Resumption {
        let mut tried = self.clone();
        tried.takes_over(Box::new(seen.clone()));
        tried.resumption(off_limits, drove, approved).1
    }

    /// A person is done: goes on, or stands still as before.
    pub(super) fn resume(
        &mut self,
        seen: Box<Observation>,
        off_limits: Option<(String, String)>,
        drove: bool,
        approved: bool,
    ) -> Next {
        let Some(handed) = self.handed.clone() else {
            return self.end(Code::Internal, "resumed without having been handed over".into());
        };
        self.takes_over(seen);
        let (way, resumption) = self.resumption(off_limits.as_ref(), drove, approved);
        let step = self.current_id();
        self.events.push(RunEvent::Resumed { step: step.clone(), resumption });
        if matches!(way, Way::Stays) {
            self.handed = Some(Handed { ..handed.clone() });
            return Next::Handoff(Box::new(Handoff { ending: handed.ending, approval: None }));
        }
        self.handed = None;
        self.human_assisted = true;
        match way {
            Way::GoesOn(check) => {
                if let Some(step) = self.current().filter(|step| step.risk > Risk::Safe).map(|step| step.id.clone()) {
                    // Done by whom ever: it is not done again.
                    self.progress().committed = true;
                    self.risked.insert(step);
                }
                self.last_acted = step;
                self.done(Some(check))
            }
            Way::Retries { approved } => {
                self.yes = step.zip(approved);
                self.progress().route_refused = None;
                let next = self.enter();
                // Once: whatever hinders it now is for a person again.
                let most = self.plan.artifact.limits.retries_per_step;
                self.progress().retries = most;
                let until = self.progress().step_until;
                self.progress().attempt_until = until;
                next
            }
            Way::Concludes => self.enter(),
            Way::Answers(index) => self.answered(index, false),
            Way::Stays => unreachable!("left above"),
        }
    }

    /// Takes what is there now, and of what happened meanwhile what is still so. What a person opened or was refused is
    /// theirs, and not the application's doing.
    fn takes_over(&mut self, seen: Box<Observation>) {
        self.walks.truncate(1);
        let mut told = seen.clone();
        told.facts.retain(|fact| matches!(fact, Fact::Document { .. } | Fact::WindowClosed { .. }));
        told.dialog = None;
        self.seen = Some(told);
        self.hinted = self.hints();
        // Only what is told of documents is wanted of it.
        let _ = self.surface_facts();
        self.events.retain(|event| matches!(event, RunEvent::Surface { .. }));
        self.seen = Some(seen);
        let content = super::classify::content(&self.seen.as_ref().map(|s| s.snapshot.clone()).unwrap_or_default());
        if self.content.0 != content {
            self.content = (content, self.now);
        }
    }

    fn resumption(&mut self, off_limits: Option<&(String, String)>, drove: bool, approved: bool) -> (Way, Resumption) {
        let stays = |code, message: String| (Way::Stays, Resumption::Stays { code, message, approval: None });
        if let Some((rule, location)) = off_limits {
            return stays(Code::PolicyBlocked, format!("the session is where it must not be ({rule}): {location}"));
        }
        if let Some(dialog) = self.seen.as_ref().and_then(|seen| seen.dialog.as_ref()) {
            return stays(Code::UnexpectedDialog, format!("a dialog is open: {}", dialog.text));
        }
        if self.settling() != Settling::Settled {
            return stays(Code::NotSettled, "the page is still loading".into());
        }
        if let Some(window) = self.undeclared_window() {
            return stays(Code::UnexpectedWindow, format!("the window \"{window}\" is open, and no step knows it"));
        }
        let unproven = self.walks[0].progress.committed;
        let Some(step) = self.current().cloned() else { return self.conclusion() };
        if let Some(index) = self.declared_answer() {
            let outcome = self.plan.artifact.outcomes[index].code.to_string();
            return (Way::Answers(index), Resumption::Answers { outcome });
        }
        if let Some(check) = self.proof_of(&step, drove) {
            let next = self.walks[0].steps.iter().skip(self.walks[0].at + 1).find(|s| self.plan.takes_part(s));
            let resumption = Resumption::GoesOn { step: step.id.clone(), next: next.map(|s| s.id.clone()) };
            return (Way::GoesOn(check), resumption);
        }
        if unproven {
            let message = format!(
                "\"{}\" was delivered, and nothing on the screen shows its effect; it is not done again. Bring up what proves it, or abort",
                called(&step)
            );
            return stays(Code::EffectUnknown, message);
        }
        self.once_more(&step, drove, approved)
    }

    /// The window that the walk stands still for, while it is open.
    fn undeclared_window(&self) -> Option<String> {
        let code = self.handed.as_ref().and_then(|handed| handed.ending.code);
        let seen = self.seen.as_ref().filter(|_| code == Some(Code::UnexpectedWindow))?;
        let steps = &self.plan.artifact.steps;
        let declared = steps.iter().filter_map(|step| step.opens.window.as_ref());
        let known: Vec<String> = declared.filter_map(|window| self.bindings.text(&window.name).ok()).collect();
        let main = WindowKey::main();
        let other =
            seen.windows.iter().find(|w| w.window != main && !known.iter().any(|k| *k == w.window.0 || *k == w.name));
        other.map(|window| window.window.0.clone())
    }

    /// All steps are done: the run's own checkpoint alone is left.
    fn conclusion(&mut self) -> (Way, Resumption) {
        let checkpoint = self.plan.artifact.checkpoint.clone();
        let check = self.check(&checkpoint);
        if check.as_ref().is_ok_and(|c| c.holds) && (self.is_certain() || !checkpoint.condition.has_negative()) {
            return (Way::Concludes, Resumption::Concludes {});
        }
        let missing: Vec<String> =
            check.map(|c| c.leaves).unwrap_or_default().into_iter().filter(|l| !l.1).map(|l| l.0).collect();
        let message = format!("{} Not so: {}", checkpoint.description, missing.join("; "));
        (Way::Stays, Resumption::Stays { code: Code::CheckpointUnmet, message, approval: None })
    }

    /// The declared answer that the screen shows, where one may be believed: after an act of the engine only.
    fn declared_answer(&mut self) -> Option<usize> {
        match self.matching_answer() {
            Ok(Some((index, true))) => Some(index),
            _ => None,
        }
    }

    /// The check of a step, where it shows that the step was done: it holds now and did not when the walk stood still.
    fn proof_of(&mut self, step: &Step, drove: bool) -> Option<Check> {
        let held = self.handed.as_ref().is_some_and(|handed| handed.held);
        let looks_only = !step.action.changes_state();
        if held || looks_only || !(drove || self.progress().delivered || self.progress().committed) {
            return None;
        }
        let checkpoint = step.checkpoint.as_ref()?;
        let check = self.check(checkpoint).ok()?;
        let believed = self.is_certain() || !checkpoint.condition.has_negative();
        let opened = self.window_left().is_none() && self.failed_document().is_none();
        (check.holds && believed && opened && !check.held_before).then_some(check)
    }

    /// Whether the step can be done once more, and what is needed for it.
    fn once_more(&mut self, step: &Step, drove: bool, approved: bool) -> (Way, Resumption) {
        let stays = |code, message: String, approval| (Way::Stays, Resumption::Stays { code, message, approval });
        let after_remedy = self.remedy_due();
        let (risk, ask) = match self.pending(step) {
            Ok(pending) => pending,
            // What comes first changes the screen: whether the target is there then is seen then.
            Err(_) if after_remedy.is_some() && step.risk == Risk::Safe => (Risk::Safe, None),
            Err(message) => return stays(Code::UnexpectedState, message, None),
        };
        let needs_yes = matches!(&self.handed, Some(h) if h.ending.code == Some(Code::RiskApproval));
        if needs_yes || (drove && risk > Risk::Safe) {
            let approval = ask.as_ref().and_then(|ask| self.approval(step, ask));
            if !approved {
                let why = if needs_yes {
                    "needs a person's yes"
                } else {
                    "may have been done by whoever drove; it is done only after a yes to exactly this"
                };
                return stays(Code::RiskApproval, format!("\"{}\" {why}", called(step)), approval);
            }
            let Some(asked) = approval else {
                return stays(Code::UnexpectedState, "there is nothing that a yes could be bound to".into(), None);
            };
            let resumption = Resumption::Retries { step: step.id.clone(), after_remedy };
            return (Way::Retries { approved: Some(asked.digest) }, resumption);
        }
        let resumption = Resumption::Retries { step: step.id.clone(), after_remedy };
        (Way::Retries { approved: None }, resumption)
    }

    /// The remedy whose time it is.
    fn remedy_due(&self) -> Option<String> {
        let due = |recovery: &&waymark_artifact::Recovery| {
            let used = self.remedies.get(&recovery.id).copied().unwrap_or(0);
            used < recovery.limit && self.verdict(&recovery.when).is_ok_and(|v| v.holds)
        };
        self.plan.artifact.recoveries.iter().find(due).map(|recovery| recovery.id.to_string())
    }

    /// What the step would ask the gate for from what is there now, and its risk; no question where it only looks.
    fn pending(&mut self, step: &Step) -> Result<(Risk, Option<Ask>), String> {
        if let Some(precondition) = &step.precondition {
            let check = self.check(precondition).map_err(|error| error.to_string())?;
            if !check.holds {
                return Err(format!(
                    "the screen is not the one for \"{}\": {}",
                    called(step),
                    precondition.description
                ));
            }
        }
        let found = match step.action.target() {
            None => None,
            Some(target) => {
                let seen = self.seen.as_ref().ok_or("nothing was seen")?;
                let hints = self.hint_matches(target, &seen.hints);
                match resolve(target, &seen.snapshot, &hints, &self.bindings) {
                    Ok(Resolution::Found(found)) => Some(found.node),
                    Ok(Resolution::Ambiguous { attempts }) => {
                        let count = attempts.last().map_or(0, |a| a.matches.len());
                        return Err(format!("{count} elements still fit \"{}\"", target.description));
                    }
                    Ok(Resolution::FingerprintMismatch { node, .. }) => {
                        let found = describe(&seen.snapshot, node);
                        return Err(format!("\"{}\" still leads to {found}, which is not it", target.description));
                    }
                    Ok(_) => return Err(format!("nothing on the screen fits \"{}\"", target.description)),
                    Err(error) => return Err(error.to_string()),
                }
            }
        };
        if !step.action.changes_state() {
            return Ok((Risk::Safe, None));
        }
        let id = match (found, &self.seen) {
            (Some(ix), Some(seen)) => Some(seen.snapshot.node(ix).id.clone()),
            _ => None,
        };
        let (act, _) = self.bind_act(step, id)?;
        let ask = self.ask(step, act, found)?;
        Ok((self.assessed(&ask).max(step.risk), Some(ask)))
    }

    /// Whether a person said yes to exactly this; `None` was asked for.
    ///
    /// # Errors
    /// They said yes to something else than what is there.
    pub(super) fn approved(&mut self, step: &Step, ask: &Ask) -> Result<bool, String> {
        let Some((id, digest)) = self.yes.take() else { return Ok(false) };
        match self.approval(step, ask) {
            Some(asked) if id == step.id && asked.digest == digest => Ok(true),
            _ => Err("what was approved is not what the screen shows any more; it was not done".to_owned()),
        }
    }

    /// What a yes to an act is bound to.
    fn approval(&self, step: &Step, ask: &Ask) -> Option<ApprovalAsk> {
        let seen = self.seen.as_ref()?;
        let snapshot = &seen.snapshot;
        let values: Vec<(String, String)> = snapshot
            .iter()
            .filter(|(_, node)| {
                matches!(node.role.class(), RoleClass::TextEntry | RoleClass::Choice | RoleClass::Toggle)
            })
            .map(|(ix, node)| {
                let name = label_of(snapshot, ix).unwrap_or_else(|| node.role.as_str().to_owned());
                let holds = match node.role.class() {
                    RoleClass::Toggle => node.states.has(State::Checked).to_string(),
                    _ => node.value.clone().unwrap_or_default(),
                };
                (name, holds)
            })
            .collect();
        let on = ask.control.as_ref().map(|c| format!("{} \"{}\"", c.role.as_str(), c.name));
        let act = ask.act.word().as_str();
        // Version and parameters are those of the walk, for which the yes is good alone.
        let bound = serde_json::json!([step.id.as_str(), act, on, ask.location, values]);
        let digest = Digest::of(bound.to_string().as_bytes()).to_string();
        Some(ApprovalAsk { digest, act: act.to_owned(), on, location: ask.location.clone(), values })
    }

    /// The step that stands still; `None` behind the last one.
    #[must_use]
    pub fn stands_at(&self) -> Option<StepId> {
        self.walks[0].steps.get(self.walks[0].at).map(|step| step.id.clone())
    }
}
