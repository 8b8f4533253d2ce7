//! Everything that `./x test` runs, in order, with one line of numbers at the end.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use anyhow::{Context, Result};

use crate::{
    cargo::{build_with_tests, cargo, root},
    demo, generated,
    leftovers::Before,
    tally::Tally,
};

/// The window is opened by one member alone, so that nothing else is built with a web view in its graph.
const DESKTOP: &str = "waymark-desktop-tests";

/// Everything else.
const SELECTION: [&str; 5] = ["--workspace", "--exclude", "waymark-desktop", "--exclude", DESKTOP];

/// Runs all of it, also after a failure, and says whether everything passed.
///
/// # Errors
/// A program could not be started at all.
pub fn run() -> Result<bool> {
    let mut sum = Tally::default();
    let mut lines = Vec::new();
    let mut note = |name: &str, started: Instant, tally: Tally| {
        sum += tally;
        let Tally { passed, failed } = tally;
        let seconds = started.elapsed().as_secs();
        lines.push(format!("  {name:<24} {passed:>5} passed {failed:>5} failed {seconds:>5} s"));
    };

    for (name, mut command) in checks() {
        announce(name);
        let started = Instant::now();
        let holds = command.status().with_context(|| format!("{name} could not be started"))?.success();
        note(name, started, Tally::of_one(holds));
    }

    announce("build");
    let started = Instant::now();
    let built = build_with_tests(&SELECTION).map_err(|fault| eprintln!("xtask: {fault:#}")).ok();
    note("build", started, Tally::of_one(built.is_some()));

    announce("generated files");
    let started = Instant::now();
    let fresh = built.is_some_and(|waymark| {
        generated::check_with(&waymark).unwrap_or_else(|fault| {
            eprintln!("xtask: {fault:#}");
            false
        })
    });
    note("generated files", started, Tally::of_one(fresh));

    let before = Before::look()?;
    for (name, mut command) in runners()? {
        announce(name);
        let started = Instant::now();
        before.mark(&mut command);
        note(name, started, count(name, command)?);
    }

    announce("demonstration");
    let started = Instant::now();
    let shown = demo::run().unwrap_or_else(|fault| {
        eprintln!("xtask: {fault:#}");
        false
    });
    note("demonstration", started, Tally::of_one(shown));

    announce("nothing left behind");
    let started = Instant::now();
    note("nothing left behind", started, Tally::of_one(before.nothing_is_left()?));

    println!();
    for line in lines {
        println!("{line}");
    }
    println!("{} passed, {} failed", sum.passed, sum.failed);
    Ok(sum.failed == 0 && sum.passed > 0)
}

fn announce(name: &str) {
    println!("\n== {name}");
}

/// What counts as one each: it holds or it does not.
fn checks() -> Vec<(&'static str, Command)> {
    let lint = ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let replay_only = ["check", "--locked", "--package", "waymark", "--no-default-features"];
    let mut checks = vec![
        ("format", cargo(&["fmt", "--all", "--check"])),
        ("lint", cargo(&lint)),
        ("replay-only build", cargo(&replay_only)),
    ];
    if has_ui() {
        checks.push(("ui packages", npm(&["ci", "--no-audit", "--no-fund"])));
        checks.push(("ui check", npm(&["run", "check"])));
    }
    checks
}

/// What counts its own tests.
fn runners() -> Result<Vec<(&'static str, Command)>> {
    let mut runners = Vec::new();
    if has_nextest()? {
        let mut tests = cargo(&["nextest", "run", "--locked", "--no-fail-fast", "--no-tests", "pass"]);
        tests.args(SELECTION).args(["--status-level", "fail", "--final-status-level", "fail"]);
        runners.push(("tests", tests));
        let mut examples = cargo(&["test", "--locked", "--doc", "--no-fail-fast"]);
        examples.args(SELECTION);
        runners.push(("examples in docs", examples));
    } else {
        let mut tests = cargo(&["test", "--locked", "--no-fail-fast"]);
        tests.args(SELECTION);
        runners.push(("tests", tests));
    }
    if has_ui() {
        runners.push(("ui tests", npm(&["test"])));
    }
    // It starts its own display and message bus.
    runners.push(("desktop window", cargo(&["test", "--locked", "--package", DESKTOP])));
    Ok(runners)
}

fn has_nextest() -> Result<bool> {
    let answer = cargo(&["nextest", "--version"]).output().context("cargo could not be started")?;
    Ok(answer.status.success())
}

fn has_ui() -> bool {
    root().join("ui/package.json").is_file()
}

fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(root().join("ui")).args(arguments).env("CI", "true").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// Runs a test runner, shows its output as it comes and reads its numbers.
fn count(name: &str, mut command: Command) -> Result<Tally> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{name} could not be started"))?;
    let output = child.stdout.take().context("no output")?;
    let errors = child.stderr.take().context("no error output")?;
    let reader = thread::spawn(move || pass_on(BufReader::new(errors), std::io::stderr()));
    let mut text = pass_on(BufReader::new(output), std::io::stdout());
    text.push('\n');
    text.push_str(&reader.join().unwrap_or_default());
    Ok(Tally::of_runner(&text, child.wait()?.success()))
}

/// Copies line by line and keeps what was copied. Bytes that are no text are replaced: a test may print anything.
fn pass_on(mut from: impl BufRead, mut to: impl Write) -> String {
    let (mut text, mut line) = (String::new(), Vec::new());
    while from.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        // A closed terminal must not end the tests.
        drop(to.write_all(&line));
        text.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    text
}
