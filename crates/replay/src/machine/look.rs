//! Looking for what the step needs: its precondition and its target.

use std::collections::BTreeMap;

use waymark_artifact::{Action, ResolutionResult, Risk, RungKind, Step, Target, Value};
use waymark_perception::{describe, fingerprint};
use waymark_run::{AttemptReport, Code, DriftStep, ResolvedReport, RunEvent};
use waymark_snapshot::{Ix, ScopeId, UiSnapshot};
use waymark_surface::Settling;
use waymark_targeting::{Attempt, Found, Hints, Resolution, resolve};

use super::classify::Check;
use super::{Machine, Next};
use crate::read;

impl Machine {
    /// The step has been entered and something was seen.
    pub(super) fn look(&mut self) -> Next {
        let Some(step) = self.current().cloned() else { return self.enter() };
        if let Some(next) = self.nuisances_before(&step) {
            return next;
        }
        if self.progress().tried
            && let Some(next) = self.already(&step)
        {
            return next;
        }
        if let Some(precondition) = &step.precondition {
            let check = match self.check(precondition) {
                Ok(check) => check,
                Err(error) => return self.end(Code::Internal, error.to_string()),
            };
            let settled = self.settling() == Settling::Settled;
            if !check.holds || (precondition.condition.has_negative() && !self.is_certain()) {
                if let Some(next) = self.answers_and_nuisances() {
                    return next;
                }
                if self.now < self.progress().step_until {
                    return self.keep_looking();
                }
                if let Some(end) = self.unproven_once(&step, settled) {
                    return end;
                }
                let code = if settled { Code::UnexpectedState } else { Code::NotSettled };
                return self.unmet(code, precondition, &check);
            }
            self.progress().ready = Some(check);
        }
        match &step.action {
            Action::WaitFor { condition } => self.wait_for(&step, condition),
            Action::Open { .. } => self.act(&step, None),
            Action::PressKey { target: None, .. } => self.act(&step, None),
            action => match action.target() {
                Some(target) => self.find(&step, target),
                None => self.end(Code::Internal, "a step without target".into()),
            },
        }
    }

    /// Before a step that acts only nuisances are looked at: answers belong to what was done before. A step that
    /// looks takes both.
    fn nuisances_before(&mut self, step: &Step) -> Option<Next> {
        if !step.action.changes_state() || self.progress().tried {
            return self.answers_and_nuisances();
        }
        self.nuisances()
    }

    /// What was sent before may have had its effect late: then the step is done, and not sent once more.
    fn already(&mut self, step: &Step) -> Option<Next> {
        let checkpoint = step.checkpoint.as_ref()?;
        let check = match self.check(checkpoint) {
            Ok(check) => check,
            Err(error) => return Some(self.end(Code::Internal, error.to_string())),
        };
        let believed = self.is_certain() || !checkpoint.condition.has_negative();
        let read = !step.action.reads_back() || self.progress().read_back;
        (check.holds && believed && read && !check.held_before && step.opens.is_empty()).then(|| self.done(Some(check)))
    }

    fn wait_for(&mut self, step: &Step, condition: &waymark_artifact::Condition) -> Next {
        let verdict = match self.verdict(condition) {
            Ok(verdict) => verdict,
            Err(error) => return self.end(Code::Internal, error.to_string()),
        };
        let settled = self.settling() == Settling::Settled;
        let check = Check {
            description: step.description.clone(),
            holds: verdict.holds,
            held_before: false,
            leaves: verdict.leaves.iter().map(|l| (l.words.clone(), l.holds)).collect(),
        };
        if verdict.holds && (self.is_certain() || !condition.has_negative()) {
            self.tell_ready();
            return self.done(Some(check));
        }
        if self.now >= self.progress().step_until {
            let code = if settled { Code::CheckpointUnmet } else { Code::NotSettled };
            let missing: Vec<String> = verdict.leaves.into_iter().filter(|l| !l.holds).map(|l| l.words).collect();
            let message = format!("waited in vain: {}", missing.join("; "));
            self.tell(&check);
            return self.end_with(code, message, step.description.clone(), Vec::new());
        }
        if let Some(next) = self.application_error(self.at_rest()) {
            return next;
        }
        self.keep_looking()
    }

    /// Waits for a change, as long as the step may take.
    pub(super) fn keep_looking(&mut self) -> Next {
        let until = self.progress().step_until;
        self.progress().attempt_until = until;
        self.look_on()
    }

    fn find(&mut self, step: &Step, target: &Target) -> Next {
        let Some(seen) = self.seen.take() else { return self.look_now() };
        let hints = self.hint_matches(target, &seen.hints);
        let resolution = resolve(target, &seen.snapshot, &hints, &self.bindings);
        self.seen = Some(seen);
        match resolution {
            Ok(Resolution::Found(found)) => self.found(step, &found),
            Ok(other) => self.not_found(step, other),
            Err(error) => self.end(Code::Internal, error.to_string()),
        }
    }

    fn found(&mut self, step: &Step, found: &Found) -> Next {
        let settled = self.settling() == Settling::Settled;
        if found.kind == RungKind::NativeHint
            && let Some(next) = self.hint_alone(step, found)
        {
            return next;
        }
        if step.action.changes_state() {
            return self.act(step, Some(found));
        }
        // What is read must have come to rest: a value may be under way.
        if !settled {
            // A request that was open before may be one that never ends: then what is there is all there will be.
            let late = self.now >= self.progress().step_until;
            if late && !self.at_rest() {
                return self.end(Code::NotSettled, "the screen did not come to rest before it was to be read".into());
            }
            if !late {
                return self.keep_looking();
            }
        }
        self.tell_ready();
        self.report_found(step, found);
        self.read(step, found.node)
    }

    /// What is done where the driver's hint alone finds the target: it says how to get somewhere, and not what is there. So it
    /// is not believed of a screen that still moves, nor for anything that does harm. `None` where it may be used.
    fn hint_alone(&mut self, step: &Step, found: &Found) -> Option<Next> {
        if step.risk > Risk::Safe || self.is_harmful(step, found) {
            let note = String::new();
            let attempt = Attempt { rung: found.rung, kind: found.kind, matches: vec![found.node], note };
            return Some(self.not_found(step, Resolution::NotFound { attempts: vec![attempt] }));
        }
        if self.at_rest() || self.now >= self.progress().step_until {
            return None;
        }
        Some(self.keep_looking())
    }

    /// Tells how the target was found, once per step and attempt.
    pub(super) fn report_found(&mut self, step: &Step, found: &Found) {
        let Some(seen) = &self.seen else { return };
        let words = describe(&seen.snapshot, found.node);
        let fingerprint = fingerprint(&seen.snapshot, found.node);
        let node = seen.snapshot.node(found.node);
        let before = seen.snapshot.iter().take_while(|(ix, _)| *ix != found.node);
        let alike = before.filter(|(_, n)| n.scope == node.scope && n.role == node.role && n.name == node.name).count();
        let nth = u32::try_from(alike + 1).unwrap_or(u32::MAX);
        let rung = u32::try_from(found.rung + 1).unwrap_or(u32::MAX);
        self.events.push(RunEvent::Resolved {
            step: step.id.clone(),
            report: ResolvedReport {
                rung,
                kind: found.kind,
                drift: found.drift,
                hint_moved: found.hint_moved,
                hint_matches: found.hint_matches,
                found: words,
                nth,
                fingerprint,
            },
        });
        let by_base = self.plan.base_drift.get(&step.id).and_then(|ways| ways.get(found.rung).copied());
        let base_drift = by_base.unwrap_or(found.drift);
        let known = self.drift.steps.iter().any(|d| d.step == step.id.to_string());
        if found.drift.max(base_drift) > 0 && !known {
            self.drift.score += found.drift;
            self.drift.base_score += base_drift;
            self.drift.steps.push(DriftStep {
                step: step.id.to_string(),
                matched_rung: rung,
                kind: found.kind.as_str().to_owned(),
                drift: found.drift,
                base_drift,
            });
        }
    }

    fn not_found(&mut self, step: &Step, resolution: Resolution) -> Next {
        if let Some(next) = self.answers_and_nuisances() {
            return next;
        }
        let settled = self.settling() == Settling::Settled;
        let by_hint = by_hint(&resolution);
        let result = match &resolution {
            _ if by_hint => None,
            Resolution::RowAbsent { .. } => Some(ResolutionResult::RowAbsent),
            Resolution::Ambiguous { .. } => Some(ResolutionResult::TargetAmbiguous),
            _ => None,
        };
        if let Some(result) = result {
            match self.answer_by_resolution(result) {
                Ok(Some((index, true))) => return self.answer(index, false),
                Ok(Some((_, false))) => return self.wait_or_unsettled(),
                Ok(None) => {}
                Err(error) => return self.end(Code::Internal, error.to_string()),
            }
        }
        if let Some(next) = self.application_error(self.at_rest()) {
            return next;
        }
        // Two of a kind do not become one by waiting, nor does another thing become the recorded one; what is
        // missing may still come.
        let fits = matches!(resolution, Resolution::Ambiguous { .. } | Resolution::FingerprintMismatch { .. });
        let final_word = fits && !by_hint;
        let late = self.now >= self.progress().step_until;
        if !(late || final_word && self.at_rest()) {
            return self.keep_looking();
        }
        self.refuse(step, resolution, settled)
    }

    /// The end of a step that was done once and cannot be done again, because what it needs is gone: what held before, and
    /// what it was done to, went with that. Its proof is what is missing. `None` where it was not done or proves nothing.
    fn unproven_once(&mut self, step: &Step, settled: bool) -> Option<Next> {
        let checkpoint = step.checkpoint.as_ref().filter(|_| self.progress().tried)?;
        let proof = self.check(checkpoint).ok()?;
        let code = if settled { Code::CheckpointUnmet } else { Code::NotSettled };
        Some(self.unmet(code, checkpoint, &proof))
    }

    fn refuse(&mut self, step: &Step, resolution: Resolution, settled: bool) -> Next {
        let gone = matches!(
            resolution,
            Resolution::NotFound { .. } | Resolution::RowAbsent { .. } | Resolution::PlaceMissing { .. }
        );
        if (gone || by_hint(&resolution))
            && let Some(end) = self.unproven_once(step, settled)
        {
            return end;
        }
        let snapshot = self.seen.as_ref().map(|s| s.snapshot.clone()).unwrap_or_default();
        let target = step.action.target().map(|t| t.description.clone()).unwrap_or_default();
        let (code, message, attempts) = match resolution {
            Resolution::Ambiguous { attempts } => {
                let count = attempts.last().map_or(0, |a| a.matches.len());
                let message = format!("{count} elements fit \"{target}\"; the engine does not guess");
                (Code::TargetAmbiguous, message, attempts)
            }
            Resolution::FingerprintMismatch { node, mismatch, attempts } => {
                let message = format!(
                    "\"{target}\" led to {}, whose {} differs: recorded \"{}\", found \"{}\"",
                    describe(&snapshot, node),
                    mismatch.part,
                    mismatch.recorded,
                    mismatch.found
                );
                (Code::FingerprintMismatch, message, attempts)
            }
            Resolution::RowAbsent { keys, attempts } => {
                (Code::TargetNotFound, format!("the table has no row with {keys}"), attempts)
            }
            Resolution::NotFound { attempts } => {
                let only = attempts.last().filter(|last| last.kind == RungKind::NativeHint && !last.matches.is_empty());
                let message = match &self.progress().hindrance {
                    _ if only.is_some() => format!(
                        "only the driver's hint leads to \"{target}\", and that alone does not decide what is more than safe"
                    ),
                    Some((_, why)) => format!("nothing fits \"{target}\" ({why})"),
                    None => format!("nothing fits \"{target}\""),
                };
                (Code::TargetNotFound, message, attempts)
            }
            Resolution::PlaceMissing { miss } => (Code::TargetNotFound, miss.to_string(), Vec::new()),
            Resolution::Found(_) => (Code::Internal, "found and refused".into(), Vec::new()),
        };
        let code = if !settled && code == Code::TargetNotFound { Code::NotSettled } else { code };
        let (code, message) = match self.led_away() {
            Some((rule, location)) => (Code::PolicyBlocked, stopped(&rule, &location)),
            None => (code, message),
        };
        self.tell_ready();
        let attempts: Vec<AttemptReport> = attempts.iter().map(|a| report(&snapshot, a)).collect();
        self.events.push(RunEvent::Unresolved {
            step: step.id.clone(),
            attempts: attempts.clone(),
            code,
            message: message.clone(),
        });
        self.end_with(code, message, step.description.clone(), attempts)
    }

    fn read(&mut self, step: &Step, node: Ix) -> Next {
        // The part of a table that came would be read as the whole.
        if let Some(problem) = self.half_document() {
            return self.end(Code::AppError, problem);
        }
        let Some(seen) = self.seen.take() else { return self.look_now() };
        let result = self.read_from(step, node, &seen.snapshot);
        self.seen = Some(seen);
        let (name, value) = match result {
            Ok(read) => read,
            Err(message) => return self.end(Code::OutputInvalid, message),
        };
        let output = self.plan.artifact.outputs.iter().find(|o| o.name == name);
        let sensitive = output.is_some_and(|o| o.sensitive);
        let told = if sensitive { serde_json::Value::Null } else { serde_json::to_value(&value).unwrap_or_default() };
        self.events.push(RunEvent::Read { step: step.id.clone(), output: name.to_string(), value: told });
        let empty = match &value {
            Value::Null => true,
            Value::Text(text) => text.is_empty(),
            Value::Table(table) => table.rows.is_empty(),
            _ => false,
        };
        if !empty {
            self.not_empty.insert(name.clone());
        }
        self.outputs.insert(name, value);
        // What is read can be proven too: the step's own checkpoint, where it has one.
        match step.checkpoint.clone() {
            Some(checkpoint) => match self.check(&checkpoint) {
                Ok(check) if check.holds => self.done(Some(check)),
                Ok(check) => self.unmet(Code::CheckpointUnmet, &checkpoint, &check),
                Err(error) => self.end(Code::Internal, error.to_string()),
            },
            None => self.done(None),
        }
    }

    fn read_from(
        &self,
        step: &Step,
        node: Ix,
        snapshot: &UiSnapshot,
    ) -> Result<(waymark_artifact::Name, Value), String> {
        let output = |name: &waymark_artifact::Name| {
            let found = self.plan.artifact.outputs.iter().find(|o| o.name == *name);
            found.ok_or_else(|| format!("the output `{name}` is not declared"))
        };
        match &step.action {
            Action::Read { part, into, .. } => Ok((into.clone(), read::scalar(snapshot, node, *part, output(into)?)?)),
            Action::ReadTable { into, columns, rows, except, .. } => {
                let table = read::table(snapshot, node, output(into)?, columns, *rows, except, &self.bindings)?;
                Ok((into.clone(), Value::Table(table)))
            }
            other => Err(format!("a {} step reads nothing", other.kind())),
        }
    }

    /// The application failed by its own word: a status of its answer, or no answer at all.
    pub(super) fn application_error(&mut self, settled: bool) -> Option<Next> {
        let error = self.app_error().filter(|_| settled)?;
        // What was stopped on its way there did not fail by itself.
        Some(match self.progress().route_refused.clone() {
            Some((rule, location)) => self.stopped_by(&rule, &location),
            None => self.end(Code::AppError, error),
        })
    }

    /// The end where the policy stopped the way that the application took.
    pub(super) fn stopped_by(&mut self, rule: &str, location: &str) -> Next {
        self.end(Code::PolicyBlocked, stopped(rule, location))
    }

    /// The rule and the address, where the application wanted to go off the allowlist, before this step or in it, and
    /// nothing is left where the step looks.
    pub(super) fn led_away(&mut self) -> Option<(String, String)> {
        let refused = self.progress().route_refused.clone()?;
        let watched = self.watched_frames();
        let screen = self.seen.as_ref().map(|seen| &seen.snapshot)?;
        let mut scopes = (0u32..).map(ScopeId).zip(screen.scopes());
        let bare = scopes.any(|(scope, of)| {
            let names: Vec<&str> = of.path.iter().map(|frame| frame.name.as_str()).collect();
            let looked_at = of.path.is_empty() || watched.iter().any(|(w, path)| *w == of.window.0 && *path == names);
            looked_at && screen.is_bare(scope)
        });
        bare.then_some(refused)
    }

    /// What of the application failed, if anything did.
    pub(super) fn app_error(&self) -> Option<String> {
        let failed = self.walk().progress.app_errors.values().next().map(|failed| failed.problem.clone());
        failed.or_else(|| self.half_document())
    }

    /// Why what is missing in the frames that the step looks at may only not have come.
    pub(super) fn half_document(&self) -> Option<String> {
        self.concerning(&self.halves, |_| true).cloned()
    }

    /// The first of what is known of documents that concerns the step: of a window as a whole, or of a frame that it looks at.
    fn concerning<'a, T>(
        &self,
        documents: &'a BTreeMap<(String, Vec<String>), T>,
        counts: impl Fn(&T) -> bool,
    ) -> Option<&'a T> {
        if documents.is_empty() {
            return None;
        }
        let watched = self.watched_frames();
        let mut found = documents.iter().filter(|((window, path), what)| {
            counts(what) && (path.is_empty() || watched.iter().any(|(w, p)| w == window && p.starts_with(path)))
        });
        found.next().map(|(_, what)| what)
    }

    /// Whether what is not there may be believed not to be there.
    pub(super) fn is_certain(&self) -> bool {
        self.settling() == Settling::Settled && self.half_document().is_none()
    }

    /// Whether a window as a whole, or a frame that the step looks at, is a document that its server says it could not
    /// make.
    pub(super) fn failed_document(&self) -> Option<String> {
        let failed = self.concerning(&self.walk().progress.app_errors, |failed| failed.by_status);
        failed.map(|failed| failed.problem.clone())
    }

    /// Whether a declared answer or nuisance stands on the screen.
    pub(super) fn explains_by_answer(&mut self) -> bool {
        self.matching_answer().is_ok_and(|found| found.is_some())
    }

    /// What the hints found, by index of their candidate.
    pub(super) fn hint_matches(&self, target: &Target, found: &[Vec<waymark_snapshot::NodeId>]) -> Hints {
        let mut out = Hints::new();
        for (index, candidate) in target.candidates.iter().enumerate() {
            if let Some(query) = self.hint_query(target, candidate)
                && let Some(ids) = self.hinted.iter().position(|asked| *asked == query).and_then(|at| found.get(at))
            {
                out.insert(index, ids.clone());
            }
        }
        out
    }

    /// Whether the risk is one that must not be repeated.
    pub(super) fn must_not_repeat(&mut self) -> bool {
        self.progress().risk >= Risk::Risky
    }
}

/// Whether nothing fits but what the driver's hint led to: for everything that is concluded, the thing itself is missing.
fn by_hint(resolution: &Resolution) -> bool {
    let (Resolution::Ambiguous { attempts } | Resolution::FingerprintMismatch { attempts, .. }) = resolution else {
        return false;
    };
    attempts.len() > 1 && attempts.last().is_some_and(|last| last.kind == RungKind::NativeHint)
}

fn report(snapshot: &UiSnapshot, attempt: &Attempt) -> AttemptReport {
    AttemptReport {
        rung: u32::try_from(attempt.rung + 1).unwrap_or(u32::MAX),
        kind: attempt.kind,
        matches: u32::try_from(attempt.matches.len()).unwrap_or(u32::MAX),
        found: attempt.matches.iter().take(10).map(|ix| describe(snapshot, *ix)).collect(),
        note: attempt.note.clone(),
    }
}

/// What is said where the policy stopped the application's own way.
pub(super) fn stopped(rule: &str, location: &str) -> String {
    format!("the policy ({rule}) stopped the way to {location}")
}
