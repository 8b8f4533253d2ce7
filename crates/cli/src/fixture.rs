//! `waymark fixture`.

use std::io::Read as _;

use serde_json::json;
use waymark_fixture_apps::meridian::Variant;
use waymark_fixture_apps::{Options, Running, StartError, serve_cases, serve_meridian, serve_parabank};
use waymark_run::{Code, ExitCode, Problem, Rejection};

use crate::args::{Fixture, FixtureOptions, Skin};
use crate::guarded::failure;
use crate::signals::Signals;
use crate::terminal::Terminal;
use crate::usage;

pub(crate) fn run(options: &FixtureOptions, json: bool, terminal: &Terminal) -> ExitCode {
    if options.name != Fixture::Meridian && (options.variant != Skin::A || options.idle.is_some()) {
        let place = if options.variant != Skin::A { "--variant" } else { "--idle" };
        let message = "only `meridian` has it".to_owned();
        return refuse(message, place, "not_here", "leave it out, or serve `meridian`", json, terminal);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let served = runtime.map(|runtime| runtime.block_on(serve(options, json, terminal)));
    match served {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error @ StartError::PortInUse { .. })) => {
            refuse(error.to_string(), "--port", "in_use", "choose another port, or 0 for a free one", json, terminal)
        }
        Ok(Err(error @ StartError::NoFaults(_))) => {
            let hint = "`parabank` and `meridian` have some, each at places of its own: waymark help fixture";
            refuse(error.to_string(), "--inject", "no_faults", hint, json, terminal)
        }
        Ok(Err(error)) => fail(&error.to_string(), json, terminal),
        Err(error) => fail(&error.to_string(), json, terminal),
    }
}

fn refuse(message: String, place: &str, word: &str, hint: &str, json: bool, terminal: &Terminal) -> ExitCode {
    let problem =
        Problem { place: place.to_owned(), problem: word.to_owned(), message: message.clone(), hint: hint.to_owned() };
    let rejection = Rejection::new(Code::InvalidInvocation, message, vec![problem]);
    if json {
        terminal.json(&rejection);
    } else {
        usage::show(&rejection, terminal, "waymark fixture --help");
    }
    rejection.exit_code
}

async fn serve(options: &FixtureOptions, json: bool, terminal: &Terminal) -> Result<(), StartError> {
    let variant = match options.variant {
        Skin::A => Variant::A,
        Skin::B => Variant::B,
        Skin::C => Variant::C,
    };
    let wanted = Options {
        port: options.port,
        faults: options.inject.clone(),
        variant,
        idle: options.idle,
        ..Options::default()
    };
    let (name, running) = match options.name {
        Fixture::Parabank => ("parabank", serve_parabank(wanted).await?),
        Fixture::Meridian => ("meridian", serve_meridian(wanted).await?),
        Fixture::Cases => ("cases", serve_cases(wanted).await?),
    };
    // Before anybody can know that it is there: whoever knows may end it at once.
    let signals = Signals::new().map_err(|source| StartError::Listen { port: options.port, source })?;
    say(name, &running, json, terminal);
    ended(signals).await;
    running.stop().await;
    Ok(())
}

fn say(name: &str, running: &Running, json: bool, terminal: &Terminal) {
    let faults: Vec<String> = running.faults().iter().map(ToString::to_string).collect();
    if json {
        terminal.json(&json!({
            "schema": "waymark.fixture/1",
            "fixture": name,
            "base_url": running.base_url(),
            "port": running.addr().port(),
            "key": running.key(),
            "faults": faults,
        }));
    } else {
        terminal.out(&format!("{name} listens at {}\n", running.base_url()));
        terminal.out(&format!("its key is {}\n", running.key()));
        if !faults.is_empty() {
            terminal.out(&format!("it goes wrong: {}\n", faults.join(", ")));
        }
        terminal.progress("Nothing in it is real. End it with Ctrl-C.");
    }
}

/// Completes with SIGINT, with SIGTERM, or when a pipe on standard input closes: whoever started it is gone.
async fn ended(mut signals: Signals) {
    let closed = async {
        if !stdin_is_a_pipe() {
            std::future::pending::<()>().await;
        }
        let (said, hears) = tokio::sync::oneshot::channel();
        // A thread of its own: the runtime would wait for a read that never comes back.
        std::thread::spawn(move || {
            let mut bytes = [0u8; 256];
            let mut input = std::io::stdin().lock();
            while input.read(&mut bytes).is_ok_and(|read| read > 0) {}
            let _ = said.send(());
        });
        drop(hears.await);
    };
    tokio::select! {
        () = closed => {}
        _ = signals.next() => {}
    }
}

#[cfg(unix)]
fn stdin_is_a_pipe() -> bool {
    rustix::fs::fstat(std::io::stdin())
        .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Fifo)
}

#[cfg(not(unix))]
fn stdin_is_a_pipe() -> bool {
    use std::io::IsTerminal as _;
    !std::io::stdin().is_terminal()
}

fn fail(message: &str, json: bool, terminal: &Terminal) -> ExitCode {
    if json {
        terminal.json(&failure(Code::Internal, message, ExitCode::FAILED));
    } else {
        terminal.err(&format!("error: {message}"));
    }
    ExitCode::FAILED
}
