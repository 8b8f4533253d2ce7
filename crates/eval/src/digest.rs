//! The digest over everything that decides how a run goes: engine, artifacts, policy and stand-ins.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::EvalError;

/// Below the folder of a checkout; what is not there counts as nothing.
const PARTS: [&str; 5] = ["crates", "artifacts", "config", "fixtures/apps", "fixtures/params"];

/// The digest of the checkout at this folder.
///
/// # Errors
/// A file cannot be read.
pub fn sources(root: &Path) -> Result<String, EvalError> {
    let mut files = Vec::new();
    for part in PARTS {
        gather(&root.join(part), &mut files)?;
    }
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
        if name.ends_with(".md") || name.contains("/tests/") {
            continue;
        }
        digest.update(name.as_bytes());
        digest.update([0]);
        digest.update(fs::read(&file).map_err(EvalError::io(&file))?);
        digest.update([0]);
    }
    Ok(hex::encode(digest.finalize()))
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), EvalError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry.map_err(EvalError::io(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "node_modules" && name != "target" {
                gather(&path, files)?;
            }
        } else {
            files.push(path);
        }
    }
    Ok(())
}
