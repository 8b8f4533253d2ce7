//! What may happen besides the steps: answers, nuisances, proofs, escalation.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, CapabilityId, Checkpoint, Condition, DialogOpens, Digest, Name, StepId, ValueExpr};

/// An answer that the application may give instead of the effect; declared in advance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// What a caller branches on.
    pub code: Name,
    /// In words, for the caller.
    pub description: String,
    /// How it is recognised.
    pub detector: Detector,
    /// The steps after which it may come; all if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<StepId>,
    /// What must be so before a negative answer is believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// The application's own code for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_code: Option<String>,
    /// Whether the application says by it that it failed itself: the run ends as `app_error` and not with an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failure: bool,
}

/// How an outcome is recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "a document holds a few of them, and boxes would be in everybody's way")]
pub enum Detector {
    /// By what is visible.
    Condition(Condition),
    /// By what came of looking for the target of a step.
    Resolution {
        /// The step.
        step: StepId,
        /// What came of it.
        result: ResolutionResult,
    },
}

/// What may come of looking for a target and mean an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionResult {
    /// The table is there, complete, and has no such row.
    RowAbsent,
    /// The choice control is there and has no such option.
    OptionAbsent,
    /// More than one thing fits.
    TargetAmbiguous,
}

/// What must be so before a negative answer is believed; all parts that are given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    /// This must be gone (a loading mark).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<Condition>,
    /// The screen must have been as it is for so many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable_for_ms: Option<u32>,
    /// A request must have been answered since the action.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_request: bool,
}

/// A declared remedy for a nuisance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recovery {
    /// Its name.
    pub id: Name,
    /// In words.
    pub description: String,
    /// How the nuisance is recognised.
    pub when: Condition,
    /// What is done about it.
    pub remedy: Remedy,
    /// How the walk goes on.
    pub then: Then,
    /// How often in one run.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub limit: u32,
}

/// What is done about a nuisance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "a document holds a few of them, and boxes would be in everybody's way")]
pub enum Remedy {
    /// One action, and what must become true by it.
    Act {
        /// The action.
        action: Action,
        /// What must become true.
        checkpoint: Checkpoint,
    },
    /// Waiting until something holds.
    Wait {
        /// What.
        until: Condition,
        /// How long at most, in milliseconds.
        deadline_ms: u32,
    },
    /// A sub-flow.
    Run {
        /// Its name.
        subflow: Name,
    },
    /// The answer to a native dialog that may open at any time, such as a notice after signing on.
    Answer {
        /// The dialog and the answer.
        dialog: DialogOpens,
    },
}

/// How the walk goes on after a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The step's checkpoint is looked at; the step is done again only where it is false and nothing landed.
    Continue,
    /// The walk begins again at the last safe point, never past a risky step that was committed.
    RewalkFromSafePoint,
}

/// Steps under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Subflow {
    /// Its name.
    pub id: Name,
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Which steps.
    pub body: SubflowBody,
}

/// The steps of a sub-flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SubflowBody {
    /// A range of this document's own steps.
    Steps {
        /// The first.
        from: StepId,
        /// The last.
        to: StepId,
    },
    /// Another capability, pinned.
    Capability {
        /// Which.
        id: CapabilityId,
        /// The digest it must have.
        digest: Digest,
        /// Its parameters.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        parameters: BTreeMap<Name, ValueExpr>,
    },
}

/// A read-only way to find out whether a risky step had its effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reconcile {
    /// In words.
    pub description: String,
    /// The way to the place where it shows: a sub-flow of safe steps.
    pub subflow: Name,
    /// It had its effect if this holds there.
    pub landed: Condition,
    /// It had none if this holds there, settled. Where neither holds, the effect stays unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_landed: Option<Condition>,
}

/// What becomes of a run that cannot go on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Escalation {
    /// Per code: hand over to a person, or fail. Codes left out keep their default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub triggers: BTreeMap<Name, Trigger>,
}

/// Hand over, or fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A person is asked.
    Escalate,
    /// The run fails.
    Fail,
}

fn one() -> u32 {
    1
}

fn is_one(n: &u32) -> bool {
    *n == 1
}
