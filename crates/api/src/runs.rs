//! Looking at the runs that were written.

use std::path::{Path, PathBuf};

use serde::Serialize;
use waymark_evidence::{ReadError, RunDetail, RunSummary, runs, show};
use waymark_run::{Code, Problem, Rejection};

/// The runs of a folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunList {
    /// `waymark.runs/1`.
    pub schema: &'static str,
    /// The folder.
    pub root: PathBuf,
    /// Newest first.
    pub items: Vec<RunSummary>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunDocument {
    /// `waymark.run/1`.
    pub schema: &'static str,
    /// All of it.
    #[serde(flatten)]
    pub detail: RunDetail,
}

/// The runs below a root, newest first.
///
/// # Errors
/// The root cannot be read.
pub fn runs_list(root: &Path) -> Result<RunList, Box<Rejection>> {
    let items = runs(root).map_err(|error| rejection(&error))?;
    Ok(RunList { schema: "waymark.runs/1", root: root.to_owned(), items })
}

/// One run, by path, folder, beginning of its id, or `latest`.
///
/// # Errors
/// None or several fit, or the root cannot be read.
pub fn runs_show(root: &Path, key: &str) -> Result<RunDocument, Box<Rejection>> {
    let detail = show(root, key).map_err(|error| rejection(&error))?;
    Ok(RunDocument { schema: "waymark.run/1", detail })
}

fn rejection(error: &ReadError) -> Box<Rejection> {
    let (place, problem, hint) = match error {
        ReadError::Unreadable { .. } => ("--evidence", "unreadable", "name another folder with --evidence DIR"),
        ReadError::Unknown { .. } => ("ID", "unknown", "`waymark runs list` shows the runs that there are"),
        ReadError::Ambiguous { .. } => ("ID", "ambiguous", "give more of the id"),
    };
    Box::new(Rejection::of(Code::InvalidInvocation, Problem::new(place, problem, error.to_string(), hint)))
}
