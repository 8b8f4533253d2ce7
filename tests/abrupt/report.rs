//! What is told of runs that were ended, and which are chosen.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::Line;
use crate::report::{Head, median};

/// The name of the report.
pub const NAME: &str = "abrupt";

/// A number below `of`, which the seed and the word decide.
#[must_use]
pub fn pick(seed: &str, word: &str, of: usize) -> usize {
    let digest = Sha256::digest(format!("{seed} {word}"));
    let number = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    usize::try_from(number % (of.max(1) as u64)).unwrap_or(0)
}

/// The report for people.
#[must_use]
pub fn render(head: &Head, lines: &[Line]) -> String {
    let wrong: Vec<&Line> = lines.iter().filter(|line| !line.wrong.is_empty()).collect();
    let mut out = head.render("Ended at every line of the journal");
    let _ = writeln!(
        out,
        "{} runs, {} right, {} wrong. Transfers in one run: at most {}. Torn last lines: {}. Milliseconds from the \
         signal to the end: median {}, longest {}.\n",
        lines.len(),
        lines.len() - wrong.len(),
        wrong.len(),
        lines.iter().map(|line| line.sent).max().unwrap_or_default(),
        lines.iter().filter(|line| line.torn).count(),
        median(lines.iter().map(|line| line.ended_ms)),
        lines.iter().map(|line| line.ended_ms).max().unwrap_or_default(),
    );
    out.push_str("| Job | Signal | Ended | Effect | Sent | Runs | At lines |\n|---|---|---|---|---|---|---|\n");
    let mut rows: BTreeMap<(&str, String, &str, &str, usize), Vec<usize>> = BTreeMap::new();
    for line in lines {
        let signal = format!("{:?}", line.signal).to_uppercase();
        rows.entry((&line.job, signal, &line.ended, &line.effect, line.sent)).or_default().push(line.at);
    }
    for ((job, signal, ended, effect, sent), mut at) in rows {
        at.sort_unstable();
        let span = match (at.first(), at.last()) {
            (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
            (Some(only), _) => only.to_string(),
            _ => String::new(),
        };
        let _ = writeln!(out, "| {job} | {signal} | `{ended}` | {effect} | {sent} | {} | {span} |", at.len());
    }
    if !wrong.is_empty() {
        out.push_str("\n## Wrong\n\n");
        for line in wrong {
            let _ = writeln!(out, "- {} {:?} at {}: {}", line.job, line.signal, line.at, line.wrong.join("; "));
        }
    }
    out
}
