//! What can be wrong with a trial itself. What is wrong with the engine stands in its lines.

use std::io;
use std::path::{Path, PathBuf};

/// Why a trial could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A file or a process.
    #[error("{what}: {source}")]
    Io {
        /// Which.
        what: String,
        /// Why.
        source: io::Error,
    },
    /// What was asked for is not there.
    #[error("{0}")]
    Asked(String),
    /// An artifact that does not load.
    #[error("`{file}` is no sound artifact: {why}")]
    Artifact {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// A capability that does not do its work on untouched pages: nothing can be said of changed ones.
    #[error("on untouched pages `{capability}` does not end well: {why}")]
    Untouched {
        /// Which.
        capability: String,
        /// What came instead.
        why: String,
    },
    /// A document of the trial that is not as it was written.
    #[error("{what}: {source}")]
    Json {
        /// Which.
        what: String,
        /// Why.
        source: serde_json::Error,
    },
    /// The browser or the stand-in.
    #[error("{0}")]
    World(String),
}

impl EvalError {
    pub(crate) fn io(what: &Path) -> impl FnOnce(io::Error) -> EvalError {
        let what = what.display().to_string();
        move |source| EvalError::Io { what, source }
    }

    pub(crate) fn json(what: impl Into<String>) -> impl FnOnce(serde_json::Error) -> EvalError {
        let what = what.into();
        move |source| EvalError::Json { what, source }
    }
}
