//! Whether a journal is what was written.

use std::fs;
use std::path::{Component, Path};

use serde_json::Value;
use waymark_artifact::Digest;

use crate::ReadError;
use crate::folder::RESULT;
use crate::journal::{JOURNAL, no_line};

/// A journal as it was found.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Journal {
    /// Its lines that are JSON objects.
    pub lines: Vec<Line>,
    /// What is wrong with the others and with the chain, by line.
    pub problems: Vec<Problem>,
    /// Whether the last line was torn off; the lines before it stand.
    pub torn: bool,
    /// Whether it ends with the end of the run.
    pub ended: bool,
}

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Line {
    /// Its number in the file, from 1.
    pub line: usize,
    /// What it says.
    pub event: Value,
}

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// The line in the journal, from 1; 0 for a file.
    pub line: usize,
    /// In words.
    pub message: String,
}

/// What checking found.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// Lines that were read.
    pub lines: usize,
    /// The first thing that is wrong, where something is.
    pub first: Option<Problem>,
    /// Whether the last line was torn off.
    pub torn: bool,
    /// Whether it ends with the end of the run.
    pub ended: bool,
}

impl Verified {
    /// Whether everything is as it was written, to the end.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.first.is_none() && self.ended && !self.torn
    }
}

/// Computes the chain of a run's folder anew, and compares pictures and result with what the journal says.
///
/// # Errors
/// There is no journal to read.
pub fn verify(folder: &Path) -> Result<Verified, ReadError> {
    let journal = journal(folder)?;
    let first = journal.problems.first().cloned().or_else(|| first_bad_file(folder, &journal));
    Ok(Verified { lines: journal.lines.len(), first, torn: journal.torn, ended: journal.ended })
}

/// Reads the journal of a run's folder, as far as it can be read.
///
/// # Errors
/// There is no journal to read.
pub fn journal(folder: &Path) -> Result<Journal, ReadError> {
    let path = folder.join(JOURNAL);
    let bytes = fs::read(&path).map_err(|error| ReadError::io(&path, &error))?;
    Ok(read(&bytes))
}

fn read(bytes: &[u8]) -> Journal {
    let mut journal = Journal::default();
    let mut prev = no_line();
    let mut seq = 0u64;
    let torn = !bytes.is_empty() && !bytes.ends_with(b"\n");
    let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    // What stands behind the last line end: nothing, or a line that was torn off.
    lines.pop();
    for (line, text) in (1..).zip(lines) {
        let mut problem = |message: String| journal.problems.push(Problem { line, message });
        match serde_json::from_slice::<Value>(text) {
            Ok(event) if event.is_object() => {
                if event["prev"] != prev.0.as_str() {
                    problem("it does not follow from the line before: one of the two was changed".to_owned());
                }
                if event["seq"] != seq {
                    problem(format!("its number is {}, not {seq}: lines are missing or moved", event["seq"]));
                }
                seq = event["seq"].as_u64().unwrap_or(seq).saturating_add(1);
                journal.lines.push(Line { line, event });
            }
            Ok(_) => problem("it is no JSON object".to_owned()),
            // The error's own words may repeat what stands there.
            Err(error) => problem(format!("it is no JSON (column {})", error.column())),
        }
        prev = Digest::of(text);
    }
    journal.torn = torn;
    journal.ended = !torn && journal.lines.last().is_some_and(|last| last.event["event"] == "run_ended");
    journal
}

fn first_bad_file(folder: &Path, journal: &Journal) -> Option<Problem> {
    for Line { line, event } in &journal.lines {
        let report = &event["report"];
        if let (Some(file), Some(digest)) = (report["file"].as_str(), report["digest"].as_str())
            && let Some(message) = bad_file(folder, file, digest)
        {
            return Some(Problem { line: *line, message });
        }
    }
    let last = journal.lines.last().filter(|last| last.event["event"] == "run_ended")?;
    let mut said = last.event["result"].clone();
    let stored: Option<Value> = fs::read(folder.join(RESULT)).ok().and_then(|b| serde_json::from_slice(&b).ok());
    let Some(mut stored) = stored else {
        return Some(Problem { line: 0, message: format!("{RESULT} is missing or no JSON") });
    };
    // Where the folder could not be renamed, the result was written once more and says so.
    for document in [&mut said, &mut stored] {
        for field in ["evidence", "evidence_gaps"] {
            document.as_object_mut().map(|fields| fields.remove(field));
        }
    }
    (said != stored).then(|| Problem { line: last.line, message: format!("{RESULT} is not the result of this line") })
}

fn bad_file(folder: &Path, file: &str, digest: &str) -> Option<String> {
    // A journal that was tampered with must not make a reader look elsewhere.
    if !Path::new(file).components().all(|part| matches!(part, Component::Normal(_))) {
        return Some(format!("`{file}` does not lie in the folder"));
    }
    match fs::read(folder.join(file)) {
        Ok(bytes) if Digest::of(&bytes).0 == digest => None,
        Ok(_) => Some(format!("`{file}` was changed")),
        Err(_) => Some(format!("`{file}` is missing")),
    }
}
