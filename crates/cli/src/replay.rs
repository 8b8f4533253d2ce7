//! `waymark replay` and `waymark invoke`.

use std::io;
use std::path::PathBuf;

use serde_json::Map;
use waymark_api::{
    Given, ReplayAnswer, ReplayRequest, TenantWish, Wait, artifact_named, parameters, parameters_of, replay,
};
use waymark_run::{Code, ExitCode, Rejection, RunStatus};

use crate::args::{Call, InvokeOptions, Mode, Operator, ReplayOptions};
use crate::inject::Injection;
use crate::live::live;
use crate::terminal::Terminal;
use crate::{operator, result, usage};

pub(crate) fn run(options: ReplayOptions, json: bool, terminal: Terminal) -> ExitCode {
    called(options.artifact, options.mode, options.call, json, terminal, "waymark replay --help")
}

/// Invokes what a name stands for.
pub(crate) fn invoke(options: InvokeOptions, json: bool, terminal: Terminal) -> ExitCode {
    let json_wanted = json || options.call.running.events;
    match artifact_named(&options.place.artifacts, &options.name) {
        Ok(artifact) => called(artifact, options.mode, options.call, json, terminal, "waymark invoke --help"),
        Err(rejection) => usage::answer(&rejection, json_wanted, &terminal, "waymark list"),
    }
}

fn called(artifact: PathBuf, mode: Mode, options: Call, json: bool, terminal: Terminal, help: &str) -> ExitCode {
    if terminal.verbose() > 1 {
        // Its level comes from -vv alone: no variable of the environment is read.
        let _ = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_writer(io::stderr)
            .with_ansi(false)
            .try_init();
    }
    let (outcome_exit, events) = (ExitCode(options.outcome_exit), options.running.events);
    let injection = match Injection::set(&options.inject, options.base_url.as_deref(), options.fixture_key.as_deref()) {
        Ok(injection) => injection,
        Err(problems) => {
            let message = "the call asks for faults that cannot be had";
            let rejection = Rejection::new(Code::InvalidInvocation, message, problems);
            return usage::answer(&rejection, json || events, &terminal, help);
        }
    };
    let here = options.operator == Operator::Console;
    let request = request(artifact, mode, options);
    let answer = live(terminal, events, json, async |watcher, stop| {
        let (orders, desk) = operator::desk(here, terminal);
        // Where the run ends first, nobody reads the terminal any more.
        tokio::select! {
            answer = replay(&request, watcher, stop, Some(orders)) => answer,
            never = desk => match never {},
        }
    });
    if let Some(Err(message)) = injection.map(|injection| injection.clear()) {
        terminal.progress(&format!("warning: {message}"));
    }
    match answer {
        Err(code) => code,
        Ok(ReplayAnswer::Rejected(rejection)) => usage::answer(&rejection, json || events, &terminal, help),
        Ok(ReplayAnswer::Ended { mut result, columns }) => {
            if result.status == RunStatus::BusinessOutcome {
                result.exit_code = outcome_exit;
            }
            for warning in result::warnings(&result) {
                terminal.progress(&warning);
            }
            if json || events {
                terminal.json(&result);
            } else {
                terminal.out(&result::text(&result, &columns, &terminal));
            }
            result.exit_code
        }
    }
}

fn request(artifact: PathBuf, mode: Mode, options: Call) -> ReplayRequest {
    let mut found = Vec::new();
    let mut json = Map::new();
    let stated = options.params.as_ref().map(|text| parameters("--params", text.as_bytes()));
    let from_file = options.params_file.as_ref().map(|path| parameters_of("--params-file", path));
    for read in [from_file, stated].into_iter().flatten() {
        match read {
            Ok(fields) => {
                for (name, value) in fields {
                    if json.insert(name.clone(), value).is_some() {
                        found.push(usage::problem(&name, "twice", "it is given twice", "give each parameter once"));
                    }
                }
            }
            Err(problem) => found.push(problem),
        }
    }
    let wait = (options.operator != Operator::None).then_some(Wait {
        at_most: options.max_wait,
        lease: options.lease,
        window: options.running.headed,
    });
    let running = options.running;
    ReplayRequest {
        artifact,
        tenant: match (options.tenant, options.overlay) {
            (Some(name), _) => TenantWish::Named(name),
            (None, Some(file)) => TenantWish::Overlay(file),
            (None, None) => TenantWish::Base,
        },
        given: Given { json, texts: options.param },
        found,
        base_url: options.base_url,
        attended: mode == Mode::Attended,
        approve_risk: running.consent(),
        escalate: !options.no_escalate,
        browser: running.browser,
        headed: running.headed,
        timeout: options.timeout,
        evidence_root: running.place.evidence,
        config: running.config.config,
        keep_inputs: options.keep_inputs,
        wait,
        pictures: !running.no_pictures,
    }
}
