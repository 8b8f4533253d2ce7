//! From an ending to what the caller gets.

use std::collections::BTreeMap;

use waymark_artifact::{Artifact, StepId};
use waymark_replay::{Ending, Summary};
use waymark_run::{
    AttemptReport, CapabilityRef, Code, Effect, ErrorReport, EscalationReport, ExitCode, Intervention,
    InterventionState, NextAction, RESULT_SCHEMA, RunResult, RunStatus, Suggested,
};

/// What every result of a run says.
pub struct Header {
    pub run_id: String,
    pub capability: CapabilityRef,
    pub started_at: String,
}

/// The result of an ending.
pub fn result(
    header: &Header,
    artifact: &Artifact,
    ending: &Ending,
    summary: &Summary,
    duration_ms: u64,
    exit: Option<ExitCode>,
) -> RunResult {
    let sensitive = |name: &waymark_artifact::Name| artifact.outputs.iter().any(|o| o.name == *name && o.sensitive);
    // What was read before a run went wrong is not a result of it.
    let outputs: BTreeMap<String, serde_json::Value> = if ending.status == RunStatus::Success {
        summary
            .outputs
            .iter()
            .filter(|(name, _)| !sensitive(name))
            .map(|(name, value)| (name.to_string(), serde_json::to_value(value).unwrap_or_default()))
            .collect()
    } else {
        BTreeMap::new()
    };
    let step = ending.step.as_ref().map(StepId::to_string);
    let code = ending.code.unwrap_or(Code::Internal);
    let next = next_words(next_action(code, summary.effect)).to_owned();
    RunResult {
        schema: RESULT_SCHEMA.into(),
        run_id: header.run_id.clone(),
        status: ending.status,
        exit_code: exit.unwrap_or_else(|| ending.status.exit_code()),
        capability: header.capability.clone(),
        outputs,
        business_outcome: ending.outcome.clone(),
        escalation: (ending.status == RunStatus::NeedsHuman).then(|| EscalationReport {
            code,
            intervention: intervention_id(&header.run_id),
            step: step.clone(),
            message: ending.message.clone(),
            state: "closed".into(),
            next: next.clone(),
        }),
        error: (ending.status == RunStatus::Failed).then(|| ErrorReport {
            code,
            step,
            message: ending.message.clone(),
            // Whatever a code says: after an effect that may have been done nothing is called again blindly.
            retryable: code.row().retryable && summary.effect == Effect::None,
            next,
        }),
        recovered: summary.recovered.clone(),
        human_assisted: summary.human_assisted,
        effect: summary.effect,
        not_attempted: summary.not_attempted.iter().map(StepId::to_string).collect(),
        held_before: summary.held_before.iter().map(StepId::to_string).collect(),
        drift: summary.drift.clone(),
        steps: summary.steps,
        started_at: header.started_at.clone(),
        duration_ms,
        effect_journal: None,
        evidence: None,
        evidence_gaps: Vec::new(),
    }
}

/// An ending that came from outside of the machine.
pub fn failed(code: Code, message: String, step: Option<StepId>) -> Ending {
    Ending {
        status: match code.default_status() {
            RunStatus::NeedsHuman => RunStatus::NeedsHuman,
            _ => RunStatus::Failed,
        },
        code: Some(code),
        message,
        step,
        step_description: String::new(),
        expected: String::new(),
        observed: String::new(),
        attempts: Vec::new(),
        outcome: None,
    }
}

/// The request for a person that goes with an ending.
pub fn intervention(header: &Header, ending: &Ending, location: String, files: Vec<String>) -> Intervention {
    let code = ending.code.unwrap_or(Code::Internal);
    let attempts: Vec<AttemptReport> = ending.attempts.clone();
    Intervention {
        id: intervention_id(&header.run_id),
        run_id: header.run_id.clone(),
        code,
        message: ending.message.clone(),
        capability: header.capability.clone(),
        step: ending.step.clone(),
        step_description: ending.step_description.clone(),
        expected: ending.expected.clone(),
        observed: ending.observed.clone(),
        attempts,
        location,
        files,
        suggested: Suggested { next: next_words(code.row().next).to_owned() },
        approval: None,
        opened_at: header.started_at.clone(),
        waits_ms: None,
        state: InterventionState::Closed,
        done: Vec::new(),
        changes: Vec::new(),
        resolution: None,
    }
}

fn intervention_id(run_id: &str) -> String {
    format!("iv_{run_id}")
}

/// Whatever a code says: where something was sent, nobody is told to call again before the record was looked at.
fn next_action(code: Code, effect: Effect) -> NextAction {
    match code.row().next {
        NextAction::CallAgain if effect != Effect::None => NextAction::CheckRecord,
        next => next,
    }
}

pub(crate) fn next_words(next: NextAction) -> &'static str {
    match next {
        NextAction::LookAtScreen => {
            "look at the picture and the snapshot of the run, then correct the record or the artifact"
        }
        NextAction::Approve => "call with --approve-risk; what cannot be taken back needs an approved artifact besides",
        NextAction::CheckRecord => "look the record up in the application before anything is repeated",
        NextAction::CallAgain => "call again",
        NextAction::CorrectCall => "correct the call",
        NextAction::CorrectArtifact => "correct the artifact, or record it anew",
        NextAction::SeeToMachine => "see to the machine; `waymark doctor` says what is missing",
    }
}
