//! How a walk ended, and what it gathered on the way.

use std::collections::BTreeMap;

use waymark_artifact::{Name, StepId, Value};
use waymark_run::{AttemptReport, BusinessOutcome, Code, DriftReport, Effect, RecoveredReport, RunStatus, StepCounts};

/// How a walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The status.
    pub status: RunStatus,
    /// The code, on anything but success and business outcome.
    pub code: Option<Code>,
    /// In words.
    pub message: String,
    /// The step during which.
    pub step: Option<StepId>,
    /// The step in words.
    pub step_description: String,
    /// What was expected.
    pub expected: String,
    /// What was seen.
    pub observed: String,
    /// What was tried to find a target.
    pub attempts: Vec<AttemptReport>,
    /// The declared answer.
    pub outcome: Option<BusinessOutcome>,
}

/// What a walk gathered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// What was read.
    pub outputs: BTreeMap<Name, Value>,
    /// Remedies that were used.
    pub recovered: Vec<RecoveredReport>,
    /// The delivery state of the last risky step.
    pub effect: Effect,
    /// Steps that were not attempted.
    pub not_attempted: Vec<StepId>,
    /// Checks that held before their action.
    pub held_before: Vec<StepId>,
    /// How far finding descended.
    pub drift: DriftReport,
    /// Whether a person had the session meanwhile and the walk went on.
    pub human_assisted: bool,
    /// How many steps.
    pub steps: StepCounts,
}
