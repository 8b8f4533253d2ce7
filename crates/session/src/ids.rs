//! Names that nobody can guess, and hashes that nobody can undo.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Letters and digits that are not taken for one another.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const KEY_FILE: &str = ".hash-key";
const KEY_BYTES: usize = 32;

/// A short name for a run, like `k3v9q2mt`.
///
/// # Errors
/// The system gives no random bytes.
pub fn run_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 8];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|b| char::from(ALPHABET[usize::from(b & 31)])).collect())
}

/// The key of the workspace, made where there is none yet; only its owner may read it.
///
/// # Errors
/// It can neither be read nor made, or what lies there is no key.
pub fn workspace_key(root: &Path) -> io::Result<Vec<u8>> {
    let path = root.join(KEY_FILE);
    if let Ok(key) = fs::read(&path)
        && key.len() == KEY_BYTES
    {
        return Ok(key);
    }
    fs::create_dir_all(root)?;
    let mut options = fs::OpenOptions::new();
    let mut file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path)?;
    // Several runs may begin at once: the first makes it. Whoever is killed meanwhile leaves no lock, and at most an
    // empty file, which is no key yet.
    file.lock()?;
    let mut key = Vec::new();
    file.read_to_end(&mut key)?;
    match key.len() {
        KEY_BYTES => return Ok(key),
        0 => key.resize(KEY_BYTES, 0),
        // One that is too short would hide nothing, and another one would make equal values unequal.
        length => {
            let why = format!("it has {length} bytes instead of {KEY_BYTES}; move it away, and a new one is made");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
    }
    getrandom::fill(&mut key).map_err(|e| io::Error::other(e.to_string()))?;
    let written = file.write_all(&key).and_then(|()| file.sync_data());
    written.inspect_err(|_| drop(file.set_len(0)))?;
    Ok(key)
}

/// A keyed hash of a value: equal values of one workspace have equal hashes, and nobody without the key can try
/// values out.
#[must_use]
pub fn keyed_hash(key: &[u8], name: &str, value: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return String::new() };
    mac.update(name.as_bytes());
    mac.update(&[0]);
    mac.update(value.as_bytes());
    let bytes = mac.finalize().into_bytes();
    format!("hmac-sha256:{}", hex::encode(&bytes[..16]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn those_who_begin_at_once_get_one_key_and_leave_nothing_beside_it() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        for round in 0..20 {
            let root = root.path().join(format!("{round}/evidence"));
            let keys = std::thread::scope(|scope| {
                let makers: Vec<_> = (0..8).map(|_| scope.spawn(|| workspace_key(&root))).collect();
                makers.into_iter().filter_map(|maker| maker.join().ok()).collect::<io::Result<BTreeSet<_>>>()
            })?;
            assert_eq!(keys.len(), 1, "one key");
            assert_eq!(fs::read_dir(&root)?.count(), 1);
            assert_eq!(fs::metadata(root.join(KEY_FILE))?.permissions().mode() & 0o777, 0o600);
        }
        Ok(())
    }

    #[test]
    fn a_key_that_was_never_written_is_made_and_one_that_is_none_is_not_used() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let file = root.path().join(KEY_FILE);
        fs::write(&file, "")?;
        assert_eq!(workspace_key(root.path())?, fs::read(&file)?);
        fs::write(&file, "short")?;
        let error = workspace_key(root.path()).map_or_else(|error| error.to_string(), |_| "used".to_owned());
        assert!(error.contains("5 bytes") && error.contains("move it away"), "{error}");
        assert_eq!(fs::read(&file)?, b"short", "nothing is written over");
        Ok(())
    }
}
