//! Why something was not written.

use std::io;
use std::path::{Path, PathBuf};

/// Why something was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceError {
    /// It could not be redacted, so that nothing was written.
    #[error("{what} could not be redacted and was not written: {why}")]
    Redaction {
        /// What was to be written.
        what: String,
        /// What the redactor says. Holds no value.
        why: String,
    },
    /// The journal, the result or their folder could not be written.
    #[error("`{}` cannot be written: {why}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        why: String,
        /// The way out.
        hint: &'static str,
    },
    /// A part of a folder's name is none.
    #[error("`{word}` cannot be the {what} in the name of a run's folder")]
    Name {
        /// Which part.
        what: &'static str,
        /// What was given.
        word: String,
    },
}

impl EvidenceError {
    /// The way out.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            EvidenceError::Redaction { .. } => {
                "this is a fault of the program or of `redaction.yaml`; please report it"
            }
            EvidenceError::Unwritable { hint, .. } => hint,
            EvidenceError::Name { .. } => "use lower case letters, digits and `_`",
        }
    }

    /// An error of the system on a path.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "give a folder that you may write to: --evidence DIR"
            }
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
                "something else has this name; move it away or give another folder: --evidence DIR"
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free some space, or give a folder on another disk: --evidence DIR"
            }
            io::ErrorKind::NotFound => {
                "it cannot be made there, or was removed meanwhile; give another folder: --evidence DIR"
            }
            _ => "give another folder: --evidence DIR",
        };
        let why = match error.kind() {
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
            io::ErrorKind::NotADirectory => "a file is where a folder should be".to_owned(),
            io::ErrorKind::AlreadyExists => "it is there already".to_owned(),
            io::ErrorKind::StorageFull => "the disk is full".to_owned(),
            _ => error.to_string(),
        };
        EvidenceError::Unwritable { path: path.to_owned(), why, hint }
    }
}
