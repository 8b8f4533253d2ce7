//! What every verb does that runs something live: its own loop, signals, progress on standard error, events on request.

use std::io;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;
use waymark_api::{Stop, StopCause, Watcher};
use waymark_run::{Code, ExitCode, JournalLine};

use crate::guarded::failure;
use crate::progress::Progress;
use crate::signals;
use crate::terminal::{Terminal, json_line, write_out};

/// How long whoever reads the output gets to take the last words of a program that is told to end a third time.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Does some work that tells what happens and can be told to end. `json`: what goes wrong before is told as JSON.
pub(crate) fn live<T>(
    terminal: Terminal,
    events: bool,
    json: bool,
    work: impl AsyncFnOnce(&mut Watcher<'_>, watch::Receiver<Option<Stop>>) -> T,
) -> Result<T, ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| fault(&format!("the program's own loop could not start: {error}"), json || events))?;
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
        io::Result::Ok(work(&mut watcher, stop).await)
    });
    answer.map_err(|error| fault(&format!("signals cannot be heard: {error}"), json || events))
}

/// The first signal ends the run at its next safe point, the second at once, both with its result; the third ends the
/// program.
fn obey(cause: StopCause, number: u32, told: &watch::Sender<Option<Stop>>, json: bool) {
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

fn fault(message: &str, json: bool) -> ExitCode {
    if json {
        write_out(&json_line(&failure(Code::Internal, message, ExitCode::FAILED)));
    } else {
        crate::terminal::write_err(&format!("error: {message}"));
    }
    ExitCode::FAILED
}
