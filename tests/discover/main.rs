//! `waymark-discoveries [--job JOB] [--blow BLOW] [--at N] [--line N] [--into FOLDER]`: discoveries that go wrong at every
//! turn, in every way, and the judgement of what is left. Exit code 1 where anything is not as promised.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, ensure};
use waymark_tests::discover::{At, Cell, Line, NAME, cells, render, strike};
use waymark_tests::report::{Head, source_digest, write};
use waymark_tests::root;

/// Discoveries at a time: most of their time is waiting.
const AT_A_TIME: usize = 4;

#[derive(Default)]
struct Wish {
    job: Option<String>,
    blow: Option<String>,
    at: Option<usize>,
    line: Option<usize>,
    into: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("waymark-discoveries: {error:#}");
            ExitCode::from(4)
        }
    }
}

fn run() -> Result<bool> {
    let wish = wish()?;
    let waymark = std::env::current_exe()?.with_file_name("waymark");
    ensure!(waymark.is_file(), "build it first: cargo build --package waymark");
    let all = cells(&waymark)?;
    let cells: Vec<Cell> = all.iter().filter(|cell| is_wanted(&wish, cell)).copied().collect();
    let next = AtomicUsize::new(0);
    let lines = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            while let Some((job, blow, at)) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                let line = strike(&waymark, job, *blow, *at)?;
                println!(
                    "{job} {} {at:?}: {}, effect {}, booked {}, {} ms {:?}",
                    blow.word(),
                    line.ended,
                    line.effect,
                    line.booked,
                    line.ended_ms,
                    line.wrong
                );
                lines.lock().map_err(|_| anyhow::anyhow!("a run panicked"))?.push(line);
            }
            Ok(())
        };
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow::anyhow!("a run panicked"))?)
    })?;
    let mut lines: Vec<Line> = lines.into_inner().map_err(|_| anyhow::anyhow!("a run panicked"))?;
    let place =
        |line: &Line| all.iter().position(|(job, blow, at)| *job == line.job && *blow == line.blow && *at == line.at);
    lines.sort_by_key(place);
    let wrong = lines.iter().filter(|line| !line.wrong.is_empty()).count();
    println!("{} discoveries, {wrong} of them wrong", lines.len());
    if let Some(folder) = &wish.into {
        let head = Head { command: "./x long discover".to_owned(), sources: source_digest()?, seed: None, of: None };
        write(&root().join(folder), NAME, &head, &lines, &render(&head, &lines))?;
    }
    Ok(wrong == 0 && !lines.is_empty())
}

fn is_wanted(wish: &Wish, (job, blow, at): &Cell) -> bool {
    let place = match at {
        At::Turn(turn) => wish.line.is_none() && wish.at.is_none_or(|wanted| wanted == *turn),
        At::Line(line) => wish.at.is_none() && wish.line.is_none_or(|wanted| wanted == *line),
    };
    place
        && wish.job.as_deref().is_none_or(|wanted| wanted == *job)
        && wish.blow.as_deref().is_none_or(|wanted| wanted == blow.word())
}

fn wish() -> Result<Wish> {
    let mut wish = Wish::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--job" => wish.job = Some(value),
            "--blow" => wish.blow = Some(value),
            "--at" => wish.at = Some(value.parse()?),
            "--line" => wish.line = Some(value.parse()?),
            "--into" => wish.into = Some(value.into()),
            _ => anyhow::bail!("{flag} is not known; there are --job, --blow, --at, --line and --into"),
        }
    }
    Ok(wish)
}
