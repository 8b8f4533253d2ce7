//! Discovery: a goal goes in, a model does the job once, and a draft that has replayed without one comes out.

mod contract;
pub(crate) mod models;
pub(crate) mod recorded;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use semver::Version;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use tokio::sync::watch;
use waymark_artifact::{Artifact, CapabilityId, Condition, Risk, Value};
use waymark_discovery::{Ending, Exploration, ModelError, ModelName, Selector};
use waymark_goal::{Checked, Flags, Given, Goal, GoalErrors, Values as GoalValues};
use waymark_llm::Recording;
use waymark_policy::{Grants, Mode};
use waymark_recording::{Compiled, built_on, compile_without};
use waymark_redact::Secret;
use waymark_run::{CapabilityRef, Code, Effect, JournalLine, Rejection, RunEvent, RunResult};
use waymark_session::{BrowserChoice, Exploring, Stop, Texts, Watcher, explore};

use crate::create::create;
use crate::effective::{Effective, effective};
use crate::problems::Problems;
use crate::replay::{BrowserWish, Consent, browser};
use crate::{TenantWish, artifact, catalog, configuration, file};
use contract::Ground;
use models::Models;
pub use verify::{Proof, Verification};

/// The schema word of a report.
const SCHEMA: &str = "waymark.discovery/1";
/// What a goal needs that is judged.
const CONDITION_HINT: &str = "add to `## Success` what shows that the job is done: `- Text: Order confirmed`";
/// The longest goal or script that is read, in bytes.
const MAX_BYTES: usize = 1024 * 1024;
/// How often a draft is written: twice anew without what a replay with other values refuted.
const ROUNDS: usize = 3;

/// A call.
#[derive(Clone)]
pub struct DiscoverRequest {
    /// What is wanted.
    pub goal: GoalSource,
    /// The address of the installation, instead of the goal's own.
    pub url: Option<String>,
    /// The values of the parameter file.
    pub params_file: Map<String, Json>,
    /// The environment of the program; only what goal, profile and provider name is looked at.
    pub env: BTreeMap<String, String>,
    /// Who decides.
    pub provider: Provider,
    /// Who tells elements apart where what was said fits several: as far as somebody is named or configured.
    pub selector: Provider,
    /// Where the answers of both roles are recorded, to be played back later; a new file.
    pub cassette: Option<PathBuf>,
    /// The version of what is recorded.
    pub version: Version,
    /// Where the draft is written.
    pub out: PathBuf,
    /// What is approved for this call.
    pub approve_risk: Option<Consent>,
    /// Other values with which the draft is replayed once more, as `NAME=SOURCE`.
    pub probes: Vec<String>,
    /// Whether the verifying replay goes through risky steps: only where the system is a test system.
    pub verify_effects: bool,
    pub browser: BrowserWish,
    pub headed: bool,
    /// Where run folders are made.
    pub evidence_root: PathBuf,
    /// The folder of the configuration.
    pub config: PathBuf,
    pub pictures: bool,
}

/// Where a goal comes from.
#[derive(Clone)]
pub enum GoalSource {
    /// The flags of a command.
    Flags(Box<Flags>),
    /// A Markdown or JSON file.
    File(PathBuf),
}

/// Who decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A script that stands in for a model: simulated.
    Scripted(PathBuf),
    /// The answers of an earlier discovery, played back: simulated.
    Cassette(PathBuf),
    /// A provider over the network, as far as the caller says; the rest is in the environment and in `.env`.
    Network {
        /// `anthropic`, `openai` or `groq`.
        provider: Option<String>,
        /// The provider's name of the model.
        model: Option<String>,
        /// The address of an endpoint that is compatible.
        base_url: Option<String>,
        /// The text of `.env`, where there is one.
        dot_env: Option<String>,
    },
}

/// What became of a call.
#[derive(Clone, Debug)]
pub enum DiscoverAnswer {
    /// Nothing was started.
    Rejected(Rejection),
    /// It ran.
    Ended(Box<DiscoveryReport>),
}

/// What came of a discovery.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DiscoveryReport {
    /// `waymark.discovery/1`.
    pub schema: &'static str,
    /// The run in which it was recorded.
    pub result: RunResult,
    /// Who decided.
    pub model: ModelName,
    /// Who was there to tell elements apart.
    #[serde(rename = "told_apart_by")]
    pub selector: Option<ModelName>,
    /// The cassette whose answers were played back, where no model was asked.
    pub played_back: Option<String>,
    /// The cassette to which the answers were recorded.
    pub cassette: Option<String>,
    /// What a person should know about how it was set up.
    pub notes: Vec<String>,
    /// Turns that were taken.
    pub turns: u32,
    /// Calls that were made.
    pub calls: u32,
    /// What they cost in millionths of a US dollar, as far as prices are configured.
    pub price_micros: u64,
    /// The draft, where there is one.
    pub draft: Option<Draft>,
}

/// A draft.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Draft {
    /// The file.
    pub file: String,
    pub id: String,
    pub version: String,
    pub digest: String,
    pub steps: usize,
    /// What was done and is no part of it.
    pub left_out: Vec<String>,
    /// What its validation warns of, and what was declared and could not be said in it.
    pub warnings: Vec<String>,
    /// How the replay without a model went.
    pub verification: Option<Verification>,
}

/// Discovers a capability. `watcher` is told every line of every journal; `stop` ends it at the next safe point.
pub async fn discover(
    request: &DiscoverRequest,
    watcher: &mut Watcher<'_>,
    stop: watch::Receiver<Option<Stop>>,
) -> DiscoverAnswer {
    let mut prepared = match prepare(request, Aim::Draft) {
        Ok(prepared) => prepared,
        Err(rejection) => return DiscoverAnswer::Rejected(*rejection),
    };
    match run(request, &mut prepared, watcher, stop).await {
        Ok(report) => DiscoverAnswer::Ended(Box::new(report)),
        Err((code, message)) => DiscoverAnswer::Rejected(Rejection::new(code, message, Vec::new())),
    }
}

/// What a goal is tried for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// A draft of a capability.
    Draft,
    /// Whether its conditions hold, of one goal among others: nothing is written down but the evidence.
    Verdict,
}

/// Everything that a discovery needs, checked.
pub(crate) struct Prepared {
    pub(crate) goal: Goal,
    given: Given,
    values: GoalValues,
    /// The values of the replay with others, where there are some.
    others: Option<GoalValues>,
    pub(crate) ground: Ground,
    guards: configuration::Guards,
    browser: BrowserChoice,
    pub(crate) models: Models,
    /// What the models answer, where that is recorded.
    pub(crate) recording: Option<Recording>,
    pub(crate) notes: Vec<String>,
    artifact: PathBuf,
    pub(crate) texts: Texts,
}

/// All checks that need neither browser nor model.
pub(crate) fn prepare(request: &DiscoverRequest, aim: Aim) -> Result<Prepared, Box<Rejection>> {
    const WHAT: &str = "cannot discover; nothing was started, and no model was asked";
    let mut problems = Problems::default();
    let goal = read_goal(request, &mut problems);
    let guards = configuration::guards(&request.config)
        .map_err(|faults| {
            for fault in faults {
                let file = fault.file.display().to_string();
                problems.add(Code::InvalidPolicy, file, fault.problem, fault.message, fault.hint);
            }
        })
        .ok();
    let browser = browser(&request.browser, request.headed, &mut problems);
    if let Err(error) = waymark_evidence::check_writable(&request.evidence_root) {
        problems.add(Code::InvalidInvocation, "--evidence", "unwritable", error.to_string(), error.hint());
    }
    let models = models::read(request, &mut problems);
    let (Some(goal), Some(guards), Some(browser), Some(models)) = (goal, guards, browser, models) else {
        return Err(crate::replay::refuse(problems, WHAT));
    };
    if aim == Aim::Verdict && goal.conditions().is_empty() {
        let message = "the goal says no condition of success, so there is nothing to judge by";
        problems.add(Code::InvalidInvocation, "## Success", "no_condition", message, CONDITION_HINT);
    } else if aim == Aim::Verdict
        && goal.conditions().iter().all(|of| matches!(of, waymark_goal::Condition::NotText(_)))
    {
        let message = "the goal says only what must be absent, and an empty screen meets that too";
        problems.add(Code::InvalidInvocation, "## Success", "lone_negative", message, CONDITION_HINT);
    }
    let mut params_file = request.params_file.clone();
    if aim == Aim::Verdict {
        // One file is for all goals together.
        params_file.retain(|name, _| goal.data().iter().any(|key| key.name.as_str() == name));
    }
    let given = Given { env: request.env.clone(), params_file, stdin: Map::new() };
    let values = goal.values(&given).map_err(|errors| told(errors, &mut problems)).ok();
    let ground = Ground::find(&goal, &guards.policy, &request.config, &mut problems);
    let (Some(values), Some(mut ground)) = (values, ground) else {
        return Err(crate::replay::refuse(problems, WHAT));
    };
    let others = others(request, &goal, &values, &given, &mut problems);
    let mut notes = models.notes.clone();
    notes.extend(ground.offer(&goal));
    for name in ground.told_by(&goal) {
        let message =
            format!("the value of the credential `{name}` stands in the goal's own words, which a model would see");
        let hint = format!("say `{name}` there instead of the value");
        problems.add(Code::InvalidInvocation, "--goal", "secret_in_words", message, hint);
    }
    let id = goal.capability_or_suggested(&ground.application);
    if id.application() != ground.application.as_str() {
        let message = format!("the start address belongs to `{}`, not to `{}`", ground.application, id.application());
        problems.add(Code::InvalidInvocation, "--capability", "application", message, "name it after its application");
    }
    let artifact = request.out.join(contract::file_name(&id, &request.version));
    if aim == Aim::Draft {
        writable(request, &artifact, &mut problems);
    }
    let provoking = goal.outcomes().iter().filter_map(|outcome| goal.provoking(outcome, &values, &given)?.ok());
    for given in others.iter().cloned().chain(provoking) {
        written(&goal, &ground, &given, &mut problems);
    }
    let texts = written(&goal, &ground, &values, &mut problems);
    let mut models = models;
    let mut recording = None;
    if let Some(path) = &request.cassette
        && let Some(redactor) = recorded::redactor(path, &guards.rules, &texts, &ground.credentials(), &mut problems)
    {
        let (recorded, tape) = models.recorded(redactor);
        (models, recording) = (recorded, Some(tape));
    }
    if let Some(rejection) = problems.rejection(WHAT) {
        return Err(Box::new(rejection));
    }
    Ok(Prepared { recording, goal, given, values, others, ground, guards, browser, models, notes, artifact, texts })
}

/// Whether the draft could be written.
fn writable(request: &DiscoverRequest, artifact: &Path, problems: &mut Problems) {
    // Two recordings under one version would be one too many, and the second is noticed before it costs anything.
    if artifact.exists() {
        let message = format!("{} exists; a saved version never changes", artifact.display());
        let hint = "give the next version, or another --out";
        problems.add(Code::InvalidInvocation, "--version", "exists", message, hint);
    }
    if let Err(error) = waymark_evidence::check_writable(&request.out) {
        problems.add(Code::InvalidInvocation, "--out", "unwritable", error.to_string(), error.hint());
    }
}

/// The other values for one more replay. They are looked at before anything is done: afterwards something may have been
/// sent for nothing.
fn others(
    request: &DiscoverRequest,
    goal: &Goal,
    values: &GoalValues,
    given: &Given,
    problems: &mut Problems,
) -> Option<GoalValues> {
    if request.probes.is_empty() {
        return None;
    }
    let others = goal.probe(&request.probes, values, given).map_err(|errors| told(errors, problems)).ok()?;
    if others == *values {
        let message = "these are the values of the discovery itself".to_owned();
        let hint = "give another value; what is the same twice may as well be a constant";
        problems.add(Code::InvalidInvocation, "--probe", "same_value", message, hint);
        return None;
    }
    Some(others)
}

fn read_goal(request: &DiscoverRequest, problems: &mut Problems) -> Option<Goal> {
    let checked: Result<Checked, GoalErrors> = match &request.goal {
        GoalSource::Flags(flags) => Goal::from_flags(flags),
        GoalSource::File(path) => {
            let label = path.display().to_string();
            let text = match file::bytes(path, MAX_BYTES) {
                Ok(bytes) => bytes,
                Err(error) => {
                    let (problem, message, hint) = file::told(&error);
                    problems.add(Code::InvalidInvocation, label, problem, message, hint);
                    return None;
                }
            };
            if path.extension().is_some_and(|e| e == "json") {
                Goal::from_json(&text)
            } else {
                Goal::from_markdown(&label, &String::from_utf8_lossy(&text))
            }
        }
    };
    let goal = checked.map_err(|errors| told(errors, problems)).ok()?.goal;
    match &request.url {
        Some(url) => goal.at(url).map_err(|errors| told(errors, problems)).ok(),
        None => Some(goal),
    }
}

/// The values as the application writes them, and every other form in which they may show.
fn written(goal: &Goal, ground: &Ground, values: &GoalValues, problems: &mut Problems) -> Texts {
    let mut texts = Texts::default();
    for parameter in ground.parameters(goal) {
        let Some(value) = values.get(&parameter.name).filter(|value| **value != Value::Null) else { continue };
        let name = parameter.name.clone();
        let text = match parameter.written(value) {
            Ok(text) => text,
            Err(error) => {
                let hint = "give a value that the application can write; nothing is rounded";
                let place = format!("data `{name}`");
                problems.add(Code::InvalidInvocation, place, "unwritable", error.to_string(), hint);
                continue;
            }
        };
        let others = parameter.texts(value).into_iter().filter(|other| *other != text);
        if !parameter.sensitive {
            texts.others.insert(name.clone(), others.collect());
            texts.plain.insert(name, text);
            continue;
        }
        let others: Vec<Secret<String>> = others.map(Secret::new).collect();
        if goal.tells(&text) || others.iter().any(|other| goal.tells(other.expose())) {
            let message = format!("the value of `{name}` stands in the goal's own words, which a model would see");
            let hint = format!("say `{name}` there instead of the value");
            problems.add(Code::InvalidInvocation, "--goal", "secret_in_words", message, hint);
        }
        texts.hidden.insert(name.clone(), others);
        texts.sensitive.insert(name, Secret::new(text));
    }
    texts
}

fn told(errors: GoalErrors, problems: &mut Problems) {
    for error in errors.0 {
        let place = error.place.to_string();
        let place = place.trim_end_matches([':', ' ']).to_owned();
        problems.add(Code::InvalidInvocation, place, error.code, error.message, error.hint);
    }
}

/// What the session needs besides the job and the models.
pub(crate) fn exploring(request: &DiscoverRequest, prepared: &Prepared) -> Exploring {
    let id = prepared.goal.capability_or_suggested(&prepared.ground.application);
    let digest = prepared.goal.digest().to_string();
    let capability = CapabilityRef {
        id: id.to_string(),
        version: request.version.to_string(),
        digest: digest.clone(),
        tenant: "base".into(),
        effective_digest: digest,
    };
    Exploring {
        capability,
        application: prepared.ground.application.to_string(),
        policy: Arc::new(prepared.guards.policy.clone()),
        // Nobody is asked yet: more than what is safe needs the caller's word, given before.
        mode: Mode::Unattended,
        grants: grants(request.approve_risk),
        browser: prepared.browser.clone(),
        evidence_root: request.evidence_root.clone(),
        rules: prepared.guards.rules.clone(),
        credentials: prepared.ground.credentials(),
        texts: prepared.texts.clone(),
        engine: format!("waymark {}", env!("CARGO_PKG_VERSION")),
        pictures: request.pictures,
    }
}

async fn run(
    request: &DiscoverRequest,
    prepared: &mut Prepared,
    watcher: &mut Watcher<'_>,
    stop: watch::Receiver<Option<Stop>>,
) -> Result<DiscoveryReport, (Code, String)> {
    let model = prepared.models.navigator.name();
    let selector = prepared.models.selector.as_ref().map(|selector| selector.name());
    let exploring = exploring(request, prepared);
    let job = prepared.ground.job(&prepared.goal, &prepared.texts);
    let shared = Mutex::new(watcher);
    let relay = |line: &JournalLine, clean: &Map<String, Json>| {
        if let Ok(mut watcher) = shared.lock() {
            watcher(line, clean);
        }
    };
    let mut first = relay;
    // The journal outlives the loop: what is compiled and verified is written there too.
    let mut explored = {
        let Models { navigator, selector, .. } = &mut prepared.models;
        let selector = selector.as_deref_mut().map(|selector| selector as &mut dyn Selector);
        explore(&exploring, &job, navigator.as_mut(), selector, &mut first, stop.clone()).await?
    };
    let (turns, calls, price_micros) =
        explored.exploration.as_ref().map_or((0, 0, 0), |e| (e.turns, e.calls, e.micros));
    let mut failed = explored.failed.clone();
    let mut draft = None;
    let mut effect = Effect::None;
    let mut done = 0;
    if let Some(exploration) = explored.exploration.take() {
        done = u32::try_from(exploration.deeds.len()).unwrap_or(u32::MAX);
        failed = came_to(&exploration, stop.borrow().is_some());
        if failed.is_none() {
            let asked = selector.as_ref().filter(|_| exploration.selections > 0);
            // What a replay with other values shows to be data is no proof: it is written once more without.
            let mut data = Vec::new();
            for round in 1..=ROUNDS {
                let (whole, mut written) =
                    match write(request, prepared, &job, &exploration, &explored, &model, asked, &data) {
                        Ok(written) => written,
                        Err(error) => {
                            failed = Some(error);
                            break;
                        }
                    };
                explored.tell(RunEvent::Drafted {
                    file: written.file.clone(),
                    digest: written.digest.clone(),
                    steps: u32::try_from(written.steps).unwrap_or(u32::MAX),
                    left_out: written.left_out.clone(),
                });
                let mut second = relay;
                let (verification, found) = verify::verify(request, prepared, whole, &mut second, stop.clone()).await;
                explored.tell(RunEvent::Verified {
                    run: verification.run.clone(),
                    verified: verification.verified,
                    message: verification.message.clone(),
                });
                let again = round < ROUNDS && !found.is_empty() && stop.borrow().is_none();
                // Nobody has seen it: it was verified as part of its recording, and is not what is offered.
                if again && std::fs::remove_file(&prepared.artifact).is_ok() {
                    data.extend(found);
                    continue;
                }
                failed = unverified(&verification, stop.borrow().is_some());
                if let Err(message) = verification.save(&prepared.artifact, &written) {
                    failed = Some((Code::EvidenceUnwritable, message));
                }
                written.verification = Some(verification);
                draft = Some(written);
                break;
            }
        }
        effect = effect_of(&exploration, draft.is_some());
    }
    let mut notes = prepared.notes.clone();
    let cassette = match (&request.cassette, &prepared.recording) {
        (Some(path), Some(recording)) => recorded::save(path, recording, &mut notes).unwrap_or_else(|message| {
            failed = failed.take().or(Some((Code::EvidenceUnwritable, message)));
            None
        }),
        _ => None,
    };
    let played_back = match &request.provider {
        Provider::Cassette(path) => Some(path.display().to_string()),
        Provider::Scripted(_) | Provider::Network { .. } => None,
    };
    let exit = (failed.as_ref().is_some_and(|(code, _)| *code == Code::Interrupted))
        .then(|| stop.borrow().map(|s| s.cause.exit_code()))
        .flatten();
    let result = explored.finish(failed, effect, done, exit);
    Ok(DiscoveryReport {
        schema: SCHEMA,
        result,
        model,
        selector,
        played_back,
        cassette,
        notes,
        turns,
        calls,
        price_micros,
        draft,
    })
}

/// Why a draft is offered to nobody: it did not replay.
fn unverified(verification: &verify::Verification, told_to_end: bool) -> Option<(Code, String)> {
    if verification.verified != verify::FAILED {
        return None;
    }
    if told_to_end {
        let message = "it was told to end while the draft was verified; the draft is kept, and cannot be approved";
        return Some((Code::Interrupted, message.to_owned()));
    }
    let why = &verification.message;
    let message = format!("the draft did not replay without a model: {why}; it is kept, and cannot be approved");
    Some((Code::NotVerified, message))
}

/// What a discovery may do: more than what is safe by the caller's word alone; that somebody watches is not enough.
fn grants(consent: Option<Consent>) -> Grants {
    Grants {
        approve_risk: consent.map(Consent::risk),
        // Nothing is recorded yet that could be approved: the caller's word stands for the analyst's yes.
        artifact_approved: consent == Some(Consent::Irreversible),
        person_said_yes: false,
    }
}

/// What risky deeds came to. They are known to be done where their record was seen: without it there is no draft.
pub(crate) fn effect_of(exploration: &Exploration, drafted: bool) -> Effect {
    let unknown = matches!(exploration.ending, Ending::EffectUnknown { .. });
    match (unknown || exploration.sent > Risk::Safe, drafted) {
        (false, _) => Effect::None,
        (true, true) => Effect::Done,
        (true, false) => Effect::Unknown,
    }
}

/// Why a discovery did not come to what it was for; `None` where it did.
pub(crate) fn came_to(exploration: &Exploration, told_to_end: bool) -> Option<(Code, String)> {
    match &exploration.ending {
        // Whoever tells it to end twice hears that it ended, and of the effect beside it.
        Ending::EffectUnknown { why } if told_to_end => Some((Code::Interrupted, why.clone())),
        other => ending(other),
    }
}

/// Code and words of an ending that is none of success.
fn ending(ending: &Ending) -> Option<(Code, String)> {
    Some(match ending {
        Ending::Done => return None,
        Ending::Blocked { why } => (Code::Blocked, format!("the model says that it cannot be done: {why}")),
        Ending::Model(error) => (model_code(error), error.to_string()),
        Ending::Spent { what } => (Code::BudgetSpent, format!("the bound of {what} is reached")),
        Ending::NoProgress { what } => (Code::NoProgress, what.clone()),
        Ending::Refused { code, message } => (*code, message.clone()),
        Ending::Unreachable { why } => (Code::NoProgress, why.clone()),
        Ending::EffectUnknown { why } => (Code::EffectUnknown, why.clone()),
        Ending::Unproven { missing } => (Code::NotProven, format!("the model says that it is done, but: {missing}")),
        Ending::Stopped => (Code::Interrupted, "the discovery was told to end".to_owned()),
        Ending::Surface(error) => (Code::BrowserGone, error.to_string()),
        Ending::Unwritten { code, message } => (*code, message.clone()),
    })
}

fn model_code(error: &ModelError) -> Code {
    match error {
        ModelError::InvalidOutput { .. } | ModelError::ScriptEnded { .. } => Code::InvalidModelOutput,
        ModelError::Unrecorded { .. } => Code::CassetteMismatch,
        ModelError::Declined { .. }
        | ModelError::Rejected { .. }
        | ModelError::RateLimited
        | ModelError::ServerError { .. }
        | ModelError::Timeout { .. }
        | ModelError::Unreachable { .. } => Code::ModelUnavailable,
    }
}

/// The document built on the capability that signs on, which is looked for beside it; as it is, with the reason, where
/// that cannot be.
fn on_top_of(sign_on: &CapabilityId, artifact: Artifact, beside: &Path) -> Result<Artifact, (Box<Artifact>, String)> {
    let folder = beside.parent().unwrap_or(Path::new("."));
    let found = catalog::artifact_named(folder, sign_on.as_str()).ok().and_then(|file| artifact::read(&file).0);
    match found {
        Some(found) => built_on(artifact, &found),
        None => {
            let why = format!("it signs on by steps of its own: there is no {sign_on} in {}", folder.display());
            Err((Box::new(artifact), why))
        }
    }
}

/// Compiles and writes the draft, whole or not at all. `data` proves nothing.
#[expect(clippy::too_many_arguments, reason = "a draft is made of all of these, and is made in one place")]
fn write(
    request: &DiscoverRequest,
    prepared: &Prepared,
    job: &waymark_discovery::Job,
    exploration: &Exploration,
    explored: &waymark_session::Explored<'_>,
    model: &ModelName,
    selector: Option<&ModelName>,
    data: &[Condition],
) -> Result<(Effective, Draft), (Code, String)> {
    let contract = prepared
        .ground
        .contract(
            &prepared.goal,
            job,
            exploration,
            &request.version,
            explored.run_id(),
            explored.started_at(),
            model,
            selector,
        )
        .map_err(|message| (Code::NotRecorded, message))?;
    let Compiled { artifact, left_out, warnings, mut unsaid } =
        compile_without(&exploration.deeds, contract, &job.values, data).map_err(|error| {
            let without = if data.is_empty() { "" } else { "; what showed it holds of the record of this run alone" };
            (Code::NotRecorded, format!("{error}{without} ({})", error.code()))
        })?;
    let artifact = match prepared.ground.sign_on().filter(|id| **id != artifact.id) {
        None => artifact,
        Some(sign_on) => on_top_of(sign_on, artifact, &prepared.artifact).unwrap_or_else(|(artifact, why)| {
            unsaid.push(why);
            *artifact
        }),
    };
    let mut problems = Problems::default();
    let whole = effective(&prepared.artifact, artifact.clone(), &TenantWish::Base, &request.config, &mut problems);
    let whole = whole.ok_or_else(|| {
        let why: Vec<String> = problems.rows().into_iter().map(|row| row.message).collect();
        (Code::NotRecorded, format!("it cannot be put together: {}", why.join("; ")))
    })?;
    let unwritable = |error: String| (Code::EvidenceUnwritable, error);
    let text = serde_json::to_string_pretty(&artifact).map_err(|e| unwritable(e.to_string()))?;
    let digest = artifact.digest().map_err(|e| unwritable(e.to_string()))?.to_string();
    create(&prepared.artifact, format!("{text}\n").as_bytes()).map_err(unwritable)?;
    let draft = Draft {
        file: prepared.artifact.display().to_string(),
        id: artifact.id.to_string(),
        version: artifact.version.to_string(),
        digest,
        steps: artifact.steps.len(),
        left_out: left_out.iter().map(|text| explored.veiled(text)).collect(),
        warnings: warnings
            .iter()
            .map(|f| format!("{} at {}: {}", f.code, f.pointer, f.message))
            .chain(unsaid.iter().map(|text| explored.veiled(text)))
            .collect(),
        verification: None,
    };
    Ok((whole, draft))
}
