//! The matrix of the console: every fault at every screen, once and for ever, under every capability that has scenarios.
//!
//! Nobody says for each cell how it ends. What has to hold of all: a success is the success of the run without a fault; an
//! answer is given only where the fault is one; nothing is booked twice; what is said of the effect is what was booked;
//! nothing is touched that the capability does not touch; and it comes to an end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waymark_fixture_apps::{Fault, Mode, Place};

use crate::scenarios::file::{self, Scenario, ScenarioFile};
use crate::scenarios::judge::touched;
use crate::stage::Stage;
use crate::world::{Call, Ran, World};
use crate::{EvalError, digest, lines, pool};

/// The name of the report's files.
pub const FAULTS_NAME: &str = "meridian";

/// Longer than any run may take, in milliseconds: all its steps wait their whole time, and remedies theirs.
const HANGS_MS: u64 = 180_000;

/// What is to be tried.
#[derive(Clone, Debug)]
pub struct FaultsRequest {
    /// The checkout.
    pub root: PathBuf,
    /// Exactly these cells, as `CAPABILITY/FAULT`; all where none is named.
    pub cells: Vec<String>,
    /// So many of them, spread over all.
    pub sample: Option<usize>,
    /// Where a sample begins.
    pub seed: u64,
    /// How many at the same time.
    pub jobs: usize,
    /// Where the report is written.
    pub out: Option<PathBuf>,
    /// What was typed.
    pub command: String,
}

/// What stands above the lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultsHead {
    /// What was typed.
    pub command: String,
    /// The digest of the sources that were run.
    pub sources: String,
    /// Where a sample began.
    pub seed: u64,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultsLine {
    /// `CAPABILITY/FAULT`.
    pub cell: String,
    /// Exit code and code.
    pub ended: String,
    /// What is said of the effect.
    pub effect: String,
    /// What was booked.
    pub booked: usize,
    /// How often the fault struck.
    pub struck: usize,
    /// The journal of effects.
    pub journal: Option<String>,
    /// Milliseconds.
    pub took_ms: u64,
    /// What is wrong; empty where nothing is.
    pub wrong: Vec<String>,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultsReport {
    /// What stands above the lines.
    pub head: FaultsHead,
    /// A line a run.
    pub lines: Vec<FaultsLine>,
}

impl FaultsReport {
    /// How many runs were wrong.
    #[must_use]
    pub fn wrong(&self) -> usize {
        self.lines.iter().filter(|line| !line.wrong.is_empty()).count()
    }
}

/// One cell: which job, which fault.
#[derive(Clone, Debug)]
struct Cell {
    job: usize,
    fault: String,
}

/// A capability, how it is called, and what it comes to without a fault.
struct Job {
    file: ScenarioFile,
    artifact: PathBuf,
    base: Ran,
}

impl Job {
    /// The scenario that nothing disturbs: the first that succeeds as the product is delivered.
    fn plain(file: &ScenarioFile) -> Result<&Scenario, EvalError> {
        let undisturbed = |scenario: &&Scenario| {
            scenario.ends == "success" && scenario.faults.is_empty() && scenario.tenant.is_none()
        };
        let none = || EvalError::Asked(format!("no scenario of `{}` succeeds without a fault", file.capability));
        file.scenarios.iter().find(undisturbed).ok_or_else(none)
    }
}

fn run(
    world: &mut World,
    stage: &Stage,
    file: &ScenarioFile,
    artifact: &Path,
    faults: Vec<Fault>,
) -> Result<Ran, EvalError> {
    let plain = Job::plain(file)?;
    let call = Call { faults, ..plain.call(artifact, file) };
    world.run(stage, &call, &mut |_, _| ())
}

/// Tries every cell, or those that were asked for, and tells each as it comes.
///
/// # Errors
/// A scenario file is not sound, a capability does not succeed without a fault, or the stand-in or the browser does not
/// start.
pub fn faults(request: &FaultsRequest, told: &mut dyn FnMut(&FaultsLine)) -> Result<FaultsReport, EvalError> {
    let stage = Stage::set(&request.root)?;
    let mut world = World::new(false)?;
    let mut jobs = Vec::new();
    for path in file::all(&request.root.join("fixtures/scenarios"))? {
        let file = ScenarioFile::read(&path)?;
        if !file.capability.starts_with("meridian.") {
            continue;
        }
        let artifact = stage.approved(&file.capability, &[])?;
        let base = run(&mut world, &stage, &file, &artifact, Vec::new())?;
        if base.exit() != 0 {
            let (capability, why) = (file.capability.clone(), format!("{} {}", base.exit(), base.code()));
            return Err(EvalError::Untouched { capability, why });
        }
        jobs.push(Job { file, artifact, base });
    }
    drop(world);
    let cells = chosen(request, &jobs)?;
    let work = |world: &mut World, cell: Cell| struck(world, &stage, &jobs, &cell);
    let lines = pool::each(cells, request.jobs, false, work, told)?;
    let head =
        FaultsHead { command: request.command.clone(), sources: digest::sources(&request.root)?, seed: request.seed };
    let report = FaultsReport { head, lines };
    if let Some(folder) = &request.out {
        lines::write(folder, FAULTS_NAME, &report.head, &report.lines, &render_faults(&report))?;
    }
    Ok(report)
}

/// Every cell in its order, or those that were asked for.
fn chosen(request: &FaultsRequest, jobs: &[Job]) -> Result<Vec<Cell>, EvalError> {
    let mut all = Vec::new();
    for job in 0..jobs.len() {
        for mode in Mode::ALL {
            for place in Place::of_meridian().iter().filter(|place| mode.fits(**place)) {
                // Once, and for ever.
                for count in [":1", ":1000"] {
                    all.push(Cell { job, fault: format!("{}{count}@{}", mode.name(), place.name()) });
                }
            }
        }
    }
    let name = |cell: &Cell| name(jobs, cell);
    if !request.cells.is_empty() {
        if let Some(unknown) = request.cells.iter().find(|asked| all.iter().all(|cell| name(cell) != **asked)) {
            return Err(EvalError::Asked(format!("there is no cell `{unknown}`")));
        }
        all.retain(|cell| request.cells.contains(&name(cell)));
    }
    let Some(sample) = request.sample.filter(|sample| *sample < all.len()) else { return Ok(all) };
    // A stride that is prime to everything likely goes through all capabilities and faults.
    let (len, step) = (all.len(), 7919);
    let begin = usize::try_from(request.seed).unwrap_or_default() % len;
    let picked = (0..sample).map(|at| all[(begin + at * step) % len].clone());
    Ok(picked.collect())
}

fn name(jobs: &[Job], cell: &Cell) -> String {
    format!("{}/{}", jobs[cell.job].file.capability, cell.fault)
}

/// One cell.
fn struck(world: &mut World, stage: &Stage, jobs: &[Job], cell: &Cell) -> Result<FaultsLine, EvalError> {
    let job = &jobs[cell.job];
    let fault: Fault = cell.fault.parse().map_err(|error| EvalError::Asked(format!("`{}`: {error}", cell.fault)))?;
    let ran = run(world, stage, &job.file, &job.artifact, vec![fault])?;
    Ok(FaultsLine {
        cell: name(jobs, cell),
        ended: format!("{} {}", ran.exit(), ran.code()),
        effect: ran.effect().to_owned(),
        booked: ran.booked,
        struck: ran.struck,
        journal: ran.result["effect_journal"].as_str().map(str::to_owned),
        took_ms: ran.took_ms,
        wrong: wrong(&job.file, &job.base, &cell.fault, &ran),
    })
}

/// Everything that is wrong with a run under a fault.
fn wrong(file: &ScenarioFile, base: &Ran, fault: &str, ran: &Ran) -> Vec<String> {
    let mut wrong = touched(file, ran).wrong;
    if ran.unauthorized > 0 {
        wrong.push(format!("{} dispatches without an authorization", ran.unauthorized));
    }
    let (exit, code) = (ran.exit(), ran.code());
    let effect = ran.effect();
    if ran.booked > base.booked {
        wrong.push(format!("{} records instead of {}", ran.booked, base.booked));
    }
    if (effect == "none" && ran.booked > 0) || (effect == "done" && ran.booked == 0) {
        wrong.push(format!("the effect is said to be {effect}, and {} records are there", ran.booked));
    }
    match exit {
        0 if ran.booked != base.booked => wrong.push(format!("a success with {} records", ran.booked)),
        0 if ran.result["outputs"] != base.result["outputs"] => {
            wrong.push(format!("a success that read something else: {}", ran.result["outputs"]));
        }
        0 => {}
        2 if fault.starts_with("not_authorized") && code == "not_authorized" && ran.booked == 0 => {}
        2 => wrong.push(format!("the answer {code}, which is not so")),
        1 | 3 if code != "internal" => {}
        _ => wrong.push(format!("it ended as {exit} {code}")),
    }
    if ran.took_ms > HANGS_MS {
        wrong.push(format!("it took {} ms", ran.took_ms));
    }
    wrong
}

/// Reads `meridian.jsonl` in a folder.
///
/// # Errors
/// It is not there, or no such report.
pub fn read_faults(folder: &Path) -> Result<FaultsReport, EvalError> {
    lines::read(folder, FAULTS_NAME).map(|(head, lines)| FaultsReport { head, lines })
}

/// The report for people.
#[must_use]
pub fn render_faults(report: &FaultsReport) -> String {
    let sources = lines::short(&report.head.sources);
    let (median, longest) = lines::times(report.lines.iter().map(|line| line.took_ms));
    let (head, lines) = (&report.head, &report.lines);
    let mut out = format!(
        "# Faults of the console\n\nCommand: `{}`  \nSources: `{sources}`  \nSeed: `{}`  \n\n{} runs, {} of them wrong. \
         In {} the fault struck; the others are on screens that the capability does not come to. At most {} records in a \
         run. Milliseconds a run: median {}, longest {}.\n\nEvery fault at every screen, once (`:1`) and for ever \
         (`:1000`), under every recorded capability of the console. A success has to be the one without a fault, nothing \
         is booked twice, what is said of the effect is what was booked, and nothing else is touched: the stand-in \
         decides.\n\n",
        head.command,
        head.seed,
        lines.len(),
        report.wrong(),
        lines.iter().filter(|line| line.struck > 0).count(),
        lines.iter().map(|line| line.booked).max().unwrap_or_default(),
        median,
        longest,
    );
    let mut cells: BTreeMap<(String, String), BTreeMap<String, usize>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.struck > 0) {
        let (capability, fault) = line.cell.split_once('/').unwrap_or((&line.cell, ""));
        let mode = fault.split([':', '@']).next().unwrap_or_default();
        let ended = cells.entry((capability.to_owned(), mode.to_owned())).or_default();
        *ended.entry(format!("{}, effect {}", line.ended, line.effect)).or_default() += 1;
    }
    out.push_str("| Capability | Fault | Ended, where it struck |\n|---|---|---|\n");
    for ((capability, mode), ended) in &cells {
        let told: Vec<String> = ended.iter().map(|(how, count)| format!("{how} ×{count}")).collect();
        let _ = writeln!(out, "| {capability} | {mode} | {} |", told.join("; "));
    }
    let wrong: Vec<String> = lines
        .iter()
        .filter(|line| !line.wrong.is_empty())
        .map(|line| format!("- {}: {}: {}", line.cell, line.ended, line.wrong.join("; ")))
        .collect();
    if !wrong.is_empty() {
        let _ = writeln!(out, "\n## Wrong\n\n{}", wrong.join("\n"));
    }
    out
}
