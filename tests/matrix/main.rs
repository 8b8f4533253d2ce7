//! `waymark-matrix faults`: runs the matrix, or a part of it, and writes its report.
//!
//! A line a run goes to standard output as it ends. With `--jobs N` it starts itself N times, each with a temporary
//! folder of its own, so that what a run leaves behind can be told apart.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use anyhow::{Context as _, Result, bail, ensure};
use waymark_matrix::{Cell, Line, NAME, World, cells, judged, pick, render, repeat, serve, told as told_of_many};
use waymark_tests::report::{Head, source_digest, write};
use waymark_tests::root;

const USAGE: &str = "waymark-matrix faults [--only TEXT]... [--slice N --seed SEED] [--jobs N] [--patience N] [--out FOLDER] [--keep FOLDER]";

/// What was asked for.
#[derive(Default)]
struct Asked {
    /// Texts of which a cell's name holds one.
    only: Vec<String>,
    cells: Vec<String>,
    slice: Option<usize>,
    seed: Option<String>,
    jobs: usize,
    /// How many times the usual time a run is given: more for a slow machine or an unoptimized build.
    patience: u32,
    part: Option<(usize, usize)>,
    out: Option<PathBuf>,
    keep: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("waymark-matrix: {error:#}");
            ExitCode::from(4)
        }
    }
}

fn run() -> Result<bool> {
    match env::args().nth(1).as_deref() {
        Some("serve") => return serve().map(|()| true),
        Some("determinism") => return many("determinism", 100, &["shell", "chromium"]),
        Some("memory") => return many("memory", 1000, &["shell"]),
        _ => {}
    }
    let asked = asked(env::args().skip(1))?;
    let chosen = chosen(&asked)?;
    if let Some((part, of)) = asked.part {
        return alone(&asked, chosen.iter().skip(part).step_by(of));
    }
    let lines = together(&asked, chosen.len())?;
    let wrong = lines.iter().filter(|line| !line.wrong.is_empty()).count();
    eprintln!("{} runs, {wrong} of them wrong", lines.len());
    if let Some(folder) = &asked.out {
        let part: Vec<String> = env::args().skip(2).collect();
        let command = match (asked.only.as_slice(), asked.slice) {
            ([], None) => "./x long faults".to_owned(),
            _ => format!("waymark-matrix faults {}", part.join(" ")),
        };
        let head = Head { command, sources: source_digest()?, seed: asked.seed.clone(), of: Some(cells()?.len()) };
        write(folder, NAME, &head, &lines, &render(&head, &lines))?;
    }
    Ok(wrong == 0 && lines.len() == chosen.len())
}

/// Runs the reference capability many times and writes the report. The number may be given behind the name, and a
/// folder behind that.
fn many(name: &str, times: usize, browsers: &[&'static str]) -> Result<bool> {
    let times = env::args().nth(2).map_or(Ok(times), |word| word.parse())?;
    let folder = env::args().nth(3).map(PathBuf::from);
    let all = repeat(times, browsers, |one| {
        if one.run % 10 == 0 {
            eprintln!(
                "{} {:>5}  {:<12} {:>6} ms  {:>7} KiB",
                one.browser, one.run, one.ended, one.took_ms, one.memory_kib
            );
        }
    })?;
    let wrong = judged(&all);
    let head = Head { command: format!("./x long {name}"), sources: source_digest()?, seed: None, of: None };
    let text = told_of_many(name, &head, &all, &wrong);
    eprintln!("{text}");
    if let Some(folder) = folder {
        write(&folder, name, &head, &all, &text)?;
    }
    Ok(wrong.is_empty())
}

fn asked(mut words: impl Iterator<Item = String>) -> Result<Asked> {
    ensure!(words.next().as_deref() == Some("faults"), "{USAGE}");
    let mut asked = Asked { jobs: 1, patience: 1, ..Asked::default() };
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("{word} needs a value; {USAGE}"))?;
        match word.as_str() {
            "--only" => asked.only.push(value),
            "--cell" => asked.cells.push(value),
            "--slice" => asked.slice = Some(value.parse()?),
            "--seed" => asked.seed = Some(value),
            "--jobs" => asked.jobs = value.parse::<usize>()?.max(1),
            "--patience" => asked.patience = value.parse::<u32>()?.max(1),
            "--out" => asked.out = Some(value.into()),
            "--keep" => asked.keep = Some(value.into()),
            "--part" => {
                let (part, of) = value.split_once('/').context("--part I/N")?;
                asked.part = Some((part.parse()?, of.parse()?));
            }
            _ => bail!("what is {word}? {USAGE}"),
        }
    }
    Ok(asked)
}

fn chosen(asked: &Asked) -> Result<Vec<Cell>> {
    let mut all = cells()?;
    if !asked.only.is_empty() {
        all.retain(|cell| asked.only.iter().any(|only| cell.to_string().contains(only)));
    }
    if !asked.cells.is_empty() {
        all.retain(|cell| asked.cells.contains(&cell.to_string()));
    }
    if let Some(slice) = asked.slice {
        let seed = asked.seed.as_deref().context("--slice needs --seed")?;
        let picked = pick(seed, slice, all.len());
        all = picked.into_iter().map(|at| all[at].clone()).collect();
    }
    ensure!(!all.is_empty(), "no cell fits");
    Ok(all)
}

/// Runs its part in this process and prints a line a run.
fn alone<'a>(asked: &Asked, part: impl Iterator<Item = &'a Cell>) -> Result<bool> {
    let mut world = World::new(asked.keep.clone(), asked.patience)?;
    for cell in part {
        // What the harness itself cannot do is a wrong line, so that the rest is still run.
        let line = world.run(cell).unwrap_or_else(|error| Line::broken(cell, &error));
        println!("{}", serde_json::to_string(&line)?);
    }
    Ok(true)
}

/// Starts itself as often as asked for and gathers the lines in the order of the cells.
fn together(asked: &Asked, count: usize) -> Result<Vec<Line>> {
    let own = env::current_exe()?;
    let folder = tempfile::tempdir()?;
    let mut parts = Vec::new();
    for part in 0..asked.jobs {
        let temporary = folder.path().join(part.to_string());
        fs::create_dir_all(&temporary)?;
        let mut command = Command::new(&own);
        command.args(["faults", "--part", &format!("{part}/{}", asked.jobs)]);
        pass_on(&mut command, asked);
        let mut child = command
            .current_dir(root())
            .env("TMPDIR", &temporary)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("a part could not be started")?;
        let output = child.stdout.take().context("no output")?;
        parts.push(thread::spawn(move || -> Result<Vec<Line>> {
            let mut lines = Vec::new();
            for text in BufReader::new(output).lines() {
                let line: Line = serde_json::from_str(&text?)?;
                eprintln!("{} {:<60} {:<24} {:>6} ms{}", mark(&line), line.cell, line.ended, line.took_ms, told(&line));
                lines.push(line);
            }
            ensure!(child.wait()?.success(), "a part failed");
            Ok(lines)
        }));
    }
    let mut of_parts = Vec::new();
    for part in parts {
        of_parts.push(part.join().map_err(|_| anyhow::anyhow!("a part broke off"))??.into_iter());
    }
    let mut lines = Vec::new();
    for at in 0..count {
        let turn = at % asked.jobs;
        lines.extend(of_parts[turn].next());
    }
    Ok(lines)
}

fn pass_on(command: &mut Command, asked: &Asked) {
    let mut give = |name: &str, value: &Path| {
        command.arg(name).arg(value);
    };
    for only in &asked.only {
        give("--only", Path::new(only));
    }
    for cell in &asked.cells {
        give("--cell", Path::new(cell));
    }
    if let (Some(slice), Some(seed)) = (asked.slice, &asked.seed) {
        give("--slice", Path::new(&slice.to_string()));
        give("--seed", Path::new(seed));
    }
    give("--patience", Path::new(&asked.patience.to_string()));
    if let Some(keep) = &asked.keep {
        give("--keep", keep);
    }
}

fn mark(line: &Line) -> char {
    if line.wrong.is_empty() { '✓' } else { '✗' }
}

fn told(line: &Line) -> String {
    if line.wrong.is_empty() { String::new() } else { format!("  {}", line.wrong.join("; ")) }
}
