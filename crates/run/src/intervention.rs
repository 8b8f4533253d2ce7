//! A request for a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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
    /// Where the step waits for a person's yes: exactly what to.
    pub approval: Option<ApprovalAsk>,
    /// When it was opened, as RFC 3339.
    pub opened_at: String,
    /// How long it is waited for, in milliseconds; `None` where nobody waits.
    pub waits_ms: Option<u64>,
    /// How it stands.
    pub state: InterventionState,
    /// What a person did meanwhile, in order.
    pub done: Vec<Deed>,
    /// What changed on the screen between the block and the end of it, a line each; `+` came, `-` went.
    pub changes: Vec<String>,
    /// Who ended it, and what they wrote.
    pub resolution: Option<Resolution>,
}

/// How a request for a person stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterventionState {
    /// A run waits, and nobody has taken it.
    Open,
    /// Somebody has taken control, and has not acted yet.
    Claimed,
    /// Somebody drives the session.
    Driving,
    /// Somebody drove and let go.
    Released,
    /// The run goes on.
    Resumed,
    /// A person ended the run.
    Aborted,
    /// A person said no to the step.
    Refused,
    /// Nobody came in time.
    Expired,
    /// The session is no more: its browser or its process ended.
    SessionGone,
    /// Nobody ever waited for it.
    Closed,
}

impl InterventionState {
    /// The word as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            InterventionState::Open => "open",
            InterventionState::Claimed => "claimed",
            InterventionState::Driving => "driving",
            InterventionState::Released => "released",
            InterventionState::Resumed => "resumed",
            InterventionState::Aborted => "aborted",
            InterventionState::Refused => "refused",
            InterventionState::Expired => "expired",
            InterventionState::SessionGone => "session_gone",
            InterventionState::Closed => "closed",
        }
    }

    /// Whether a run still waits for it.
    #[must_use]
    pub fn waits(self) -> bool {
        match self {
            InterventionState::Open
            | InterventionState::Claimed
            | InterventionState::Driving
            | InterventionState::Released => true,
            InterventionState::Resumed
            | InterventionState::Aborted
            | InterventionState::Refused
            | InterventionState::Expired
            | InterventionState::SessionGone
            | InterventionState::Closed => false,
        }
    }
}

/// Who ended a request for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// Who; empty where nobody did.
    pub by: String,
    /// What they wrote, or why it ended.
    pub note: String,
}

/// Something a person did in a session, in the words of an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deed {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// Who held control.
    pub by: String,
    /// The word of the action.
    pub act: String,
    /// The control, by role and name; `None` where it was none.
    pub on: Option<String>,
    /// The frame, by the names on its path; empty is the window's own content.
    pub frame: Vec<String>,
    /// What was put in; `None` where that is secret, or nothing was.
    pub with: Option<String>,
}

/// What a person's yes is asked for. The yes is worth nothing once any of it is different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalAsk {
    /// What the yes is bound to, within its run: the step, the act, the place and what the fields of the screen hold.
    pub digest: String,
    /// The word of the act.
    pub act: String,
    /// The control, by role and name.
    pub on: Option<String>,
    /// Where.
    pub location: String,
    /// What the fields of the screen hold, by what they are called.
    pub values: Vec<(String, String)>,
}

/// What a resume would do, or did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "then", rename_all = "snake_case")]
pub enum Resumption {
    /// The checkpoint of the step holds: it goes on with the next one.
    GoesOn {
        /// The step that is done.
        step: StepId,
        /// The one after it; `None` where it was the last.
        next: Option<StepId>,
    },
    /// The step is done once more.
    Retries {
        /// The step.
        step: StepId,
        /// A remedy that comes first.
        after_remedy: Option<String>,
    },
    /// All steps are done and the run's own checkpoint holds.
    Concludes {},
    /// The screen shows a declared answer.
    Answers {
        /// Its code.
        outcome: String,
    },
    /// It does not go on.
    Stays {
        /// Why.
        code: Code,
        /// In words.
        message: String,
        /// The yes that would let it.
        approval: Option<ApprovalAsk>,
    },
}

impl Resumption {
    /// Whether the run would go on.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        !matches!(self, Resumption::Stays { .. })
    }

    /// The word of it, as it is written.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Resumption::GoesOn { .. } => "goes_on",
            Resumption::Retries { .. } => "retries",
            Resumption::Concludes {} => "concludes",
            Resumption::Answers { .. } => "answers",
            Resumption::Stays { .. } => "stays",
        }
    }

    /// In a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Resumption::GoesOn { step, next: Some(next) } => {
                format!("the check of `{step}` holds: goes on with `{next}`")
            }
            Resumption::GoesOn { step, next: None } => {
                format!("the check of `{step}` holds: it was the last step, the run's own check comes next")
            }
            Resumption::Retries { step, after_remedy: None } => format!("does `{step}` once more"),
            Resumption::Retries { step, after_remedy: Some(remedy) } => {
                format!("uses the remedy `{remedy}`, then does `{step}` once more")
            }
            Resumption::Concludes {} => "the run's own check holds: it ends".to_owned(),
            Resumption::Answers { outcome } => format!("the application answers `{outcome}`: it ends with that"),
            Resumption::Stays { code, message, .. } => format!("does not go on ({code}): {message}"),
        }
    }
}

/// What a person may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Suggested {
    /// In words.
    pub next: String,
}
