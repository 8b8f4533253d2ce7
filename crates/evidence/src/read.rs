//! Looking at runs that were written, also at broken ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use waymark_artifact::{MAX_BYTES, load_written};
use waymark_run::{CapabilityRef, Effect, RunResult, RunStatus};

use crate::bounded;
use crate::folder::RESULT;
use crate::name::FolderName;
use crate::owner::Owner;
use crate::reached::Reached;
use crate::verify::{Journal, Verified, journal, verify};

/// One run in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    /// The name of its folder.
    pub folder: String,
    /// Where the folder lies.
    pub path: PathBuf,
    /// What ran: `replay`.
    pub kind: String,
    /// What tells it from others.
    pub id: String,
    /// When it began, as RFC 3339.
    pub started_at: String,
    /// Whether it goes on.
    pub state: RunState,
    /// How it ended.
    pub status: Option<RunStatus>,
    /// The code of the answer, escalation or error.
    pub code: Option<String>,
    /// What ran.
    pub capability: Option<CapabilityRef>,
    /// What came of its last risky step: as the result says or, where there is none, as the journal tells; `None`
    /// where neither does.
    pub effect: Option<Effect>,
    /// How long in milliseconds.
    pub duration_ms: Option<u64>,
    /// What is wrong with the folder, where something is.
    pub problem: Option<String>,
}

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// A living process writes it.
    Running,
    /// It was written to its end.
    Ended,
    /// Whoever wrote it is gone; how far its last step came is not known.
    Interrupted,
    /// The folder cannot be read.
    Broken,
}

/// One run in full.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunDetail {
    /// As in the list.
    pub summary: RunSummary,
    /// The stored result, where there is one.
    pub result: Option<RunResult>,
    /// The stored request for a person, where there is one.
    pub intervention: Option<Value>,
    /// The journal as far as it can be read.
    pub journal: Journal,
    /// What checking found; `None` where there is no journal.
    pub verified: Option<Verified>,
    /// Every file within the folder, in order.
    pub files: Vec<String>,
}

/// Why nothing can be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Something cannot be read.
    #[error("`{}` cannot be read: {why}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// No run has this name.
    #[error("there is no run `{key}` in `{}`", root.display())]
    Unknown {
        /// What was asked for.
        key: String,
        /// Where.
        root: PathBuf,
    },
    /// Several runs have names that begin so.
    #[error("`{key}` fits {} runs: {}", found.len(), found.join(", "))]
    Ambiguous {
        /// What was asked for.
        key: String,
        /// Their folders, up to ten.
        found: Vec<String>,
    },
}

impl ReadError {
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        ReadError::Unreadable { path: path.to_owned(), why: error.to_string() }
    }
}

/// The runs below a root, newest first. A root that is not there has none; folders that are no runs are passed
/// over.
///
/// # Errors
/// The root cannot be read.
pub fn runs(root: &Path) -> Result<Vec<RunSummary>, ReadError> {
    let mut found: Vec<RunSummary> = names(root)?.into_iter().map(|name| summary(root, &name)).collect();
    found.sort_by(|a, b| (&b.started_at, &b.folder).cmp(&(&a.started_at, &a.folder)));
    Ok(found)
}

/// The folder of the run that `key` names: its folder's path or name, or the beginning of its id. `latest` names
/// the newest.
///
/// # Errors
/// None or several fit, or the root cannot be read.
pub fn find(root: &Path, key: &str) -> Result<PathBuf, ReadError> {
    let as_path = Path::new(key);
    if let Some(name) = as_path.file_name().and_then(|name| name.to_str())
        && FolderName::parse(name).is_some()
    {
        for path in [as_path.to_owned(), root.join(name)] {
            if path.is_dir() {
                return Ok(path);
            }
        }
    }
    if key == "latest" {
        let newest = runs(root)?.into_iter().next();
        return newest
            .map(|run| run.path)
            .ok_or_else(|| ReadError::Unknown { key: key.to_owned(), root: root.to_owned() });
    }
    let mut fits: Vec<FolderName> = names(root)?;
    fits.retain(|name| !key.is_empty() && name.id.starts_with(key));
    if let Some(exact) = fits.iter().find(|name| name.id == key) {
        return Ok(root.join(exact.to_string()));
    }
    match fits.as_slice() {
        [] => Err(ReadError::Unknown { key: key.to_owned(), root: root.to_owned() }),
        [one] => Ok(root.join(one.to_string())),
        many => {
            let found = many.iter().take(10).map(FolderName::to_string).collect();
            Err(ReadError::Ambiguous { key: key.to_owned(), found })
        }
    }
}

/// One run in full; `key` as for [`find`].
///
/// # Errors
/// As [`find`]. What is broken within the folder is reported in the answer.
pub fn show(root: &Path, key: &str) -> Result<RunDetail, ReadError> {
    let path = find(root, key)?;
    let name = path.file_name().and_then(|name| name.to_str()).and_then(FolderName::parse);
    let name = name.ok_or_else(|| ReadError::Unknown { key: key.to_owned(), root: root.to_owned() })?;
    let root = path.parent().unwrap_or(root);
    let mut summary = summary(root, &name);
    let read = journal(&path);
    if let Err(error) = &read
        && summary.problem.is_none()
    {
        summary.problem = Some(error.to_string());
    }
    let verified = verify(&path).ok();
    let mut files = Vec::new();
    list(&path, "", &mut files);
    files.sort();
    Ok(RunDetail {
        result: stored(&path).ok(),
        intervention: bounded::bytes(&path.join("intervention.json"), MAX_BYTES as u64)
            .ok()
            .and_then(|bytes| load_written(&bytes).ok()),
        journal: read.unwrap_or_default(),
        verified,
        files,
        summary,
    })
}

fn names(root: &Path) -> Result<Vec<FolderName>, ReadError> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ReadError::io(root, &error)),
    };
    let mut names: Vec<FolderName> =
        entries.flatten().filter_map(|entry| FolderName::parse(entry.file_name().to_str()?)).collect();
    names.sort_by_key(FolderName::to_string);
    Ok(names)
}

fn summary(root: &Path, name: &FolderName) -> RunSummary {
    let folder = name.to_string();
    let path = root.join(&folder);
    let mut summary = RunSummary {
        folder,
        kind: name.kind.clone(),
        id: name.id.clone(),
        started_at: rfc3339(&name.utc),
        state: RunState::Ended,
        status: None,
        code: None,
        capability: None,
        effect: None,
        duration_ms: None,
        problem: None,
        path,
    };
    match stored(&summary.path) {
        Ok(result) => {
            if !name.is_running() && name.ending != result.status.as_str() {
                summary.problem =
                    Some(format!("the folder says `{}` and its result `{}`", name.ending, result.status.as_str()));
            }
            summary.status = Some(result.status);
            summary.code = code_of(&result);
            summary.duration_ms = Some(result.duration_ms);
            summary.effect = Some(result.effect);
            summary.capability = Some(result.capability);
        }
        Err(_) if name.is_running() && Owner::read(&summary.path).is_some_and(|owner| owner.is_alive()) => {
            summary.state = RunState::Running;
        }
        Err(None) if name.is_running() => {
            summary.state = RunState::Interrupted;
            let reached = Reached::of(journal(&summary.path).ok().as_ref());
            summary.problem = Some(format!("whoever wrote it is gone; {}", reached.sentence));
            summary.capability = reached.capability;
            summary.effect = reached.effect;
        }
        Err(why) => {
            summary.state = RunState::Broken;
            summary.problem = Some(why.unwrap_or_else(|| format!("{RESULT} is missing")));
        }
    }
    if !summary.path.is_dir() {
        summary.state = RunState::Broken;
        summary.problem = Some("it is no folder".to_owned());
    }
    summary
}

/// The stored result; `None` as the error where there is no such file.
fn stored(folder: &Path) -> Result<RunResult, Option<String>> {
    let bytes = match bounded::bytes(&folder.join(RESULT), MAX_BYTES as u64) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(None),
        Err(error) => return Err(Some(format!("{RESULT} cannot be read: {error}"))),
    };
    read_result(&bytes).map_err(Some)
}

/// Reads the text of a stored result.
///
/// # Errors
/// What is wrong with it, and where; nothing that stands there is repeated.
pub fn read_result(bytes: &[u8]) -> Result<RunResult, String> {
    load_written(bytes).map_err(|error| {
        let (line, column) = error.at.unwrap_or((1, 1));
        format!("{RESULT} is no result (line {line}, column {column}: {})", error.code)
    })?;
    serde_json::from_slice(bytes)
        .map_err(|error| format!("{RESULT} is no result (line {}, column {})", error.line(), error.column()))
}

fn code_of(result: &RunResult) -> Option<String> {
    let outcome = result.business_outcome.as_ref().map(|outcome| outcome.code.clone());
    let escalation = result.escalation.as_ref().map(|escalation| escalation.code.to_string());
    outcome.or(escalation).or_else(|| result.error.as_ref().map(|error| error.code.to_string()))
}

fn list(folder: &Path, prefix: &str, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            // One level is all that a run writes; a link may lead anywhere.
            Ok(kind) if kind.is_dir() && prefix.is_empty() => list(&entry.path(), &format!("{name}/"), files),
            Ok(kind) if kind.is_file() => files.push(name),
            _ => {}
        }
    }
}

/// `20261130T044118Z` as `2026-11-30T04:41:18Z`.
fn rfc3339(compact: &str) -> String {
    let part = |from: usize, to: usize| compact.get(from..to).unwrap_or_default();
    format!("{}-{}-{}T{}:{}:{}Z", part(0, 4), part(4, 6), part(6, 8), part(9, 11), part(11, 13), part(13, 15))
}
