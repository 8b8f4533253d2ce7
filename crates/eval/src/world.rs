//! Where a run happens: a stand-in of its own, a browser that is kept warm, a runtime.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use waymark_api::{BrowserWish, Consent, Given, ReplayAnswer, ReplayRequest, TenantWish, Watcher, replay};
use waymark_fixture_apps::meridian::Variant;
use waymark_fixture_apps::{Event, Fault, Guest, Options, Request, serve_meridian, serve_parabank};
use waymark_run::JournalLine;

use crate::EvalError;
use crate::browser::Browser;
use crate::stage::Stage;

/// How long reports of the last events may take to come, after the run.
const LATE: Duration = Duration::from_millis(120);

pub(crate) struct World {
    runtime: Runtime,
    browser: Browser,
}

impl World {
    pub(crate) fn new(headed: bool) -> Result<Self, EvalError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(EvalError::io(Path::new("a runtime")))?;
        Ok(World { runtime, browser: Browser::open(headed)? })
    }

    /// One run, from a stand-in that nobody has used before. The watcher is told each line of the journal.
    pub(crate) fn run(&mut self, stage: &Stage, call: &Call<'_>, watch: &mut Watcher<'_>) -> Result<Ran, EvalError> {
        let options = Options { faults: call.faults.clone(), variant: call.variant, ..Options::default() };
        let served = self.runtime.block_on(async {
            match call.application {
                "parabank" => serve_parabank(options).await.map_err(|error| error.to_string()),
                "meridian" => serve_meridian(options).await.map_err(|error| error.to_string()),
                other => Err(format!("there is no stand-in for `{other}`")),
            }
        });
        let application = served.map_err(EvalError::Asked)?;
        if let Some(guest) = &call.guest {
            application.host(guest.clone());
        }
        let log = application.log();
        let evidence = stage.evidence()?;
        let kept = call.evidence.as_ref().unwrap_or(&evidence);
        let request = call.request(stage, &application.base_url(), &self.browser, kept);
        let mut heard = Heard::default();
        let mut watcher = |line: &JournalLine, written: &Map<String, Value>| {
            heard.line(written);
            watch(line, written);
        };
        let (_stop, stopped) = watch::channel(None);
        let begun = Instant::now();
        let answer = self.runtime.block_on(replay(&request, &mut watcher, stopped, None));
        let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        std::thread::sleep(LATE);
        let (events, requests, booked, struck) = (log.events(), log.requests(), log.booked(), log.strikes().len());
        self.runtime.block_on(application.stop());
        fs::remove_dir_all(&evidence).map_err(EvalError::io(&evidence))?;
        let result = match answer {
            ReplayAnswer::Ended { result, .. } => serde_json::to_value(&*result),
            ReplayAnswer::Rejected(rejection) => serde_json::to_value(&rejection),
        };
        let result = result.map_err(EvalError::json("a result"))?;
        Ok(Ran {
            result,
            events,
            requests,
            booked,
            struck,
            unauthorized: heard.unauthorized,
            rungs: heard.rungs,
            hints: heard.hints,
            took_ms,
        })
    }
}

/// What is called, and where.
pub(crate) struct Call<'a> {
    pub(crate) artifact: &'a Path,
    /// Whose stand-in is served.
    pub(crate) application: &'a str,
    pub(crate) faults: Vec<Fault>,
    pub(crate) variant: Variant,
    pub(crate) tenant: TenantWish,
    pub(crate) values: Map<String, Value>,
    pub(crate) consent: Option<Consent>,
    /// Whether somebody sits there.
    pub(crate) attended: bool,
    pub(crate) timeout: Option<Duration>,
    /// Where its evidence is kept; nowhere, if nothing is said.
    pub(crate) evidence: Option<PathBuf>,
    pub(crate) pictures: bool,
    /// Who is in its pages.
    pub(crate) guest: Option<Arc<dyn Guest>>,
}

impl Call<'_> {
    /// A capability as the product is delivered, with nobody there, nothing wrong, and nothing kept.
    pub(crate) fn plain<'a>(artifact: &'a Path, capability: &'a str, values: Map<String, Value>) -> Call<'a> {
        Call {
            artifact,
            application: capability.split('.').next().unwrap_or_default(),
            faults: Vec::new(),
            variant: Variant::A,
            tenant: TenantWish::Base,
            values,
            consent: None,
            attended: false,
            timeout: None,
            evidence: None,
            pictures: false,
            guest: None,
        }
    }

    fn request(&self, stage: &Stage, address: &str, browser: &Browser, evidence: &Path) -> ReplayRequest {
        ReplayRequest {
            wait: None,
            artifact: self.artifact.to_path_buf(),
            tenant: self.tenant.clone(),
            given: Given { json: self.values.clone(), texts: Vec::new() },
            found: Vec::new(),
            base_url: Some(address.to_owned()),
            attended: self.attended,
            approve_risk: self.consent,
            escalate: true,
            browser: BrowserWish::Address(browser.address().to_owned()),
            headed: false,
            timeout: self.timeout,
            evidence_root: evidence.to_path_buf(),
            config: stage.config(),
            keep_inputs: false,
            pictures: self.pictures,
        }
    }
}

/// What came of one run.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) result: Value,
    pub(crate) events: Vec<Event>,
    pub(crate) requests: Vec<Request>,
    pub(crate) booked: usize,
    /// How often a fault struck.
    pub(crate) struck: usize,
    /// Dispatches of the journal without an authorization of their own.
    pub(crate) unauthorized: usize,
    /// The kinds of the rungs that found something, in order.
    pub(crate) rungs: Vec<String>,
    /// Of each thing that was found and has a hint: whether that leads to it.
    pub(crate) hints: Vec<bool>,
    pub(crate) took_ms: u64,
}

impl Ran {
    /// `success`, the code of a business outcome, or the code of an escalation or failure.
    pub(crate) fn code(&self) -> &str {
        let parts = ["business_outcome", "escalation", "error"];
        parts.iter().find_map(|part| self.result[*part]["code"].as_str()).unwrap_or("success")
    }

    pub(crate) fn exit(&self) -> i64 {
        self.result["exit_code"].as_i64().unwrap_or(-1)
    }

    /// What the caller was told, where it stopped.
    pub(crate) fn why(&self) -> &str {
        ["escalation", "error"].iter().find_map(|part| self.result[*part]["message"].as_str()).unwrap_or_default()
    }

    pub(crate) fn effect(&self) -> &str {
        self.result["effect"].as_str().unwrap_or_default()
    }

    /// What was sent to be done, in order: where to, and with which fields.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        let posts = self.requests.iter().filter(|request| request.method == "POST");
        posts.map(|request| (format!("{}?{}", request.path, request.query), request.fields.clone())).collect()
    }

    /// The requests for an address, and for what lies below it.
    pub(crate) fn asked_below<'a>(&'a self, place: &'a str) -> impl Iterator<Item = &'a Request> {
        let below =
            move |path: &str| path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.requests.iter().filter(move |request| below(&request.path))
    }
}

/// Where something was sent to, and with which fields.
pub(crate) type Sent = (String, Vec<(String, String)>);

/// What the journal says while a run is under way.
#[derive(Default)]
struct Heard {
    open: Vec<u64>,
    unauthorized: usize,
    rungs: Vec<String>,
    hints: Vec<bool>,
}

impl Heard {
    fn line(&mut self, line: &Map<String, Value>) {
        let number = line.get("authorization").and_then(Value::as_u64);
        match line.get("event").and_then(Value::as_str) {
            Some("authorized") if line.get("allowed") == Some(&Value::Bool(true)) => self.open.extend(number),
            // Each authorization is spent once.
            Some("dispatched") => match self.open.iter().position(|open| Some(*open) == number) {
                Some(at) => drop(self.open.remove(at)),
                None => self.unauthorized += 1,
            },
            Some("resolved") => {
                let kind = line.get("report").and_then(|report| report["kind"].as_str());
                self.rungs.extend(kind.map(str::to_owned));
                let hint = line.get("report").and_then(|report| report["hint_matches"].as_bool());
                self.hints.extend(hint);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dispatch_without_an_authorization_of_its_own_is_counted() {
        let mut heard = Heard::default();
        for line in [
            json!({"event": "authorized", "allowed": true, "authorization": 1}),
            json!({"event": "dispatched", "authorization": 1}),
            json!({"event": "dispatched", "authorization": 1}),
            json!({"event": "authorized", "allowed": false, "authorization": 2}),
            json!({"event": "dispatched", "authorization": 2}),
            json!({"event": "resolved", "report": {"kind": "label"}}),
        ] {
            heard.line(line.as_object().unwrap_or(&Map::new()));
        }
        assert_eq!((heard.unauthorized, heard.rungs), (2, vec!["label".to_owned()]));
    }
}
