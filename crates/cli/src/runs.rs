//! `waymark runs`.

use std::path::Path;

use waymark_api::{RunDetail, RunState, RunSummary, runs_list, runs_show};
use waymark_run::{ExitCode, Rejection};

use crate::progress::seconds;
use crate::terminal::{Terminal, plain};
use crate::{result, usage};

pub(crate) fn list(root: &Path, limit: Option<usize>, json: bool, terminal: &Terminal) -> ExitCode {
    let mut runs = match runs_list(root) {
        Ok(runs) => runs,
        Err(rejection) => return refuse(&rejection, json, terminal),
    };
    runs.items.truncate(limit.unwrap_or(usize::MAX));
    if json {
        terminal.json(&runs);
    } else if runs.items.is_empty() {
        terminal.err(&format!("no runs in {}", root.display()));
    } else {
        let mut text = String::new();
        for run in &runs.items {
            text.push_str(&row(run));
        }
        terminal.out(&text);
    }
    ExitCode::SUCCESS
}

pub(crate) fn show(root: &Path, id: &str, json: bool, terminal: &Terminal) -> ExitCode {
    match runs_show(root, id) {
        Ok(run) if json => terminal.json(&run),
        Ok(run) => terminal.out(&text(&run.detail)),
        Err(rejection) => return refuse(&rejection, json, terminal),
    }
    ExitCode::SUCCESS
}

fn refuse(rejection: &Rejection, json: bool, terminal: &Terminal) -> ExitCode {
    if json {
        terminal.json(rejection);
    } else {
        usage::show(rejection, terminal, "waymark runs --help");
    }
    rejection.exit_code
}

fn row(run: &RunSummary) -> String {
    let ending = match &run.code {
        Some(code) => format!("{} ({code})", ending(run)),
        None => ending(run),
    };
    let what = capability(run);
    let took = run.duration_ms.map(seconds).unwrap_or_default();
    let problem = run.problem.as_ref().map(|problem| format!("  {}", plain(problem))).unwrap_or_default();
    format!("{}  {:<10} {:<38} {:<46} {took}{problem}\n", run.started_at, run.id, plain(&ending), plain(&what))
}

fn ending(run: &RunSummary) -> String {
    let state = match run.state {
        RunState::Running => "running",
        RunState::Interrupted => "interrupted",
        RunState::Broken => "broken",
        RunState::Ended => "ended",
    };
    run.status.map_or(state, |status| status.as_str()).to_owned()
}

fn capability(run: &RunSummary) -> String {
    run.capability.as_ref().map(|ran| format!("{}@{}", ran.id, ran.version)).unwrap_or_default()
}

fn text(detail: &RunDetail) -> String {
    let summary = &detail.summary;
    let mut out = format!("{}  {}  {}\n", summary.id, ending(summary), capability(summary));
    out.push_str(&format!("  started   {}\n", summary.started_at));
    if let Some(took) = summary.duration_ms {
        out.push_str(&format!("  took      {}\n", seconds(took)));
    }
    if let Some(code) = &summary.code {
        out.push_str(&format!("  code      {}\n", plain(code)));
    }
    let message = detail.result.as_ref().and_then(|result| {
        let error = result.error.as_ref().map(|error| &error.message);
        let escalation = result.escalation.as_ref().map(|escalation| &escalation.message);
        error.or(escalation).or(result.business_outcome.as_ref().map(|outcome| &outcome.message))
    });
    if let Some(message) = message {
        out.push_str(&format!("  message   {}\n", plain(message)));
    }
    if let Some(effect) = summary.effect {
        out.push_str(&format!("  effect    {}\n", result::effect(effect)));
    }
    if let Some(problem) = &summary.problem {
        out.push_str(&format!("  problem   {}\n", plain(problem)));
    }
    out.push_str(&format!("  journal   {}\n", journal(detail)));
    for problem in detail.journal.problems.iter().take(10) {
        out.push_str(&format!("            line {}: {}\n", problem.line, plain(&problem.message)));
    }
    out.push_str(&format!("  folder    {}\n", summary.path.display()));
    for file in &detail.files {
        out.push_str(&format!("            {}\n", plain(file)));
    }
    out
}

fn journal(detail: &RunDetail) -> String {
    match &detail.verified {
        Some(verified) if verified.holds() => format!("{} lines, as they were written", verified.lines),
        Some(verified) => {
            let mut text = format!("{} lines", verified.lines);
            if let Some(first) = &verified.first {
                text.push_str(&format!(
                    "; NOT as it was written, first at line {}: {}",
                    first.line,
                    plain(&first.message)
                ));
            }
            if verified.torn {
                text.push_str("; its last line was torn off");
            }
            if !verified.ended {
                text.push_str("; without an end");
            }
            text
        }
        None => "none".to_owned(),
    }
}
