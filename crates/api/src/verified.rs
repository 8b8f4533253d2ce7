//! What a replay without a model has proven of an artifact: a record beside it, bound to its digest.
//!
//! `records/<64 hexadecimal digits>.verification.json` in the folder of the artifact.

use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use waymark_artifact::{CapabilityId, Digest};

use crate::file;

/// The schema word of a record.
const SCHEMA: &str = "waymark.verification/1";
/// The longest record that is read, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// A record, as far as it is told to people.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Record {
    schema: String,
    id: CapabilityId,
    version: String,
    digest: Digest,
    /// `complete`, `to_commit_point` or `failed`.
    pub(crate) verified: String,
    /// In words.
    pub(crate) message: String,
    /// The run.
    pub(crate) run: String,
    /// Whether effects were repeated.
    pub(crate) effects: bool,
    /// When, as RFC 3339.
    pub(crate) at: String,
    /// Replays with other values.
    pub(crate) probes: Vec<Came>,
    /// Each declared outcome.
    pub(crate) outcomes: Vec<Came>,
}

impl Record {
    /// Whether the document replayed, at least to where its harm begins.
    pub(crate) fn proves(&self) -> bool {
        matches!(self.verified.as_str(), "complete" | "to_commit_point")
    }
}

/// What came of one more replay.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Came {
    /// The outcome's code, or which values were others.
    pub(crate) of: String,
    /// `success`, `provoked`, `unproven`, or the code with which it ended.
    pub(crate) came: String,
    /// The run; none where nothing was run.
    pub(crate) run: Option<String>,
}

/// The record of the artifact in this file, of this digest, where there is one.
///
/// # Errors
/// In words: there is a record that cannot be read, or that is of another artifact.
pub(crate) fn record(
    artifact: &Path,
    id: &CapabilityId,
    version: &str,
    digest: &Digest,
) -> Result<Option<Record>, String> {
    let digits = digest.0.trim_start_matches("sha256:");
    let file = artifact.parent().unwrap_or(Path::new("")).join("records").join(format!("{digits}.verification.json"));
    let unfit = |message: String| Err(format!("{}: {message}", file.display()));
    let bytes = match file::bytes(&file, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return unfit(file::told(&error).1),
    };
    let record: Record = match serde_json::from_slice(&bytes) {
        Ok(record) => record,
        Err(error) => return unfit(format!("this is no record of a replay: {error}")),
    };
    if record.schema != SCHEMA || record.digest != *digest || record.id != *id || record.version != version {
        return unfit("this is a record of another artifact than its name says".to_owned());
    }
    Ok(Some(record))
}
