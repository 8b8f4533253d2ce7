//! The last net: a fault of the program ends with its number and, where JSON is asked for, with an object.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use waymark_run::{Code, ExitCode, Rejection, RunStatus};

use crate::terminal::{json_line, write_err, write_out};

static PLACE: Mutex<String> = Mutex::new(String::new());

/// Runs a command. A panic ends with 1 and says where it was, not with what: its words may hold values.
pub(crate) fn guarded(json: bool, command: impl FnOnce() -> ExitCode) -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        write_err(&format!("error: a fault of Waymark itself, at {place}; please report it"));
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        if json {
            let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone();
            write_out(&json_line(&failure(
                Code::Internal,
                &format!("a fault of Waymark itself, at {place}"),
                ExitCode::FAILED,
            )));
        }
        ExitCode::FAILED
    })
}

/// The document of a failure outside of a run.
pub(crate) fn failure(code: Code, message: &str, exit_code: ExitCode) -> Rejection {
    Rejection { status: RunStatus::Failed, exit_code, ..Rejection::new(code, message, Vec::new()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_with_1_and_a_command_with_its_own_number() {
        assert_eq!(guarded(false, || panic!("a secret")), ExitCode::FAILED);
        assert_eq!(guarded(true, || ExitCode::NEEDS_HUMAN), ExitCode::NEEDS_HUMAN);
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert!(place.contains("guarded.rs") && !place.contains("secret"), "{place}");
        let failure = failure(Code::Internal, "x", ExitCode::FAILED);
        assert_eq!((failure.status, failure.exit_code.0), (RunStatus::Failed, 1));
    }
}
