//! Scenarios: what a capability has to come to with these values, this fault, this tenant; run again and again, and judged
//! by the stand-in.

pub(crate) mod file;
pub(crate) mod judge;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waymark_api::TenantWish;

use crate::stage::Stage;
use crate::world::{Call, Ran, World};
use crate::{EvalError, digest, lines, pool};
use file::{Scenario, ScenarioFile};
use judge::judge;

pub use report::{read_scenarios, render_scenarios};

/// What is to be tried.
#[derive(Clone, Debug)]
pub struct ScenariosRequest {
    /// The checkout: artifacts and configuration lie below it.
    pub root: PathBuf,
    /// The scenario files; all of `fixtures/scenarios` where none is named.
    pub files: Vec<PathBuf>,
    /// Only scenarios with one of these in their names; all where none is given.
    pub only: Vec<String>,
    /// How often each is run, instead of what the file says.
    pub runs: Option<usize>,
    /// How many scenarios at the same time.
    pub jobs: usize,
    /// Whether the browser's window is shown.
    pub headed: bool,
    /// Where the report is written, and under what name.
    pub out: Option<(PathBuf, String)>,
    /// What was typed.
    pub command: String,
}

/// What stands above the lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenariosHead {
    /// What was typed.
    pub command: String,
    /// The digest of the sources that were run.
    pub sources: String,
    /// `headless` or `headed`.
    pub browser: String,
}

/// All runs of one scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioLine {
    /// The capability.
    pub capability: String,
    /// The scenario.
    pub scenario: String,
    /// The stand-in's skin.
    pub variant: String,
    /// The tenant; `base` without one.
    pub tenant: String,
    /// What goes wrong.
    pub faults: Vec<String>,
    /// How it has to end.
    pub declared: String,
    /// How often it was run.
    pub runs: usize,
    /// How many ended exactly as declared, and did nothing wrong on the way.
    pub as_declared: usize,
    /// How many ended how: `0 success`, `3 target_not_found`.
    pub ended: BTreeMap<String, usize>,
    /// Things touched that nothing declares.
    pub wrong_actions: usize,
    /// Dispatches without an authorization of their own.
    pub unauthorized: usize,
    /// Records beyond those declared.
    pub repeated: usize,
    /// Requests for what nobody may ask for.
    pub forbidden: usize,
    /// How many failed or escalated.
    pub refused: usize,
    /// How many of these asked for a person.
    pub escalated: usize,
    /// How often which kind of rung found something.
    pub rungs: BTreeMap<String, usize>,
    /// How many things were found whose ladder has a driver's hint.
    pub hints: usize,
    /// How many of these hints led to the thing.
    pub hints_matching: usize,
    /// Rungs descended in the worst run, on the ladders that were replayed.
    pub drift: u64,
    /// The same on the ladders of the capability as it is stored.
    pub base_drift: u64,
    /// Digests of the journals of effects: one, where it is the same every time.
    pub journals: BTreeSet<String>,
    /// Milliseconds of the median run.
    pub took_ms: u64,
    /// What is wrong, with the number of the run; empty where nothing is.
    pub wrong: Vec<String>,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenariosReport {
    /// What stands above the lines.
    pub head: ScenariosHead,
    /// A line a scenario.
    pub lines: Vec<ScenarioLine>,
}

impl ScenariosReport {
    /// Whether every run ended exactly as declared.
    #[must_use]
    pub fn is_as_declared(&self) -> bool {
        self.lines.iter().all(|line| line.as_declared == line.runs)
    }

    /// Whether each capability does the same each time: yes or no.
    #[must_use]
    pub fn deterministic(&self) -> BTreeMap<String, bool> {
        let mut out = BTreeMap::new();
        for line in &self.lines {
            // A call that was refused at the door has no journal.
            *out.entry(line.capability.clone()).or_insert(true) &= line.journals.len() <= 1;
        }
        out
    }
}

/// Runs scenarios and tells each as it comes.
///
/// # Errors
/// A file is not sound, nothing fits what was asked for, or the stand-in or the browser does not start.
pub fn scenarios(
    request: &ScenariosRequest,
    told: &mut dyn FnMut(&ScenarioLine),
) -> Result<ScenariosReport, EvalError> {
    let files = match request.files.as_slice() {
        [] => file::all(&request.root.join("fixtures/scenarios"))?,
        named => named.to_vec(),
    };
    let mut read = Vec::new();
    for path in &files {
        read.push(ScenarioFile::read(path)?);
    }
    let stage = Stage::set(&request.root)?;
    let mut tasks = Vec::new();
    for file in &read {
        let wanted = |scenario: &&Scenario| {
            request.only.is_empty() || request.only.iter().any(|part| scenario.name.contains(part))
        };
        let chosen: Vec<&Scenario> = file.scenarios.iter().filter(wanted).collect();
        if chosen.is_empty() {
            continue;
        }
        let tenants: BTreeSet<String> = chosen.iter().filter_map(|scenario| scenario.tenant.clone()).collect();
        let artifact = stage.approved(&file.capability, &tenants.into_iter().collect::<Vec<_>>())?;
        tasks.extend(chosen.into_iter().map(|scenario| (artifact.clone(), file, scenario)));
    }
    let work = |world: &mut World, (artifact, file, scenario): (PathBuf, &ScenarioFile, &Scenario)| {
        tried(world, &stage, &artifact, file, scenario, request.runs)
    };
    let lines = pool::each(tasks, request.jobs, request.headed, work, told)?;
    if lines.is_empty() {
        return Err(EvalError::Asked("no scenario has this in its name".to_owned()));
    }
    let head = ScenariosHead {
        command: request.command.clone(),
        sources: digest::sources(&request.root)?,
        browser: if request.headed { "headed" } else { "headless" }.to_owned(),
    };
    let report = ScenariosReport { head, lines };
    if let Some((folder, name)) = &request.out {
        lines::write(folder, name, &report.head, &report.lines, &render_scenarios(name, &report))?;
    }
    Ok(report)
}

fn tried(
    world: &mut World,
    stage: &Stage,
    artifact: &Path,
    file: &ScenarioFile,
    scenario: &Scenario,
    runs: Option<usize>,
) -> Result<ScenarioLine, EvalError> {
    let runs = runs.or(scenario.runs).unwrap_or(1);
    let mut line = ScenarioLine {
        capability: file.capability.clone(),
        scenario: scenario.name.clone(),
        variant: waymark_fixture_apps::meridian::Variant::from(scenario.variant).name().to_owned(),
        tenant: scenario.tenant.clone().unwrap_or_else(|| "base".to_owned()),
        faults: scenario.faults.clone(),
        declared: scenario.ends.clone(),
        runs,
        as_declared: 0,
        ended: BTreeMap::new(),
        wrong_actions: 0,
        unauthorized: 0,
        repeated: 0,
        forbidden: 0,
        refused: 0,
        escalated: 0,
        rungs: BTreeMap::new(),
        hints: 0,
        hints_matching: 0,
        drift: 0,
        base_drift: 0,
        journals: BTreeSet::new(),
        took_ms: 0,
        wrong: Vec::new(),
    };
    let mut took = Vec::new();
    for number in 1..=runs {
        let call = Call {
            faults: scenario.faults().map_err(EvalError::Asked)?,
            variant: scenario.variant.into(),
            tenant: scenario.tenant.clone().map_or(TenantWish::Base, TenantWish::Named),
            ..scenario.call(artifact, file)
        };
        let ran = world.run(stage, &call, &mut |_, _| ())?;
        took.push(ran.took_ms);
        count(&mut line, number, file, scenario, &ran);
    }
    line.took_ms = lines::times(took).0;
    Ok(line)
}

/// Adds one run.
fn count(line: &mut ScenarioLine, number: usize, file: &ScenarioFile, scenario: &Scenario, ran: &Ran) {
    let faulty = judge(file, scenario, ran);
    line.as_declared += usize::from(faulty.wrong.is_empty() && faulty.unauthorized == 0);
    *line.ended.entry(format!("{} {}", ran.exit(), ran.code())).or_default() += 1;
    line.wrong_actions += faulty.wrong_actions;
    line.unauthorized += faulty.unauthorized;
    line.repeated += faulty.repeated;
    line.forbidden += faulty.forbidden;
    line.refused += usize::from([1, 3].contains(&ran.exit()));
    line.escalated += usize::from(ran.exit() == 3);
    for kind in &ran.rungs {
        *line.rungs.entry(kind.clone()).or_default() += 1;
    }
    line.hints += ran.hints.len();
    line.hints_matching += ran.hints.iter().filter(|matches| **matches).count();
    let drift = |name: &str| ran.result["drift"][name].as_u64().unwrap_or_default();
    line.drift = line.drift.max(drift("score"));
    line.base_drift = line.base_drift.max(drift("base_score"));
    line.journals.extend(ran.result["effect_journal"].as_str().map(str::to_owned));
    line.wrong.extend(faulty.wrong.into_iter().map(|wrong| format!("run {number}: {wrong}")));
}
