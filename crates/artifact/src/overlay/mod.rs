//! What differs for one tenant: a delta on top of capabilities that stay as they are.
//!
//! It changes how things are found, and the words and formats they bear there. It takes away no check and no rung: what
//! it adds is tried first, and where it is of no use any more the capability's own ways are.

mod apply;
mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Candidate, CapabilityId, Digest, DisplayFormat, Name, Outcome, ReadFormat, Recovery, Step, StepId};

pub use apply::{Applied, ApplyError, apply, base_drift};

/// The schema word of version 1.
pub const OVERLAY_SCHEMA: &str = "waymark.overlay/1";

/// Everything that differs for one tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// `waymark.overlay/1`.
    pub schema: OverlayWord,
    /// The tenant.
    pub tenant: Name,
    /// In words, for a reviewer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Values of variables, for every capability that has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<Name, String>,
    /// What differs in single capabilities. A capability that is not named here is the same for this tenant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<Delta>,
}

/// The one schema word this version knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum OverlayWord {
    /// Version 1.
    #[serde(rename = "waymark.overlay/1")]
    V1,
}

/// What differs in one capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delta {
    /// Which capability, exactly.
    pub base: Base,
    /// Words that the application publishes otherwise here. Each thing that is found by them, and each check that
    /// looks for them, takes the one or the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relabel: Vec<Relabel>,
    /// Names of frames that are others here. There is no way back to the old ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Relabel>,
    /// Steps whose target is found by other ways first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepDelta>,
    /// How what callers give is written here: when it is typed or chosen, and on the screen. A step that says a form of its
    /// own keeps it; `steps` changes that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ParameterDelta>,
    /// How outputs are written on the screen here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputDelta>,
    /// Answers that only this tenant's application gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
    /// Nuisances that only this tenant's application has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recoveries: Vec<Recovery>,
    /// Steps that only this tenant's application needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insert: Vec<Insertion>,
}

/// A capability, exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// Which.
    pub id: CapabilityId,
    /// The digest it must have.
    pub digest: Digest,
}

/// A word, and the one that stands for it here; both are whole texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relabel {
    /// As it was recorded.
    pub from: String,
    /// As it is here.
    pub to: String,
}

/// What differs in one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepDelta {
    /// The step.
    pub step: StepId,
    /// Ways to find its target that are tried before its own. Each should say what the thing looks like here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepend: Vec<Candidate>,
    /// How the value that is typed is written here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<DisplayFormat>,
}

/// How a parameter is written here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParameterDelta {
    /// The parameter.
    pub parameter: Name,
    /// How it is written, in place of the form that the capability declares.
    pub format: DisplayFormat,
}

/// How an output is written on the screen here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputDelta {
    /// The output.
    pub output: Name,
    /// The column, where it is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<Name>,
    /// How it is written.
    pub format: ReadFormat,
}

/// Steps that are done after another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Insertion {
    /// After which step.
    pub after: StepId,
    /// The steps, each with its own risk and checkpoint.
    pub steps: Vec<Step>,
}
