//! The verifying replay: the draft, without a model, with the same values and with others.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use tokio::sync::watch;
use waymark_artifact::{Artifact, Condition, Name, Risk, StepId, Value};
use waymark_policy::Mode;
use waymark_recording::shown_as_data;
use waymark_replay::Plan;
use waymark_run::{CheckReport, Code, Effect, JournalLine, RunEvent, RunResult, RunStatus};
use waymark_session::{Request, Stop, Watcher, run};

use super::{DiscoverRequest, Draft, Prepared};
use crate::create::create;
use crate::effective::Effective;
use crate::file::record_place;

/// It ran to its end.
pub(crate) const COMPLETE: &str = "complete";
/// It ran to the first step that is not repeated for a proof.
pub(crate) const TO_COMMIT_POINT: &str = "to_commit_point";
/// It did not replay.
pub(crate) const FAILED: &str = "failed";

/// How the draft replayed without a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verification {
    /// `waymark.verification/1`.
    pub schema: &'static str,
    /// What was verified.
    pub id: String,
    pub version: String,
    /// The digest of what was verified.
    pub digest: String,
    /// `complete`, `to_commit_point` or `failed`.
    pub verified: &'static str,
    /// In words.
    pub message: String,
    /// The run.
    pub run: String,
    /// Whether effects were repeated, on a system that the caller says is one for tests.
    pub effects: bool,
    /// When, as RFC 3339.
    pub at: String,
    /// Replays with other values, in the order they were given.
    pub probes: Vec<Proof>,
    /// Each declared outcome.
    pub outcomes: Vec<Proof>,
}

/// What came of one more replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Proof {
    /// The outcome's code, or which values were others.
    pub of: String,
    /// `success`, `provoked`, `unproven`, or the code with which it ended.
    pub came: String,
    /// The run; none where nothing could be run.
    pub run: Option<String>,
}

/// Replays the draft, with what it is built on in its place. Besides what came of it: parts of its checkpoints that did not
/// hold with other values, and are data of the record of the discovery.
pub(crate) async fn verify(
    request: &DiscoverRequest,
    prepared: &Prepared,
    whole: Effective,
    watcher: &mut Watcher<'_>,
    stop: watch::Receiver<Option<Stop>>,
) -> (Verification, Vec<Condition>) {
    let (artifact, digest) = (&whole.artifact, whole.digest.clone());
    let risky = artifact.steps.iter().find(|s| s.risk > Risk::Safe).map(|s| s.id.clone());
    let risky = risky.as_ref().map(|s| s.as_str());
    let through = risky.is_none() || request.verify_effects;
    let same = prepared.values.clone().into_map();
    let others = prepared.others.as_ref().map(|values| values.clone().into_map());
    let of =
        request.probes.iter().map(|p| p.split('=').next().unwrap_or_default().trim()).collect::<Vec<_>>().join(", ");
    // An effect is repeated once at most, and with other values where there are some: that shows that they are no constants.
    let first = through && !(risky.is_some() && others.is_some());
    let mut result = once(request, prepared, &whole, same, first, watcher, stop.clone()).await;
    let (mut verified, mut message) = verdict(&result, risky, first);
    if verified == COMPLETE && first && risky.is_some() {
        message = format!("{message}, with the same values: nothing shows that they are no constants");
    }
    let mut probes = Vec::new();
    let mut data = Vec::new();
    if let Some(inputs) = others.filter(|_| verified != FAILED) {
        let mut unmet = None;
        let mut watching = |line: &JournalLine, clean: &Map<String, Json>| {
            if let RunEvent::Checked { step: Some(step), report } = &line.event
                && !report.holds
            {
                unmet = Some((step.clone(), report.clone()));
            }
            watcher(line, clean);
        };
        let probe = once(request, prepared, &whole, inputs, through, &mut watching, stop.clone()).await;
        let came = came(&probe, risky, through);
        if verdict(&probe, risky, through).0 == FAILED && probe.business_outcome.is_none() {
            // What was sent is not sent once more for a better draft.
            let sent = probe.effect != Effect::None;
            data = unmet
                .filter(|_| !sent)
                .map(|(step, report)| data_in(artifact, &probe, &step, &report))
                .unwrap_or_default();
            let words = words(&probe);
            (verified, message) = (FAILED, format!("with another {of} it did not replay: {words}"));
        }
        probes.push(Proof { of: of.clone(), came, run: Some(probe.run_id.clone()) });
        if first != through && verified != FAILED {
            let (then, words) = verdict(&probe, risky, through);
            let gate = risky.unwrap_or_default();
            let came = if then == COMPLETE { "to its end".to_owned() } else { format!("to this: {words}") };
            message = format!("with the same values to the gate before `{gate}`, and with another {of} {came}");
            (verified, result) = (then, probe);
        }
    }
    let mut verification = Verification {
        schema: "waymark.verification/1",
        id: artifact.id.to_string(),
        version: artifact.version.to_string(),
        digest: digest.clone(),
        verified,
        message,
        run: result.run_id.clone(),
        effects: result.effect != Effect::None,
        at: result.started_at.clone(),
        probes,
        outcomes: Vec::new(),
    };
    for outcome in &artifact.outcomes {
        let declared = prepared.goal.outcomes().iter().find(|o| o.code == outcome.code);
        let provoking = declared
            .filter(|_| verified != FAILED)
            .and_then(|o| prepared.goal.provoking(o, &prepared.values, &prepared.given));
        let code = outcome.code.to_string();
        let proof = match provoking {
            Some(Ok(values)) => {
                let inputs = values.into_map();
                let result = once(request, prepared, &whole, inputs, false, watcher, stop.clone()).await;
                let provoked = result.business_outcome.as_ref().is_some_and(|o| o.code == code);
                let came = if provoked { "provoked".to_owned() } else { came(&result, None, false) };
                Proof { of: code, came, run: Some(result.run_id) }
            }
            Some(Err(errors)) => Proof { of: code, came: errors.code().to_owned(), run: None },
            None => Proof { of: code, came: "unproven".to_owned(), run: None },
        };
        verification.outcomes.push(proof);
    }
    (verification, data)
}

/// What of the checkpoint at which a replay with other values ended is data.
fn data_in(artifact: &Artifact, probe: &RunResult, step: &StepId, report: &CheckReport) -> Vec<Condition> {
    let ended = probe.error.as_ref().map(|e| &e.step).or(probe.escalation.as_ref().map(|e| &e.step));
    let at_it = ended.is_some_and(|at| at.as_deref() == Some(step.as_str()));
    let made = artifact.steps.iter().find(|s| s.id == *step).and_then(|s| s.checkpoint.as_ref());
    let leaves: Vec<bool> = report.leaves.iter().map(|(_, holds)| *holds).collect();
    let made = made.filter(|made| at_it && made.description == report.description);
    made.map(|made| shown_as_data(&made.condition, &leaves)).unwrap_or_default()
}

async fn once(
    request: &DiscoverRequest,
    prepared: &Prepared,
    whole: &Effective,
    inputs: BTreeMap<Name, Value>,
    goes_through: bool,
    watcher: &mut Watcher<'_>,
    stop: watch::Receiver<Option<Stop>>,
) -> RunResult {
    // Nothing that is more than safe is done unless it is asked for: that is where the replay stops.
    let consent = request.approve_risk.filter(|_| goes_through && request.verify_effects);
    let (name, base) = prepared.ground.variable();
    let plan = Plan {
        artifact: whole.artifact.clone(),
        base_drift: whole.base_drift.clone(),
        inputs,
        variables: BTreeMap::from([(name, base)]),
        policy: Arc::new(prepared.guards.policy.clone()),
        mode: Mode::Unattended,
        grants: super::grants(consent),
        escalate: true,
        waits: false,
        pictures: request.pictures,
    };
    let replay = Request {
        plan,
        digest: whole.digest.clone(),
        effective_digest: whole.effective_digest.clone(),
        tenant: whole.tenant.clone(),
        browser: prepared.browser.clone(),
        evidence_root: request.evidence_root.clone(),
        kind: "verify".into(),
        rules: prepared.guards.rules.clone(),
        credentials: prepared.ground.credentials(),
        engine: format!("waymark {}", env!("CARGO_PKG_VERSION")),
        wait: None,
        keep_inputs: None,
    };
    run(replay, watcher, stop, None).await
}

/// What a replay proves. One that stopped at the gate before the first step that is more than safe came as far as it may.
fn verdict(result: &RunResult, risky: Option<&str>, goes_through: bool) -> (&'static str, String) {
    if result.status == RunStatus::Success {
        return (COMPLETE, "it replayed to its end".to_owned());
    }
    let at_gate = result
        .escalation
        .as_ref()
        .is_some_and(|e| e.code == Code::RiskApproval && e.step.as_deref() == risky && risky.is_some());
    if at_gate && !goes_through {
        let step = risky.unwrap_or_default();
        return (
            TO_COMMIT_POINT,
            format!("it replayed to the gate before `{step}`, which is not repeated for a proof"),
        );
    }
    (FAILED, words(result))
}

fn came(result: &RunResult, risky: Option<&str>, goes_through: bool) -> String {
    match verdict(result, risky, goes_through).0 {
        COMPLETE => "success".to_owned(),
        TO_COMMIT_POINT => TO_COMMIT_POINT.to_owned(),
        _ => result.business_outcome.as_ref().map_or_else(|| code(result), |o| o.code.clone()),
    }
}

fn code(result: &RunResult) -> String {
    let code = result.error.as_ref().map(|e| e.code).or(result.escalation.as_ref().map(|e| e.code));
    code.map_or_else(|| "unknown".to_owned(), |code| code.to_string())
}

fn words(result: &RunResult) -> String {
    let step = |step: &Option<String>| step.as_ref().map(|s| format!(" at `{s}`")).unwrap_or_default();
    if let Some(error) = &result.error {
        return format!("{}{}: {}", error.code, step(&error.step), error.message);
    }
    if let Some(escalation) = &result.escalation {
        return format!("{}{}: {}", escalation.code, step(&escalation.step), escalation.message);
    }
    let outcome = result.business_outcome.as_ref().map(|o| o.code.clone()).unwrap_or_default();
    format!("it ended with the answer `{outcome}`")
}

impl Verification {
    /// Writes the record beside the artifact, bound to its digest.
    ///
    /// # Errors
    /// In words.
    pub(crate) fn save(&self, artifact: &Path, draft: &Draft) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        create(&record_place(artifact, &draft.digest, "verification"), format!("{text}\n").as_bytes())
    }
}
