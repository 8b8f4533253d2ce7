//! The command line: reads arguments, calls one function of the api, prints what it answers, returns its number.
//!
//! Results go to standard output, everything else to standard error. Nothing is decided here but how things look.

mod args;
mod catalog;
#[cfg(feature = "eval")]
mod demo;
#[cfg(feature = "discovery")]
mod discover;
mod doctor;
#[cfg(feature = "discovery")]
mod dot_env;
#[cfg(feature = "eval")]
mod eval;
mod fixture;
mod guarded;
mod inject;
mod live;
mod operator;
mod overlay;
mod progress;
mod replay;
mod result;
mod runs;
mod show;
mod signals;
#[cfg(feature = "discovery")]
mod suite;
mod terminal;
mod usage;
mod validate;

use clap::{CommandFactory as _, Parser as _};
use waymark_run::ExitCode;

use args::{Arguments, OverlayCommand, RunsCommand, Verb};
use terminal::Terminal;

fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    // Whoever asked for JSON gets it on a call that is not understood too.
    let json = usage::asks_for_json(&arguments);
    let code = guarded::guarded(json, || match Arguments::try_parse_from(&arguments) {
        Ok(arguments) => dispatch(arguments),
        Err(error) => usage::refuse(&error, json),
    });
    std::process::ExitCode::from(code.0)
}

fn dispatch(arguments: Arguments) -> ExitCode {
    let terminal = Terminal::new(arguments.look.color, arguments.look.quiet, arguments.look.verbose);
    let json = arguments.look.json;
    match arguments.verb {
        Verb::Replay(options) => replay::run(*options, json, terminal),
        #[cfg(feature = "discovery")]
        Verb::Discover(options) => discover::run(*options, json, terminal),
        #[cfg(feature = "discovery")]
        Verb::Suite(options) => suite::run(*options, json, terminal),
        Verb::Validate(options) => validate::run(&options, json, &terminal),
        Verb::Show { file } => show::run(&file, json, &terminal),
        Verb::List(place) => catalog::list(&place.artifacts, json, &terminal),
        Verb::Describe { name, place } => catalog::describe(&place.artifacts, &name, json, &terminal),
        Verb::Approve(options) => catalog::approve(options, json, &terminal),
        Verb::Overlay(options) => match options.command {
            OverlayCommand::Check { what } => overlay::run(&what, false, json, &terminal),
            OverlayCommand::Show { what } => overlay::run(&what, true, json, &terminal),
        },
        Verb::Invoke(options) => replay::invoke(*options, json, terminal),
        Verb::Fixture(options) => fixture::run(&options, json, &terminal),
        #[cfg(feature = "eval")]
        Verb::Demo(options) => demo::run(options, json, terminal),
        #[cfg(feature = "eval")]
        Verb::Eval(options) => eval::run(options, json, &terminal),
        Verb::Runs(options) => match options.command {
            RunsCommand::List { place, limit } => runs::list(&place.evidence, limit, json, &terminal),
            RunsCommand::Show { place, id } => runs::show(&place.evidence, &id, json, &terminal),
        },
        Verb::Operator(options) => operator::run(options, json, &terminal),
        Verb::Attach(options) => operator::attach(&options, &terminal),
        Verb::Schema { name } => schema(name.as_deref(), json, &terminal),
        Verb::Doctor(options) => doctor::run(options, json, &terminal),
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "waymark", &mut script);
            terminal.out(&String::from_utf8_lossy(&script));
            ExitCode::SUCCESS
        }
    }
}

fn schema(name: Option<&str>, json: bool, terminal: &Terminal) -> ExitCode {
    match name.and_then(waymark_api::schema) {
        Some(schema) if json => terminal.json(&schema),
        Some(schema) => terminal.out(&format!("{schema:#}\n")),
        None if json => {
            let items: Vec<_> = waymark_api::SCHEMAS
                .iter()
                .map(|(name, what)| serde_json::json!({"name": name, "describes": what}))
                .collect();
            terminal.json(&serde_json::json!({"schema": "waymark.schemas/1", "items": items}));
        }
        None => {
            for (name, what) in waymark_api::SCHEMAS {
                terminal.out(&format!("{name:<12} {what}\n"));
            }
        }
    }
    ExitCode::SUCCESS
}
