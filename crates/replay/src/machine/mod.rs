//! The machine: what happened goes in, what to do next comes out.
//!
//! ```text
//!            ┌──────────── nothing left: the run's own checkpoint ───────────► Finish
//!            │
//!  enter ─► Looking ─ found ─► Acting ─ delivered ─► Proving ─ checkpoint met ─► next step
//!            ▲  │  nothing that was declared          │  │
//!            │  └────────────► escalate or fail ◄─────┘  └─ safe and quiet ─► Looking (a retry)
//!            └── not delivered, proven ──┘
//! ```
//!
//! Every observation is classified in one order: answers, nuisances, what was expected, everything else; and a
//! negative answer is believed of a settled screen only.

mod acts;
mod classify;
mod flow;
mod handoff;
mod look;
mod prove;

use std::collections::{BTreeMap, BTreeSet};

use waymark_artifact::Risk;
use waymark_artifact::{Bindings, Name, Step, StepId, Value};
use waymark_run::{ApprovalAsk, Code, DriftReport, Effect, RecoveredReport, RunEvent, StepCounts};
use waymark_surface::{Ask, Delivery, DriverError, HintQuery, Observation, Observe, Refusal};

use self::classify::Check;
use crate::effects::{EffectLog, Hide, heard};
use crate::{Ending, Plan, PlanError, Summary};

/// What happened, and when.
#[derive(Clone, Debug)]
pub struct Input {
    /// Milliseconds since the run began, people not counted.
    pub at_ms: u64,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What {
    /// The run begins.
    Start,
    /// A look was answered.
    Seen {
        /// What was seen.
        seen: Box<Observation>,
        /// The rule and address, where a window has landed where it must not be.
        off_limits: Option<(String, String)>,
    },
    /// A look could not be answered.
    Lost(DriverError),
    /// An act was tried.
    Acted(Acted),
    /// A credential could not be resolved.
    NoCredential {
        /// Its name.
        name: Name,
        /// Why; without its value.
        why: String,
    },
    /// A picture was taken, or not.
    Captured,
    /// The run is told to end.
    Stop,
    /// A person is done, and the engine has the session again.
    Resume {
        /// What is there now, looked at as [`Machine::handoff_look`] says. Its facts are all since the walk stood still.
        seen: Box<Observation>,
        /// The rule and address, where a window has landed where it must not be.
        off_limits: Option<(String, String)>,
        /// Whether a person held control meanwhile, and so may have acted.
        drove: bool,
        /// Whether a person said yes to what the step would do on this very screen.
        approved: bool,
    },
    /// No person lets it go on.
    GivenUp,
}

/// What came of an act.
#[derive(Clone, Debug)]
pub enum Acted {
    /// The gate let it through.
    Done(Delivery),
    /// The gate did not.
    Refused(Refusal),
}

/// What to tell, and what to do next.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// What to tell, in order.
    pub events: Vec<RunEvent>,
    /// What to do next; exactly one thing.
    pub next: Next,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Look.
    Observe {
        /// How.
        request: Observe,
        /// Answer at the latest after so many milliseconds.
        within_ms: u64,
    },
    /// Ask the gate, and act.
    Act {
        /// The step.
        step: StepId,
        /// What.
        ask: Box<Ask>,
        /// The credential whose value is to be typed in place of the empty text of the act.
        credential: Option<Name>,
        /// Whether a person said yes to exactly this.
        approved: bool,
        /// How long the act may take.
        within_ms: u64,
    },
    /// Take a picture.
    Capture {
        /// The step that was done.
        step: StepId,
        /// What the picture may show.
        caption: String,
        /// How long it may take; without one the walk goes on.
        within_ms: u64,
    },
    /// Stand still until a person has acted: [`What::Resume`] or [`What::GivenUp`].
    Handoff(Box<Handoff>),
    /// The walk is over.
    Finish(Box<Ending>),
}

/// Why the walk stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handoff {
    /// How it ends where no person lets it go on.
    pub ending: Ending,
    /// Where the step waits for a yes: to what.
    pub approval: Option<ApprovalAsk>,
}

/// Where a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The step was not entered yet.
    Enter,
    /// Looking for precondition and target.
    Looking,
    /// An act is under way.
    Acting,
    /// An answer to a dialog is under way.
    Answering,
    /// It was delivered; its proof is awaited.
    Proving,
    /// A picture is being taken.
    Capturing,
    /// All steps are done; the run's own checkpoint is awaited.
    Final,
}

/// A document that failed.
#[derive(Clone, Debug)]
struct FailedDocument {
    /// In words.
    problem: String,
    /// Whether it came, and its status says that it failed.
    by_status: bool,
}

/// What is known of the step under way.
#[derive(Clone, Debug)]
struct Progress {
    phase: Phase,
    entered_ms: u64,
    /// When the running attempt is given up.
    attempt_until: u64,
    /// When the step is given up.
    step_until: u64,
    retries: u32,
    relooks: u32,
    /// Risk as the policy judged the act.
    risk: Risk,
    /// Something was handed to the application in this attempt, or may have been.
    delivered: bool,
    /// Something risky was, in any attempt.
    committed: bool,
    dialogs: usize,
    /// The remedy by which a dialog is answered that is a nuisance and not the step's own, and where the step stood.
    nuisance: Option<(usize, Phase)>,
    held_before: bool,
    /// A remedy was used since the delivery.
    remedied: bool,
    /// Something was handed to the application in an earlier attempt or this one.
    tried: bool,
    /// What was sent had no answer yet when its effect was asked after: it may still come.
    unanswered: bool,
    /// The declared answer that was seen, while its effect is being asked after.
    answer: Option<usize>,
    /// The verdicts behind it, on the screen that showed it.
    answer_leaves: Vec<(String, bool)>,
    /// A control that is read back holds what it should.
    read_back: bool,
    /// Why it does not.
    mismatch: Option<String>,
    /// The declared window was seen.
    window: bool,
    /// Documents that failed and were not replaced since, by window and frame.
    app_errors: BTreeMap<(String, Vec<String>), FailedDocument>,
    route_refused: Option<(String, String)>,
    /// Why the last act did not reach the application.
    hindrance: Option<(Code, String)>,
    /// The precondition, where it held when it was looked at last.
    ready: Option<Check>,
}

/// Steps that are walked, and why.
#[derive(Clone, Debug)]
struct Walk {
    steps: Vec<Step>,
    at: usize,
    purpose: Purpose,
    progress: Progress,
    began_ms: u64,
}

/// Why steps are walked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Purpose {
    Main,
    /// A declared remedy, by its index.
    Remedy(usize),
    /// Finding out what came of the step that the walk below stands at.
    Reconcile,
}

/// A walk of a plan.
#[derive(Clone, Debug)]
pub struct Machine {
    plan: Plan,
    bindings: Bindings,
    walks: Vec<Walk>,
    now: u64,
    seen: Option<Box<Observation>>,
    /// The hints that the last look asked for.
    hinted: Vec<HintQuery>,
    outputs: BTreeMap<Name, Value>,
    not_empty: BTreeSet<Name>,
    retries: u32,
    remedies: BTreeMap<Name, u32>,
    recovered: Vec<RecoveredReport>,
    effect: Effect,
    done: BTreeSet<StepId>,
    attempted: BTreeSet<StepId>,
    /// Risky steps that were handed to the application, or may have been.
    risked: BTreeSet<StepId>,
    /// Steps whose reconcile check would have said "landed" before they were done: there it proves nothing.
    landed_before: BTreeSet<StepId>,
    /// The risky step that was done by the application's own word, while its record was not seen yet.
    on_word: Option<StepId>,
    /// The last step that was handed to the application.
    last_acted: Option<StepId>,
    /// Documents that broke off on their way and were not replaced since, by window and frame: what is missing in one
    /// may only not have come.
    halves: BTreeMap<(String, Vec<String>), String>,
    /// A digest of what is visible, and since when it is so.
    content: (u64, u64),
    held_before: Vec<StepId>,
    drift: DriftReport,
    events: Vec<RunEvent>,
    effects: EffectLog,
    /// Why it stands still.
    handed: Option<handoff::Handed>,
    /// The act that the gate was asked for last; `None` for an answer to a dialog.
    asking: Option<Box<Ask>>,
    /// The step that a person said yes to, and what the yes is bound to.
    yes: Option<(StepId, String)>,
    /// Whether a person let it go on.
    human_assisted: bool,
}

impl Machine {
    /// Binds a plan.
    ///
    /// # Errors
    /// The plan cannot be carried out by this version, or a value is missing.
    pub fn new(plan: Plan) -> Result<Self, PlanError> {
        let bindings = plan.bind()?;
        let main = Walk {
            steps: plan.artifact.steps.clone(),
            at: 0,
            purpose: Purpose::Main,
            progress: Progress::fresh(0),
            began_ms: 0,
        };
        Ok(Machine {
            plan,
            bindings,
            walks: vec![main],
            now: 0,
            seen: None,
            hinted: Vec::new(),
            outputs: BTreeMap::new(),
            not_empty: BTreeSet::new(),
            retries: 0,
            remedies: BTreeMap::new(),
            recovered: Vec::new(),
            effect: Effect::None,
            done: BTreeSet::new(),
            attempted: BTreeSet::new(),
            risked: BTreeSet::new(),
            landed_before: BTreeSet::new(),
            halves: BTreeMap::new(),
            on_word: None,
            last_acted: None,
            content: (0, 0),
            held_before: Vec::new(),
            drift: DriftReport::default(),
            events: Vec::new(),
            effects: EffectLog::default(),
            handed: None,
            asking: None,
            yes: None,
            human_assisted: false,
        })
    }

    /// Takes what happened and says what to do next.
    pub fn step(&mut self, input: Input) -> Turn {
        self.now = self.now.max(input.at_ms);
        let heard = heard(&input.what);
        let next = match input.what {
            What::Stop => self.stopped(),
            What::Start => self.enter(),
            What::Seen { seen, off_limits } => self.saw(seen, off_limits),
            What::Lost(error) => match self.handed.take() {
                // It was a person's before it was lost, and so it ends.
                Some(handed) => Next::Finish(Box::new(handed.ending)),
                None => self.lost(&error),
            },
            What::Resume { seen, off_limits, drove, approved } => self.resume(seen, off_limits, drove, approved),
            What::GivenUp => self.given_up(),
            What::Acted(acted) => self.acted(acted),
            What::NoCredential { name, why } => {
                self.end(Code::CredentialUnavailable, format!("the credential `{name}` could not be resolved: {why}"))
            }
            What::Captured => self.advance(),
        };
        let turn = Turn { events: std::mem::take(&mut self.events), next };
        let walk = &self.walks[self.walks.len() - 1];
        self.effects.note(heard, &turn, walk.steps.get(walk.at), walk.progress.dialogs, &self.outputs);
        turn
    }

    /// The effect journal of the walk, ended so: what it found, did, proved and read, without how long that took. The
    /// same inputs give the same journal; so do others that differ only in time, looks, pictures and the values of
    /// variables. `hide` says what stands in for an output that must not be seen; what the artifact calls sensitive
    /// must be among it.
    #[must_use]
    pub fn effects(&self, ending: &Ending, hide: &Hide<'_>) -> Vec<serde_json::Value> {
        self.effects.journal(ending, self.effect, &self.bindings.variables, hide)
    }

    /// The texts that references stand for in this run.
    #[must_use]
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// What the walk gathered so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let taking_part = || self.plan.artifact.steps.iter().filter(|s| self.plan.takes_part(s));
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Summary {
            outputs: self.outputs.clone(),
            recovered: self.recovered.clone(),
            effect: self.effect,
            not_attempted: taking_part().filter(|s| !self.attempted.contains(&s.id)).map(|s| s.id.clone()).collect(),
            held_before: self.held_before.clone(),
            drift: self.drift.clone(),
            human_assisted: self.human_assisted,
            steps: StepCounts {
                done: count(taking_part().filter(|s| self.done.contains(&s.id)).count()),
                total: count(taking_part().count()),
            },
        }
    }

    /// The last observation, for pictures and snapshots of an ending.
    #[must_use]
    pub fn last_seen(&self) -> Option<&Observation> {
        self.seen.as_deref()
    }

    fn saw(&mut self, seen: Box<Observation>, off_limits: Option<(String, String)>) -> Next {
        let content = classify::content(&seen.snapshot);
        if self.content.0 != content {
            self.content = (content, self.now);
        }
        self.seen = Some(seen);
        self.note_what_landed_before();
        if let Some((rule, location)) = off_limits {
            let message = format!("the session landed where it must not be ({rule}): {location}");
            return self.end(Code::PolicyBlocked, message);
        }
        if let Some(next) = self.surface_facts() {
            return next;
        }
        if self.now > u64::from(self.plan.artifact.limits.run_deadline_ms) {
            return self.end(Code::Timeout, "the run's deadline passed".into());
        }
        match self.progress().phase {
            Phase::Looking | Phase::Enter => self.look(),
            Phase::Proving => self.prove(),
            Phase::Final => self.conclude(),
            Phase::Acting | Phase::Answering | Phase::Capturing => {
                self.end(Code::Internal, "an observation came while an act was under way".into())
            }
        }
    }

    fn lost(&mut self, error: &DriverError) -> Next {
        match error {
            DriverError::Gone { .. } => self.gone(Code::BrowserGone, error.to_string()),
            DriverError::Crashed { .. } => self.gone(Code::BrowserGone, error.to_string()),
            DriverError::WindowClosed { .. } => self.gone(Code::UnexpectedState, error.to_string()),
            DriverError::Timeout { .. } => self.gone(Code::NotSettled, error.to_string()),
            DriverError::DialogOpen | DriverError::Protocol { .. } => self.gone(Code::Internal, error.to_string()),
        }
    }

    /// The run is told to end. An act that was under way may have reached the application.
    fn stopped(&mut self) -> Next {
        if matches!(self.progress().phase, Phase::Acting | Phase::Answering) {
            self.committed();
        }
        self.end(Code::Interrupted, "the run was told to end".into())
    }

    /// The application cannot be looked at any more; what was committed and not proven stays unknown.
    fn gone(&mut self, code: Code, message: String) -> Next {
        if self.unproven() {
            self.effect = Effect::Unknown;
        }
        self.end(code, message)
    }

    /// Whether a risky act was delivered whose proof has not come.
    fn unproven(&self) -> bool {
        self.walks.iter().any(|w| w.progress.committed)
    }

    fn walk(&self) -> &Walk {
        // The main walk is never popped.
        &self.walks[self.walks.len() - 1]
    }

    fn walk_mut(&mut self) -> &mut Walk {
        let last = self.walks.len() - 1;
        &mut self.walks[last]
    }

    fn progress(&mut self) -> &mut Progress {
        &mut self.walk_mut().progress
    }

    /// The step under way; `None` once all are done.
    fn current(&self) -> Option<&Step> {
        self.walk().steps.get(self.walk().at)
    }

    fn is_main(&self) -> bool {
        self.walks.len() == 1
    }
}

impl Progress {
    fn fresh(now: u64) -> Self {
        Progress {
            phase: Phase::Enter,
            entered_ms: now,
            attempt_until: now,
            step_until: now,
            retries: 0,
            relooks: 0,
            risk: Risk::Safe,
            delivered: false,
            committed: false,
            dialogs: 0,
            nuisance: None,
            held_before: false,
            remedied: false,
            tried: false,
            unanswered: false,
            answer: None,
            answer_leaves: Vec::new(),
            read_back: false,
            mismatch: None,
            window: false,
            app_errors: BTreeMap::new(),
            route_refused: None,
            hindrance: None,
            ready: None,
        }
    }
}
