//! The report: a line a run, and the same as a table for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Line;
use crate::sources;

const NAME: &str = "abrupt";

/// What stands above the lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// What was typed.
    pub command: String,
    /// The digest of the sources that were run.
    pub sources: String,
    /// What decided the choice of positions; `null` where none were left out.
    pub seed: Option<String>,
}

/// The digest over everything that decides how a run goes.
///
/// # Errors
/// The sources cannot be listed.
pub fn source_digest() -> Result<String> {
    let parts = ["crates/", "artifacts/", "config/", "tests/abrupt/", "Cargo.lock"];
    let mut digest = Sha256::new();
    for source in sources()? {
        if parts.iter().any(|part| source.path.starts_with(part)) && !source.path.contains("/tests/") {
            digest.update(source.path.as_bytes());
            digest.update([0]);
            digest.update(source.text.as_bytes());
            digest.update([0]);
        }
    }
    Ok(hex::encode(digest.finalize()))
}

/// A number below `of`, which the seed and the word decide.
#[must_use]
pub fn pick(seed: &str, word: &str, of: usize) -> usize {
    let digest = Sha256::digest(format!("{seed} {word}"));
    let number = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    usize::try_from(number % (of.max(1) as u64)).unwrap_or(0)
}

/// Writes `abrupt.jsonl` and `abrupt.md` into a folder.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, head: &Head, lines: &[Line]) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = serde_json::to_string(head)? + "\n";
    for line in lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    fs::write(folder.join(format!("{NAME}.jsonl")), text)?;
    Ok(fs::write(folder.join(format!("{NAME}.md")), render(head, lines))?)
}

/// Reads `abrupt.jsonl` in a folder.
///
/// # Errors
/// It is not there, or no such report.
pub fn read(folder: &Path) -> Result<(Head, Vec<Line>)> {
    let text = fs::read_to_string(folder.join(format!("{NAME}.jsonl"))).context("run ./x long abrupt")?;
    let mut lines = text.lines();
    let head = serde_json::from_str(lines.next().context("an empty report")?)?;
    Ok((head, lines.map(serde_json::from_str).collect::<Result<_, _>>()?))
}

/// The report for people.
#[must_use]
pub fn render(head: &Head, lines: &[Line]) -> String {
    let wrong: Vec<&Line> = lines.iter().filter(|line| !line.wrong.is_empty()).collect();
    let mut out = format!("# Ended at every line of the journal\n\nCommand: `{}`  \n", head.command);
    let _ = writeln!(out, "Sources: `{}`  ", head.sources.get(..16).unwrap_or(&head.sources));
    if let Some(seed) = &head.seed {
        let _ = writeln!(out, "Seed: `{seed}`  ");
    }
    let mut took: Vec<u64> = lines.iter().map(|line| line.ended_ms).collect();
    took.sort_unstable();
    let _ = writeln!(
        out,
        "\n{} runs, {} right, {} wrong. Transfers in one run: at most {}. Torn last lines: {}. Milliseconds from the \
         signal to the end: median {}, longest {}.\n",
        lines.len(),
        lines.len() - wrong.len(),
        wrong.len(),
        lines.iter().map(|line| line.sent).max().unwrap_or_default(),
        lines.iter().filter(|line| line.torn).count(),
        took.get(took.len() / 2).copied().unwrap_or_default(),
        took.last().copied().unwrap_or_default(),
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
