//! Replaying a capability: everything that can be refused is refused here, at once, before a browser starts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use waymark_artifact::{Artifact, Digest, Name, Risk, Type};
use waymark_policy::{Address, Grants, Mode};
use waymark_replay::Plan;
use waymark_run::{Code, Problem, Rejection, RunResult};
use waymark_session::{BrowserChoice, Order, Request, Stop, Wait, Watcher, run};
use waymark_web::{BrowserKind, LaunchOptions};

use crate::effective::{self, Effective, effective};
use crate::problems::Problems;
use crate::{Given, TenantWish, approval, artifact, configuration};

/// The variable that holds the address of an installation.
const BASE_URL: &str = "base_url";

/// A call.
#[derive(Clone, Debug)]
pub struct ReplayRequest {
    /// The file of the artifact.
    pub artifact: PathBuf,
    /// Whose installation it is.
    pub tenant: TenantWish,
    /// The caller's values.
    pub given: Given,
    /// What the shell found wrong with the call already; refused together with everything else.
    pub found: Vec<Problem>,
    /// The address of the installation, instead of the artifact's own.
    pub base_url: Option<String>,
    /// Whether a person is watching.
    pub attended: bool,
    /// What is approved for this call.
    pub approve_risk: Option<Consent>,
    /// Whether a person may be asked; if not, what would escalate fails.
    pub escalate: bool,
    /// The browser.
    pub browser: BrowserWish,
    /// Whether its window is shown.
    pub headed: bool,
    /// The time of the run, where it is to be less than the artifact's own.
    pub timeout: Option<Duration>,
    /// Where run folders are made.
    pub evidence_root: PathBuf,
    /// The folder of the configuration.
    pub config: PathBuf,
    /// Whether what the engine is told is kept too, as `inputs.jsonl`.
    pub keep_inputs: bool,
    /// How a person is waited for; `None`: the request is written, and the run ends.
    pub wait: Option<Wait>,
    /// Whether pictures are taken: one after each step that acts, and one of the last screen.
    pub pictures: bool,
}

/// A class of risk that a caller approves of, for one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Risky acts.
    Risky,
    /// Irreversible acts too.
    Irreversible,
}

impl Consent {
    /// The class.
    pub(crate) fn risk(self) -> Risk {
        match self {
            Consent::Risky => Risk::Risky,
            Consent::Irreversible => Risk::Irreversible,
        }
    }
}

/// Which browser is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BrowserWish {
    /// Whichever fits best.
    #[default]
    Auto,
    /// The headless shell.
    Shell,
    /// Chromium or Chrome.
    Chromium,
    /// This program.
    Program(PathBuf),
    /// One that runs already, at the `ws://` address of its protocol.
    Address(String),
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplayAnswer {
    /// Nothing was started.
    Rejected(Rejection),
    /// It ran.
    Ended {
        /// What came of it.
        result: Box<RunResult>,
        /// The columns of each output that is a table, in their declared order.
        columns: BTreeMap<String, Vec<String>>,
    },
}

/// Replays a capability without a model. `watcher` is told every line of the journal; `stop` ends the run at the
/// next safe point. `orders` are those of whoever calls, for while the run waits for a person; other operators reach it
/// through its control channel.
pub async fn replay(
    request: &ReplayRequest,
    watcher: &mut Watcher<'_>,
    stop: watch::Receiver<Option<Stop>>,
    orders: Option<mpsc::Receiver<Order>>,
) -> ReplayAnswer {
    match prepare(request) {
        Ok(prepared) => {
            let columns = columns(&prepared.plan.artifact);
            ReplayAnswer::Ended { result: Box::new(run(prepared, watcher, stop, orders).await), columns }
        }
        Err(rejection) => ReplayAnswer::Rejected(*rejection),
    }
}

/// All checks that need no browser.
fn prepare(request: &ReplayRequest) -> Result<Request, Box<Rejection>> {
    let mut problems = Problems::default();
    for Problem { place, problem, message, hint } in request.found.iter().cloned() {
        problems.add(Code::InvalidParameters, place, &problem, message, hint);
    }
    let stored = read_artifact(request, &mut problems);
    let effective = stored
        .clone()
        .and_then(|artifact| effective(&request.artifact, artifact, &request.tenant, &request.config, &mut problems));
    // Where it cannot be put together, what is wrong with the rest of the call is told all the same.
    let artifact = effective.as_ref().map(|effective| effective.artifact.clone()).or(stored);
    let guards = configuration::guards(&request.config);
    let browser = browser(&request.browser, request.headed, &mut problems);
    if let Err(error) = waymark_evidence::check_writable(&request.evidence_root) {
        problems.add(Code::InvalidInvocation, "--evidence", "unwritable", error.to_string(), error.hint());
    }
    let mut inputs = None;
    let mut variables = BTreeMap::new();
    let mut credentials = BTreeMap::new();
    if let Some(artifact) = &artifact {
        // With half of the values unread, all the others would seem to be missing.
        inputs = request.found.is_empty().then(|| request.given.read(artifact, &mut problems)).flatten();
        variables = read_variables(request, artifact, &mut problems);
        credentials = configuration::credentials(&request.config, artifact, &mut problems);
    } else if let Some(address) = &request.base_url
        && let Err(message) = base_url(address)
    {
        problems.add(Code::InvalidParameters, "--base-url", "address", message, ADDRESS_HINT);
    }
    let guards = guards
        .map_err(|faults| {
            for fault in faults {
                let file = fault.file.display().to_string();
                problems.add(Code::InvalidPolicy, file, fault.problem, fault.message, fault.hint);
            }
        })
        .ok();

    let what = artifact.as_ref().map_or_else(
        || request.artifact.display().to_string(),
        |artifact| format!("{}@{}", artifact.id, artifact.version),
    );
    let message = format!("cannot replay {what}; nothing was started");
    let (
        Some(Effective { artifact, digest, effective_digest, tenant, base_drift, unused: _ }),
        Some(guards),
        Some(inputs),
        Some(browser),
    ) = (effective, guards, inputs, browser)
    else {
        return Err(refuse(problems, &message));
    };
    // What is approved is the artifact as it is stored; what a tenant adds to it needs an approval of its own.
    let mut to_approve = vec![digest.clone()];
    if tenant != effective::BASE {
        to_approve.push(effective_digest.clone());
    }
    let mut approved = true;
    for digest in to_approve {
        let record =
            approval::approved(&request.artifact, &artifact.id, &artifact.version.to_string(), &Digest(digest));
        approved &= record.unwrap_or_else(|unfit| {
            let hint = "take the record away, or approve the artifact anew";
            problems.add(Code::InvalidArtifact, unfit.file.display().to_string(), "approval", unfit.message, hint);
            false
        });
    }
    let plan = Plan { base_drift, ..plan(request, artifact, inputs, variables, guards.policy, approved) };
    // What this version cannot do is found now, not half way through.
    if let Err(error) = plan.bind() {
        let file = request.artifact.display().to_string();
        problems.add(
            Code::InvalidArtifact,
            file,
            "not_replayed",
            error.to_string(),
            "use a version of it, or of Waymark, that fits",
        );
    }
    if let Some(rejection) = problems.rejection(&message) {
        return Err(Box::new(rejection));
    }
    Ok(Request {
        plan,
        digest,
        effective_digest,
        tenant,
        browser,
        evidence_root: request.evidence_root.clone(),
        kind: "replay".to_owned(),
        rules: guards.rules,
        credentials,
        engine: format!("waymark {}", env!("CARGO_PKG_VERSION")),
        wait: request.wait.clone(),
        keep_inputs: request.keep_inputs.then_some(guards.source),
    })
}

pub(crate) fn refuse(problems: Problems, message: &str) -> Box<Rejection> {
    Box::new(
        problems.rejection(message).unwrap_or_else(|| Rejection::new(Code::InvalidInvocation, message, Vec::new())),
    )
}

fn plan(
    request: &ReplayRequest,
    mut artifact: Artifact,
    inputs: BTreeMap<Name, waymark_artifact::Value>,
    variables: BTreeMap<Name, String>,
    policy: waymark_policy::Policy,
    artifact_approved: bool,
) -> Plan {
    if let Some(timeout) = request.timeout {
        let ms = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX);
        artifact.limits.run_deadline_ms = artifact.limits.run_deadline_ms.min(ms);
    }
    Plan {
        artifact,
        base_drift: BTreeMap::new(),
        inputs,
        variables,
        policy: Arc::new(policy),
        mode: if request.attended { Mode::Attended } else { Mode::Unattended },
        grants: Grants {
            approve_risk: request.approve_risk.map(Consent::risk),
            artifact_approved,
            person_said_yes: false,
        },
        escalate: request.escalate,
        waits: request.wait.is_some(),
        pictures: request.pictures,
    }
}

fn read_artifact(request: &ReplayRequest, problems: &mut Problems) -> Option<Artifact> {
    let (artifact, findings) = artifact::read(&request.artifact);
    let file = request.artifact.display();
    let mut sound = true;
    for finding in findings.into_iter().filter(|finding| finding.is_error()) {
        sound = false;
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = match finding.pointer.is_empty() {
            true => format!("{file}{line}"),
            false => format!("{file}{line}#{}", finding.pointer),
        };
        problems.add(Code::InvalidArtifact, place, &finding.code, finding.message, finding.hint);
    }
    artifact.filter(|_| sound)
}

fn read_variables(request: &ReplayRequest, artifact: &Artifact, problems: &mut Problems) -> BTreeMap<Name, String> {
    let mut variables = BTreeMap::new();
    for variable in &artifact.variables {
        let given = request.base_url.as_ref().filter(|_| variable.name.as_str() == BASE_URL);
        match (given, &variable.default) {
            (Some(address), _) => match base_url(address) {
                Ok(address) => {
                    variables.insert(variable.name.clone(), address);
                }
                Err(message) => {
                    problems.add(Code::InvalidParameters, "--base-url", "address", message, ADDRESS_HINT);
                }
            },
            (None, Some(default)) => {
                variables.insert(variable.name.clone(), default.clone());
            }
            (None, None) => {
                let hint = if variable.name.as_str() == BASE_URL {
                    "give it with --base-url URL"
                } else {
                    "use an artifact that has a default for it"
                };
                let message = format!("the variable `{}` has no value", variable.name);
                problems.add(Code::InvalidParameters, variable.name.as_str(), "missing", message, hint);
            }
        }
    }
    if request.base_url.is_some() && !artifact.variables.iter().any(|variable| variable.name.as_str() == BASE_URL) {
        let message = "this capability has no variable `base_url`, so its address cannot be changed";
        problems.add(Code::InvalidParameters, "--base-url", "unknown", message, "leave --base-url out");
    }
    variables
}

const ADDRESS_HINT: &str = "such as --base-url http://127.0.0.1:8080/parabank";

/// The address without slashes at its end.
fn base_url(address: &str) -> Result<String, String> {
    let plain = address.trim_end_matches('/');
    if plain.contains(['?', '#']) {
        return Err("the address of an installation has no `?` and no `#`".to_owned());
    }
    // The address itself may hold a password, so no message repeats it.
    Address::parse(plain).map_err(|error| format!("the address cannot be used: {error}"))?;
    Ok(plain.to_owned())
}

pub(crate) fn browser(wish: &BrowserWish, headed: bool, problems: &mut Problems) -> Option<BrowserChoice> {
    let launch = |kind, executable| Some(BrowserChoice::Launch(LaunchOptions { kind, headed, executable }));
    let mut bad = |problem: &str, message: &str, hint: &str| {
        problems.add(Code::InvalidInvocation, "--browser", problem, message, hint);
        None
    };
    match wish {
        BrowserWish::Shell if headed => {
            bad("headed", "the headless shell cannot show a window", "use --browser chromium with --headed")
        }
        BrowserWish::Auto => launch(BrowserKind::Auto, None),
        BrowserWish::Shell => launch(BrowserKind::Shell, None),
        BrowserWish::Chromium => launch(BrowserKind::Chromium, None),
        BrowserWish::Program(path) if !path.is_file() => {
            let message = format!("there is no program `{}`", path.display());
            bad("missing", &message, "use auto, shell, chromium, a ws:// address or the path of a program")
        }
        BrowserWish::Program(path) => launch(BrowserKind::Auto, Some(path.clone())),
        BrowserWish::Address(_) if headed => {
            bad("headed", "a browser that runs already has its window or has none", "leave --headed out")
        }
        BrowserWish::Address(address) => Some(BrowserChoice::Connect(address.clone())),
    }
}

fn columns(artifact: &Artifact) -> BTreeMap<String, Vec<String>> {
    let tables = artifact.outputs.iter().filter_map(|output| match &output.kind {
        Type::Table { columns, .. } => {
            Some((output.name.to_string(), columns.iter().map(|column| column.name.to_string()).collect()))
        }
        _ => None,
    });
    tables.collect()
}
