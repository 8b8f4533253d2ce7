//! `waymark-abrupt [--job JOB] [--signal SIGNAL] [--at N] [--into FOLDER]`: ends runs at every line of their journal,
//! with every signal, and judges what is left. Exit code 1 where anything is not as promised.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, ensure};
use waymark_tests::abrupt::{JOBS, Line, NAME, Signal, positions, render, strike};
use waymark_tests::report::{Head, source_digest, write};
use waymark_tests::root;

/// Runs at a time: most of their time is waiting.
const AT_A_TIME: usize = 4;

#[derive(Default)]
struct Wish {
    job: Option<String>,
    signal: Option<String>,
    at: Option<usize>,
    into: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("waymark-abrupt: {error:#}");
            ExitCode::from(4)
        }
    }
}

fn run() -> Result<bool> {
    let wish = wish()?;
    let waymark = std::env::current_exe()?.with_file_name("waymark");
    ensure!(waymark.is_file(), "build it first: cargo build --package waymark");
    let cells = cells(&wish, &waymark)?;
    let lines = struck(&waymark, &cells)?;
    let wrong = lines.iter().filter(|line| !line.wrong.is_empty()).count();
    println!("{} runs, {wrong} of them wrong", lines.len());
    if let Some(folder) = &wish.into {
        let command = "./x long abrupt".to_owned();
        let head = Head { command, sources: source_digest()?, seed: None, of: None };
        write(&root().join(folder), NAME, &head, &lines, &render(&head, &lines))?;
    }
    Ok(wrong == 0 && !lines.is_empty())
}

fn wish() -> Result<Wish> {
    let mut wish = Wish::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--job" => wish.job = Some(value),
            "--signal" => wish.signal = Some(value),
            "--at" => wish.at = Some(value.parse()?),
            "--into" => wish.into = Some(value.into()),
            _ => anyhow::bail!("{flag} is not known; there are --job, --signal, --at and --into"),
        }
    }
    Ok(wish)
}

/// What is asked for, of all there is.
fn cells(wish: &Wish, waymark: &Path) -> Result<Vec<(&'static str, Signal, usize)>> {
    let mut cells = Vec::new();
    for job in JOBS.into_iter().filter(|job| wish.job.as_deref().is_none_or(|wanted| wanted == *job)) {
        let events = positions(waymark, job)?;
        println!("{job}: {} lines", events.len());
        for at in (0..events.len()).filter(|at| wish.at.is_none_or(|wanted| wanted == *at)) {
            let wanted = |signal: &Signal| {
                let word = format!("{signal:?}").to_lowercase();
                wish.signal.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(&word))
            };
            cells.extend(Signal::ALL.into_iter().filter(wanted).map(|signal| (job, signal, at)));
        }
    }
    Ok(cells)
}

/// Runs them, some at a time; the lines come in the order of the cells.
fn struck(waymark: &Path, cells: &[(&'static str, Signal, usize)]) -> Result<Vec<Line>> {
    let next = AtomicUsize::new(0);
    let lines = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some((job, signal, at)) = cells.get(number) else { return Ok(()) };
                let line = strike(waymark, job, *signal, *at)?;
                println!(
                    "{job} {signal:?} at {at}: {}, effect {}, sent {} {:?}",
                    line.ended, line.effect, line.sent, line.wrong
                );
                lines.lock().map_err(|_| anyhow::anyhow!("a run panicked"))?.push((number, line));
            }
        };
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow::anyhow!("a run panicked"))?)
    })?;
    let mut lines = lines.into_inner().map_err(|_| anyhow::anyhow!("a run panicked"))?;
    lines.sort_by_key(|(number, _)| *number);
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}
