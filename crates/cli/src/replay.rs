//! `waymark replay`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::{Map, Value};
use tokio::sync::watch;
use waymark_api::{Consent, Given, ReplayAnswer, ReplayRequest, Stop, replay};
use waymark_run::{Code, ExitCode, JournalLine, Problem, RunStatus};

use crate::args::{Mode, Operator, ReplayOptions, Risk};
use crate::guarded::failure;
use crate::progress::Progress;
use crate::signals::Signals;
use crate::terminal::{Terminal, json_line, write_out};
use crate::{result, usage};

/// The most bytes of parameters that are read.
const MAX_PARAMS: u64 = 4 * 1024 * 1024;

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
    let request = request(options);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fault(&format!("the program's own loop could not start: {error}"), json || events),
    };
    let answer = runtime.block_on(async {
        let (told, stop) = watch::channel(None);
        // From here on no signal ends the program without a result.
        let signals = Signals::new()?;
        let ear = tokio::spawn(listen(signals, told, json || events));
        let mut progress = Progress::new(terminal);
        let mut watcher = |line: &JournalLine, clean: &Map<String, Value>| {
            if events {
                write_out(&json_line(clean));
            }
            progress.tell(line, clean);
        };
        let answer = replay(&request, &mut watcher, stop).await;
        ear.abort();
        io::Result::Ok(answer)
    });
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return fault(&format!("signals cannot be heard: {error}"), json || events),
    };
    match answer {
        ReplayAnswer::Rejected(rejection) => {
            if json || events {
                terminal.json(&rejection);
            } else {
                usage::show(&rejection, &terminal, "waymark replay --help");
            }
            rejection.exit_code
        }
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

fn request(options: ReplayOptions) -> ReplayRequest {
    let mut found = Vec::new();
    let mut json = Map::new();
    let stated = options.params.as_ref().map(|text| ("--params", Ok(text.clone())));
    let from_file = options.params_file.as_ref().map(|path| ("--params-file", read(path)));
    for (place, text) in [from_file, stated].into_iter().flatten() {
        match text.and_then(|text| object(&text)) {
            Ok(fields) => {
                for (name, value) in fields {
                    if json.insert(name.clone(), value).is_some() {
                        found.push(problem(&name, "twice", "it is given twice", "give each parameter once"));
                    }
                }
            }
            Err((word, message)) => {
                let hint = "a JSON object with the parameters: {\"username\": \"…\"}";
                found.push(problem(place, word, &message, hint));
            }
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
    }
}

type Unreadable = (&'static str, String);

fn read(path: &Path) -> Result<String, Unreadable> {
    let unreadable = |error: io::Error| {
        let what = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::InvalidData => "it is no text".to_owned(),
            _ => error.to_string(),
        };
        ("unreadable", format!("`{}` cannot be read: {what}", path.display()))
    };
    let source: Box<dyn Read> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(unreadable)?) };
    let mut text = String::new();
    source.take(MAX_PARAMS + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_PARAMS {
        return Err(("too_large", "there are more than 4 MiB of parameters".to_owned()));
    }
    Ok(text)
}

/// The parser's own words are left out: they may repeat a secret.
fn object(text: &str) -> Result<Map<String, Value>, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(("not_an_object", "this is JSON, but no object".to_owned())),
        Err(error) => Err(("not_json", format!("this is no JSON (line {}, column {})", error.line(), error.column()))),
    }
}

fn problem(place: &str, word: &str, message: &str, hint: &str) -> Problem {
    Problem { place: place.to_owned(), problem: word.to_owned(), message: message.to_owned(), hint: hint.to_owned() }
}

/// Waits for a signal: the first ends the run at its next safe point, the second ends the program.
async fn listen(mut signals: Signals, told: watch::Sender<Option<Stop>>, json: bool) {
    for last in [false, true] {
        let stop = signals.next().await;
        if last {
            let code = match stop {
                Stop::Interrupt => ExitCode::INTERRUPTED,
                Stop::Terminate => ExitCode::TERMINATED,
            };
            if json {
                write_out(&json_line(&failure(
                    Code::Interrupted,
                    "told to end twice; how far the run came is not known",
                    code,
                )));
            }
            std::process::exit(code.0.into());
        }
        told.send_replace(Some(stop));
    }
}

fn fault(message: &str, json: bool) -> ExitCode {
    if json {
        write_out(&json_line(&failure(Code::Internal, message, ExitCode::FAILED)));
    } else {
        crate::terminal::write_err(&format!("error: {message}"));
    }
    ExitCode::FAILED
}
