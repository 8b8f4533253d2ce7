//! The run itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;
use waymark_artifact::{Name, StepId, display};
use waymark_evidence::RunFolder;
use waymark_policy::Mode;
use waymark_redact::{Redactor, Rules};
use waymark_replay::{Acted, Ending, Input, Machine, Next, Plan, What};
use waymark_run::{CapabilityRef, Code, DeliveryWord, ExitCode, JournalLine, RunEvent, RunResult, RunStatus};
use waymark_snapshot::WindowKey;
use waymark_surface::{Act, Ask, Delivery, Driver, Driving, Gate, TypedText};
use waymark_web::{Browser, LaunchOptions, SessionOptions};

use crate::clock::{Clock, utc};
use crate::guard::PolicyGuard;
use crate::ids::{keyed_hash, run_id, workspace_key};
use crate::pictures;
use crate::recorder::Recorder;
use crate::result::{Header, failed, intervention, result};
use crate::secrets::{CredentialSource, SecretError};

/// Is told every line of the journal: the event itself, for its shape, and the line as it was written, redacted,
/// for whatever is shown of it.
pub type Watcher<'a> = dyn FnMut(&JournalLine, &Map<String, Value>) + Send + 'a;

/// Everything a run needs.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is replayed.
    pub plan: Plan,
    /// The digest of the artifact.
    pub digest: String,
    /// The browser.
    pub browser: BrowserChoice,
    /// Where run folders are made.
    pub evidence_root: PathBuf,
    /// The first word of the folder's name.
    pub kind: String,
    /// What is redacted beside declared values.
    pub rules: Rules,
    /// Where credentials come from.
    pub credentials: BTreeMap<Name, CredentialSource>,
    /// Name and version of the program, for the journal.
    pub engine: String,
}

/// Which browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrowserChoice {
    /// One of our own.
    Launch(LaunchOptions),
    /// Somebody else's, at the address of its protocol.
    Connect(String),
}

/// Why a run is told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// From the keyboard.
    Interrupt,
    /// By the system.
    Terminate,
}

impl Stop {
    fn exit_code(self) -> ExitCode {
        match self {
            Stop::Interrupt => ExitCode::INTERRUPTED,
            Stop::Terminate => ExitCode::TERMINATED,
        }
    }
}

/// Replays a plan. Always ends with a result; `stop` ends it at the next safe point.
pub async fn run(request: Request, watcher: &mut Watcher<'_>, mut stop: watch::Receiver<Option<Stop>>) -> RunResult {
    let clock = Clock::start();
    let header = header(&request);
    let begun = begin(&request, &header);
    let (folder, redactor, key) = match begun {
        Ok(begun) => begun,
        Err(ending) => {
            return result(&header, &request.plan.artifact, &ending, &Default::default(), clock.at_ms(), None);
        }
    };
    let mut recorder = Recorder::new(folder, redactor, clock, watcher);
    let mut machine = match Machine::new(request.plan.clone()) {
        Ok(machine) => machine,
        Err(error) => {
            let ending = failed(Code::Internal, error.to_string(), None);
            let result = result(&header, &request.plan.artifact, &ending, &Default::default(), clock.at_ms(), None);
            return finish(recorder, result);
        }
    };
    let ending = match open(&request).await {
        Ok((browser, gate, driving)) => {
            recorder.tell(started(&request, &header, &key, browser.version()));
            let ending = drive(gate, driving, &mut machine, &mut recorder, &request, &header, &mut stop).await;
            browser.close().await;
            ending
        }
        Err(message) => {
            recorder.tell(started(&request, &header, &key, "none"));
            failed(Code::BrowserUnavailable, message, None)
        }
    };
    let ending = match recorder.failure() {
        Some((code, message)) => failed(*code, message.clone(), ending.step),
        None => ending,
    };
    let exit = (ending.code == Some(Code::Interrupted)).then(|| stop.borrow().map(Stop::exit_code)).flatten();
    let result = result(&header, &request.plan.artifact, &ending, &machine.summary(), clock.at_ms(), exit);
    finish(recorder, result)
}

fn header(request: &Request) -> Header {
    let artifact = &request.plan.artifact;
    Header {
        run_id: run_id().unwrap_or_else(|_| format!("pid{}", std::process::id())),
        capability: CapabilityRef {
            id: artifact.id.to_string(),
            version: artifact.version.to_string(),
            digest: request.digest.clone(),
            tenant: "base".into(),
            effective_digest: request.digest.clone(),
        },
        started_at: utc(),
    }
}

type Begun = (RunFolder, Arc<Redactor>, Vec<u8>);

fn begin(request: &Request, header: &Header) -> Result<Begun, Box<Ending>> {
    let redaction =
        |error: waymark_redact::RedactError| Box::new(failed(Code::RedactionFailed, error.to_string(), None));
    let redactor = Arc::new(Redactor::new(&request.rules).map_err(redaction)?);
    for parameter in request.plan.artifact.parameters.iter().filter(|p| p.sensitive) {
        let value = request.plan.inputs.get(&parameter.name);
        if let Some(text) = value.and_then(|v| display(v, None).ok()) {
            redactor.register(parameter.name.as_str(), &text).map_err(redaction)?;
        }
    }
    let unwritable = |message: String| Box::new(failed(Code::EvidenceUnwritable, message, None));
    let folder =
        RunFolder::create(&request.evidence_root, &request.kind, &header.started_at, &header.run_id, redactor.clone())
            .map_err(|error| unwritable(format!("{error}; {}", error.hint())))?;
    let key = workspace_key(&request.evidence_root).map_err(|error| {
        unwritable(format!("the key of the workspace in {}: {error}", request.evidence_root.display()))
    })?;
    Ok((folder, redactor, key))
}

async fn open(request: &Request) -> Result<(Browser, Gate<waymark_web::WebDriver>, Driving), String> {
    let browser = match &request.browser {
        BrowserChoice::Launch(options) => Browser::launch(options).await,
        BrowserChoice::Connect(address) => Browser::connect(address).await,
    }
    .map_err(|error| error.to_string())?;
    let application = request.plan.artifact.id.application().to_owned();
    let guard = PolicyGuard { policy: request.plan.policy.clone(), application: application.clone() };
    let options = SessionOptions { guard: Arc::new(guard), downloads: None };
    let driver = browser.session(options).await.map_err(|error| error.to_string())?;
    let plan = &request.plan;
    let (gate, driving) = Gate::new(driver, plan.policy.clone(), &application, plan.mode, plan.grants);
    Ok((browser, gate, driving))
}

fn started(request: &Request, header: &Header, key: &[u8], surface: &str) -> RunEvent {
    let plan = &request.plan;
    let hash = |(name, value): (&Name, &waymark_artifact::Value)| {
        let text = display(value, None).unwrap_or_default();
        (name.to_string(), keyed_hash(key, name.as_str(), &text))
    };
    let variables = plan.artifact.variables.iter().filter_map(|v| {
        let value = plan.variables.get(&v.name).or(v.default.as_ref())?;
        Some((v.name.to_string(), value.clone()))
    });
    RunEvent::RunStarted {
        capability: Box::new(header.capability.clone()),
        mode: match plan.mode {
            Mode::Attended => "attended",
            Mode::Unattended => "unattended",
        },
        policy: plan.policy.digest().to_owned(),
        variables: variables.collect(),
        parameters: plan.inputs.iter().map(hash).collect(),
        engine: request.engine.clone(),
        surface: surface.to_owned(),
        started_at: header.started_at.clone(),
    }
}

/// Carries out what the machine asks for until it ends.
async fn drive<D: Driver>(
    mut gate: Gate<D>,
    mut driving: Driving,
    machine: &mut Machine,
    recorder: &mut Recorder<'_>,
    request: &Request,
    header: &Header,
    stop: &mut watch::Receiver<Option<Stop>>,
) -> Ending {
    let mut what = What::Start;
    let ending = loop {
        // A stop is heard between any two things, never in the middle of an act: what came of one is told first.
        if stop.borrow().is_some() && !matches!(what, What::Acted(_)) {
            what = What::Stop;
        }
        let turn = machine.step(Input { at_ms: recorder.clock.at_ms(), what });
        for event in turn.events {
            recorder.tell(event);
        }
        if let Some((code, message)) = recorder.failure() {
            break failed(*code, message.clone(), None);
        }
        what = match turn.next {
            Next::Observe { request, within_ms } => {
                tokio::select! {
                    biased;
                    () = told(stop) => What::Stop,
                    seen = gate.observe(&request, Duration::from_millis(within_ms)) => match seen {
                        Ok(seen) => {
                            let off_limits = gate.landed_off_limits(&seen);
                            What::Seen { seen: Box::new(seen), off_limits }
                        }
                        Err(error) => What::Lost(error),
                    }
                }
            }
            Next::Act { step, ask, credential, within_ms } => {
                let within = Duration::from_millis(within_ms);
                act(&mut gate, &mut driving, recorder, request, step, *ask, credential, within).await
            }
            Next::Capture { step, caption } => {
                let snapshot = machine.last_seen().map(|s| &s.snapshot);
                let _ = pictures::take(&mut gate, recorder, snapshot, WindowKey::main(), Some(step), &caption).await;
                What::Captured
            }
            Next::Finish(ending) => break *ending,
        };
    };
    close_up(&mut gate, machine, recorder, header, &ending).await;
    gate.close().await;
    ending
}

/// Resolves once the run is told to end.
async fn told(stop: &mut watch::Receiver<Option<Stop>>) {
    if stop.wait_for(Option::is_some).await.is_err() {
        // Nobody can tell any more.
        std::future::pending::<()>().await;
    }
}

#[expect(clippy::too_many_arguments, reason = "one act needs all that a run holds, and is done in one place")]
async fn act<D: Driver>(
    gate: &mut Gate<D>,
    driving: &mut Driving,
    recorder: &mut Recorder<'_>,
    request: &Request,
    step: StepId,
    mut ask: Ask,
    credential: Option<Name>,
    within: Duration,
) -> What {
    let word = ask.act.word().as_str();
    let pass = match gate.authorize(driving, &ask) {
        Ok(pass) => pass,
        Err(refusal) => {
            recorder.tell(RunEvent::Authorized {
                step,
                authorization: refusal.number,
                act: word,
                risk: refusal.risk,
                rule: refusal.rule.clone(),
                epoch: driving.epoch(),
                allowed: false,
                code: Some(refusal.code),
                message: refusal.message.clone(),
            });
            return What::Acted(Acted::Refused(refusal));
        }
    };
    let authorization = pass.number;
    recorder.tell(RunEvent::Authorized {
        step: step.clone(),
        authorization,
        act: word,
        risk: pass.assessment.risk,
        rule: pass.assessment.rule.clone(),
        epoch: pass.epoch,
        allowed: true,
        code: None,
        message: String::new(),
    });
    // What was not written down is not done.
    if recorder.failure().is_some() {
        return What::Stop;
    }
    if let Some(name) = credential {
        match resolve(request, recorder, &name) {
            Ok(text) => put(&mut ask.act, text),
            Err(error) => return What::NoCredential { name, why: error.to_string() },
        }
    }
    let delivery = gate.act(driving, pass, &ask.act, within).await;
    let (delivery_word, detail) = match &delivery {
        Delivery::Delivered { .. } => (DeliveryWord::Delivered, String::new()),
        Delivery::NotDelivered(why) => (DeliveryWord::NotDelivered, format!("{why:?}")),
        Delivery::Unknown(error) => (DeliveryWord::Unknown, error.to_string()),
    };
    recorder.tell(RunEvent::Dispatched { step, authorization, act: word, delivery: delivery_word, detail });
    What::Acted(Acted::Done(delivery))
}

/// Resolves a credential; it is registered for redaction before anybody else sees it.
fn resolve(request: &Request, recorder: &Recorder<'_>, name: &Name) -> Result<TypedText, SecretError> {
    let secret = request.credentials.get(name).ok_or(SecretError::Unbound)?.resolve()?;
    if recorder.redactor.register(name.as_str(), secret.expose()).is_err() {
        return Err(SecretError::Empty);
    }
    Ok(TypedText::Secret(secret))
}

fn put(act: &mut Act, secret: TypedText) {
    match act {
        Act::Type { text, .. } => *text = secret,
        Act::Choose { option, .. } => *option = secret,
        _ => {}
    }
}

/// The last picture, and where the run did not succeed the screen as text and the request for a person.
async fn close_up<D: Driver>(
    gate: &mut Gate<D>,
    machine: &Machine,
    recorder: &mut Recorder<'_>,
    header: &Header,
    ending: &Ending,
) {
    let seen = machine.last_seen();
    let mut files = Vec::new();
    let dialog = seen.is_some_and(|s| s.dialog.is_some());
    if ending.code != Some(Code::BrowserGone) && !dialog {
        let caption = match ending.status {
            RunStatus::Success => "the screen at the end of the run",
            _ => "the screen on which the run ended",
        };
        let snapshot = seen.map(|s| &s.snapshot);
        let report = pictures::take(gate, recorder, snapshot, WindowKey::main(), ending.step.clone(), caption).await;
        files.extend(report.and_then(|r| r.file));
    }
    if matches!(ending.status, RunStatus::Success | RunStatus::BusinessOutcome) {
        return;
    }
    if let Some(seen) = seen {
        let text = waymark_snapshot::print(&seen.snapshot);
        files.extend(recorder.snapshot(ending.step.clone(), ending.status.as_str(), &text));
    }
    if ending.status == RunStatus::NeedsHuman {
        let location = seen
            .and_then(|s| s.snapshot.window(&WindowKey::main()).map(|w| s.snapshot.scope(w).location.clone()))
            .unwrap_or_default();
        let request = intervention(header, ending, location, files);
        if let Err(error) = recorder.folder.intervention(&request) {
            recorder.fail(&error);
        }
        recorder.tell(RunEvent::Escalated { intervention: Box::new(request) });
    }
}

/// Writes the end, and gives the result as it was written.
fn finish(recorder: Recorder<'_>, mut result: RunResult) -> RunResult {
    let at_ms = recorder.clock.at_ms();
    match recorder.folder.finish(at_ms, result.clone()) {
        Ok(ended) => ended.result,
        Err(error) => {
            let code = match error {
                waymark_evidence::EvidenceError::Redaction { .. } => Code::RedactionFailed,
                _ => Code::EvidenceUnwritable,
            };
            result.outputs.clear();
            result.status = RunStatus::Failed;
            result.exit_code = RunStatus::Failed.exit_code();
            result.business_outcome = None;
            result.escalation = None;
            result.error = Some(waymark_run::ErrorReport {
                code,
                step: None,
                message: error.to_string(),
                retryable: false,
                next: error.hint().to_owned(),
            });
            result
        }
    }
}
