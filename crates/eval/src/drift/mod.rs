//! The drift of pages: each page of each step is changed in every way, and what a replay does then is judged by what the
//! stand-in saw.
//!
//! First a capability runs on untouched pages; which element got each event is remembered by the way to it. Then it runs
//! once for each change: the page's script keeps which element was which, changes the page before anybody can look at it,
//! and reports who is touched. The same pages, before and after, are tried with what other tools would have stored.

mod baseline;
mod case;
mod course;
mod ear;
mod judge;
mod report;
#[cfg(test)]
mod tests;
mod tried;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::stage::Stage;
use crate::world::World;
use crate::{EvalError, digest, lines, pool};
use baseline::Sample;
use case::{Case, Step, chosen};
use course::Course;
use ear::{Ear, Order};

pub use case::Mutation;
pub use judge::Verdict;
pub use report::{read_drift, render_drift};

/// The name of the report's files.
pub const DRIFT_NAME: &str = "drift";

/// What is to be tried.
#[derive(Clone, Debug)]
pub struct DriftRequest {
    /// The checkout: artifacts, configuration, values, and the tools of the baseline lie below it.
    pub root: PathBuf,
    /// Artifacts that are tried; all of the checkout where none is named.
    pub artifacts: Vec<PathBuf>,
    /// What the runs are drawn by.
    pub seed: u64,
    /// How many changed steps; each change of each step once where nothing is said.
    pub steps: Option<usize>,
    /// Exactly these, as `CAPABILITY/STEP/MUTATION/SEED`, instead.
    pub cases: Vec<String>,
    /// How many at the same time.
    pub jobs: usize,
    /// Whether the same pages are tried with what other tools store.
    pub baseline: bool,
    /// Where the report is written.
    pub out: Option<PathBuf>,
    /// What was typed.
    pub command: String,
}

/// What stands above the lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftHead {
    /// What was typed.
    pub command: String,
    /// The digest of the sources that were run.
    pub sources: String,
    /// What the runs were drawn by.
    pub seed: u64,
    /// Steps without a place on any page, which nothing was tried with, as `CAPABILITY/STEP`.
    pub without: Vec<String>,
    /// By whom the baseline was made, or why there is none.
    pub baseline: String,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftLine {
    /// `CAPABILITY/STEP/MUTATION/SEED`.
    pub case: String,
    /// What was done to the page; `None` where it could not be done.
    pub changed: Option<String>,
    /// What it was.
    pub verdict: Verdict,
    /// Exit code and code of the ending, such as `3 target_not_found`.
    pub ended: String,
    /// What the caller was told, where it stopped.
    pub why: String,
    /// The kind of rung that found the step's target on the changed page; empty where none did.
    pub rung: String,
    /// Milliseconds.
    pub took_ms: u64,
    /// What is wrong; empty where nothing is.
    pub wrong: Vec<String>,
    /// What others' locators did on the same page.
    pub baseline: BTreeMap<String, Verdict>,
}

impl DriftLine {
    pub(crate) fn parts(&self) -> (&str, &str, &str) {
        let mut parts = self.case.split('/');
        let mut next = || parts.next().unwrap_or_default();
        (next(), next(), next())
    }
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftReport {
    /// What stands above the lines.
    pub head: DriftHead,
    /// A line a run.
    pub lines: Vec<DriftLine>,
}

impl DriftReport {
    /// How many runs were of this kind.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.lines.iter().filter(|line| line.verdict == verdict).count()
    }
}

/// Tries, and writes the report where it is wanted. Each line is told as soon as it is there, without its baseline.
///
/// # Errors
/// The trial itself could not be carried out, or a capability does not do its work on untouched pages.
pub fn drift(request: &DriftRequest, each: &mut dyn FnMut(&DriftLine)) -> Result<DriftReport, EvalError> {
    let stage = Stage::set(&request.root)?;
    let capabilities = tried::capabilities(&stage, &request.root, &request.artifacts)?;
    let cases: Vec<Case> = request.cases.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let mut courses = BTreeMap::new();
    let mut world = World::new(false)?;
    for capability in &capabilities {
        if cases.is_empty() || cases.iter().any(|case| case.capability == capability.name) {
            courses.insert(capability.name.clone(), Course::walk(&mut world, &stage, capability)?);
        }
    }
    let steps: Vec<Step> = courses
        .iter()
        .flat_map(|(name, course)| {
            course.places.iter().map(|place| Step {
                capability: name.clone(),
                step: place.step.clone(),
                target: place.target.is_some() || !place.values.is_empty(),
            })
        })
        .collect();
    let cases = if cases.is_empty() { chosen(&steps, request.seed, request.steps) } else { cases };
    drop(world);
    let work = |world: &mut World, case: Case| once(world, &stage, &courses, &case, request.baseline);
    let done = pool::each(cases, request.jobs, false, work, &mut |(line, _)| each(line))?;
    let (mut lines, samples): (Vec<DriftLine>, Vec<Option<Sample>>) = done.into_iter().unzip();
    let samples: Vec<Sample> = samples.into_iter().flatten().collect();
    let mut baseline = "not asked for".to_owned();
    if request.baseline {
        let (by, mut verdicts) = baseline::run(&request.root, &samples)?;
        baseline = by;
        for line in &mut lines {
            line.baseline = verdicts.remove(&line.case).unwrap_or_default();
        }
    }
    let without =
        courses.iter().flat_map(|(name, course)| course.without.iter().map(move |step| format!("{name}/{step}")));
    let head = DriftHead {
        command: request.command.clone(),
        sources: digest::sources(&request.root)?,
        seed: request.seed,
        without: without.collect(),
        baseline,
    };
    let report = DriftReport { head, lines };
    if let Some(folder) = &request.out {
        lines::write(folder, DRIFT_NAME, &report.head, &report.lines, &render_drift(&report))?;
    }
    Ok(report)
}

fn once(
    world: &mut World,
    stage: &Stage,
    courses: &BTreeMap<String, Course>,
    case: &Case,
    copies: bool,
) -> Result<(DriftLine, Option<Sample>), EvalError> {
    let gone = || EvalError::Asked(format!("there is no such step on any page: {case}"));
    let course = courses.get(&case.capability).ok_or_else(gone)?;
    let place = course.places.iter().find(|place| place.step == case.step).ok_or_else(gone)?;
    let ear = Arc::new(Ear::with(Order {
        page: place.page.clone(),
        loads: course.loads.get(&place.page.0).copied().unwrap_or_default(),
        change: case.mutation.word(),
        seed: case.chance(),
        target: place.target.clone(),
        values: place.values.clone(),
        table: place.table,
        keep: course.keep.clone(),
        copies,
    }));
    let mut rung = String::new();
    let call = course.capability.call(&course.values, Some(&ear));
    let ran = world.run(stage, &call, &mut |_, line| found(line, &case.step, &mut rung))?;
    let documents = ear.documents();
    let struck = documents.iter().find(|document| document.page == place.page);
    let changed = struck.and_then(|document| document.struck.clone().flatten());
    let mut wrong = judge::wrong(course, &documents, &ran);
    if let Some(fault) = documents.iter().find_map(|document| document.fault.as_ref()) {
        wrong.push(format!("the change itself failed: {fault}"));
    }
    let verdict = match (wrong.is_empty(), &changed, ran.exit()) {
        (false, ..) => Verdict::Wrong,
        (true, None, _) => Verdict::NotApplied,
        (true, Some(_), 0) => Verdict::Survived,
        (true, Some(_), _) => Verdict::Refused,
    };
    let sample = struck.filter(|document| changed.is_some() && !document.mutated.is_empty()).map(|document| Sample {
        case: case.to_string(),
        pristine: document.pristine.clone(),
        mutated: document.mutated.clone(),
    });
    let line = DriftLine {
        case: case.to_string(),
        changed,
        verdict,
        ended: format!("{} {}", ran.exit(), ran.code()),
        why: ran.why().to_owned(),
        rung,
        took_ms: ran.took_ms,
        wrong,
        baseline: BTreeMap::new(),
    };
    Ok((line, sample))
}

/// Notes the kind of rung that found the target of a step.
fn found(line: &Map<String, Value>, step: &str, rung: &mut String) {
    let word = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
    if word("step") == step {
        match word("event") {
            "resolved" => line["report"]["kind"].as_str().unwrap_or_default().clone_into(rung),
            "unresolved" => rung.clear(),
            _ => {}
        }
    }
}
