//! What an observation means.

use waymark_artifact::{
    BindError, Candidate, Checkpoint, Condition, Detector, DialogOpens, Guard, Place, Remedy, ResolutionResult, Rung,
    StepId, Target, TextMatch,
};
use waymark_perception::{Facts, Verdict, frame_path, holds, text_fits};
use waymark_run::{CheckReport, Code, RunEvent};
use waymark_snapshot::{UiSnapshot, WindowKey};
use waymark_surface::{DialogFact, DialogKind, Fact, FrameQuery, HintQuery, Observe, Reaction, Settling, Until};

use super::{Machine, Next, Phase, Purpose};

/// What came of a checkpoint.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) description: String,
    pub(super) holds: bool,
    pub(super) held_before: bool,
    pub(super) leaves: Vec<(String, bool)>,
}

impl Check {
    pub(super) fn report(&self) -> CheckReport {
        CheckReport {
            description: self.description.clone(),
            holds: self.holds,
            held_before: self.held_before,
            leaves: self.leaves.clone(),
        }
    }
}

/// A number that is the same for the same visible content: roles, names, values and states, no handles, no places.
pub(super) fn content(snapshot: &UiSnapshot) -> u64 {
    // FNV-1a: a digest for comparing within a run, not for keeping.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut feed = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for node in snapshot.nodes() {
        feed(node.role.as_str().as_bytes());
        feed(node.name.as_bytes());
        feed(node.value.as_deref().unwrap_or_default().as_bytes());
        feed(&node.states.without(waymark_snapshot::State::Focused).0.to_le_bytes());
    }
    hash
}

impl Machine {
    /// Tells what came of a check.
    pub(super) fn tell(&mut self, check: &Check) {
        let step = self.current_id();
        self.events.push(RunEvent::Checked { step, report: check.report() });
    }

    /// Tells of the precondition that let the step go on.
    pub(super) fn tell_ready(&mut self) {
        if let Some(check) = self.progress().ready.take() {
            self.tell(&check);
        }
    }

    /// The verdict of each predicate of a condition; none where it cannot be bound.
    pub(super) fn leaves(&self, condition: &Condition) -> Vec<(String, bool)> {
        let verdict = self.verdict(condition).map(|v| v.leaves).unwrap_or_default();
        verdict.into_iter().map(|leaf| (leaf.words, leaf.holds)).collect()
    }

    /// Looks at once.
    pub(super) fn look_now(&mut self) -> Next {
        self.observe(Until::Now)
    }

    /// Looks again when something changed.
    pub(super) fn look_on(&mut self) -> Next {
        let after = self.seen.as_ref().map_or(0, |s| s.number);
        self.observe(Until::Change { after })
    }

    fn observe(&mut self, until: Until) -> Next {
        let hints = self.hints();
        self.hinted.clone_from(&hints);
        let watch = match self.watch() {
            Ok(watch) => watch,
            Err(error) => return self.end(Code::Internal, error.to_string()),
        };
        let within_ms = self.left().max(1);
        // A look that is answered at once still has to get through to a busy application, but not beyond the run.
        let run = self.run_left();
        let within_ms = if until == Until::Now { within_ms.max(run.clamp(500, 2_000)) } else { within_ms };
        Next::Observe { request: Observe { watch, hints, until }, within_ms }
    }

    /// Milliseconds until the time of the run is over, and one more, so that it is over then.
    pub(super) fn run_left(&self) -> u64 {
        (u64::from(self.plan.artifact.limits.run_deadline_ms) + 1).saturating_sub(self.now)
    }

    /// Milliseconds until the running attempt, a guard, or the end of the run has something to say.
    fn left(&mut self) -> u64 {
        let now = self.now;
        let guard = self.guard_due();
        let run = self.run_left();
        let progress = self.progress();
        let attempt = progress.attempt_until.saturating_sub(now).min(run);
        guard.map_or(attempt, |due| attempt.min(due.saturating_sub(now).max(1)))
    }

    /// When the content will have been stable for as long as a guard wants.
    fn guard_due(&mut self) -> Option<u64> {
        let since = self.content.1;
        let now = self.now;
        self.plan
            .artifact
            .outcomes
            .iter()
            .filter_map(|o| o.guard.as_ref()?.stable_for_ms)
            .map(|ms| since + u64::from(ms))
            .filter(|due| *due > now)
            .min()
    }

    /// Whether what is there may be believed: nothing moves, and nothing is under way that the last action set off.
    pub(super) fn at_rest(&self) -> bool {
        matches!(self.settling(), Settling::Settled | Settling::Waiting)
    }

    pub(super) fn settling(&self) -> Settling {
        self.seen.as_ref().map_or(Settling::Navigating, |s| s.settling)
    }

    /// The hints of the targets of all steps of the walk: what is asked for does not change from step to step, so the look
    /// that proved a step can be the first look of the next.
    pub(super) fn hints(&self) -> Vec<HintQuery> {
        let mut out = Vec::new();
        for target in self.walk().steps.iter().filter_map(|step| step.action.target()) {
            for candidate in &target.candidates {
                if let Some(query) = self.hint_query(target, candidate)
                    && !out.contains(&query)
                {
                    out.push(query);
                }
            }
        }
        out
    }

    /// What is asked of the driver for a rung that is a hint for it.
    pub(super) fn hint_query(&self, target: &Target, candidate: &Candidate) -> Option<HintQuery> {
        let Rung::NativeHint { hint } = &candidate.find else { return None };
        let hint = hint.get(&self.plan.artifact.application.surface)?.clone();
        let place = Place { window: target.window.clone(), frame: target.frame.clone() };
        Some(HintQuery { frame: self.frame_query(&place).ok()?, hint })
    }

    /// The frames over which settling is judged.
    pub(super) fn watch(&self) -> Result<Vec<FrameQuery>, BindError> {
        let mut places: Vec<Place> = Vec::new();
        let mut conditions: Vec<&Condition> = Vec::new();
        match self.current() {
            Some(step) => {
                if let Some(target) = step.action.target() {
                    places.push(Place { window: target.window.clone(), frame: target.frame.clone() });
                }
                conditions.extend(step.checkpoint.iter().chain(&step.precondition).map(|c| &c.condition));
                // Whether it would say "landed" before the step was done is seen on the screen that the step is done on.
                let reconcile = step.reconcile.iter();
                conditions.extend(reconcile.flat_map(|r| std::iter::once(&r.landed).chain(&r.not_landed)));
                if let waymark_artifact::Action::WaitFor { condition } = &step.action {
                    conditions.push(condition);
                }
            }
            None => match self.reconciles() {
                Some(reconcile) => conditions.extend(std::iter::once(&reconcile.landed).chain(&reconcile.not_landed)),
                None => conditions.push(&self.plan.artifact.checkpoint.condition),
            },
        }
        for (_, outcome) in self.answers_here() {
            if let Detector::Condition(condition) = &outcome.detector {
                conditions.push(condition);
            }
            conditions.extend(outcome.guard.iter().filter_map(|guard| guard.absent.as_ref()));
        }
        conditions.extend(self.plan.artifact.recoveries.iter().map(|r| &r.when));
        places.extend(conditions.iter().flat_map(|c| c.places()).cloned());
        let mut out = Vec::new();
        for place in &places {
            let query = self.frame_query(place)?;
            if !out.contains(&query) {
                out.push(query);
            }
        }
        Ok(out)
    }

    /// The same as windows and names of frames; what cannot be named is left out.
    pub(super) fn watched_frames(&self) -> Vec<(String, Vec<String>)> {
        let watch = self.watch().unwrap_or_default();
        let name = |window: Option<WindowKey>| window.unwrap_or_else(WindowKey::main).0;
        watch.into_iter().map(|query| (name(query.window), query.path)).collect()
    }

    fn frame_query(&self, place: &Place) -> Result<FrameQuery, BindError> {
        Ok(FrameQuery {
            window: place.window.as_ref().map(|w| self.bindings.text(w)).transpose()?.map(WindowKey),
            path: frame_path(&place.frame, &self.bindings)?,
        })
    }

    /// Evaluates a condition on the last observation.
    pub(super) fn verdict(&self, condition: &Condition) -> Result<Verdict, BindError> {
        let Some(seen) = &self.seen else { return Ok(Verdict { holds: false, leaves: Vec::new() }) };
        let mut windows: Vec<String> = Vec::new();
        for window in &seen.windows {
            windows.push(window.window.0.clone());
            if !window.name.is_empty() && window.name != window.window.0 {
                windows.push(window.name.clone());
            }
        }
        let facts = Facts {
            dialog: seen.dialog.as_ref().map(|d| d.text.as_str()),
            windows: &windows,
            outputs: &self.not_empty,
            screen_id: self.plan.artifact.application.screen_id.as_ref(),
        };
        holds(condition, &seen.snapshot, &facts, &self.bindings)
    }

    pub(super) fn check(&mut self, checkpoint: &Checkpoint) -> Result<Check, BindError> {
        let verdict = self.verdict(&checkpoint.condition)?;
        Ok(Check {
            description: checkpoint.description.clone(),
            holds: verdict.holds,
            held_before: self.progress().held_before,
            leaves: verdict.leaves.into_iter().map(|l| (l.words, l.holds)).collect(),
        })
    }

    /// The outcomes that may come now: after the step under way or, as long as that did nothing itself, after the
    /// last one that did.
    fn answers_here(&self) -> impl Iterator<Item = (usize, &waymark_artifact::Outcome)> {
        let step = self.current().map(|s| &s.id);
        let before = self.last_acted.as_ref().filter(|_| !self.walk().progress.delivered);
        let main = self.is_main();
        self.plan.artifact.outcomes.iter().enumerate().filter(move |(_, o)| {
            main && (o.after.is_empty() || step.into_iter().chain(before).any(|s| o.after.contains(s)))
        })
    }

    /// Declared answers and nuisances, in this order. `None` where there are none of either, so that the caller goes
    /// on to what it expects.
    pub(super) fn answers_and_nuisances(&mut self) -> Option<Next> {
        if !self.is_main() {
            return None;
        }
        match self.matching_answer() {
            Ok(None) => {}
            Ok(Some((index, true))) => {
                let also = self.checkpoint_holds();
                return Some(self.answered(index, also));
            }
            Ok(Some((_, false))) => return Some(self.wait_or_unsettled()),
            Err(error) => return Some(self.end(Code::Internal, error.to_string())),
        }
        self.nuisances()
    }

    /// Declared nuisances, in their order; `None` where there are none.
    pub(super) fn nuisances(&mut self) -> Option<Next> {
        if !self.is_main() {
            return None;
        }
        for index in 0..self.plan.artifact.recoveries.len() {
            // A dialog is answered where it is seen, before anything else is looked at.
            if matches!(self.plan.artifact.recoveries[index].remedy, Remedy::Answer { .. }) {
                continue;
            }
            let when = self.plan.artifact.recoveries[index].when.clone();
            match self.verdict(&when) {
                Ok(verdict) if !verdict.holds => {}
                Ok(_) if self.at_rest() => return Some(self.remedy(index)),
                Ok(_) => return Some(self.wait_or_unsettled()),
                Err(error) => return Some(self.end(Code::Internal, error.to_string())),
            }
        }
        None
    }

    /// The first outcome whose detector matches, and whether it may be believed yet.
    pub(super) fn matching_answer(&mut self) -> Result<Option<(usize, bool)>, BindError> {
        // Half a document is no answer of the application.
        if self.half_document().is_some() {
            return Ok(None);
        }
        let settled = self.settling() == Settling::Settled;
        let candidates: Vec<(usize, Condition, Option<Guard>)> = self
            .answers_here()
            .filter_map(|(i, o)| match &o.detector {
                Detector::Condition(condition) => Some((i, condition.clone(), o.guard.clone())),
                Detector::Resolution { .. } => None,
            })
            .collect();
        for (index, condition, guard) in candidates {
            if self.verdict(&condition)?.holds {
                let believed = settled && self.guarded(guard.as_ref())?;
                return Ok(Some((index, believed)));
            }
        }
        Ok(None)
    }

    /// Whether a guard lets an answer be believed.
    fn guarded(&mut self, guard: Option<&Guard>) -> Result<bool, BindError> {
        let Some(guard) = guard else { return Ok(true) };
        if let Some(absent) = &guard.absent
            && self.verdict(absent)?.holds
        {
            return Ok(false);
        }
        if guard.after_request && self.seen.as_ref().is_none_or(|s| s.answered == 0) {
            return Ok(false);
        }
        let now = self.now;
        let since = self.content.1;
        Ok(guard.stable_for_ms.is_none_or(|ms| now.saturating_sub(since) >= u64::from(ms)))
    }

    /// The outcome that stands on what came of looking for the target of this step.
    pub(super) fn answer_by_resolution(
        &mut self,
        result: ResolutionResult,
    ) -> Result<Option<(usize, bool)>, BindError> {
        let Some(step) = self.current().map(|s| s.id.clone()) else { return Ok(None) };
        if !self.is_main() || self.half_document().is_some() {
            return Ok(None);
        }
        let found = self.plan.artifact.outcomes.iter().enumerate().find_map(|(i, o)| match &o.detector {
            Detector::Resolution { step: at, result: wanted } if *at == step && *wanted == result => {
                Some((i, o.guard.clone()))
            }
            _ => None,
        });
        let Some((index, guard)) = found else { return Ok(None) };
        let settled = self.settling() == Settling::Settled;
        let believed = settled && self.guarded(guard.as_ref())?;
        Ok(Some((index, believed)))
    }

    fn checkpoint_holds(&self) -> bool {
        self.current()
            .and_then(|s| s.checkpoint.as_ref())
            .and_then(|c| self.verdict(&c.condition).ok())
            .is_some_and(|v| v.holds)
    }

    /// Something matches and may not be believed yet: waits on, or ends because the screen never came to rest.
    pub(super) fn wait_or_unsettled(&mut self) -> Next {
        if self.now >= self.progress().step_until {
            let why = if self.settling() == Settling::Settled {
                "an answer was on the screen that could not be believed within the step's deadline"
            } else {
                "the screen did not come to rest within the step's deadline"
            };
            return self.end(Code::NotSettled, why.into());
        }
        let until = self.progress().step_until;
        self.progress().attempt_until = until;
        self.look_on()
    }

    /// What happened on the surface by itself, and the dialog that is open.
    pub(super) fn surface_facts(&mut self) -> Option<Next> {
        let facts = self.seen.as_ref().map(|s| s.facts.clone()).unwrap_or_default();
        let step = self.current().cloned();
        let step_id = step.as_ref().map(|s| s.id.clone());
        for fact in facts {
            let told = serde_json::to_value(&fact).unwrap_or_default();
            self.events.push(RunEvent::Surface { step: step_id.clone(), fact: told });
            match fact {
                Fact::Document { window, location, status, error, path } => {
                    // Told once, and true for every step until another document comes.
                    self.halves.retain(|(w, p), _| *w != window.0 || !p.starts_with(&path));
                    if let Some(error) = &error {
                        let problem = format!("{location} could not be loaded: {error}");
                        self.halves.insert((window.0.clone(), path.clone()), problem);
                    }
                    let failed = |problem, by_status| Some(super::FailedDocument { problem, by_status });
                    let problem = match (status, error) {
                        (Some(status), _) if status >= 500 => failed(format!("{location} answered {status}"), true),
                        (_, Some(error)) => failed(format!("{location} could not be loaded: {error}"), false),
                        _ => None,
                    };
                    // A document takes the place of the one that failed in its frame, and of all that were inside.
                    let errors = &mut self.progress().app_errors;
                    errors.retain(|(w, p), _| *w != window.0 || !p.starts_with(&path));
                    if let Some(problem) = problem {
                        errors.insert((window.0, path), problem);
                    }
                }
                Fact::RouteRefused { location, rule, .. } => {
                    self.progress().route_refused = Some((rule, location));
                }
                Fact::SignInAsked { origin, realm } => {
                    let message = format!("{origin} asks for a sign-in to \"{realm}\"");
                    return Some(self.end(Code::SignInNeeded, message));
                }
                Fact::WindowOpened(window) => {
                    let declared = step.as_ref().and_then(|s| s.opens.window.as_ref());
                    let name = declared.and_then(|w| self.bindings.text(&w.name).ok());
                    if name.is_none_or(|n| n != window.window.0 && n != window.name) {
                        let message = format!("the window \"{}\" opened at {}", window.window.0, window.location);
                        return Some(self.end(Code::UnexpectedWindow, message));
                    }
                    self.progress().window = true;
                }
                Fact::Crashed { window } => {
                    let message = format!("the content of window `{}` crashed", window.0);
                    return Some(self.gone(Code::BrowserGone, message));
                }
                Fact::WindowClosed { window } => self.halves.retain(|(w, _), _| *w != window.0),
                Fact::DialogOpened(_) | Fact::DialogClosed { .. } | Fact::Download(_) | Fact::ChooserRefused { .. } => {
                }
            }
        }
        self.dialog()
    }

    /// Answers the open dialog where the step declares it; everything else is for a person.
    fn dialog(&mut self) -> Option<Next> {
        let dialog = self.seen.as_ref()?.dialog.clone()?;
        let answered = self.progress().dialogs;
        let acted = self.progress().phase == Phase::Proving;
        let declared = self.current().and_then(|s| s.opens.dialogs.get(answered)).cloned();
        let fits = |text: &TextMatch| text_fits(text, &dialog.text, &self.bindings).unwrap_or(false);
        match declared {
            Some(declared) if acted && kind(declared.kind) == dialog.kind && fits(&declared.text) => {
                Some(self.answer_dialog(&dialog, &declared))
            }
            _ => {
                if let Some((index, declared)) = self.nuisance(&dialog) {
                    return Some(self.answer_nuisance(index, &dialog, &declared));
                }
                let kind = format!("{:?}", dialog.kind).to_lowercase();
                let message = format!("a dialog ({kind}) says: {}", dialog.text);
                Some(self.end(Code::UnexpectedDialog, message))
            }
        }
    }

    /// The first remedy that answers such a dialog.
    fn nuisance(&self, dialog: &DialogFact) -> Option<(usize, DialogOpens)> {
        if !self.is_main() {
            return None;
        }
        self.plan.artifact.recoveries.iter().enumerate().find_map(|(index, recovery)| {
            let Remedy::Answer { dialog: declared } = &recovery.remedy else { return None };
            let fits = kind(declared.kind) == dialog.kind
                && text_fits(&declared.text, &dialog.text, &self.bindings).unwrap_or(false)
                && self.verdict(&recovery.when).is_ok_and(|verdict| verdict.holds);
            fits.then(|| (index, declared.clone()))
        })
    }

    /// Whether nothing at all reacted to the act.
    pub(super) fn no_reaction(&self) -> bool {
        self.seen.as_ref().is_some_and(|s| s.reaction == Reaction::None)
    }

    /// The reconcile check whose way has been walked.
    fn reconciles(&self) -> Option<&waymark_artifact::Reconcile> {
        let [.., below, top] = self.walks.as_slice() else { return None };
        (top.purpose == Purpose::Reconcile).then(|| below.steps.get(below.at)?.reconcile.as_ref())?
    }

    /// The name of the window that the step declares and that was not seen yet.
    pub(super) fn window_left(&self) -> Option<String> {
        let declared = self.current()?.opens.window.as_ref()?;
        let name = self.bindings.text(&declared.name).ok()?;
        let open = self.seen.iter().flat_map(|s| &s.windows).any(|w| w.window.0 == name || w.name == name);
        (!open && !self.walk().progress.window).then_some(name)
    }

    /// The step under way, by its name.
    pub(super) fn current_id(&self) -> Option<StepId> {
        self.current().map(|s| s.id.clone())
    }
}

fn kind(kind: waymark_artifact::DialogKindName) -> DialogKind {
    match kind {
        waymark_artifact::DialogKindName::Alert => DialogKind::Alert,
        waymark_artifact::DialogKindName::Confirm => DialogKind::Confirm,
        waymark_artifact::DialogKindName::Prompt => DialogKind::Prompt,
        waymark_artifact::DialogKindName::Leave => DialogKind::Leave,
    }
}
