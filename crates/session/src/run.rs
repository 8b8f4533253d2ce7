//! The run itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::{mpsc, watch};
use waymark_artifact::{Name, display};
use waymark_evidence::{Index, RunFolder};
use waymark_policy::{Grants, Mode, Policy};
use waymark_redact::{Redactor, Rules};
use waymark_replay::{Ending, Machine, Plan, PolicySource};
use waymark_run::{CapabilityRef, Code, ExitCode, JournalLine, RunEvent, RunResult, RunStatus};
use waymark_surface::{Driving, Gate};
use waymark_web::{Browser, LaunchOptions, SessionOptions};

use crate::clock::Clock;
use crate::drive::{drive, told};
use crate::effects;
use crate::guard::PolicyGuard;
use crate::handoff::{Order, Wait};
use crate::ids::{keyed_hash, run_id, workspace_key};
use crate::recorder::Recorder;
use crate::result::{Header, failed, result};
use crate::secrets::{CredentialSource, register};

/// Is told every line of the journal: the event itself, for its shape, and the line as it was written, redacted,
/// for whatever is shown of it.
pub type Watcher<'a> = dyn FnMut(&JournalLine, &Map<String, Value>) + Send + 'a;

/// Everything a run needs.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is replayed.
    pub plan: Plan,
    /// The digest of the artifact as it is stored.
    pub digest: String,
    /// The digest of what the plan replays: with what it is built on in its place, as it is for the tenant.
    pub effective_digest: String,
    /// Whose installation it is.
    pub tenant: String,
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
    /// How a person is waited for; `None` where nobody is.
    pub wait: Option<Wait>,
    /// The texts of the plan's policy, where the inputs of the run are to be kept too.
    pub keep_inputs: Option<PolicySource>,
}

/// Which browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrowserChoice {
    /// One of our own.
    Launch(LaunchOptions),
    /// Somebody else's, at the address of its protocol.
    Connect(String),
}

/// A run is told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub cause: StopCause,
    /// Whether nothing is waited for any more, not even what comes of an act that is under way.
    pub at_once: bool,
}

/// Why a run is told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// From the keyboard.
    Interrupt,
    /// By the system.
    Terminate,
    /// The terminal went away.
    HangUp,
}

impl StopCause {
    /// The number of a program that ends because of it.
    #[must_use]
    pub fn exit_code(self) -> ExitCode {
        match self {
            StopCause::Interrupt => ExitCode::INTERRUPTED,
            StopCause::Terminate => ExitCode::TERMINATED,
            StopCause::HangUp => ExitCode::HUNG_UP,
        }
    }
}

/// Replays a plan. Always ends with a result; `stop` ends it at the next safe point, or at once.
///
/// `orders` are those of whoever started it; others come through its control channel.
pub async fn run(
    request: Request,
    watcher: &mut Watcher<'_>,
    mut stop: watch::Receiver<Option<Stop>>,
    orders: Option<mpsc::Receiver<Order>>,
) -> RunResult {
    let clock = Clock::start();
    let header = header(&request, clock);
    let begun = begin(&request, &header);
    let (folder, redactor, key) = match begun {
        Ok(begun) => begun,
        Err(ending) => {
            return result(&header, &request.plan.artifact, &ending, &Default::default(), clock.at_ms(), None);
        }
    };
    let mut recorder = Recorder::new(folder, redactor, clock, watcher, request.keep_inputs.is_some());
    let mut machine = match Machine::new(request.plan.clone()) {
        Ok(machine) => machine,
        Err(error) => {
            let ending = failed(Code::Internal, error.to_string(), None);
            let result = result(&header, &request.plan.artifact, &ending, &Default::default(), clock.at_ms(), None);
            return finish(recorder, result);
        }
    };
    let ending = match opened(&request, &mut stop).await {
        Ok((browser, gate, driving)) => {
            recorder.tell(started(&request, &header, &key, browser.version()));
            let ending =
                drive(gate, driving, &mut machine, &mut recorder, &request, &header, (&key, orders), &mut stop).await;
            browser.close().await;
            ending
        }
        Err((code, message)) => {
            recorder.tell(started(&request, &header, &key, "none"));
            failed(code, message, None)
        }
    };
    let ending = match recorder.failure() {
        Some((code, message)) => failed(*code, message.clone(), ending.step),
        None => ending,
    };
    let journal = effects::write(&mut recorder, &machine, &request, &ending, &key);
    let ending = match recorder.failure() {
        Some((code, message)) => failed(*code, message.clone(), ending.step),
        None => ending,
    };
    let exit = (ending.code == Some(Code::Interrupted)).then(|| stop.borrow().map(|s| s.cause.exit_code())).flatten();
    let mut result = result(&header, &request.plan.artifact, &ending, &machine.summary(), clock.at_ms(), exit);
    if let (Some(state), Some(escalation)) = (recorder.escalation, &mut result.escalation) {
        state.as_str().clone_into(&mut escalation.state);
    }
    result.effect_journal = journal.map(|digest| digest.to_string());
    finish(recorder, result)
}

fn header(request: &Request, clock: Clock) -> Header {
    let artifact = &request.plan.artifact;
    Header {
        run_id: run_id().unwrap_or_else(|_| format!("pid{}", std::process::id())),
        capability: CapabilityRef {
            id: artifact.id.to_string(),
            version: artifact.version.to_string(),
            digest: request.digest.clone(),
            tenant: request.tenant.clone(),
            effective_digest: request.effective_digest.clone(),
        },
        started_at: clock.utc(),
    }
}

type Begun = (RunFolder, Arc<Redactor>, Vec<u8>);

fn begin(request: &Request, header: &Header) -> Result<Begun, Box<Ending>> {
    let redaction =
        |error: waymark_redact::RedactError| Box::new(failed(Code::RedactionFailed, error.to_string(), None));
    let redactor = Arc::new(Redactor::new(&request.rules).map_err(redaction)?);
    for parameter in request.plan.artifact.parameters.iter().filter(|p| p.sensitive) {
        let value = request.plan.inputs.get(&parameter.name);
        for text in value.map(|value| parameter.texts(value)).unwrap_or_default() {
            redactor.register(parameter.name.as_str(), &text).map_err(redaction)?;
        }
    }
    let declared = request.plan.artifact.credentials.iter();
    let bound = declared.filter_map(|credential| request.credentials.get_key_value(&credential.name));
    register(&redactor, bound).map_err(redaction)?;
    let unwritable = |message: String| Box::new(failed(Code::EvidenceUnwritable, message, None));
    let folder =
        RunFolder::create(&request.evidence_root, &request.kind, &header.started_at, &header.run_id, redactor.clone())
            .map_err(|error| unwritable(format!("{error}; {}", error.hint())))?;
    let key = workspace_key(&request.evidence_root).map_err(|error| {
        unwritable(format!("the key of the workspace in {}: {error}", request.evidence_root.display()))
    })?;
    Ok((folder, redactor, key))
}

/// Opens a session. A stop that comes while the browser starts ends it: what was started goes with what waits for it.
async fn opened(request: &Request, stop: &mut watch::Receiver<Option<Stop>>) -> Result<Opened, (Code, String)> {
    let bars = Bars::of(&request.plan);
    tokio::select! {
        biased;
        () = told(stop) => Err((Code::Interrupted, "the run was told to end before its browser was there".to_owned())),
        opened = open(&request.browser, &bars) => {
            opened.map_err(|message| (Code::BrowserUnavailable, message))
        }
    }
}

/// What stands between a session and its application.
pub(crate) struct Bars<'a> {
    pub(crate) policy: &'a Arc<Policy>,
    pub(crate) application: &'a str,
    pub(crate) mode: Mode,
    pub(crate) grants: Grants,
}

impl<'a> Bars<'a> {
    fn of(plan: &'a Plan) -> Self {
        Bars { policy: &plan.policy, application: plan.artifact.id.application(), mode: plan.mode, grants: plan.grants }
    }
}

/// A browser, and a session in it behind its bars.
pub(crate) type Opened = (Browser, Gate<waymark_web::WebDriver>, Driving);

pub(crate) async fn open(choice: &BrowserChoice, bars: &Bars<'_>) -> Result<Opened, String> {
    let browser = match choice {
        BrowserChoice::Launch(options) => Browser::launch(options).await,
        BrowserChoice::Connect(address) => Browser::connect(address).await,
    }
    .map_err(|error| error.to_string())?;
    let guard = PolicyGuard { policy: bars.policy.clone(), application: bars.application.to_owned() };
    let options = SessionOptions { guard: Arc::new(guard), downloads: None };
    let driver = browser.session(options).await.map_err(|error| error.to_string())?;
    let (gate, driving) = Gate::new(driver, bars.policy.clone(), bars.application, bars.mode, bars.grants);
    Ok((browser, gate, driving))
}

fn started(request: &Request, header: &Header, key: &[u8], surface: &str) -> RunEvent {
    let plan = &request.plan;
    // Of the plain form: the same value has the same hash for every tenant.
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

/// Writes the end, and gives the result as it was written.
pub(crate) fn finish(recorder: Recorder<'_>, mut result: RunResult) -> RunResult {
    let at_ms = recorder.clock.at_ms();
    let folder = recorder.folder.path().to_string_lossy().into_owned();
    let (handoffs, root) = (recorder.handoffs, recorder.folder.path().parent().map(Path::to_owned));
    match recorder.folder.finish(at_ms, result.clone()) {
        Ok(ended) => {
            // Where it cannot be told, the index finds the folder by itself.
            if let Some(root) = root.filter(|_| handoffs > 0)
                && let Ok(mut index) = Index::open(&root)
            {
                let path = std::path::absolute(&ended.path).unwrap_or_else(|_| ended.path.clone());
                let _ = index.moved(&result.run_id, &path);
            }
            ended.result
        }
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
            // What could be written still lies there, under the name of a run that did not end.
            result.evidence = Some(folder);
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
