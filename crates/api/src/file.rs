//! Reading files of bounded size.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

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
