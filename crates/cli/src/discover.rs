//! `waymark discover`.

use std::io;

use serde_json::Map;
use waymark_api::{
    DiscoverAnswer, DiscoverRequest, DiscoveryReport, GoalFlags, GoalSource, Provider, discover, parameters_of,
};
use waymark_run::{Code, ExitCode, Problem, Rejection};

use crate::args::DiscoverOptions;
use crate::live::live;
use crate::terminal::{Mark, Terminal, plain};
use crate::usage;

const HELP: &str = "waymark discover --help";

/// Longer files of settings are none.
const DOT_ENV: u64 = 64 * 1024;

pub(crate) fn run(options: DiscoverOptions, json: bool, terminal: Terminal) -> ExitCode {
    let events = options.running.events;
    let request = match request(options) {
        Ok(request) => request,
        Err(problem) => {
            let rejection =
                Rejection::new(Code::InvalidInvocation, "cannot discover; nothing was started", vec![problem]);
            return usage::answer(&rejection, json || events, &terminal, HELP);
        }
    };
    let answer = live(terminal, events, json, async |watcher, stop| discover(&request, watcher, stop).await);
    match answer {
        Err(code) => code,
        Ok(DiscoverAnswer::Rejected(rejection)) => usage::answer(&rejection, json || events, &terminal, HELP),
        Ok(DiscoverAnswer::Ended(report)) => {
            if json || events {
                terminal.json(&report);
            } else {
                terminal.out(&text(&report, &terminal));
            }
            report.result.exit_code
        }
    }
}

fn request(options: DiscoverOptions) -> Result<DiscoverRequest, Problem> {
    let params_file = match &options.params_file {
        Some(path) => parameters_of("--params-file", path)?,
        None => Map::new(),
    };
    let provider = match (options.provider.as_deref(), options.script) {
        (Some("scripted"), Some(script)) => Provider::Scripted(script),
        (Some("scripted"), None) => {
            return Err(usage::problem(
                "--script",
                "missing",
                "--provider scripted answers from a file",
                "name it with --script FILE",
            ));
        }
        (_, Some(_)) => {
            let message = "only --provider scripted answers from a script";
            return Err(usage::problem("--script", "unfit", message, "add --provider scripted, or leave --script out"));
        }
        (provider, None) => Provider::Network {
            provider: provider.map(str::to_owned),
            model: options.model,
            base_url: options.model_url,
            dot_env: dot_env()?,
        },
    };
    let goal = match options.goal_file {
        Some(file) => GoalSource::File(file),
        None => GoalSource::Flags(Box::new(GoalFlags {
            goal: options.goal,
            url: options.url.clone(),
            capability: options.capability,
            title: options.title,
            success: options.success,
            params: options.param,
            outcomes: options.outcome,
            outputs: options.output,
            max_steps: options.max_steps,
            max_model_calls: options.max_model_calls,
            max_seconds: options.max_seconds,
            max_usd: options.max_usd,
            call_seconds: options.call_seconds,
            params_file: options.params_file.as_ref().map(|_| params_file.clone()),
        })),
    };
    let running = options.running;
    Ok(DiscoverRequest {
        url: options.url.filter(|_| matches!(goal, GoalSource::File(_))),
        goal,
        params_file,
        env: std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect(),
        provider,
        version: options.capability_version,
        out: options.out,
        approve_risk: running.consent(),
        probes: options.probe,
        verify_effects: options.verify_effects,
        browser: running.browser,
        headed: running.headed,
        evidence_root: running.place.evidence,
        config: running.config.config,
        pictures: !running.no_pictures,
    })
}

/// The text of `.env` in this folder, where there is one.
fn dot_env() -> Result<Option<String>, Problem> {
    let read = std::fs::metadata(".env").and_then(|found| {
        if found.len() > DOT_ENV {
            return Err(io::Error::other("it is too large"));
        }
        std::fs::read_to_string(".env")
    });
    match read {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(usage::problem(".env", "unreadable", &error.to_string(), "correct it, or take it away")),
    }
}

/// The report for people.
fn text(report: &DiscoveryReport, terminal: &Terminal) -> String {
    let mut out = Vec::new();
    let simulated = if report.model.simulated { " (simulated: no model was asked)" } else { "" };
    let decided = format!("{} {}{simulated}", plain(&report.model.provider), plain(&report.model.model));
    match &report.result.error {
        None => out.push(format!("{} Recorded", terminal.mark_out(Mark::Ok))),
        Some(error) => {
            out.push(format!("{} {}: {}", terminal.mark_out(Mark::Failed), error.code, plain(&error.message)));
            out.push(format!("  next: {}", plain(&error.next)));
        }
    }
    out.push(format!("  decided by {decided}; {} turns, {} calls", report.turns, report.calls));
    if let Some(draft) = &report.draft {
        out.push(format!(
            "  {} {}@{}, {} steps: {}",
            "draft",
            draft.id,
            draft.version,
            draft.steps,
            plain(&draft.file)
        ));
        for left in &draft.left_out {
            out.push(format!("  left out: {}", plain(left)));
        }
        if let Some(verification) = &draft.verification {
            out.push(format!("  verified: {}, {}", verification.verified, plain(&verification.message)));
            for probe in &verification.probes {
                out.push(format!("  with other {}: {}", plain(&probe.of), plain(&probe.came)));
            }
            for outcome in &verification.outcomes {
                out.push(format!("  outcome {}: {}", plain(&outcome.of), plain(&outcome.came)));
            }
        }
    }
    if let Some(folder) = &report.result.evidence {
        out.push(format!("Evidence: {}", plain(folder)));
    }
    out.push(String::new());
    out.join("\n")
}
