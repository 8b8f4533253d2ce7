//! The report: a line a run, and the same as a table for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use crate::judge::Line;

/// What stands above the lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// What was typed.
    pub command: String,
    /// The digest of the sources that were run.
    pub sources: String,
    /// The seed, where cells were chosen by one.
    pub seed: Option<String>,
    /// How many cells the matrix has in all.
    pub of: usize,
}

/// Writes `NAME.jsonl` and `NAME.md` into a folder.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, name: &str, head: &Head, lines: &[Line]) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = serde_json::to_string(head)? + "\n";
    for line in lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    let place = |end: &str| folder.join(format!("{name}.{end}"));
    fs::write(place("jsonl"), &text).with_context(|| place("jsonl").display().to_string())?;
    fs::write(place("md"), render(name, head, lines)).with_context(|| place("md").display().to_string())
}

/// Reads a report back.
///
/// # Errors
/// It is not there, or not such a report.
pub fn read(file: &Path) -> Result<(Head, Vec<Line>)> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut lines = text.lines();
    let head = serde_json::from_str(lines.next().context("an empty report")?)?;
    let lines = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok((head, lines))
}

/// The report for people: one row for each fault and job, with how often it ended how.
#[must_use]
pub fn render(name: &str, head: &Head, lines: &[Line]) -> String {
    let wrong: Vec<&Line> = lines.iter().filter(|line| !line.wrong.is_empty()).collect();
    let struck = lines.iter().filter(|line| line.struck).count();
    let mut took: Vec<u64> = lines.iter().map(|line| line.took_ms).collect();
    took.sort_unstable();
    let mut out = format!(
        "# Matrix `{name}`\n\nCommand: `{}`  \nSources: `{}`  \n",
        head.command,
        head.sources.get(..16).unwrap_or(&head.sources)
    );
    if let Some(seed) = &head.seed {
        let _ = writeln!(out, "Seed: `{seed}`  ");
    }
    let _ = writeln!(
        out,
        "\n{} runs of the {} cells of the matrix, {struck} of them struck, {} right, {} wrong. Payments in one run: at most {}. Milliseconds a run: median {}, longest {}.\n",
        lines.len(),
        head.of,
        lines.len() - wrong.len(),
        wrong.len(),
        lines.iter().map(|line| line.booked).max().unwrap_or_default(),
        took.get(took.len() / 2).copied().unwrap_or_default(),
        took.last().copied().unwrap_or_default(),
    );
    out.push_str("| Job | Fault | Runs | How they ended |\n|---|---|---|---|\n");
    let mut rows: BTreeMap<(&str, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    for line in lines {
        let mut parts = line.cell.split('/');
        let key = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        *rows.entry(key).or_default().entry(&line.ended).or_default() += 1;
    }
    for ((job, fault), endings) in &rows {
        let runs: usize = endings.values().sum();
        let told: Vec<String> = endings.iter().map(|(ended, count)| format!("{count} × `{ended}`")).collect();
        let _ = writeln!(out, "| {job} | {fault} | {runs} | {} |", told.join(", "));
    }
    if !wrong.is_empty() {
        out.push_str("\n## Wrong\n\n");
        for line in wrong {
            let _ = writeln!(out, "- `{}`: {}", line.cell, line.wrong.join("; "));
        }
    }
    out
}
