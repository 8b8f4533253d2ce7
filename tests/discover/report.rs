//! Which discoveries are struck, and what is told of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use super::job::JOBS;
use super::strike::{At, Blow, Line, positions};
use crate::report::{Head, median};

/// The name of the report.
pub const NAME: &str = "discover";

/// One discovery to be struck.
pub type Cell = (&'static str, Blow, At);

/// Of the lines after a draft every so manieth is struck.
const EVERY: usize = 6;

/// All there are: each turn of each job by each blow, and lines of the replay that verifies.
///
/// # Errors
/// A job does not succeed undisturbed.
pub fn cells(waymark: &Path) -> Result<Vec<Cell>> {
    let mut cells = Vec::new();
    for job in JOBS {
        let (turns, lines) = positions(waymark, job)?;
        for blow in Blow::ALL {
            // The last turn says that it is done: no bound of turns or calls ends it any more.
            let bound = matches!(blow, Blow::Steps | Blow::Calls | Blow::Money);
            let last = if bound { turns - 1 } else { turns };
            cells.extend((1..=last).map(|at| (job, blow, At::Turn(at))));
        }
        for blow in Blow::LATE {
            cells.extend((0..lines).step_by(EVERY).map(|at| (job, blow, At::Line(at))));
        }
    }
    Ok(cells)
}

/// The report for people.
#[must_use]
pub fn render(head: &Head, lines: &[Line]) -> String {
    let wrong: Vec<&Line> = lines.iter().filter(|line| !line.wrong.is_empty()).collect();
    let mut out = head.render("Discoveries that go wrong at every turn");
    let _ = writeln!(
        out,
        "{} discoveries, {} right, {} wrong. Transfers in one: at most {}. Milliseconds from the blow to the end: median \
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
