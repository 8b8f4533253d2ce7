//! The one table of codes that a caller can meet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RunStatus;

/// What becomes of a run by default when a code comes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultEnding {
    /// A person is asked.
    Escalate,
    /// The run fails.
    Fail,
    /// The run does not start.
    Reject,
}

/// What a caller or person may do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    /// A person looks at the screen.
    LookAtScreen,
    /// A person approves or refuses.
    Approve,
    /// The record is checked in the application before anything is repeated.
    CheckRecord,
    /// The call may be made again as it is.
    CallAgain,
    /// The call is corrected.
    CorrectCall,
    /// The artifact is corrected or recorded anew.
    CorrectArtifact,
    /// The machine is seen to.
    SeeToMachine,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeRow {
    /// The code.
    pub code: Code,
    /// What becomes of the run.
    pub default: DefaultEnding,
    /// Whether `escalation.triggers` may say otherwise.
    pub movable: bool,
    /// Whether the same call may well succeed when made again, with no effect done.
    pub retryable: bool,
    /// What may be done next.
    pub next: NextAction,
    /// In words.
    pub sentence: &'static str,
}

macro_rules! codes {
    ($($variant:ident = $word:literal, $default:ident, $movable:literal, $retryable:literal, $next:ident, $sentence:literal;)+) => {
        /// A stable code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum Code {
            $(#[doc = $sentence] #[serde(rename = $word)] $variant,)+
        }

        /// Every code.
        pub const CODES: &[CodeRow] = &[$(CodeRow {
            code: Code::$variant,
            default: DefaultEnding::$default,
            movable: $movable,
            retryable: $retryable,
            next: NextAction::$next,
            sentence: $sentence,
        }),+];

        impl Code {
            /// The word as it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $word),+ }
            }

            /// Reads a code.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Code::$variant),)+ _ => None }
            }

            /// Its row.
            #[must_use]
            pub fn row(self) -> &'static CodeRow {
                &CODES[self as usize]
            }
        }
    };
}

codes! {
    TargetAmbiguous = "target_ambiguous", Escalate, true, false, LookAtScreen, "more than one thing fits the target; the engine does not guess";
    TargetNotFound = "target_not_found", Escalate, true, false, LookAtScreen, "nothing fits the target";
    FingerprintMismatch = "fingerprint_mismatch", Escalate, true, false, LookAtScreen, "what was found is not what was recorded";
    CheckpointUnmet = "checkpoint_unmet", Escalate, true, false, LookAtScreen, "the step was done and its checkpoint did not come";
    UnexpectedState = "unexpected_state", Escalate, true, false, LookAtScreen, "the screen is none that was declared";
    UnexpectedDialog = "unexpected_dialog", Escalate, true, false, LookAtScreen, "a dialog opened that no step declares; it was not answered";
    UnexpectedWindow = "unexpected_window", Escalate, true, false, LookAtScreen, "a window opened that no step declares";
    CoveredBy = "covered_by", Escalate, true, false, LookAtScreen, "something else lies over the target";
    RecoverySpent = "recovery_spent", Escalate, true, false, LookAtScreen, "a declared remedy was used as often as it may be";
    RiskApproval = "risk_approval", Escalate, false, false, Approve, "the step needs a person's approval";
    PolicyBlocked = "policy_blocked", Escalate, false, false, CorrectCall, "the policy does not allow it";
    SignInNeeded = "sign_in_needed", Escalate, true, false, LookAtScreen, "the application asks for a sign-in that only a person can give";
    EffectUnknown = "effect_unknown", Escalate, false, false, CheckRecord, "a risky step was delivered and its effect is not known; it was not repeated";
    AppError = "app_error", Fail, true, true, CallAgain, "the application reported an error of its own";
    OptionAbsent = "option_absent", Fail, true, false, CorrectCall, "the choice offers no such option";
    BrowserGone = "browser_gone", Fail, false, true, CallAgain, "the browser ended during the run";
    NotSettled = "not_settled", Fail, true, true, CallAgain, "the application did not come to rest within the step's deadline";
    Timeout = "timeout", Fail, true, true, CallAgain, "the run's deadline passed";
    OutputInvalid = "output_invalid", Fail, true, false, CorrectArtifact, "what was read is not what was declared";
    RedactionFailed = "redaction_failed", Fail, false, false, SeeToMachine, "what was to be written could not be redacted; it was not written";
    EvidenceUnwritable = "evidence_unwritable", Fail, false, false, SeeToMachine, "the evidence could not be written";
    CredentialUnavailable = "credential_unavailable", Fail, false, false, SeeToMachine, "a credential could not be resolved from its source";
    BrowserUnavailable = "browser_unavailable", Fail, false, false, SeeToMachine, "no browser could be started or reached";
    Blocked = "blocked", Fail, false, false, LookAtScreen, "the model says that the job cannot be done";
    InvalidModelOutput = "invalid_model_output", Fail, false, true, CallAgain, "the model gave no answer that can be used";
    CassetteMismatch = "cassette_mismatch", Fail, false, false, CorrectCall, "the recording that is played back was of another run";
    ModelUnavailable = "model_unavailable", Fail, false, true, CallAgain, "the model cannot be reached, or refuses to answer";
    BudgetSpent = "budget_spent", Fail, false, false, CorrectCall, "a bound of the discovery is reached";
    NoProgress = "no_progress", Fail, false, false, LookAtScreen, "the model tried the same again and again, and nothing changed";
    NotProven = "not_proven", Fail, false, false, LookAtScreen, "the model says that it is done, and the conditions do not hold";
    NotRecorded = "not_recorded", Fail, false, false, LookAtScreen, "what was done cannot be written down as a capability";
    NotVerified = "not_verified", Fail, false, false, LookAtScreen, "the draft did not replay without a model";
    Interrupted = "interrupted", Fail, false, true, CallAgain, "the run was told to end";
    Internal = "internal", Fail, false, false, SeeToMachine, "a fault of Waymark itself";
    InvalidInvocation = "invalid_invocation", Reject, false, false, CorrectCall, "the command or call is not understood";
    InvalidParameters = "invalid_parameters", Reject, false, false, CorrectCall, "the parameters do not fit the contract";
    InvalidArtifact = "invalid_artifact", Reject, false, false, CorrectArtifact, "the artifact cannot be replayed";
    InvalidPolicy = "invalid_policy", Reject, false, false, CorrectCall, "a policy file cannot be used";
    NotDriving = "not_driving", Reject, false, false, CorrectCall, "control of the session has to be taken first, or somebody else has it";
    LeaseLost = "lease_lost", Reject, false, false, CorrectCall, "control of the session was lost before the act";
    NotReady = "not_ready", Reject, false, true, LookAtScreen, "the run cannot go on from what the session shows";
    ApprovalVoid = "approval_void", Reject, false, true, Approve, "what was approved is not what the session shows any more";
    NotWaiting = "not_waiting", Reject, false, false, CorrectCall, "nobody waits for this request any more";
    SessionGone = "session_gone", Reject, false, false, CallAgain, "the session is no more: its browser or its process ended";
    NotApproved = "not_approved", Reject, false, false, Approve, "the artifact is not approved";
}

impl Code {
    /// How a run ends with this code where nothing says otherwise.
    #[must_use]
    pub fn default_status(self) -> RunStatus {
        match self.row().default {
            DefaultEnding::Escalate => RunStatus::NeedsHuman,
            DefaultEnding::Fail => RunStatus::Failed,
            DefaultEnding::Reject => RunStatus::Rejected,
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
