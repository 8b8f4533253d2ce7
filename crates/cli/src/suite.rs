//! `waymark suite`: its arguments, and what is shown of its verdicts.

use std::path::PathBuf;

use clap::Args;
use serde_json::Map;
use waymark_api::{
    ConditionCame, GoalVerdict, Provider, SuiteAnswer, SuiteNews, SuiteReport, SuiteRequest, Verdict, parameters_of,
    suite,
};
use waymark_run::{Code, Effect, ExitCode, Problem, Rejection};

use crate::args::{ModelOptions, Running};
use crate::discover::{navigator, selector};
use crate::dot_env::environment;
use crate::live::live;
use crate::progress::seconds;
use crate::terminal::{Mark, Terminal, plain};
use crate::usage;

const HELP: &str = "waymark suite --help";

pub(crate) const SUITE_LONG: &str = "Verdicts:
  PASS          every condition under `## Success` held at the end, and the engine itself saw it
  FAIL          the job was carried to its end, and a condition does not hold, or the application gave another answer
                that the goal or the application's profile declares
  INCONCLUSIVE  it could not be judged: the model cannot be reached, gives no usable answer or gives up, a bound is
                reached, the policy refused something, the browser ended, the goal cannot be read, it was told to end

INCONCLUSIVE is no evidence of health. Exit code 0 only where every goal passed, 1 where one did not, 4 where nothing
was started; told to end it returns 129, 130 or 143, and what was not judged is INCONCLUSIVE (interrupted).

A goal needs a condition that says what is there at the end; `Not text:` alone is met by an empty screen. What held from
the beginning proves nothing. One goal never stops the next. No draft is written; each goal has its run folder.

With a folder as --script, --selector-script or --cassette, NAME.jsonl in it belongs to the goal NAME.md.

Examples:
  waymark suite goals
  waymark suite goals/order.md goals/refund.md --params-file params.json --json
  waymark suite goals --provider scripted --script scripts";

/// Which goals, who decides, and what is allowed.
#[derive(Debug, Args)]
pub(crate) struct SuiteOptions {
    /// Goals as Markdown files, or folders of them
    #[arg(required = true, value_name = "FILE_OR_DIR")]
    paths: Vec<PathBuf>,
    /// Where all of them begin; instead of each file's own address
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Values as a JSON object in a file; each goal takes those that it names
    #[arg(long, value_name = "FILE")]
    params_file: Option<PathBuf>,
    #[command(flatten)]
    models: ModelOptions,
    /// The turns of --provider scripted, one JSON object a line; or a folder of such files
    #[arg(long, value_name = "FILE_OR_DIR")]
    script: Option<PathBuf>,
    /// The answers of --selector-provider scripted, one JSON object a line; or a folder of such files
    #[arg(long, value_name = "FILE_OR_DIR")]
    selector_script: Option<PathBuf>,
    /// Record what the models answer to this new file, of several goals into this folder; with --provider cassette, play it
    /// back instead of asking a model
    #[arg(long, value_name = "FILE_OR_DIR")]
    cassette: Option<PathBuf>,
    #[command(flatten)]
    running: Running,
}

pub(crate) fn run(options: SuiteOptions, json: bool, terminal: Terminal) -> ExitCode {
    let events = options.running.events;
    let request = match request(options) {
        Ok(request) => request,
        Err(problem) => {
            let rejection =
                Rejection::new(Code::InvalidInvocation, "cannot try the goals; nothing was started", vec![problem]);
            return usage::answer(&rejection, json || events, &terminal, HELP);
        }
    };
    let mut told = |news: SuiteNews<'_>| match news {
        SuiteNews::Begun { number, of, file } => {
            terminal.progress(&format!("goal {number} of {of}: {}", plain(&file.display().to_string())));
        }
        SuiteNews::Judged(item) => {
            let mark = terminal.mark_err(mark(item.verdict));
            terminal.progress(&format!("{mark} {} {}", item.verdict.as_str(), plain(&item.file)));
        }
    };
    let answer = live(terminal, events, json, async |watcher, stop| suite(&request, watcher, &mut told, stop).await);
    match answer {
        Err(code) => code,
        Ok(SuiteAnswer::Rejected(rejection)) => usage::answer(&rejection, json || events, &terminal, HELP),
        Ok(SuiteAnswer::Ended(report)) => {
            if json || events {
                terminal.json(&report);
            } else {
                terminal.out(&text(&report, &terminal));
            }
            report.exit_code
        }
    }
}

fn request(options: SuiteOptions) -> Result<SuiteRequest, Problem> {
    let params_file = match &options.params_file {
        Some(path) => parameters_of("--params-file", path)?,
        None => Map::new(),
    };
    let provider = navigator(&options.models, options.script, options.cassette.clone())?;
    let selector = selector(&options.models, options.selector_script)?;
    let playing = matches!(provider, Provider::Cassette(_));
    let running = options.running;
    Ok(SuiteRequest {
        paths: options.paths,
        url: options.url,
        params_file,
        env: environment(),
        provider,
        selector,
        cassette: options.cassette.filter(|_| !playing),
        approve_risk: running.consent(),
        browser: running.browser,
        headed: running.headed,
        evidence_root: running.place.evidence,
        config: running.config.config,
        pictures: !running.no_pictures,
    })
}

fn mark(verdict: Verdict) -> Mark {
    match verdict {
        Verdict::Pass => Mark::Ok,
        Verdict::Fail => Mark::Failed,
        Verdict::Inconclusive => Mark::Escalated,
    }
}

/// The verdicts for people: a line for each goal, and below it what kept it from passing.
fn text(report: &SuiteReport, terminal: &Terminal) -> String {
    let width = report.items.iter().map(|item| item.file.chars().count()).max().unwrap_or_default();
    let mut out = Vec::new();
    for item in &report.items {
        let code = item.code.map_or(String::new(), |code| format!("  {code}"));
        let (mark, verdict) = (terminal.mark_out(mark(item.verdict)), item.verdict.as_str());
        out.push(format!("{mark} {verdict:<12} {:<width$} {:>7}{code}", plain(&item.file), seconds(item.duration_ms)));
        if item.verdict != Verdict::Pass {
            out.extend(why(item));
        }
    }
    let simulated = report.items.iter().any(|item| item.model.as_ref().is_some_and(|model| model.simulated));
    let simulated = if simulated { " (simulated: not every answer came of a model)" } else { "" };
    let SuiteReport { passed, failed, inconclusive, .. } = report;
    let verdict = report.verdict.as_str();
    out.push(format!("{verdict}: {passed} passed, {failed} failed, {inconclusive} inconclusive{simulated}\n"));
    out.join("\n")
}

fn why(item: &GoalVerdict) -> Vec<String> {
    let mut out = vec![format!("    {}", plain(&item.message))];
    for problem in &item.problems {
        out.push(format!("    {}: {}", plain(&problem.place), plain(&problem.message)));
        if !problem.hint.is_empty() {
            out.push(format!("      hint: {}", plain(&problem.hint)));
        }
    }
    let came = |came: ConditionCame| match came {
        ConditionCame::Holds => "holds",
        ConditionCame::Stood => "held from the beginning",
        ConditionCame::Unmet => "does not hold",
        ConditionCame::Unknown => "not known",
    };
    out.extend(item.conditions.iter().map(|of| format!("    {}: {}", came(of.came), plain(&of.condition))));
    out.extend(item.notes.iter().map(|note| format!("    note: {}", plain(note))));
    if item.effect == Effect::Unknown {
        out.push("    a risky step was sent, and no record of it was looked up".to_owned());
    }
    out.extend(item.next.iter().map(|next| format!("    next: {}", plain(next))));
    out.extend(item.evidence.iter().map(|folder| format!("    evidence: {}", plain(folder))));
    out
}
