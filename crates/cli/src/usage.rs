//! Calls that are refused.

use std::ffi::OsString;
use std::io::IsTerminal as _;

use clap::error::{ContextKind, ErrorKind};
use waymark_run::{Code, ExitCode, Problem, Rejection};

use crate::terminal::{Terminal, json_line, plain, write_err, write_out};

/// Whether JSON is asked for, as far as can be told of arguments that may not be understood.
pub(crate) fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().skip(1).take_while(|argument| *argument != "--").any(|a| a == "--json" || a == "--events")
}

/// Answers what the parser could not use: help and version are answers, everything else is a bad invocation.
pub(crate) fn refuse(error: &clap::Error, json: bool) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = error.render();
            let color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
            write_out(&if color { text.ansi().to_string() } else { text.to_string() });
            ExitCode::SUCCESS
        }
        _ if json => {
            write_out(&json_line(&rejection(error)));
            ExitCode::REJECTED
        }
        _ => {
            write_err(error.render().to_string().trim_end());
            ExitCode::REJECTED
        }
    }
}

/// Answers a call that was rejected, as JSON or for people.
pub(crate) fn answer(rejection: &Rejection, json: bool, terminal: &Terminal, help: &str) -> ExitCode {
    if json {
        terminal.json(rejection);
    } else {
        show(rejection, terminal, help);
    }
    rejection.exit_code
}

/// One thing that is wrong with a call.
pub(crate) fn problem(place: &str, word: &str, message: &str, hint: &str) -> Problem {
    Problem::new(place, word, message, hint)
}

/// Shows a rejection for people.
pub(crate) fn show(rejection: &Rejection, terminal: &Terminal, help: &str) {
    let error = &rejection.error;
    terminal.err(&format!("error: {}", plain(&error.message)));
    let width = error.problems.iter().map(|problem| problem.place.chars().count()).max().unwrap_or_default().min(40);
    for problem in &error.problems {
        let mut lines = problem.message.lines();
        terminal.err(&format!("  {:<width$}  {}", plain(&problem.place), plain(lines.next().unwrap_or_default())));
        for line in lines {
            terminal.err(&format!("  {:<width$}  {}", "", plain(line)));
        }
        if !problem.hint.is_empty() {
            terminal.err(&format!("  {:<width$}  hint: {}", "", plain(&problem.hint)));
        }
    }
    terminal.err(&format!("help: {help}"));
}

fn rejection(error: &clap::Error) -> Rejection {
    let text = error.render().to_string();
    let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let context = |kind| error.get(kind).map(ToString::to_string);
    let place = context(ContextKind::InvalidArg).or_else(|| context(ContextKind::InvalidSubcommand));
    let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
        .into_iter()
        .find_map(context);
    let hint = match suggested {
        Some(word) => format!("did you mean {word}?"),
        None => "`waymark help` shows the commands".to_owned(),
    };
    let problem = match error.kind() {
        ErrorKind::UnknownArgument => "unknown_argument",
        ErrorKind::InvalidSubcommand | ErrorKind::MissingSubcommand => "unknown_command",
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "missing_command",
        ErrorKind::MissingRequiredArgument => "missing_argument",
        ErrorKind::ArgumentConflict => "conflict",
        _ => "invalid_value",
    };
    // Where clap answers with its whole help there is no sentence to repeat.
    let message = if problem == "missing_command" { "no command was given".to_owned() } else { message };
    let place = place.unwrap_or_else(|| "arguments".to_owned());
    let problem = Problem { place, problem: problem.to_owned(), message: message.clone(), hint };
    Rejection::new(Code::InvalidInvocation, message, vec![problem])
}
