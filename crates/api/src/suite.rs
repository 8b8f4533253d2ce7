//! A suite of goals: each is carried out once by a model and judged by what the engine saw at its end.
//!
//! Nothing is recorded but the evidence: what passes today is no capability. A verdict never hides another, so whatever one
//! goal comes to, the next one is tried.

mod files;
mod judge;
mod verdict;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use semver::Version;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use tokio::sync::watch;
use waymark_discovery::{ModelName, Standing};
use waymark_run::{BusinessOutcome, Code, Effect, ErrorReport, ExitCode, Problem, Rejection, RunStatus};
use waymark_session::{Stop, Watcher};

use crate::configuration;
use crate::discover::{DiscoverRequest, GoalSource, Provider, models};
use crate::problems::Problems;
use crate::replay::{BrowserWish, Consent, browser};
pub use verdict::Verdict;

/// The schema word of a report.
const SCHEMA: &str = "waymark.suite/1";

/// A call.
#[derive(Clone)]
pub struct SuiteRequest {
    /// Files of goals, and folders of them.
    pub paths: Vec<PathBuf>,
    /// Where all of them begin, instead of each goal's own address.
    pub url: Option<String>,
    /// The values of the parameter file; a goal takes those that it names.
    pub params_file: Map<String, Json>,
    /// The environment of the program; only what goals, profiles and provider name is looked at.
    pub env: BTreeMap<String, String>,
    /// Who decides. A script or a recording may be a folder, with a `NAME.jsonl` for each goal `NAME.md`.
    pub provider: Provider,
    /// Who tells elements apart; its script may be such a folder too.
    pub selector: Provider,
    /// Where the answers of the models are recorded: a new file for one goal, a folder for several.
    pub cassette: Option<PathBuf>,
    /// What is approved for this call.
    pub approve_risk: Option<Consent>,
    pub browser: BrowserWish,
    pub headed: bool,
    /// Where run folders are made, one for each goal.
    pub evidence_root: PathBuf,
    /// The folder of the configuration.
    pub config: PathBuf,
    pub pictures: bool,
}

/// What became of a call.
#[derive(Clone, Debug)]
pub enum SuiteAnswer {
    /// Nothing was started.
    Rejected(Rejection),
    /// Every goal has its verdict.
    Ended(Box<SuiteReport>),
}

/// What is told while a suite goes on.
#[derive(Clone, Copy, Debug)]
pub enum SuiteNews<'a> {
    /// A goal is tried.
    Begun {
        /// Which one, from 1.
        number: usize,
        /// Of how many.
        of: usize,
        /// Its file.
        file: &'a Path,
    },
    /// It has its verdict.
    Judged(&'a GoalVerdict),
}

/// What a suite came to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SuiteReport {
    /// `waymark.suite/1`.
    pub schema: &'static str,
    /// `success` where every goal passed, else `failed`.
    pub status: RunStatus,
    /// The number the process returns: 0 only where every goal passed.
    pub exit_code: ExitCode,
    /// What the goals came to together.
    pub verdict: Verdict,
    /// Goals that passed.
    pub passed: usize,
    /// Goals that failed.
    pub failed: usize,
    /// Goals that could not be judged.
    pub inconclusive: usize,
    /// Why it did not pass, where it did not: the code is that of the first goal that failed, else of the first that could not
    /// be judged.
    pub error: Option<ErrorReport>,
    /// The goals in the order in which they were tried.
    pub items: Vec<GoalVerdict>,
}

/// What one goal came to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GoalVerdict {
    /// The file of the goal.
    pub file: String,
    /// Its title, where it could be read.
    pub title: Option<String>,
    /// Its digest, where it could be read.
    pub digest: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it did not pass; `null` where it did.
    pub code: Option<Code>,
    /// The same as a sentence.
    pub message: String,
    /// What may be done next, where something is to be done.
    pub next: Option<String>,
    /// The declared answer that the application gave instead, where it gave one.
    pub answer: Option<BusinessOutcome>,
    /// The conditions, each as it stood at the end.
    pub conditions: Vec<ConditionVerdict>,
    /// What is wrong with the goal, where it was refused before anything was started.
    pub problems: Vec<Problem>,
    /// Who decided.
    pub model: Option<ModelName>,
    /// Who was there to tell elements apart.
    pub told_apart_by: Option<ModelName>,
    /// What a person should know about how it was set up.
    pub notes: Vec<String>,
    /// Turns that were taken.
    pub turns: u32,
    /// Calls that were made.
    pub calls: u32,
    /// What they cost in millionths of a US dollar, as far as prices are configured.
    pub price_micros: u64,
    /// What risky deeds came to.
    pub effect: Effect,
    /// The run, where there was one.
    pub run_id: Option<String>,
    /// How long it took in milliseconds.
    pub duration_ms: u64,
    /// Its run folder.
    pub evidence: Option<String>,
    /// What could not be recorded, where something could not.
    pub evidence_gaps: Vec<String>,
}

/// A condition of a goal, and how it stood at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConditionVerdict {
    /// In words.
    pub condition: String,
    /// What it came to.
    pub came: ConditionCame,
}

/// What a condition came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConditionCame {
    /// It holds, and came by what was done.
    Holds,
    /// It holds, and did so before anything was done: that proves nothing.
    Stood,
    /// It does not hold.
    Unmet,
    /// It could not be told, or the job did not come to an end.
    Unknown,
}

impl From<Standing> for ConditionCame {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Holds => ConditionCame::Holds,
            Standing::Stood => ConditionCame::Stood,
            Standing::Unmet => ConditionCame::Unmet,
            Standing::Unknown => ConditionCame::Unknown,
        }
    }
}

/// Tries every goal and judges it. `watcher` is told every line of every journal, `told` which goal begins and what it came to.
/// `stop` ends the goal that is tried at its next safe point, and no other is begun; what was judged until then stands.
pub async fn suite(
    request: &SuiteRequest,
    watcher: &mut Watcher<'_>,
    told: &mut dyn FnMut(SuiteNews<'_>),
    stop: watch::Receiver<Option<Stop>>,
) -> SuiteAnswer {
    let goals = match checked(request) {
        Ok(goals) => goals,
        Err(rejection) => return SuiteAnswer::Rejected(*rejection),
    };
    let mut items = Vec::new();
    for (at, goal) in goals.iter().enumerate() {
        let item = if stop.borrow().is_some() {
            let message = "it was not begun: the suite was told to end".to_owned();
            GoalVerdict::unjudged(goal, Code::Interrupted, message)
        } else {
            told(SuiteNews::Begun { number: at + 1, of: goals.len(), file: goal });
            judge::judge(&of_goal(request, goal), goal, watcher, stop.clone()).await
        };
        told(SuiteNews::Judged(&item));
        items.push(item);
    }
    let cause = stop.borrow().map(|stop| stop.cause.exit_code());
    SuiteAnswer::Ended(Box::new(SuiteReport::of(items, cause)))
}

/// The goals, where nothing is wrong that would keep every one of them from being judged.
fn checked(request: &SuiteRequest) -> Result<Vec<PathBuf>, Box<Rejection>> {
    let mut problems = Problems::default();
    let goals = files::goals(&request.paths, &mut problems);
    files::check(request, &goals, &mut problems);
    if let Err(faults) = configuration::guards(&request.config) {
        for fault in faults {
            let file = fault.file.display().to_string();
            problems.add(Code::InvalidPolicy, file, fault.problem, fault.message, fault.hint);
        }
    }
    browser(&request.browser, request.headed, &mut problems);
    if let Err(error) = waymark_evidence::check_writable(&request.evidence_root) {
        problems.add(Code::InvalidInvocation, "--evidence", "unwritable", error.to_string(), error.hint());
    }
    if let (Some(first), Provider::Network { .. }) = (goals.first(), &request.provider) {
        models::read(&of_goal(request, first), &mut problems);
    }
    match problems.rejection("cannot try the goals; nothing was started, and no model was asked") {
        Some(rejection) => Err(Box::new(rejection)),
        None => Ok(goals),
    }
}

/// The discovery of one goal.
fn of_goal(request: &SuiteRequest, goal: &Path) -> DiscoverRequest {
    let own = |provider: &Provider| match provider {
        Provider::Scripted(place) => Provider::Scripted(files::of_goal(place, goal)),
        Provider::Cassette(place) => Provider::Cassette(files::of_goal(place, goal)),
        network @ Provider::Network { .. } => network.clone(),
    };
    DiscoverRequest {
        goal: GoalSource::File(goal.to_path_buf()),
        url: request.url.clone(),
        params_file: request.params_file.clone(),
        env: request.env.clone(),
        provider: own(&request.provider),
        selector: own(&request.selector),
        cassette: request.cassette.as_ref().map(|place| files::of_goal(place, goal)),
        version: Version::new(1, 0, 0),
        out: PathBuf::new(),
        approve_risk: request.approve_risk,
        probes: Vec::new(),
        verify_effects: false,
        browser: request.browser.clone(),
        headed: request.headed,
        evidence_root: request.evidence_root.clone(),
        config: request.config.clone(),
        pictures: request.pictures,
    }
}

impl GoalVerdict {
    /// Of a goal that did not come to a run.
    fn unjudged(file: &Path, code: Code, message: String) -> Self {
        GoalVerdict {
            file: file.display().to_string(),
            title: None,
            digest: None,
            verdict: Verdict::Inconclusive,
            code: Some(code),
            message,
            next: None,
            answer: None,
            conditions: Vec::new(),
            problems: Vec::new(),
            model: None,
            told_apart_by: None,
            notes: Vec::new(),
            turns: 0,
            calls: 0,
            price_micros: 0,
            effect: Effect::None,
            run_id: None,
            duration_ms: 0,
            evidence: None,
            evidence_gaps: Vec::new(),
        }
    }
}

impl SuiteReport {
    /// The report of these verdicts. `cause` is the number for whoever told it to end.
    fn of(items: Vec<GoalVerdict>, cause: Option<ExitCode>) -> Self {
        let count = |verdict: Verdict| items.iter().filter(|item| item.verdict == verdict).count();
        let (passed, failed, inconclusive) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Inconclusive));
        let verdict = Verdict::of_all(items.iter().map(|item| item.verdict));
        let status = if verdict == Verdict::Pass { RunStatus::Success } else { RunStatus::Failed };
        let ended_early = items.iter().any(|item| item.code == Some(Code::Interrupted));
        let first = items.iter().find(|item| item.verdict == verdict && verdict != Verdict::Pass);
        let error = first.map(|first| {
            let code = first.code.unwrap_or(Code::Internal);
            let sent = items.iter().any(|item| item.effect != Effect::None);
            ErrorReport {
                code,
                step: None,
                message: format!("of {} goals {failed} failed and {inconclusive} could not be judged", items.len()),
                retryable: failed == 0 && !sent && code.row().retryable,
                next: "look at the goals that did not pass, each with its evidence".to_owned(),
            }
        });
        let exit_code = cause.filter(|_| ended_early).unwrap_or_else(|| status.exit_code());
        SuiteReport { schema: SCHEMA, status, exit_code, verdict, passed, failed, inconclusive, error, items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(verdict: Verdict, code: Option<Code>) -> GoalVerdict {
        GoalVerdict { verdict, code, ..GoalVerdict::unjudged(Path::new("g.md"), Code::Internal, String::new()) }
    }

    #[test]
    fn only_where_every_goal_passed_is_the_number_zero_and_an_end_from_outside_keeps_its_own() {
        let pass = || item(Verdict::Pass, None);
        let fail = || item(Verdict::Fail, Some(Code::NotProven));
        let none = || item(Verdict::Inconclusive, Some(Code::ModelUnavailable));
        let ended = || item(Verdict::Inconclusive, Some(Code::Interrupted));
        let of = |items: Vec<GoalVerdict>, cause| {
            let report = SuiteReport::of(items, cause);
            assert_eq!(report.error.is_none(), report.exit_code == ExitCode::SUCCESS);
            (report.exit_code.0, report.verdict, report.error.map(|error| error.code))
        };
        let cause = Some(ExitCode::INTERRUPTED);
        assert_eq!(of(vec![pass(), pass()], None), (0, Verdict::Pass, None));
        assert_eq!(of(vec![pass(), pass()], cause), (0, Verdict::Pass, None));
        assert_eq!(of(vec![pass(), none()], None), (1, Verdict::Inconclusive, Some(Code::ModelUnavailable)));
        assert_eq!(of(vec![none(), fail(), pass()], None), (1, Verdict::Fail, Some(Code::NotProven)));
        assert_eq!(of(vec![fail(), ended()], cause), (130, Verdict::Fail, Some(Code::NotProven)));
        assert_eq!(of(vec![pass(), ended()], cause), (130, Verdict::Inconclusive, Some(Code::Interrupted)));
    }
}
