//! `waymark discover`.

use std::path::PathBuf;

use serde_json::Map;
use waymark_api::{
    DiscoverAnswer, DiscoverRequest, DiscoveryReport, GoalFlags, GoalSource, Provider, discover, parameters_of,
};
use waymark_run::{Code, ExitCode, Problem, Rejection};

use crate::args::{DiscoverOptions, ModelOptions};
use crate::dot_env::{dot_env, environment};
use crate::live::live;
use crate::terminal::{Mark, Terminal, plain};
use crate::usage;

const HELP: &str = "waymark discover --help";

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
    let provider = navigator(&options.models, options.script, options.cassette.clone())?;
    let selector = selector(&options.models, options.selector_script)?;
    let playing = matches!(provider, Provider::Cassette(_));
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
        env: environment(),
        provider,
        selector,
        cassette: options.cassette.filter(|_| !playing),
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

/// Who decides.
pub(crate) fn navigator(
    said: &ModelOptions,
    script: Option<PathBuf>,
    cassette: Option<PathBuf>,
) -> Result<Provider, Problem> {
    if said.provider.as_deref() == Some("cassette") {
        return played(script.is_some(), cassette);
    }
    role(Role {
        flags: ["--provider", "--script"],
        provider: said.provider.clone(),
        model: said.model.clone(),
        base_url: said.model_url.clone(),
        script,
    })
}

/// Who tells elements apart.
pub(crate) fn selector(said: &ModelOptions, script: Option<PathBuf>) -> Result<Provider, Problem> {
    role(Role {
        flags: ["--selector-provider", "--selector-script"],
        provider: said.selector_provider.clone(),
        model: said.selector_model.clone(),
        base_url: said.selector_url.clone(),
        script,
    })
}

/// The recording that is played back.
fn played(scripted: bool, cassette: Option<PathBuf>) -> Result<Provider, Problem> {
    if scripted {
        let hint = "leave --script out, or say --provider scripted";
        return Err(usage::problem("--script", "unfit", "a recording is played back instead of a script", hint));
    }
    let Some(file) = cassette else {
        let message = "--provider cassette plays back what was recorded";
        return Err(usage::problem("--cassette", "missing", message, "name it with --cassette FILE"));
    };
    Ok(Provider::Cassette(file))
}

/// What was said of one role.
struct Role {
    /// The flags of its provider and its script.
    flags: [&'static str; 2],
    provider: Option<String>,
    model: Option<String>,
    base_url: Option<String>,
    script: Option<PathBuf>,
}

fn role(role: Role) -> Result<Provider, Problem> {
    let Role { flags: [provider_flag, script_flag], provider, model, base_url, script } = role;
    match (provider.as_deref(), script) {
        (Some("scripted"), Some(script)) => Ok(Provider::Scripted(script)),
        (Some("scripted"), None) => Err(usage::problem(
            script_flag,
            "missing",
            &format!("{provider_flag} scripted answers from a file"),
            &format!("name it with {script_flag} FILE"),
        )),
        (_, Some(_)) => {
            let message = format!("only {provider_flag} scripted answers from a script");
            let hint = format!("add {provider_flag} scripted, or leave {script_flag} out");
            Err(usage::problem(script_flag, "unfit", &message, &hint))
        }
        (_, None) => Ok(Provider::Network { provider, model, base_url, dot_env: dot_env()? }),
    }
}

/// The report for people.
fn text(report: &DiscoveryReport, terminal: &Terminal) -> String {
    let mut out = Vec::new();
    let simulated = match (&report.played_back, report.model.simulated) {
        (Some(_), _) => " (played back: no model was asked)",
        (None, true) => " (simulated: no model was asked)",
        (None, false) => "",
    };
    let decided = format!("{} {}{simulated}", plain(&report.model.provider), plain(&report.model.model));
    match &report.result.error {
        None => out.push(format!("{} Recorded", terminal.mark_out(Mark::Ok))),
        Some(error) => {
            out.push(format!("{} {}: {}", terminal.mark_out(Mark::Failed), error.code, plain(&error.message)));
            out.push(format!("  next: {}", plain(&error.next)));
        }
    }
    out.push(format!("  decided by {decided}; {} turns, {} calls", report.turns, report.calls));
    if let Some(selector) = &report.selector {
        let simulated = if selector.simulated { " (simulated: no model was asked)" } else { "" };
        out.push(format!("  told apart by {} {}{simulated}", plain(&selector.provider), plain(&selector.model)));
    }
    if let Some(cassette) = &report.cassette {
        out.push(format!("  answers recorded to {}", plain(cassette)));
    }
    out.extend(report.notes.iter().map(|note| format!("  note: {}", plain(note))));
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
        for warning in &draft.warnings {
            out.push(format!("  warning: {}", plain(warning)));
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
