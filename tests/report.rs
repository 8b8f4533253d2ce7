//! Reports of matrices: what was run, a line a run, and the same for people.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::sources;

/// What stands above the lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// What was typed.
    pub command: String,
    /// The digest of the sources that were run.
    pub sources: String,
    /// The seed, where runs were chosen by one.
    pub seed: Option<String>,
    /// How many runs there are in all, where some were chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
}

impl Head {
    /// The beginning of a report for people.
    #[must_use]
    pub fn render(&self, title: &str) -> String {
        let sources = self.sources.get(..16).unwrap_or(&self.sources);
        let mut out = format!("# {title}\n\nCommand: `{}`  \nSources: `{sources}`  \n", self.command);
        if let Some(seed) = &self.seed {
            let _ = writeln!(out, "Seed: `{seed}`  ");
        }
        out.push('\n');
        out
    }
}

/// The digest over everything that decides how a run goes: engine, artifacts, policy, stand-ins, and the matrices.
///
/// # Errors
/// The sources cannot be listed.
pub fn source_digest() -> Result<String> {
    let parts = [
        "crates/",
        "artifacts/",
        "config/",
        "fixtures/apps/",
        "fixtures/goals/",
        "fixtures/scripts/",
        "tests/matrix/",
        "tests/abrupt/",
        "tests/discover/",
        "Cargo.lock",
    ];
    let mut digest = Sha256::new();
    for source in sources()? {
        let decides = parts.iter().any(|part| source.path.starts_with(part));
        if decides && !source.path.ends_with(".md") && !source.path.contains("/tests/") {
            digest.update(source.path.as_bytes());
            digest.update([0]);
            digest.update(source.text.as_bytes());
            digest.update([0]);
        }
    }
    Ok(hex::encode(digest.finalize()))
}

/// Writes `NAME.jsonl` and, for people, `NAME.md` into a folder.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, name: &str, head: &Head, lines: &[impl Serialize], told: &str) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = serde_json::to_string(head)? + "\n";
    for line in lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    for (end, content) in [("jsonl", text.as_str()), ("md", told)] {
        let place = folder.join(format!("{name}.{end}"));
        fs::write(&place, content).with_context(|| place.display().to_string())?;
    }
    Ok(())
}

/// Reads `NAME.jsonl` in a folder.
///
/// # Errors
/// It is not there, or no such report.
pub fn read<L: DeserializeOwned>(folder: &Path, name: &str) -> Result<(Head, Vec<L>)> {
    let text =
        fs::read_to_string(folder.join(format!("{name}.jsonl"))).with_context(|| format!("run ./x long {name}"))?;
    let mut lines = text.lines();
    let head = serde_json::from_str(lines.next().context("an empty report")?)?;
    Ok((head, lines.map(serde_json::from_str).collect::<Result<_, _>>()?))
}

/// The middle of some numbers; 0 of none.
#[must_use]
pub fn median(numbers: impl IntoIterator<Item = u64>) -> u64 {
    let mut sorted: Vec<u64> = numbers.into_iter().collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
