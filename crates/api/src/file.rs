//! Reading files of bounded size.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// All of a file. One that is too large is refused by its size, before it is read.
pub(crate) fn bytes(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if found.len() > most as u64 {
        return Err(too_large(&found.len().to_string(), most));
    }
    pour(&mut File::open(path)?, most)
}

/// All that a source gives.
pub(crate) fn pour(source: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(too_large(&format!("more than {most}"), most)) } else { Ok(bytes) }
}

/// Where a record about an artifact lies: in `records` beside it, called by its digest and kind.
pub(crate) fn record_place(artifact: &Path, digest: &str, kind: &str) -> PathBuf {
    let digits = digest.trim_start_matches("sha256:");
    artifact.parent().unwrap_or(Path::new("")).join("records").join(format!("{digits}.{kind}.json"))
}

/// The record in a file, where there is one; `what` says in words which kind it is.
///
/// # Errors
/// In words: it cannot be read, or is none.
pub(crate) fn record<T: DeserializeOwned>(file: &Path, most: usize, what: &str) -> Result<Option<T>, String> {
    match bytes(file, most) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map(Some).map_err(|error| format!("this is no record of {what}: {error}"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("the record of {what}: {}", told(&error).1)),
    }
}

/// Stable word, message and way out.
pub(crate) fn told(error: &io::Error) -> (&'static str, String, &'static str) {
    match error.kind() {
        ErrorKind::NotFound => ("unreadable", "there is no such file".to_owned(), "check the path"),
        ErrorKind::PermissionDenied => ("unreadable", "it may not be read".to_owned(), "check its permissions"),
        ErrorKind::IsADirectory => ("unreadable", "it is a folder".to_owned(), "name the file in it"),
        ErrorKind::FileTooLarge => ("too_large", error.to_string(), "check that this is the file that was meant"),
        _ => ("unreadable", format!("it cannot be read: {error}"), "check the path"),
    }
}

fn too_large(length: &str, most: usize) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("it has {length} bytes; at most {most} are read"))
}
