//! Whether a journal is what was written.

use std::path::{Component, Path};

use serde_json::Value;
use waymark_artifact::{Digest, MAX_BYTES, load_written};

use crate::ReadError;
use crate::bounded;
use crate::folder::RESULT;
use crate::journal::{JOURNAL, no_line};

/// The most bytes of a journal that are read; a long run writes a few megabytes.
const MAX_JOURNAL: u64 = 32 * 1024 * 1024;

/// The most lines of a journal that are read.
const MAX_LINES: usize = 200_000;

/// Commas and brackets of all lines: each value that is kept takes many times the bytes it is written with.
const MAX_VALUES: usize = 4_000_000;

/// After so many problems nobody reads on.
const MAX_PROBLEMS: usize = 1000;

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
    let bytes = bounded::bytes(&path, MAX_JOURNAL).map_err(|error| ReadError::io(&path, &error))?;
    Ok(read_journal(&bytes))
}

/// Reads the text of a journal, as far as it can be read. Never panics, whatever the bytes; where it is longer than any
/// run writes, the last problem says where reading stopped.
#[must_use]
pub fn read_journal(bytes: &[u8]) -> Journal {
    let mut journal = Journal::default();
    let mut prev = no_line();
    let mut seq = 0u64;
    let mut values = 0;
    let torn = !bytes.is_empty() && !bytes.ends_with(b"\n");
    // What stands behind the last line end: nothing, or a line that was torn off.
    let whole = bytes.iter().rposition(|b| *b == b'\n').map(|end| &bytes[..end]);
    for (line, text) in (1..).zip(whole.into_iter().flat_map(|whole| whole.split(|b| *b == b'\n'))) {
        let mut problem = |message: String| journal.problems.push(Problem { line, message });
        values += text.iter().filter(|b| matches!(b, b',' | b'[' | b'{')).count();
        if line > MAX_LINES || values > MAX_VALUES {
            problem("there is more than any run writes; from here on nothing was read".to_owned());
            return journal;
        }
        match load_written(text) {
            Ok(event) if event.is_object() => {
                if event["prev"] != prev.0.as_str() {
                    problem("it does not follow from the line before: one of the two was changed".to_owned());
                }
                if event["seq"] != seq {
                    problem(misnumbered(&event["seq"], seq));
                }
                seq = event["seq"].as_u64().unwrap_or(seq).saturating_add(1);
                journal.lines.push(Line { line, event });
            }
            Ok(_) => problem("it is no JSON object".to_owned()),
            // The error's own words may repeat what stands there.
            Err(error) => {
                let column = error.at.map_or(1, |(_, column)| column);
                problem(format!("it is no sound JSON (column {column}: {})", error.code));
            }
        }
        if journal.problems.len() >= MAX_PROBLEMS {
            let message = "there are too many problems; from here on nothing was read".to_owned();
            journal.problems.push(Problem { line, message });
            return journal;
        }
        prev = Digest::of(text);
    }
    journal.torn = torn;
    journal.ended = !torn && journal.lines.last().is_some_and(|last| last.event["event"] == "run_ended");
    journal
}

/// The number is repeated only where it is one: anything else may be long.
fn misnumbered(found: &Value, expected: u64) -> String {
    match found.as_u64() {
        Some(found) => format!("its number is {found}, not {expected}: lines are missing or moved"),
        None => format!("it has no number; it should be {expected}"),
    }
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
    let stored = bounded::bytes(&folder.join(RESULT), MAX_BYTES as u64).ok().and_then(|b| load_written(&b).ok());
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
    match bounded::digest(&folder.join(file)) {
        Ok(found) if found.0 == digest => None,
        Ok(_) => Some(format!("`{file}` was changed")),
        Err(_) => Some(format!("`{file}` is missing or no file")),
    }
}
