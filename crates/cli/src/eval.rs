//! `waymark eval`: its arguments, and what is shown of a trial.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use waymark_eval::{
    DriftLine, DriftReport, DriftRequest, EvalError, FaultsLine, FaultsReport, FaultsRequest, ScenarioLine,
    ScenariosReport, ScenariosRequest, Verdict, drift, faults, render_drift, render_faults, render_scenarios,
    scenarios,
};
use waymark_run::{Code, ExitCode};

use crate::guarded::failure;
use crate::terminal::Terminal;

const DRIFT_LONG: &str = "Each page of each step is changed by a seed (renamed, wrapped, reordered, translated, and so on), one change a run,
and the whole capability is replayed on it. What is touched and sent is judged by the stand-in. The same pages are
tried with what other tools would have stored, where node and tests/bench/node_modules are there.

Exit code 0 where nothing was wrong, 1 where something was.";

const SCENARIOS_LONG: &str =
    "A scenario file declares, for one capability: parameters, what goes wrong, the tenant, and how the run has to
end. Each run has a stand-in of its own, which counts what was touched and what was booked. Copies of the artifacts
are approved for the trial; nothing in the checkout is.

Determinism is told as a yes or no for each capability: all runs of a scenario have the same journal of effects.

Exit code 0 where every run ended as declared, 1 where one did not.

Examples:
  waymark eval scenarios
  waymark eval scenarios fixtures/scenarios/meridian.transfer.yaml --runs 20 --out evidence/evals
  waymark eval scenarios --only tenant --report cross_tenant --out evidence/evals";

const FAULTS_LONG: &str =
    "Nobody says for each cell how it ends. A success has to be the one without a fault, an answer is given only where
the fault is one, nothing is booked twice, what is said of the effect is what was booked, nothing else is touched, and
every run comes to an end. The stand-in decides.

Exit code 0 where nothing was wrong, 1 where something was.";

/// Which trial.
#[derive(Debug, Args)]
pub(crate) struct EvalOptions {
    #[command(subcommand)]
    command: EvalCommand,
}

#[derive(Debug, Subcommand)]
enum EvalCommand {
    /// Change the pages under each step, and see what survives, refuses or goes wrong
    #[command(after_long_help = DRIFT_LONG)]
    Drift(DriftOptions),
    /// Strike every screen of the console with every fault, under every capability of it
    #[command(after_long_help = FAULTS_LONG)]
    Faults(FaultsOptions),
    /// Run what scenario files declare, again and again, and see whether it ends so
    #[command(after_long_help = SCENARIOS_LONG)]
    Scenarios(ScenariosOptions),
}

/// Which cells, and where the report goes.
#[derive(Debug, Args)]
struct FaultsOptions {
    /// Exactly this cell, as the report names it; may be given more than once
    #[arg(long = "cell", value_name = "CAPABILITY/FAULT", conflicts_with = "sample")]
    cells: Vec<String>,
    /// Only so many cells, spread over all
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Where a sample begins
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many runs at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Write meridian.md and meridian.jsonl into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What is run, how often, and where the report goes.
#[derive(Debug, Args)]
struct ScenariosOptions {
    /// Scenario files; all of fixtures/scenarios, if none is given
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only scenarios with this in their names; may be given more than once
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// How often each is run, instead of what the file says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
    /// How many scenarios at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Show the browser's window
    #[arg(long)]
    headed: bool,
    /// Write a report into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What the report is called
    #[arg(long, value_name = "NAME", default_value = "scenarios", requires = "out")]
    report: String,
}

/// What is tried, how often, and where the report goes.
#[derive(Debug, Args)]
struct DriftOptions {
    /// These artifacts instead of all in `artifacts`
    #[arg(long = "artifact", value_name = "FILE", num_args = 1..)]
    artifacts: Vec<PathBuf>,
    /// What the changes are drawn by
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many changed steps; every change of every step once, if not given
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Exactly this run, as the report names it; may be given more than once
    #[arg(long = "case", value_name = "CAPABILITY/STEP/CHANGE/SEED", conflicts_with = "steps")]
    cases: Vec<String>,
    /// How many runs at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Leave out what other tools would have stored
    #[arg(long)]
    no_baseline: bool,
    /// Write drift.md and drift.jsonl into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What the report says was typed
    #[arg(long, value_name = "TEXT", hide = true)]
    told_as: Option<String>,
}

pub(crate) fn run(options: EvalOptions, json: bool, terminal: &Terminal) -> ExitCode {
    match options.command {
        EvalCommand::Drift(options) => drifted(options, json, terminal),
        EvalCommand::Faults(options) => struck(options, json, terminal),
        EvalCommand::Scenarios(options) => tried(options, json, terminal),
    }
}

fn tried(options: ScenariosOptions, json: bool, terminal: &Terminal) -> ExitCode {
    let name = options.report;
    let request = ScenariosRequest {
        root: PathBuf::from("."),
        files: options.files,
        only: options.only,
        runs: options.runs.map(usize::from),
        jobs: options.jobs,
        headed: options.headed,
        out: options.out.map(|folder| (folder, name.clone())),
        command: typed(),
    };
    match scenarios(&request, &mut |line| terminal.progress(&told_of(line))) {
        Ok(report) => came(&name, &report, json, terminal),
        Err(error) => unfit(&error, json, terminal),
    }
}

fn struck(options: FaultsOptions, json: bool, terminal: &Terminal) -> ExitCode {
    let request = FaultsRequest {
        root: PathBuf::from("."),
        cells: options.cells,
        sample: options.sample,
        seed: options.seed,
        jobs: options.jobs,
        out: options.out,
        command: typed(),
    };
    match faults(&request, &mut |line| terminal.progress(&told_of_cell(line))) {
        Ok(report) => stood(&report, json, terminal),
        Err(error) => unfit(&error, json, terminal),
    }
}

fn stood(report: &FaultsReport, json: bool, terminal: &Terminal) -> ExitCode {
    if json {
        let (head, lines) = (&report.head, &report.lines);
        let wrong = report.wrong();
        terminal.json(&json!({ "schema": "waymark.eval-faults/1", "wrong": wrong, "head": head, "lines": lines }));
    } else {
        terminal.out(&render_faults(report));
    }
    if report.wrong() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILED }
}

fn told_of_cell(line: &FaultsLine) -> String {
    let mark = if line.wrong.is_empty() { "right" } else { "WRONG" };
    let (struck, wrong) = (line.struck, line.wrong.join("; "));
    format!("{mark} {:<72} {:<24} struck {struck:<4} {:>6} ms  {wrong}", line.cell, line.ended, line.took_ms)
}

fn came(name: &str, report: &ScenariosReport, json: bool, terminal: &Terminal) -> ExitCode {
    let well = report.is_as_declared();
    if json {
        terminal.json(&json!({
            "schema": "waymark.eval-scenarios/1",
            "as_declared": well,
            "deterministic": report.deterministic(),
            "head": report.head,
            "lines": report.lines,
        }));
    } else {
        terminal.out(&render_scenarios(name, report));
    }
    if well { ExitCode::SUCCESS } else { ExitCode::FAILED }
}

fn told_of(line: &ScenarioLine) -> String {
    let mark = if line.as_declared == line.runs { "as declared" } else { "OTHERWISE  " };
    let ended: Vec<String> = line.ended.iter().map(|(how, count)| format!("{how} x{count}")).collect();
    let (called, ended, wrong) =
        (format!("{}: {}", line.capability, line.scenario), ended.join(", "), line.wrong.join("; "));
    format!("{mark} {called:<90} {ended:<28} {:>6} ms  {wrong}", line.took_ms)
}

/// What was typed, as reports say it.
fn typed() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    format!("waymark {}", words.join(" "))
}

pub(crate) fn unfit(error: &EvalError, json: bool, terminal: &Terminal) -> ExitCode {
    let (code, exit) = match error {
        EvalError::Asked(_) => (Code::InvalidInvocation, ExitCode::REJECTED),
        _ => (Code::Internal, ExitCode::FAILED),
    };
    if json {
        terminal.json(&failure(code, &error.to_string(), exit));
    } else {
        terminal.err(&format!("error: {error}"));
    }
    exit
}

fn drifted(options: DriftOptions, json: bool, terminal: &Terminal) -> ExitCode {
    let request = DriftRequest {
        root: PathBuf::from("."),
        artifacts: options.artifacts,
        seed: options.seed,
        steps: options.steps,
        cases: options.cases,
        jobs: options.jobs,
        baseline: !options.no_baseline,
        out: options.out,
        command: options.told_as.unwrap_or_else(typed),
    };
    match drift(&request, &mut |line| terminal.progress(&told(line))) {
        Ok(report) => shown(&report, json, terminal),
        Err(error) => unfit(&error, json, terminal),
    }
}

fn shown(report: &DriftReport, json: bool, terminal: &Terminal) -> ExitCode {
    let wrong = report.count(Verdict::Wrong);
    if json {
        terminal.json(&json!({
            "schema": "waymark.eval-drift/1",
            "survived": report.count(Verdict::Survived),
            "refused": report.count(Verdict::Refused),
            "wrong": wrong,
            "not_applied": report.count(Verdict::NotApplied),
            "head": report.head,
            "lines": report.lines,
        }));
    } else {
        terminal.out(&render_drift(report));
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILED }
}

fn told(line: &DriftLine) -> String {
    let mark = match line.verdict {
        Verdict::Survived => "survived",
        Verdict::Refused => "refused ",
        Verdict::Wrong => "WRONG   ",
        Verdict::NotApplied => "without ",
    };
    let (changed, wrong) = (line.changed.as_deref().unwrap_or_default(), line.wrong.join("; "));
    format!("{mark} {:<70} {:<24} {:<14} {:>6} ms  {changed} {wrong}", line.case, line.ended, line.rung, line.took_ms)
}
