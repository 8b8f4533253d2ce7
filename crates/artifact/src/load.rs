//! Reading a document that somebody else wrote.

use crate::Artifact;

/// The largest document that is read, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// How deep a document may be nested.
pub const MAX_DEPTH: usize = 64;

/// Why a text is no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {message}")]
pub struct LoadError {
    /// Stable code: `too_large`, `not_json`, `too_deep`, `schema_unknown`, `shape`.
    pub code: &'static str,
    /// JSON pointer to the place.
    pub pointer: String,
    /// Line and column, from 1, where known.
    pub at: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hint: String,
}

/// Reads a document.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn load(bytes: &[u8]) -> Result<Artifact, LoadError> {
    serde_json::from_slice(bytes).map_err(|error| LoadError {
        code: "shape",
        pointer: String::new(),
        at: Some((error.line(), error.column())),
        message: error.to_string(),
        hint: String::new(),
    })
}
