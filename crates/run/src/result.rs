//! What a caller gets.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Code, ExitCode, RunStatus};

/// The schema word of a result.
pub const RESULT_SCHEMA: &str = "waymark.run-result/1";

/// The result of a run; complete on every ending.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// `waymark.run-result/1`.
    pub schema: String,
    /// The run.
    pub run_id: String,
    /// How it ended.
    pub status: RunStatus,
    /// The number the process returns.
    pub exit_code: ExitCode,
    /// What ran.
    pub capability: CapabilityRef,
    /// Typed outputs; sensitive ones are absent.
    pub outputs: BTreeMap<String, serde_json::Value>,
    /// The declared answer, where the run ended with one.
    pub business_outcome: Option<BusinessOutcome>,
    /// Why a person is needed, where one is.
    pub escalation: Option<EscalationReport>,
    /// Why it failed, where it failed.
    pub error: Option<ErrorReport>,
    /// Remedies that were used.
    pub recovered: Vec<RecoveredReport>,
    /// Whether a person acted.
    pub human_assisted: bool,
    /// The delivery state of the last risky step.
    pub effect: Effect,
    /// Steps that were not attempted.
    pub not_attempted: Vec<String>,
    /// Checks that held before their action already.
    pub held_before: Vec<String>,
    /// How far finding descended.
    pub drift: DriftReport,
    /// How many steps.
    pub steps: StepCounts,
    /// When, as RFC 3339.
    pub started_at: String,
    /// How long in milliseconds.
    pub duration_ms: u64,
    /// The digest (`sha256:…`) of the run's effect journal, `effects.jsonl`: the same for runs that found, did, proved,
    /// read and ended alike, whatever time they took. `None` where none could be written.
    #[serde(default)]
    pub effect_journal: Option<String>,
    /// The run folder.
    pub evidence: Option<String>,
    /// What could not be recorded, where something could not.
    pub evidence_gaps: Vec<String>,
}

/// What ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CapabilityRef {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The digest of the artifact.
    pub digest: String,
    /// The tenant; `base` without one.
    pub tenant: String,
    /// The digest of artifact and overlay together.
    pub effective_digest: String,
}

/// A declared answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BusinessOutcome {
    /// What a caller branches on.
    pub code: String,
    /// In words.
    pub message: String,
    /// The application's own code.
    pub application_code: Option<String>,
    /// The step after which it came.
    pub step: Option<String>,
    /// Whether the step's checkpoint held too.
    pub checkpoint_also_matched: bool,
}

/// Why a person is needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EscalationReport {
    /// Stable code.
    pub code: Code,
    /// The request.
    pub intervention: String,
    /// The step.
    pub step: Option<String>,
    /// In words.
    pub message: String,
    /// `open`, `closed`, …
    pub state: String,
    /// What may be done next.
    pub next: String,
}

/// Why it failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorReport {
    /// Stable code.
    pub code: Code,
    /// The step.
    pub step: Option<String>,
    /// In words.
    pub message: String,
    /// Whether the same call may well succeed when made again.
    pub retryable: bool,
    /// What may be done next.
    pub next: String,
}

/// A remedy that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecoveredReport {
    /// The recovery.
    pub recovery: String,
    /// The step during which.
    pub step: String,
    /// In words.
    pub description: String,
}

/// The delivery state of the last risky step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// No risky step was delivered.
    #[default]
    None,
    /// Delivered and proven.
    Done,
    /// Delivered; not known what came of it.
    Unknown,
}

/// How far finding descended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DriftReport {
    /// Rungs descended in all, on the ladders that were replayed.
    pub score: u32,
    /// Rungs descended in all, on the ladders of the capability as it is stored: with a tenant's overlay it says how far
    /// that tenant's screens are from what was recorded.
    #[serde(default)]
    pub base_score: u32,
    /// Step by step.
    pub steps: Vec<DriftStep>,
}

/// Drift of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DriftStep {
    /// The step.
    pub step: String,
    /// The rung that matched, from 1.
    pub matched_rung: u32,
    /// Its kind.
    pub kind: String,
    /// Rungs descended, on the ladder that was replayed.
    #[serde(default)]
    pub drift: u32,
    /// Rungs descended on the ladder of the capability as it is stored; all of them where only the overlay's way matched.
    #[serde(default)]
    pub base_drift: u32,
}

/// How many steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepCounts {
    /// Done.
    pub done: u32,
    /// In all, without those left out by their condition.
    pub total: u32,
}

/// A call that never became a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rejection {
    /// `waymark.error/1`.
    pub schema: String,
    /// Always `rejected`.
    pub status: RunStatus,
    /// Always 4.
    pub exit_code: ExitCode,
    /// Why.
    pub error: RejectionError,
}

/// Why a call was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectionError {
    /// Stable code.
    pub code: Code,
    /// In words.
    pub message: String,
    /// Everything that is wrong, at once.
    pub problems: Vec<Problem>,
}

impl Problem {
    /// A problem.
    #[must_use]
    pub fn new(place: impl Into<String>, problem: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Problem { place: place.into(), problem: problem.to_owned(), message: message.into(), hint: hint.into() }
    }
}

/// One thing that is wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Where: a parameter, flag, or file with JSON pointer.
    pub place: String,
    /// Stable word.
    pub problem: String,
    /// In words.
    pub message: String,
    /// The way out.
    pub hint: String,
}

impl Rejection {
    /// A rejection for one problem, whose words are its own.
    #[must_use]
    pub fn of(code: Code, problem: Problem) -> Self {
        Rejection::new(code, problem.message.clone(), vec![problem])
    }

    /// A rejection with all its problems.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>, problems: Vec<Problem>) -> Self {
        Rejection {
            schema: "waymark.error/1".into(),
            status: RunStatus::Rejected,
            exit_code: ExitCode::REJECTED,
            error: RejectionError { code, message: message.into(), problems },
        }
    }
}
