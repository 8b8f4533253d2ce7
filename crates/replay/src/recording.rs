//! A stored journal of inputs: everything that one machine was told, with the plan it walked.
//!
//! ```text
//! {"schema":"waymark.inputs/1","artifact":{…},"parameters":{…},"allowlist":"…", …}   what is walked
//! {"at_ms":0,"what":"start"}                                                          one input a line
//! {"at_ms":41,"what":{"seen":{"snapshot":"window main <…>\n…", …}}}                   screens in their text form
//! {"effects":"sha256:…","live":"sha256:…"}                                            what comes of it
//! ```
//!
//! Fed again, it gives the same effects byte for byte. Values that must not be seen are masked alike in screens and
//! parameters, so that what is found by a value is still found. Where a masked value cannot be read any more (a
//! sensitive output that is an amount), the digest of the run itself, `live`, is another one than that of the journal.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use waymark_artifact::{Artifact, Name, Risk, StepId, Value, display, parse_inputs};
use waymark_policy::{Grants, Mode, Policy, PolicyTexts};
use waymark_run::{effect_digest, effect_lines};
use waymark_snapshot::{NodeId, parse, print};
use waymark_surface::{Delivery, DialogFact, DriverError, Fact, Observation, Reaction, Refusal, Settling, WindowFact};

use crate::{Acted, Input, Machine, Next, Plan, PlanError, What};

/// The schema word of a journal of inputs, in its first line.
pub const INPUTS_SCHEMA: &str = "waymark.inputs/1";

/// The texts of the policy behind a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicySource {
    /// `allowlist.yaml`.
    pub allowlist: String,
    /// `risk_policy.yaml`.
    pub risk: String,
}

/// A journal of inputs that was read.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What is walked; masked values are texts.
    pub plan: Plan,
    /// What the machine is told, in order.
    pub inputs: Vec<Input>,
    /// The digest of the effects that come of it, by the last line; `None` where that is missing or says why not.
    pub effects: Option<String>,
}

/// What is wrong with a journal of inputs.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// A line that is not understood.
    #[error("line {line}: {problem}")]
    Line {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The plan cannot be carried out.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The machine asked for something else than what it was told next: it is not the one that was recorded.
    #[error("input {index} does not answer what the machine asked for")]
    Unasked {
        /// Which input, from 1.
        index: usize,
    },
    /// The inputs end before the walk does.
    #[error("the inputs end before the walk does")]
    Unended,
    /// The effects have no written form.
    #[error("the effects cannot be written: {0}")]
    Unwritable(#[from] serde_json::Error),
}

/// The lines of a journal without its last: the plan, then the inputs. `mask` gives a text with everything masked that
/// must not be seen; the lines themselves are not masked yet, their writer does that.
///
/// # Errors
/// A part has no JSON form.
pub fn input_lines(
    plan: &Plan,
    policy: &PolicySource,
    inputs: &[Input],
    mask: &dyn Fn(&str) -> String,
) -> Result<Vec<Json>, serde_json::Error> {
    let mut head = Head {
        schema: INPUTS_SCHEMA.to_owned(),
        artifact: plan.artifact.clone(),
        base_drift: plan.base_drift.clone(),
        parameters: Map::new(),
        masked: BTreeMap::new(),
        variables: plan.variables.clone(),
        allowlist: policy.allowlist.clone(),
        risk_policy: policy.risk.clone(),
        attended: plan.mode == Mode::Attended,
        approve_risk: plan.grants.approve_risk,
        artifact_approved: plan.grants.artifact_approved,
        escalate: plan.escalate,
        waits: plan.waits,
        pictures: plan.pictures,
    };
    for (name, value) in plan.inputs.iter().filter(|(_, value)| **value != Value::Null) {
        // What stands on the screens and in the journal of the walk is the written form; neither may be seen.
        let text = plan.written(name, value, None).unwrap_or_default();
        let plain = display(value, None).unwrap_or_default();
        let masked = mask(&text);
        if masked == text
            && mask(&plain) == plain
            && !plan.is_sensitive(&waymark_artifact::ValueExpr::Parameter { name: name.clone() })
        {
            head.parameters.insert(name.to_string(), serde_json::to_value(value)?);
        } else {
            head.masked.insert(name.clone(), masked);
        }
    }
    let mut lines = vec![serde_json::to_value(head)?];
    let mut last = None;
    for input in inputs {
        lines.push(serde_json::to_value(InputLine { at_ms: input.at_ms, what: Line::of(&input.what, &mut last) })?);
    }
    Ok(lines)
}

impl Recording {
    /// Reads a journal.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let fail = |at: usize, problem: String| RecordingError::Line { line: at + 1, problem };
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, first) = lines.next().ok_or_else(|| fail(0, "there is none".to_owned()))?;
        let head: Head = serde_json::from_str(first).map_err(|error| fail(0, error.to_string()))?;
        let mut recording =
            Recording { plan: head.plan().map_err(|problem| fail(0, problem))?, inputs: Vec::new(), effects: None };
        let mut last = String::new();
        for (at, line) in lines {
            let line: FileLine = serde_json::from_str(line).map_err(|error| fail(at, error.to_string()))?;
            match line {
                FileLine::Input(line) => {
                    let what = line.what.what(&mut last).map_err(|problem| fail(at, problem))?;
                    recording.inputs.push(Input { at_ms: line.at_ms, what });
                }
                FileLine::End { effects, .. } => recording.effects = effects,
            }
        }
        Ok(recording)
    }

    /// Feeds the inputs to a new machine and gives the effect journal as it is stored.
    ///
    /// # Errors
    /// The plan cannot be carried out, or the machine asks for something else.
    pub fn feed(&self) -> Result<String, RecordingError> {
        let mut machine = Machine::new(self.plan.clone())?;
        let mut next: Option<Next> = None;
        for (index, input) in self.inputs.iter().enumerate() {
            if !answers(next.as_ref(), &input.what) {
                return Err(RecordingError::Unasked { index: index + 1 });
            }
            next = Some(machine.step(input.clone()).next);
        }
        let Some(Next::Finish(ending)) = next else { return Err(RecordingError::Unended) };
        // The key of the workspace that wrote it is not here: a hidden output is nothing but hidden.
        let hide = |name: &Name, _: &Json| self.plan.hides(name).then(String::new);
        Ok(effect_lines(&machine.effects(&ending, &hide))?)
    }

    /// The digest of what [`Recording::feed`] gives.
    ///
    /// # Errors
    /// As there.
    pub fn digest(&self) -> Result<String, RecordingError> {
        self.feed().map(|lines| effect_digest(&lines).to_string())
    }
}

/// Whether an input answers what was asked for; a stop may come at any time.
fn answers(asked: Option<&Next>, what: &What) -> bool {
    match (asked, what) {
        (Some(Next::Finish(_)), _) => false,
        (_, What::Stop) | (None, What::Start) => true,
        (Some(Next::Observe { .. }), What::Seen { .. } | What::Lost(_)) => true,
        (Some(Next::Act { .. }), What::Acted(_) | What::NoCredential { .. }) => true,
        (Some(Next::Capture { .. }), What::Captured) => true,
        (Some(Next::Handoff(_)), What::Resume { .. } | What::GivenUp | What::Lost(_)) => true,
        _ => false,
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    artifact: Artifact,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    base_drift: BTreeMap<StepId, Vec<u32>>,
    /// As a caller gives them.
    parameters: Map<String, Json>,
    /// Parameters whose values must not be seen: what stands for them in the screens too.
    masked: BTreeMap<Name, String>,
    variables: BTreeMap<Name, String>,
    allowlist: String,
    risk_policy: String,
    attended: bool,
    approve_risk: Option<Risk>,
    artifact_approved: bool,
    escalate: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    waits: bool,
    pictures: bool,
}

impl Head {
    fn plan(self) -> Result<Plan, String> {
        if self.schema != INPUTS_SCHEMA {
            return Err(format!("`{}` is not `{INPUTS_SCHEMA}`", self.schema));
        }
        let policy = Policy::load(PolicyTexts { allowlist: &self.allowlist, risk: &self.risk_policy })
            .map_err(|error| error.to_string())?;
        let given = |p: &&waymark_artifact::Parameter| self.parameters.contains_key(p.name.as_str());
        let declared: Vec<_> = self.artifact.parameters.iter().filter(given).cloned().collect();
        let mut inputs = parse_inputs(&declared, &self.parameters)
            .map_err(|problems| problems.into_iter().map(|p| p.message).collect::<Vec<_>>().join("; "))?;
        inputs.extend(self.masked.into_iter().map(|(name, text)| (name, Value::Text(text))));
        Ok(Plan {
            artifact: self.artifact,
            base_drift: self.base_drift,
            inputs,
            variables: self.variables,
            policy: Arc::new(policy),
            mode: if self.attended { Mode::Attended } else { Mode::Unattended },
            grants: Grants {
                approve_risk: self.approve_risk,
                artifact_approved: self.artifact_approved,
                person_said_yes: false,
            },
            escalate: self.escalate,
            waits: self.waits,
            pictures: self.pictures,
        })
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FileLine {
    Input(InputLine),
    End {
        effects: Option<String>,
        #[serde(rename = "live")]
        _live: Option<String>,
        #[serde(rename = "why")]
        _why: Option<String>,
    },
}

#[derive(Serialize, Deserialize)]
struct InputLine {
    at_ms: u64,
    what: Line,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Start,
    Seen(Box<Seen>),
    Lost(DriverError),
    Done(Delivery),
    Refused(Refusal),
    NoCredential { name: Name, why: String },
    Captured,
    Stop,
    Resume { seen: Box<Seen>, drove: bool, approved: bool },
    GivenUp,
}

#[derive(Serialize, Deserialize)]
struct Seen {
    number: u64,
    /// The screen in its text form; left out where it is the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snapshot: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hints: Vec<Vec<NodeId>>,
    settling: Settling,
    reaction: Reaction,
    answered: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<Fact>,
    windows: Vec<WindowFact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialog: Option<DialogFact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    off_limits: Option<(String, String)>,
}

type OffLimits = Option<(String, String)>;

impl Seen {
    fn of(seen: &Observation, off_limits: &OffLimits, last: &mut Option<String>) -> Self {
        let text = print(&seen.snapshot);
        let snapshot = (last.as_ref() != Some(&text)).then(|| text.clone());
        *last = Some(text);
        Seen {
            number: seen.number,
            snapshot,
            hints: seen.hints.clone(),
            settling: seen.settling,
            reaction: seen.reaction,
            answered: seen.answered,
            facts: seen.facts.clone(),
            windows: seen.windows.clone(),
            dialog: seen.dialog.clone(),
            off_limits: off_limits.clone(),
        }
    }

    fn what(self, last: &mut String) -> Result<(Box<Observation>, OffLimits), String> {
        if let Some(text) = self.snapshot {
            *last = text;
        }
        let seen = Observation {
            number: self.number,
            snapshot: parse(last).map_err(|error| format!("snapshot {error}"))?,
            hints: self.hints,
            settling: self.settling,
            reaction: self.reaction,
            answered: self.answered,
            facts: self.facts,
            windows: self.windows,
            dialog: self.dialog,
        };
        Ok((Box::new(seen), self.off_limits))
    }
}

impl Line {
    fn of(what: &What, last: &mut Option<String>) -> Self {
        match what {
            What::Start => Line::Start,
            What::Seen { seen, off_limits } => Line::Seen(Box::new(Seen::of(seen, off_limits, last))),
            What::Resume { seen, off_limits, drove, approved } => {
                Line::Resume { seen: Box::new(Seen::of(seen, off_limits, last)), drove: *drove, approved: *approved }
            }
            What::GivenUp => Line::GivenUp,
            What::Lost(error) => Line::Lost(error.clone()),
            What::Acted(Acted::Done(delivery)) => Line::Done(delivery.clone()),
            What::Acted(Acted::Refused(refusal)) => Line::Refused(refusal.clone()),
            What::NoCredential { name, why } => Line::NoCredential { name: name.clone(), why: why.clone() },
            What::Captured => Line::Captured,
            What::Stop => Line::Stop,
        }
    }

    fn what(self, last: &mut String) -> Result<What, String> {
        Ok(match self {
            Line::Start => What::Start,
            Line::Seen(seen) => {
                let (seen, off_limits) = seen.what(last)?;
                What::Seen { seen, off_limits }
            }
            Line::Resume { seen, drove, approved } => {
                let (seen, off_limits) = seen.what(last)?;
                What::Resume { seen, off_limits, drove, approved }
            }
            Line::GivenUp => What::GivenUp,
            Line::Lost(error) => What::Lost(error),
            Line::Done(delivery) => What::Acted(Acted::Done(delivery)),
            Line::Refused(refusal) => What::Acted(Acted::Refused(refusal)),
            Line::NoCredential { name, why } => What::NoCredential { name, why },
            Line::Captured => What::Captured,
            Line::Stop => What::Stop,
        })
    }
}
