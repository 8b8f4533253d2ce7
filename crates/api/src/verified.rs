//! What a replay without a model has proven of an artifact: a record beside it, bound to its digest.
//!
//! `records/<64 hexadecimal digits>.verification.json` in the folder of the artifact.

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
    let file = file::record_place(artifact, &digest.0, "verification");
    let unfit = |message: String| Err(format!("{}: {message}", file.display()));
    let record: Record = match file::record(&file, MAX_BYTES, "a replay") {
        Ok(Some(record)) => record,
        Ok(None) => return Ok(None),
        Err(message) => return unfit(message),
    };
    if record.schema != SCHEMA || record.digest != *digest || record.id != *id || record.version != version {
        return unfit("this is a record of another artifact than its name says".to_owned());
    }
    Ok(Some(record))
}
