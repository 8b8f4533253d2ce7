//! What is told while a run goes on.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use waymark_artifact::{Digest, Fingerprint, Risk, RungKind, StepId};

use crate::{CapabilityRef, Code, Deed, Intervention, ObservationClass, Resumption, RunResult};

/// A line of the journal, before it is chained and redacted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JournalLine {
    /// Milliseconds since the run began, by a clock that never jumps.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: RunEvent,
}

/// A step as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepRef {
    /// Its name.
    pub id: StepId,
    /// Which one it is, from 1.
    pub index: u32,
    /// Of how many.
    pub of: u32,
    /// In words.
    pub description: String,
    /// The word of its action.
    pub action: &'static str,
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run begins.
    RunStarted {
        /// What runs.
        capability: Box<CapabilityRef>,
        /// Attended or unattended.
        mode: &'static str,
        /// The digest of the policy behind it.
        policy: String,
        /// The variables it runs with.
        variables: BTreeMap<String, String>,
        /// A keyed hash per parameter; never the value.
        parameters: BTreeMap<String, String>,
        /// The program that runs it.
        engine: String,
        /// What it runs in.
        surface: String,
        /// When, as RFC 3339.
        started_at: String,
    },
    /// A step begins.
    StepStarted {
        /// The step.
        step: StepRef,
    },
    /// A step was left out because of its condition on the parameters.
    StepLeftOut {
        /// The step.
        step: StepId,
    },
    /// Its target was found.
    Resolved {
        /// The step.
        step: StepId,
        /// How.
        report: ResolvedReport,
    },
    /// Its target was not found.
    Unresolved {
        /// The step.
        step: StepId,
        /// What was tried.
        attempts: Vec<AttemptReport>,
        /// What came of it.
        code: Code,
        /// In words.
        message: String,
    },
    /// The gate was asked.
    Authorized {
        /// The step.
        step: StepId,
        /// Number of this authorization; a dispatch carries the same.
        authorization: u64,
        /// The word of the act.
        act: &'static str,
        /// Effective risk.
        risk: Risk,
        /// What decided.
        rule: String,
        /// Epoch of the control token.
        epoch: u64,
        /// Whether it may go on.
        allowed: bool,
        /// The code where it may not.
        code: Option<Code>,
        /// In words.
        message: String,
    },
    /// An act was handed to the driver.
    Dispatched {
        /// The step.
        step: StepId,
        /// The authorization it spends.
        authorization: u64,
        /// The word of the act.
        act: &'static str,
        /// What became of it.
        delivery: DeliveryWord,
        /// In words.
        detail: String,
    },
    /// Predicates were evaluated and decided.
    Checked {
        /// The step; `None` for the run's own checkpoint.
        step: Option<StepId>,
        /// What came of it.
        report: CheckReport,
    },
    /// An observation was classified.
    Classified {
        /// The step.
        step: Option<StepId>,
        /// As what.
        class: ObservationClass,
        /// The outcome, recovery or code.
        code: String,
        /// The verdict of each predicate that decided, in document order; empty where none did, or where they were
        /// told by a check before.
        leaves: Vec<(String, bool)>,
    },
    /// A safe step is done again.
    Retried {
        /// The step.
        step: StepId,
        /// Which repetition, from 1.
        count: u32,
        /// Why.
        why: String,
    },
    /// A remedy was used.
    Recovered {
        /// The step during which.
        step: StepId,
        /// The recovery.
        recovery: String,
        /// How the walk goes on.
        then: &'static str,
    },
    /// A reconcile check was made.
    Reconciled {
        /// The step.
        step: StepId,
        /// What it found: `landed`, `not_landed` or `unknown`.
        found: &'static str,
        /// The verdict of each predicate of both of its conditions, in document order.
        leaves: Vec<(String, bool)>,
    },
    /// An output was read. Values of sensitive outputs are left out.
    Read {
        /// The step.
        step: StepId,
        /// The output.
        output: String,
        /// What was read.
        value: serde_json::Value,
    },
    /// Something happened on the surface by itself.
    Surface {
        /// The step during which.
        step: Option<StepId>,
        /// What.
        fact: serde_json::Value,
    },
    /// A picture was taken, or withheld.
    Picture {
        /// The step.
        step: Option<StepId>,
        /// What became of it.
        report: PictureReport,
    },
    /// A snapshot was stored.
    Snapshot {
        /// The step.
        step: Option<StepId>,
        /// File within the run folder.
        file: String,
    },
    /// A step is done.
    StepEnded {
        /// The step.
        step: StepId,
        /// Milliseconds it took.
        took_ms: u64,
    },
    /// A model is asked.
    Asked {
        /// Which turn, from 1.
        turn: u32,
        /// The prompt. The instructions and the tool are the same in every turn.
        prompt: String,
    },
    /// A model was called.
    ModelCalled {
        /// In which turn.
        turn: u32,
        /// The call.
        call: ModelCall,
    },
    /// A model decided.
    Decided {
        /// In which turn.
        turn: u32,
        /// What it wrote down, as it wrote it.
        decision: serde_json::Value,
    },
    /// A model is asked which element a label means.
    AskedWhich {
        /// In which turn.
        turn: u32,
        /// The label.
        label: String,
        /// The question.
        prompt: String,
    },
    /// Which element a label means.
    Grounded {
        /// In which turn.
        turn: u32,
        /// The label.
        label: String,
        /// `screen` or `model`: what decides.
        by: &'static str,
        /// The number that was answered, if any; not yet checked.
        element: Option<i64>,
    },
    /// What came of a decision.
    Came {
        /// In which turn.
        turn: u32,
        /// Whether it was done.
        done: bool,
        /// In words, as the model is told.
        result: String,
    },
    /// A draft was written.
    Drafted {
        /// The file.
        file: String,
        /// Its digest.
        digest: String,
        /// How many steps it has.
        steps: u32,
        /// What was done and is no part of it.
        left_out: Vec<String>,
    },
    /// A draft was replayed without a model.
    Verified {
        /// The run.
        run: String,
        /// `complete`, `to_commit_point` or `failed`.
        verified: &'static str,
        /// In words.
        message: String,
    },
    /// A person is asked.
    Escalated {
        /// The request.
        intervention: Box<Intervention>,
    },
    /// The control token went over.
    ControlChanged {
        /// `engine`, `nobody` or `person`.
        holder: &'static str,
        /// Who, where it is a person.
        name: Option<String>,
        /// The epoch that it begins.
        epoch: u64,
        /// Milliseconds of the lease, where it is a person's.
        lease_ms: Option<u64>,
        /// Why.
        why: String,
    },
    /// A person did something.
    PersonActed {
        /// What.
        deed: Deed,
    },
    /// A person said yes to a step, once.
    Approved {
        /// The step.
        step: StepId,
        /// What the yes is bound to.
        digest: String,
        /// Who.
        by: String,
    },
    /// The run goes on, or was to and does not.
    Resumed {
        /// The step it stood at; `None` behind the last one.
        step: Option<StepId>,
        /// How.
        resumption: Resumption,
    },
    /// The request for a person is over.
    InterventionEnded {
        /// The request.
        intervention: Box<Intervention>,
    },
    /// The run ended.
    RunEnded {
        /// How.
        result: Box<RunResult>,
    },
}

/// A call of a model, for the ledger. Unknown stays unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelCall {
    /// Which of the two roles asked.
    pub role: String,
    /// Who provides the model.
    pub provider: String,
    /// The provider's name of it.
    pub model: String,
    /// Whether a script or a recording answered in its place.
    pub simulated: bool,
    /// Tokens of the question.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
    /// Tokens of the question that the provider had kept.
    pub cached_tokens: Option<u64>,
    /// Milliseconds.
    pub latency_ms: u64,
    /// How it ended.
    pub status: String,
    /// Millionths of a US dollar.
    pub price_micros: Option<u64>,
}

/// How a target was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResolvedReport {
    /// Which rung, from 1.
    pub rung: u32,
    /// Its kind.
    pub kind: RungKind,
    /// Rungs descended below the recorded one.
    pub drift: u32,
    /// Whether a hint of the ladder points elsewhere.
    pub hint_moved: bool,
    /// Whether a hint of the ladder leads to this very thing and to nothing else; none where the ladder has no hint.
    pub hint_matches: Option<bool>,
    /// What was found, in words.
    pub found: String,
    /// Which one it is of those in its frame that have its role and name, from 1, in document order.
    pub nth: u32,
    /// What it looked like: role, name, caption and native kind, as seen now.
    pub fingerprint: Fingerprint,
}

/// What one rung found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AttemptReport {
    /// Which rung, from 1.
    pub rung: u32,
    /// Its kind.
    pub kind: RungKind,
    /// How many things fit.
    pub matches: u32,
    /// What they are, in words, up to ten.
    pub found: Vec<String>,
    /// Why nothing could be said, where nothing could.
    pub note: String,
}

/// What became of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryWord {
    /// The application got it.
    Delivered,
    /// Proven that nothing left.
    NotDelivered,
    /// Something may have left.
    Unknown,
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckReport {
    /// What was checked, in words.
    pub description: String,
    /// Whether it holds.
    pub holds: bool,
    /// Whether it held before the action already.
    pub held_before: bool,
    /// The verdict of each leaf, in document order.
    pub leaves: Vec<(String, bool)>,
}

/// What became of a picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PictureReport {
    /// File within the run folder, where one was written.
    pub file: Option<String>,
    /// Digest of the file.
    pub digest: Option<Digest>,
    /// Regions that were masked.
    pub masked: u32,
    /// Why it was withheld, where it was.
    pub withheld: Option<String>,
    /// What it may show: a picture taken right after an action may show an intermediate state.
    pub caption: String,
}
