//! The files of a report: its head and a line a run as JSON, and the same for people.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::EvalError;

/// Writes NAME.jsonl and NAME.md.
pub(crate) fn write(
    folder: &Path,
    name: &str,
    head: &impl Serialize,
    lines: &[impl Serialize],
    rendered: &str,
) -> Result<(), EvalError> {
    fs::create_dir_all(folder).map_err(EvalError::io(folder))?;
    let mut text = serde_json::to_string(head).map_err(EvalError::json("a head"))? + "\n";
    for one in lines {
        text += &serde_json::to_string(one).map_err(EvalError::json("a line"))?;
        text.push('\n');
    }
    for (end, content) in [("jsonl", text.as_str()), ("md", rendered)] {
        let place = folder.join(format!("{name}.{end}"));
        fs::write(&place, content).map_err(EvalError::io(&place))?;
    }
    Ok(())
}

/// Reads NAME.jsonl.
pub(crate) fn read<H: DeserializeOwned, L: DeserializeOwned>(
    folder: &Path,
    name: &str,
) -> Result<(H, Vec<L>), EvalError> {
    let file = folder.join(format!("{name}.jsonl"));
    let text = fs::read_to_string(&file).map_err(EvalError::io(&file))?;
    let json = || EvalError::json(file.display().to_string());
    let mut lines = text.lines();
    let head = serde_json::from_str(lines.next().unwrap_or_default()).map_err(json())?;
    let lines = lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(json())?;
    Ok((head, lines))
}

/// As much of a digest as a person compares.
pub(crate) fn short(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
}

/// The time of the middle run and of the longest.
pub(crate) fn times(took_ms: impl IntoIterator<Item = u64>) -> (u64, u64) {
    let mut took: Vec<u64> = took_ms.into_iter().collect();
    took.sort_unstable();
    (took.get(took.len() / 2).copied().unwrap_or_default(), took.last().copied().unwrap_or_default())
}
