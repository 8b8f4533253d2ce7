//! Reading an artifact from a file, with everything that is wrong with it.

use std::io;
use std::path::Path;

use serde_json::Value;
use waymark_artifact::{Artifact, LoadError, MAX_BYTES, Severity, load};

use crate::{FindingRow, file};

/// Findings of the published schema that are given beside the first error.
const MORE: usize = 10;

/// The artifact with what is said of it, or what keeps it from being one.
pub(crate) fn read(path: &Path) -> (Option<Artifact>, Vec<FindingRow>) {
    let bytes = match file::bytes(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => return (None, vec![unreadable(&error)]),
    };
    match load(&bytes) {
        Ok(artifact) => {
            let findings = waymark_artifact::validate(&artifact).into_iter().map(FindingRow::from).collect();
            (Some(artifact), findings)
        }
        Err(error) => {
            let mut rows = vec![row(&error)];
            if error.code == "shape" {
                rows.extend(more(&bytes, &error.pointer));
            }
            (None, rows)
        }
    }
}

fn unreadable(error: &io::Error) -> FindingRow {
    let (code, message, hint) = file::told(error);
    FindingRow {
        severity: Severity::Error.as_str(),
        code: code.to_owned(),
        pointer: String::new(),
        line: None,
        message,
        hint: hint.to_owned(),
    }
}

fn row(error: &LoadError) -> FindingRow {
    FindingRow {
        severity: Severity::Error.as_str(),
        code: error.code.to_owned(),
        pointer: error.pointer.clone(),
        line: error.at.map(|(line, _)| line),
        message: error.message.clone(),
        hint: error.hint.clone(),
    }
}

/// What the published schema has against other places of the document: the loader stops at the first.
fn more(bytes: &[u8], known: &str) -> Vec<FindingRow> {
    let Ok(document) = serde_json::from_slice::<Value>(bytes) else { return Vec::new() };
    let Ok(schema) = serde_json::to_value(waymark_artifact::json_schema()) else { return Vec::new() };
    let Ok(validator) = jsonschema::validator_for(&schema) else { return Vec::new() };
    validator
        .iter_errors(&document)
        .map(|error| (error.instance_path().to_string(), error.to_string()))
        // "fits none of these" about a whole step says nothing that helps.
        .filter(|(pointer, message)| pointer != known && message.len() <= 200)
        .filter(|(pointer, _)| !known.starts_with(pointer.as_str()))
        .take(MORE)
        .map(|(pointer, message)| FindingRow {
            severity: Severity::Error.as_str(),
            code: "shape".to_owned(),
            pointer,
            line: None,
            message,
            hint: "`waymark schema artifact` prints the shape of a document".to_owned(),
        })
        .collect()
}
