//! `waymark replay`.

use std::io;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;
use waymark_api::{Consent, Given, ReplayAnswer, ReplayRequest, Stop, StopCause, parameters, parameters_of, replay};
use waymark_run::{Code, ExitCode, JournalLine, Problem, Rejection, RunStatus};

use crate::args::{Mode, Operator, ReplayOptions, Risk};
use crate::guarded::failure;
use crate::inject::Injection;
use crate::progress::Progress;
use crate::signals;
use crate::terminal::{Terminal, json_line, write_out};
use crate::{result, usage};

pub(crate) fn run(options: ReplayOptions, json: bool, terminal: Terminal) -> ExitCode {
    if terminal.verbose() > 1 {
        // Its level comes from -vv alone: no variable of the environment is read.
        let _ = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_writer(io::stderr)
            .with_ansi(false)
            .try_init();
    }
    let (outcome_exit, events) = (ExitCode(options.outcome_exit), options.events);
    let injection = match Injection::set(&options.inject, options.base_url.as_deref(), options.fixture_key.as_deref()) {
        Ok(injection) => injection,
        Err(problems) => {
            let message = "the call asks for faults that cannot be had";
            let rejection = Rejection::new(Code::InvalidInvocation, message, problems);
            return refuse(&rejection, json || events, &terminal);
        }
    };
    let request = request(options);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fault(&format!("the program's own loop could not start: {error}"), json || events),
    };
    let answer = runtime.block_on(async {
        let (told, stop) = watch::channel(None);
        // From here on no signal ends the program without a result.
        signals::listen(move |cause, number| obey(cause, number, &told, json || events))?;
        let mut progress = Progress::new(terminal);
        let mut watcher = |line: &JournalLine, clean: &Map<String, Value>| {
            if events {
                write_out(&json_line(clean));
            }
            progress.tell(line, clean);
        };
        io::Result::Ok(replay(&request, &mut watcher, stop).await)
    });
    if let Some(Err(message)) = injection.map(|injection| injection.clear()) {
        terminal.progress(&format!("warning: {message}"));
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return fault(&format!("signals cannot be heard: {error}"), json || events),
    };
    match answer {
        ReplayAnswer::Rejected(rejection) => refuse(&rejection, json || events, &terminal),
        ReplayAnswer::Ended { mut result, columns } => {
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

fn refuse(rejection: &Rejection, json: bool, terminal: &Terminal) -> ExitCode {
    if json {
        terminal.json(rejection);
    } else {
        usage::show(rejection, terminal, "waymark replay --help");
    }
    rejection.exit_code
}

fn request(options: ReplayOptions) -> ReplayRequest {
    let mut found = Vec::new();
    let mut json = Map::new();
    let stated = options.params.as_ref().map(|text| parameters("--params", text.as_bytes()));
    let from_file = options.params_file.as_ref().map(|path| parameters_of("--params-file", path));
    for read in [from_file, stated].into_iter().flatten() {
        match read {
            Ok(fields) => {
                for (name, value) in fields {
                    if json.insert(name.clone(), value).is_some() {
                        found.push(problem(&name, "twice", "it is given twice", "give each parameter once"));
                    }
                }
            }
            Err(problem) => found.push(problem),
        }
    }
    let Operator::None = options.operator;
    ReplayRequest {
        artifact: options.artifact,
        given: Given { json, texts: options.param },
        found,
        base_url: options.base_url,
        attended: options.mode == Mode::Attended,
        approve_risk: options.approve_risk.map(|risk| match risk {
            Risk::Risky => Consent::Risky,
            Risk::Irreversible => Consent::Irreversible,
        }),
        escalate: !options.no_escalate,
        browser: options.browser,
        headed: options.headed,
        timeout: options.timeout,
        evidence_root: options.place.evidence,
        config: options.config.config,
        keep_inputs: options.keep_inputs,
        pictures: !options.no_pictures,
    }
}

fn problem(place: &str, word: &str, message: &str, hint: &str) -> Problem {
    Problem { place: place.to_owned(), problem: word.to_owned(), message: message.to_owned(), hint: hint.to_owned() }
}

/// How long whoever reads the output gets to take the last words of a program that is told to end a third time.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The first signal ends the run at its next safe point, the second at once, both with its result; the third ends the
/// program.
pub(crate) fn obey(cause: StopCause, number: u32, told: &watch::Sender<Option<Stop>>, json: bool) {
    if number < 3 {
        told.send_replace(Some(Stop { cause, at_once: number == 2 }));
        return;
    }
    let code = cause.exit_code();
    if json {
        let (said, hears) = std::sync::mpsc::channel();
        // Somebody may hold the output and not come back.
        std::thread::spawn(move || {
            let message = "told to end three times; the run's folder says how far it came";
            write_out(&json_line(&failure(Code::Interrupted, message, code)));
            let _ = said.send(());
        });
        let _ = hears.recv_timeout(LAST_WORDS);
    }
    std::process::exit(code.0.into());
}

pub(crate) fn fault(message: &str, json: bool) -> ExitCode {
    if json {
        write_out(&json_line(&failure(Code::Internal, message, ExitCode::FAILED)));
    } else {
        crate::terminal::write_err(&format!("error: {message}"));
    }
    ExitCode::FAILED
}
