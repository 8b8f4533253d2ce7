//! The document as a whole.

use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::{
    CapabilityId, Checkpoint, Digest, DisplayFormat, Escalation, FormatError, Name, Outcome, Place, ReadFormat,
    Recovery, Risk, Step, Subflow, Template, Type, Value, display,
};

/// The schema word of version 1.
pub const SCHEMA: &str = "waymark.artifact/1";

/// A capability, complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// `waymark.artifact/1`.
    pub schema: SchemaWord,
    /// What callers call it.
    pub id: CapabilityId,
    /// Its version; a saved version never changes.
    pub version: Version,
    /// A short title.
    pub title: String,
    /// What it does, for a person who reads no steps.
    pub description: String,
    /// The application it works in.
    pub application: Application,
    /// The numbers of the engine rules it was made for.
    pub engine: EngineRules,
    /// What differs between installations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Variable>,
    /// What a caller gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// Secrets that are resolved at the moment they are typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<Credential>,
    /// What a caller gets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Output>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// What must hold at the end.
    pub checkpoint: Checkpoint,
    /// The answers that the application may give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
    /// The declared remedies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recoveries: Vec<Recovery>,
    /// Steps under names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subflows: Vec<Subflow>,
    /// What becomes of a run that cannot go on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub escalation: Escalation,
    /// Bounds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// Where it comes from.
    pub provenance: Provenance,
}

impl Artifact {
    /// The most harm that one of its steps is declared to do.
    #[must_use]
    pub fn risk(&self) -> Risk {
        self.steps.iter().map(Step::harm).max().unwrap_or_default()
    }
}

/// The one schema word this version knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SchemaWord {
    /// Version 1.
    #[serde(rename = "waymark.artifact/1")]
    V1,
}

/// The application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// Its name for people.
    pub name: String,
    /// The kind of surface it is driven on, as drivers call themselves; hints are looked up under this word.
    pub surface: String,
    /// Where it begins.
    pub entry: Template,
    /// How its screens identify themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_id: Option<ScreenIdPattern>,
}

/// How screens identify themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScreenIdPattern {
    /// A regular expression for a whole line of visible text; its first group, else the match, is the identifier.
    pub pattern: String,
    /// Where to look.
    #[serde(default, skip_serializing_if = "is_default")]
    pub place: Place,
}

/// The numbers of the engine rules that a document was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineRules {
    /// The rule for finding.
    pub ladder: u32,
    /// The rule for settling.
    pub settle: u32,
}

/// What differs between installations of the application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// In words.
    pub description: String,
    /// Its value where nobody says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// What a caller gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// In words.
    pub description: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Type,
    /// Whether it may be left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Whether it must never be seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    /// A regular expression that the whole text must fit (text only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Characters at most (text only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// The least value, as a plain decimal such as `0.01` (integer, decimal and money only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<String>,
    /// How this application writes it: what is typed and chosen where the step says no other form, and what references
    /// stand for (integer, decimal, money and date only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<DisplayFormat>,
}

impl Parameter {
    /// The text by which this application writes a value of it.
    ///
    /// # Errors
    /// The value has no such written form: nothing is rounded.
    pub fn written(&self, value: &Value) -> Result<String, FormatError> {
        display(value, self.format.as_ref())
    }

    /// Every text by which a value of it may show: as this application writes it, the same without marks between
    /// thousands, and as a caller gives it. None twice.
    #[must_use]
    pub fn texts(&self, value: &Value) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        let decimals = self.format.as_ref().and_then(|format| format.decimals);
        let plain = DisplayFormat { decimals, ..DisplayFormat::default() };
        let ungrouped = self.format.clone().map(|format| DisplayFormat { grouping: false, ..format });
        for format in [self.format.as_ref(), ungrouped.as_ref(), Some(&plain), None] {
            texts.extend(display(value, format).ok().filter(|text| !texts.contains(text)));
        }
        texts
    }
}

/// A secret that is resolved at the moment it is typed, from a source bound outside of this document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    /// Its name.
    pub name: Name,
    /// In words.
    pub description: String,
}

/// What a caller gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its name.
    pub name: Name,
    /// In words.
    pub description: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Type,
    /// How it is written on the screen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub format: ReadFormat,
    /// Whether it may be missing or null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Whether it must never be seen in logs and pictures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
}

/// A column of an output table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputColumn {
    /// Its name.
    pub name: Name,
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its type; no table.
    #[serde(rename = "type")]
    pub kind: Type,
    /// How it is written on the screen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub format: ReadFormat,
    /// Whether a cell may be empty (null).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// Bounds of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Time for one step in milliseconds, people and recoveries not counted.
    pub step_deadline_ms: u32,
    /// Time for the run in milliseconds, people not counted.
    pub run_deadline_ms: u32,
    /// Repetitions of a safe step.
    pub retries_per_step: u32,
    /// Repetitions in a run.
    pub retries_per_run: u32,
    /// Remedies in a run.
    pub recoveries_per_run: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            step_deadline_ms: 15_000,
            run_deadline_ms: 300_000,
            retries_per_step: 2,
            retries_per_run: 5,
            recoveries_per_run: 5,
        }
    }
}

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// How it was made.
    pub source: ProvenanceSource,
    /// By whom or what: a person's role, or provider and model.
    pub author: String,
    /// When, as RFC 3339.
    pub created_at: String,
    /// The run in which it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Whether the model that made it was a simulated one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// The digest of the version it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Digest>,
    /// Remarks of the maker.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// How a document was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProvenanceSource {
    /// Recorded while a model did the job.
    Discovery,
    /// Recorded while a person did the job.
    Person,
    /// Written by hand.
    Hand,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
