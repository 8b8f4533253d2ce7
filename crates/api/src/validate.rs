//! Checking artifacts without opening a browser.

use std::path::{Path, PathBuf};

use serde::Serialize;
use waymark_artifact::{Finding, Severity};

use crate::artifact;

/// What was found in some files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValidateReport {
    /// `waymark.validate/1`.
    pub schema: &'static str,
    /// Errors in all files.
    pub errors: usize,
    /// Warnings in all files.
    pub warnings: usize,
    /// File by file, as they were named.
    pub items: Vec<FileReport>,
}

/// What was found in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The file.
    pub file: PathBuf,
    /// The capability, where it could be read.
    pub id: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its digest.
    pub digest: Option<String>,
    /// Errors first.
    pub findings: Vec<FindingRow>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FindingRow {
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// Stable code.
    pub code: String,
    /// JSON pointer to the place.
    pub pointer: String,
    /// Line in the file, from 1, where known.
    pub line: Option<usize>,
    /// A sentence.
    pub message: String,
    /// The way out.
    pub hint: String,
}

impl FindingRow {
    /// Whether the document is not replayed because of it.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error.as_str()
    }
}

impl From<Finding> for FindingRow {
    fn from(finding: Finding) -> Self {
        FindingRow {
            severity: finding.severity.as_str(),
            code: finding.code.to_owned(),
            pointer: finding.pointer,
            line: None,
            message: finding.message,
            hint: finding.hint,
        }
    }
}

/// Checks artifacts. Opens no browser and writes nothing.
#[must_use]
pub fn validate(files: &[PathBuf]) -> ValidateReport {
    let items: Vec<FileReport> = files.iter().map(|file| report(file)).collect();
    let count = |word: Severity| {
        items.iter().flat_map(|item| &item.findings).filter(|finding| finding.severity == word.as_str()).count()
    };
    ValidateReport {
        schema: "waymark.validate/1",
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        items,
    }
}

fn report(file: &Path) -> FileReport {
    let (artifact, findings) = artifact::read(file);
    let digest = artifact.as_ref().and_then(|artifact| artifact.digest().ok());
    FileReport {
        file: file.to_owned(),
        id: artifact.as_ref().map(|artifact| artifact.id.to_string()),
        version: artifact.as_ref().map(|artifact| artifact.version.to_string()),
        digest: digest.map(|digest| digest.to_string()),
        findings,
    }
}
