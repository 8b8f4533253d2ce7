//! How a run ends, and the number a process returns for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Done, proven.
    Success,
    /// The application gave a declared answer.
    BusinessOutcome,
    /// A person is needed, or decided.
    NeedsHuman,
    /// It could not be done.
    Failed,
    /// It never started.
    Rejected,
}

/// The number a process returns. The one place where statuses become numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ExitCode(pub u8);

impl ExitCode {
    /// Done.
    pub const SUCCESS: ExitCode = ExitCode(0);
    /// Could not be done, or the tool failed.
    pub const FAILED: ExitCode = ExitCode(1);
    /// A declared answer.
    pub const BUSINESS_OUTCOME: ExitCode = ExitCode(2);
    /// Escalated: waiting, expired, refused or aborted by a person.
    pub const NEEDS_HUMAN: ExitCode = ExitCode(3);
    /// Bad invocation.
    pub const REJECTED: ExitCode = ExitCode(4);
    /// Interrupted from the keyboard.
    pub const INTERRUPTED: ExitCode = ExitCode(130);
    /// The terminal went away.
    pub const HUNG_UP: ExitCode = ExitCode(129);
    /// Told to end.
    pub const TERMINATED: ExitCode = ExitCode(143);
}

impl RunStatus {
    /// The exit code that goes with it.
    #[must_use]
    pub fn exit_code(self) -> ExitCode {
        match self {
            RunStatus::Success => ExitCode::SUCCESS,
            RunStatus::BusinessOutcome => ExitCode::BUSINESS_OUTCOME,
            RunStatus::NeedsHuman => ExitCode::NEEDS_HUMAN,
            RunStatus::Failed => ExitCode::FAILED,
            RunStatus::Rejected => ExitCode::REJECTED,
        }
    }

    /// The word as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Success => "success",
            RunStatus::BusinessOutcome => "business_outcome",
            RunStatus::NeedsHuman => "needs_human",
            RunStatus::Failed => "failed",
            RunStatus::Rejected => "rejected",
        }
    }
}
