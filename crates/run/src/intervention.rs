//! A request for a person.

use schemars::JsonSchema;
use serde::Serialize;
use waymark_artifact::StepId;

use crate::{AttemptReport, CapabilityRef, Code};

/// A request for a person, complete enough to act on without reading the artifact.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Intervention {
    /// Its id.
    pub id: String,
    /// The run.
    pub run_id: String,
    /// Why.
    pub code: Code,
    /// In words.
    pub message: String,
    /// What runs.
    pub capability: CapabilityRef,
    /// The step.
    pub step: Option<StepId>,
    /// The step in words.
    pub step_description: String,
    /// What was expected.
    pub expected: String,
    /// What was seen.
    pub observed: String,
    /// What was tried to find the target.
    pub attempts: Vec<AttemptReport>,
    /// Where the session is.
    pub location: String,
    /// Picture and snapshot, as files within the run folder.
    pub files: Vec<String>,
    /// What may be done.
    pub suggested: Suggested,
    /// `open`, `expired`, … `closed` where nobody waits for it.
    pub state: &'static str,
}

/// What a person may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Suggested {
    /// In words.
    pub next: String,
}
