//! The vocabulary of a run: what is observed, how it ends, what is told about it.
//!
//! One table of codes, one event enum and one result document serve every reader: command line, journal,
//! screens and agents. Nothing here does anything.

mod code;
mod effect;
mod event;
mod exit;
mod intervention;
mod result;

pub use code::{CODES, Code, CodeRow, DefaultEnding, NextAction};
pub use effect::{EffectEntry, effect_digest, effect_lines};
pub use event::{
    AttemptReport, CheckReport, DeliveryWord, JournalLine, ModelCall, PictureReport, ResolvedReport, RunEvent, StepRef,
};
pub use exit::{ExitCode, RunStatus};
pub use intervention::{ApprovalAsk, Deed, Intervention, InterventionState, Resolution, Resumption, Suggested};
pub use result::{
    BusinessOutcome, CapabilityRef, DriftReport, DriftStep, Effect, ErrorReport, EscalationReport, Problem,
    RESULT_SCHEMA, RecoveredReport, Rejection, RejectionError, RunResult, StepCounts,
};

use serde::{Deserialize, Serialize};

/// What one observation meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObservationClass {
    /// The checkpoint or precondition holds.
    Expected,
    /// A declared answer.
    BusinessOutcome,
    /// A declared nuisance.
    Recoverable,
    /// Nothing that was declared.
    UnexpectedState,
}
