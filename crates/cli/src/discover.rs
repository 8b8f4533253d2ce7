//! `waymark discover`.

use std::io;

use serde_json::{Map, Value};
use tokio::sync::watch;
use waymark_api::{
    Consent, DiscoverAnswer, DiscoverRequest, DiscoveryReport, GoalFlags, GoalSource, Provider, discover, parameters_of,
};
use waymark_run::{Code, ExitCode, JournalLine, Problem, Rejection};

use crate::args::{DiscoverOptions, Mode, Risk};
use crate::progress::Progress;
use crate::replay::{fault, obey};
use crate::terminal::{Mark, Terminal, json_line, plain, write_out};
use crate::{signals, usage};

/// Longer files of settings are none.
const DOT_ENV: u64 = 64 * 1024;

pub(crate) fn run(options: DiscoverOptions, json: bool, terminal: Terminal) -> ExitCode {
    let events = options.events;
    let request = match request(options) {
        Ok(request) => request,
        Err(problem) => {
            let rejection =
                Rejection::new(Code::InvalidInvocation, "cannot discover; nothing was started", vec![problem]);
            return refuse(&rejection, json || events, &terminal);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fault(&format!("the program's own loop could not start: {error}"), json || events),
    };
    let answer = runtime.block_on(async {
        let (told, stop) = watch::channel(None);
        signals::listen(move |cause, number| obey(cause, number, &told, json || events))?;
        let mut progress = Progress::new(terminal);
        let mut watcher = |line: &JournalLine, clean: &Map<String, Value>| {
            if events {
                write_out(&json_line(clean));
            }
            progress.tell(line, clean);
        };
        io::Result::Ok(discover(&request, &mut watcher, stop).await)
    });
    match answer {
        Err(error) => fault(&format!("signals cannot be heard: {error}"), json || events),
        Ok(DiscoverAnswer::Rejected(rejection)) => refuse(&rejection, json || events, &terminal),
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

fn refuse(rejection: &Rejection, json: bool, terminal: &Terminal) -> ExitCode {
    if json {
        terminal.json(rejection);
    } else {
        usage::show(rejection, terminal, "waymark discover --help");
    }
    rejection.exit_code
}

fn request(options: DiscoverOptions) -> Result<DiscoverRequest, Problem> {
    let params_file = match &options.params_file {
        Some(path) => parameters_of("--params-file", path)?,
        None => Map::new(),
    };
    let provider = match (options.provider.as_deref(), options.script) {
        (Some("scripted"), Some(script)) => Provider::Scripted(script),
        (Some("scripted"), None) => {
            return Err(problem(
                "--script",
                "missing",
                "--provider scripted answers from a file",
                "name it with --script FILE",
            ));
        }
        (_, Some(_)) => {
            let message = "only --provider scripted answers from a script";
            return Err(problem("--script", "unfit", message, "add --provider scripted, or leave --script out"));
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
    Ok(DiscoverRequest {
        url: options.url.filter(|_| matches!(goal, GoalSource::File(_))),
        goal,
        params_file,
        env: std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect(),
        provider,
        version: options.capability_version,
        out: options.out,
        attended: options.mode == Mode::Attended,
        approve_risk: options.approve_risk.map(|risk| match risk {
            Risk::Risky => Consent::Risky,
            Risk::Irreversible => Consent::Irreversible,
        }),
        probes: options.probe,
        verify_effects: options.verify_effects,
        browser: options.browser,
        headed: options.headed,
        evidence_root: options.place.evidence,
        config: options.config.config,
        pictures: !options.no_pictures,
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
        Err(error) => Err(problem(".env", "unreadable", &error.to_string(), "correct it, or take it away")),
    }
}

fn problem(place: &str, word: &str, message: &str, hint: &str) -> Problem {
    Problem { place: place.to_owned(), problem: word.to_owned(), message: message.to_owned(), hint: hint.to_owned() }
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
