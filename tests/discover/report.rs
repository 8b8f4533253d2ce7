//! Which discoveries are struck, and what is told of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use super::job::JOBS;
use super::strike::{At, Blow, Line, lines_after_draft, turns};
use crate::abrupt::pick;
use crate::report::{Head, median};

/// The name of the report.
pub const NAME: &str = "discover";

/// One discovery to be struck.
pub type Cell = (&'static str, Blow, At);

/// Of the lines after a draft every so manieth is struck.
const EVERY: usize = 6;

/// Every job's verifying replay has so many lines.
const LATE_LINES: usize = 20;

/// All there are: each turn of each job by each blow, and lines of the replay that verifies.
///
/// # Errors
/// A job does not succeed undisturbed.
pub fn cells(waymark: &Path) -> Result<Vec<Cell>> {
    let mut cells = Vec::new();
    for job in JOBS {
        for blow in Blow::ALL {
            cells.extend((1..=last(job, blow)?).map(|at| (job, blow, At::Turn(at))));
        }
        let lines = lines_after_draft(waymark, job)?;
        for blow in Blow::LATE {
            cells.extend((0..lines).step_by(EVERY).map(|at| (job, blow, At::Line(at))));
        }
    }
    Ok(cells)
}

/// Some of them, as the seed decides: for each job one of each kind.
///
/// # Errors
/// A job has no script.
pub fn slice(seed: &str) -> Result<Vec<Cell>> {
    let kinds = [&Blow::ALL[..9], &Blow::ALL[9..16], &Blow::ALL[16..]];
    let mut cells = Vec::new();
    for job in JOBS {
        for (number, kind) in kinds.into_iter().enumerate() {
            let blow = kind[pick(seed, &format!("{job} kind {number}"), kind.len())];
            let turn = 1 + pick(seed, &format!("{job} {blow:?}"), last(job, blow)?);
            cells.push((job, blow, At::Turn(turn)));
        }
    }
    let late = Blow::LATE[pick(seed, "late", Blow::LATE.len())];
    cells.push((JOBS[pick(seed, "late job", JOBS.len())], late, At::Line(pick(seed, "late line", LATE_LINES))));
    Ok(cells)
}

/// The last turn that a blow can strike. The very last one says that it is done: no bound of turns or calls ends it any more.
fn last(job: &str, blow: Blow) -> Result<usize> {
    let bound = matches!(blow, Blow::Steps | Blow::Calls | Blow::Money);
    Ok(turns(job)? - usize::from(bound))
}

/// The report for people.
#[must_use]
pub fn render(head: &Head, lines: &[Line]) -> String {
    let wrong: Vec<&Line> = lines.iter().filter(|line| !line.wrong.is_empty()).collect();
    let mut out = head.render("Discoveries that go wrong at every turn");
    let _ = writeln!(
        out,
        "{} discoveries, {} right, {} wrong. Transfers or payments in one: at most {}. Milliseconds from the blow to the end: median \
         {}, longest {}.\n",
        lines.len(),
        lines.len() - wrong.len(),
        wrong.len(),
        lines.iter().map(|line| line.booked).max().unwrap_or_default(),
        median(lines.iter().map(|line| line.ended_ms)),
        lines.iter().map(|line| line.ended_ms).max().unwrap_or_default(),
    );
    out.push_str("| Job | Blow | Ended | Effect | Booked | Draft | Runs |\n|---|---|---|---|---|---|---|\n");
    let mut rows: BTreeMap<(&str, String, &str, &str, usize, bool), usize> = BTreeMap::new();
    for line in lines {
        let late = if matches!(line.at, At::Line(_)) { ", while it verifies" } else { "" };
        let blow = format!("{}{late}", line.blow.word());
        *rows.entry((&line.job, blow, &line.ended, &line.effect, line.booked, line.draft)).or_default() += 1;
    }
    for ((job, blow, ended, effect, booked, draft), runs) in rows {
        let draft = if draft { "yes" } else { "no" };
        let _ = writeln!(out, "| {job} | {blow} | `{ended}` | {effect} | {booked} | {draft} | {runs} |");
    }
    if !wrong.is_empty() {
        out.push_str("\n## Wrong\n\n");
        for line in wrong {
            let _ = writeln!(out, "- {} {} {:?}: {}", line.job, line.blow.word(), line.at, line.wrong.join("; "));
        }
    }
    out
}
