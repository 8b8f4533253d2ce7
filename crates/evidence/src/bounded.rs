//! Reading files that somebody else may have put there: none larger than it may be, and nothing but files.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use waymark_artifact::Digest;

/// All of a file. One that is too large is refused by its size, before it is read.
///
/// # Errors
/// As the system's; `FileTooLarge` beyond `most` bytes, `InvalidInput` where it is a folder, a link or a device.
pub(crate) fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let length = plain_file(path)?;
    let too_large = |length: String| {
        io::Error::new(io::ErrorKind::FileTooLarge, format!("it has {length} bytes; at most {most} are read"))
    };
    if length > most {
        return Err(too_large(length.to_string()));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    // It may have grown while it was read.
    if bytes.len() as u64 > most { Err(too_large(format!("more than {most}"))) } else { Ok(bytes) }
}

/// The digest of a file of any size, read piece by piece.
///
/// # Errors
/// As [`bytes`], without a bound.
pub(crate) fn digest(path: &Path) -> io::Result<Digest> {
    let length = plain_file(path)?;
    Digest::read(&mut File::open(path)?.take(length + 1))
}

/// The length of a file. A link may lead anywhere, and a device or pipe may never end.
fn plain_file(path: &Path) -> io::Result<u64> {
    let found = fs::symlink_metadata(path)?;
    if found.is_file() {
        Ok(found.len())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"))
    }
}
