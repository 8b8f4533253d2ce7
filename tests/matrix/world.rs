//! What runs happen in: a runtime, a stand-in for each run, a browser that is kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use waymark_api::{BrowserWish, Consent, Given, ReplayAnswer, ReplayRequest, TenantWish, replay};
use waymark_fixture_apps::{Options, serve_parabank};
use waymark_run::{JournalLine, RunResult};
use waymark_test_support::canary::forms;
use waymark_tests::root;

use crate::browser::Browser;
use crate::cell::{Cell, Driver, Fault, Job};
use crate::front::Front;
use crate::judge::{Line, Seen, wrong};
use crate::leftovers::remains;
use crate::relay::Relay;
use crate::rival::Rival;
use crate::strike::{Hands, strike};

/// The time of a run that a driver's fault strikes; of a step, half of it.
const HURRIED: Duration = Duration::from_secs(8);

/// The time of a run that the application itself makes slow.
const PATIENT: Duration = Duration::from_secs(60);

/// By how much a run may overstep its time: two seconds, and one for starting and ending the processes around it.
const GRACE: Duration = Duration::from_secs(3);

/// A browser whose pages may not have much memory.
const SMALL: &[&str] = &["--js-flags=--max-old-space-size=48"];

/// The one secret of every run; long and odd enough never to stand anywhere by chance.
pub const CANARY: &str = "kanarienvogel-7Q#4711";

/// Everything that is kept from run to run.
pub struct World {
    runtime: Runtime,
    folder: tempfile::TempDir,
    far: Option<Browser>,
    /// Arguments that the far browser was started with.
    far_more: &'static [&'static str],
    baselines: BTreeMap<&'static str, Value>,
    /// Where the evidence of runs that went wrong is kept.
    keep: Option<PathBuf>,
    /// How many times the usual time a run is given.
    patience: u32,
}

impl World {
    /// An empty world. Evidence of what went wrong is moved to `keep`. A slow machine is given so many times the time.
    ///
    /// # Errors
    /// No runtime or folder can be made.
    pub fn new(keep: Option<PathBuf>, patience: u32) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let folder = tempfile::Builder::new().prefix("waymark-matrix-").tempdir()?;
        Ok(World { runtime, folder, far: None, far_more: &[], baselines: BTreeMap::new(), keep, patience })
    }

    /// Runs one cell and judges it.
    ///
    /// # Errors
    /// The harness itself failed; the engine's failures are in the line.
    pub fn run(&mut self, cell: &Cell) -> Result<Line> {
        if !self.baselines.contains_key(cell.job.name) {
            let ran = self.once(&cell.job, None)?;
            if ran.exit() != 0 {
                bail!("without a fault {} ends with {}: {}", cell.job.name, ran.exit(), ran.result);
            }
            self.baselines.insert(cell.job.name, ran.result);
        }
        let ran = self.once(&cell.job, Some(&cell.fault))?;
        let baseline = &self.baselines[cell.job.name];
        let code = ran.code().to_owned();
        let seen = Seen {
            struck: ran.struck,
            exit: ran.exit(),
            code: &code,
            result: &ran.result,
            baseline,
            booked: ran.booked,
            payments: ran.payments,
            strangers: ran.strangers,
        };
        let mut faults = wrong(cell, &seen);
        faults.extend(ran.faults.iter().cloned());
        if !faults.is_empty()
            && let Some(keep) = &self.keep
        {
            let place = keep.join(cell.to_string().replace('/', "."));
            copy(&ran.evidence, &place).with_context(|| place.display().to_string())?;
        }
        fs::remove_dir_all(&ran.evidence)?;
        Ok(Line {
            cell: cell.to_string(),
            struck: ran.struck,
            ended: format!("{} {code}", ran.exit()),
            effect: ran.result["effect"].as_str().unwrap_or_default().to_owned(),
            recovered: ran.result["recovered"].as_array().map_or(0, Vec::len),
            booked: ran.booked,
            journal: ran.result["effect_journal"].as_str().unwrap_or_default().to_owned(),
            took_ms: u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
            wrong: faults,
        })
    }

    fn once(&mut self, job: &Job, fault: Option<&Fault>) -> Result<Ran> {
        let options = Options { password: Some(CANARY.to_owned()), ..Options::default() };
        let application = self.runtime.block_on(serve_parabank(options))?;
        let log = application.log();
        let mut faults = Vec::new();
        let mut front = None;
        let driver = match fault {
            Some(Fault::Driver { driver, step, point }) => Some((*driver, step.as_str(), *point)),
            Some(Fault::Application { mode, place, once }) => {
                let mut fault = waymark_fixture_apps::Fault::new(*mode);
                fault.place = Some(*place);
                fault.count = once.then_some(std::num::NonZeroU32::MIN);
                application.inject([fault])?;
                None
            }
            Some(Fault::Wire { wire, place, once }) => {
                front = Some(Front::before(application.addr(), *wire, *place, *once)?);
                None
            }
            None => None,
        };
        let hurried = driver.is_some() || front.is_some();
        let limit = if hurried { HURRIED * self.patience } else { PATIENT };
        let artifact = approved(job, hurried.then_some(limit / 2), self.folder.path())?;
        let base = front.as_ref().map_or_else(|| application.base_url(), Front::base_url);
        let config = match &front {
            Some(front) => allowing(&front.origin(), self.folder.path())?,
            None => root().join("config"),
        };

        let (mut relay, mut before, mut address) = (None, Vec::new(), String::new());
        if driver.is_some_and(|(driver, _, _)| !driver.own_browser()) {
            let more: &[&str] =
                if driver.is_some_and(|(driver, _, _)| driver == Driver::OutOfMemory) { SMALL } else { &[] };
            let far = self.far(more)?;
            address = far.address().to_owned();
            let mut rival = Rival::connect(&address)?;
            before = rival.pages()?.into_iter().map(|(id, _)| id).collect();
            relay = Some(Relay::to(&address)?);
        }
        let browser =
            relay.as_ref().map_or(BrowserWish::Auto, |relay| BrowserWish::Address(relay.address().to_owned()));

        let evidence = tempfile::Builder::new().prefix("evidence-").tempdir_in(self.folder.path())?.keep();
        let request = request(job, artifact, &base, config, browser, limit, &evidence)?;
        let hands =
            Hands { far: relay.as_ref().map(|relay| (relay, address.as_str())), before: &before, application: &base };
        let (mut struck, mut hurt) = (false, None);
        let mut watcher = |line: &JournalLine, written: &Map<String, Value>| {
            let _ = line;
            let Some((driver, step, point)) = driver else { return };
            let here = written["event"] == point.event()
                && (written.get("step").is_some_and(|s| s == step || s["id"] == step));
            if here && !struck && hurt.is_none() {
                match strike(driver, &hands) {
                    Ok(done) => struck = done,
                    Err(error) => hurt = Some(error),
                }
            }
        };
        let (_stop, stopped) = watch::channel(None);
        let begun = Instant::now();
        let answer = self.runtime.block_on(replay(&request, &mut watcher, stopped, None));
        let took = begun.elapsed();
        if let Some(error) = hurt {
            return Err(error.context("the fault could not strike"));
        }
        let result: Box<RunResult> = match answer {
            ReplayAnswer::Ended { result, .. } => result,
            ReplayAnswer::Rejected(rejection) => bail!("{}", serde_json::to_string(&rejection)?),
        };
        let result = serde_json::to_value(&*result)?;
        if took > limit + GRACE {
            faults.push(format!("took {} ms, {} were given", took.as_millis(), limit.as_millis()));
        }
        faults.extend(evidence_faults(&evidence, &result)?);
        drop(relay);
        // A page that hangs or has crashed is not handed on to the next run.
        if driver.is_some_and(|(driver, _, _)| !driver.own_browser()) && self.is_spoiled(&before) {
            self.far = None;
        }
        let kept = self.far.as_ref().map_or(0, Browser::id);
        faults.extend(remains(kept).into_iter().map(|left| format!("left behind: {left}")));
        let struck = struck || matches!(fault, Some(Fault::Application { .. })) && !log.strikes().is_empty();
        let struck = struck || front.as_ref().is_some_and(Front::struck);
        let booked = log.booked();
        let sent = log.count_requests(|r| r.method == "POST" && r.path.ends_with("/bank/transfer"));
        let payments = front.as_ref().map_or(sent, Front::payments);
        let strangers = front.as_ref().map_or(0, Front::strangers);
        drop(front);
        self.runtime.block_on(application.stop());
        Ok(Ran { result, struck, booked, payments, strangers, took, faults, evidence })
    }

    fn far(&mut self, more: &'static [&'static str]) -> Result<&Browser> {
        let alive =
            self.far.as_ref().is_some_and(|far| Rival::connect(far.address()).and_then(|mut r| r.pages()).is_ok());
        if !alive || self.far_more != more {
            self.far = Some(Browser::start(more)?);
            self.far_more = more;
        }
        self.far.as_ref().context("no browser")
    }

    /// Whether the browser has other pages than before the run.
    fn is_spoiled(&self, before: &[String]) -> bool {
        let pages = self.far.as_ref().and_then(|far| Rival::connect(far.address()).ok()?.pages().ok());
        pages.is_none_or(|pages| pages.iter().any(|(id, _)| !before.contains(id)))
    }
}

struct Ran {
    result: Value,
    struck: bool,
    booked: usize,
    payments: usize,
    strangers: usize,
    took: Duration,
    faults: Vec<String>,
    evidence: PathBuf,
}

impl Ran {
    fn exit(&self) -> i64 {
        self.result["exit_code"].as_i64().unwrap_or(-1)
    }

    fn code(&self) -> &str {
        let parts = ["business_outcome", "escalation", "error"];
        parts.iter().find_map(|part| self.result[*part]["code"].as_str()).unwrap_or("success")
    }
}

fn request(
    job: &Job,
    artifact: PathBuf,
    base: &str,
    config: PathBuf,
    browser: BrowserWish,
    limit: Duration,
    evidence: &Path,
) -> Result<ReplayRequest> {
    let mut parameters = job.parameters.clone();
    parameters.insert("password".to_owned(), CANARY.into());
    Ok(ReplayRequest {
        wait: None,
        artifact,
        tenant: TenantWish::Base,
        given: Given { json: parameters, texts: Vec::new() },
        found: Vec::new(),
        base_url: Some(base.to_owned()),
        attended: true,
        approve_risk: job.moves_money.then_some(Consent::Irreversible),
        escalate: true,
        browser,
        headed: false,
        timeout: Some(limit),
        evidence_root: evidence.to_path_buf(),
        config,
        keep_inputs: false,
        pictures: true,
    })
}

/// A copy of the artifact with an approval beside it; with short deadlines where a run may hang, so that it is over
/// soon.
fn approved(job: &Job, step: Option<Duration>, folder: &Path) -> Result<PathBuf> {
    let mut document: Value = serde_json::from_slice(&fs::read(&job.artifact)?)?;
    if let Some(step) = step {
        document["limits"]["step_deadline_ms"] = u64::try_from(step.as_millis())?.into();
        let steps = document["steps"].as_array_mut().context("no steps")?;
        for step in steps.iter_mut().filter_map(Value::as_object_mut) {
            step.remove("deadline_ms");
        }
    }
    let bytes = serde_json::to_vec_pretty(&document)?;
    let artifact = waymark_artifact::load(&bytes)?;
    let digest = artifact.digest()?.to_string();
    let record = serde_json::json!({
        "schema": "waymark.approval/1", "id": artifact.id, "version": artifact.version.to_string(),
        "digest": digest, "approved_by": "matrix", "approved_at": "2026-11-30T00:00:00Z",
    });
    let records = folder.join("records");
    fs::create_dir_all(&records)?;
    let name = digest.strip_prefix("sha256:").context("no digest")?;
    fs::write(records.join(format!("{name}.approval.json")), serde_json::to_vec(&record)?)?;
    let place = folder.join(format!("{}.json", job.name));
    fs::write(&place, &bytes)?;
    Ok(place)
}

/// The rules of the repository for one origin alone.
fn allowing(origin: &str, folder: &Path) -> Result<PathBuf> {
    let place = folder.join("config");
    copy(&root().join("config"), &place)?;
    let file = place.join("allowlist.yaml");
    let rules = fs::read_to_string(&file)?;
    let both = r#""http://127.0.0.1:*", "http://localhost:*""#;
    ensure!(rules.contains(both), "the allowlist names other origins than it did");
    fs::write(&file, rules.replace(both, &format!("\"{origin}\"")))?;
    Ok(place)
}

/// What is wrong with the evidence: a journal that does not verify, another result, a secret in any byte.
fn evidence_faults(root: &Path, result: &Value) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let Some(folder) = result["evidence"].as_str().map(PathBuf::from) else {
        return Ok(vec!["there is no evidence".to_owned()]);
    };
    let verified = waymark_evidence::verify(&folder)?;
    if !verified.holds() {
        faults.push(format!("the journal does not verify: {verified:?}"));
    }
    let written: Value = serde_json::from_slice(&fs::read(folder.join("result.json"))?)?;
    if written != *result {
        faults.push("result.json is not what the caller got".to_owned());
    }
    // What pictures show is read in tests of their own: here there are too many of them.
    let forms = forms(CANARY);
    for file in files(root)? {
        let bytes = fs::read(&file)?;
        let seen = |form: &[u8]| bytes.windows(form.len()).any(|window| window == form);
        let found = forms.iter().filter(|(_, form)| seen(form));
        faults.extend(found.map(|(how, _)| format!("a secret stands in {}, as {how}", file.display())));
    }
    Ok(faults)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}
