//! Names that nobody can guess, and hashes that nobody can undo.

use std::fs;
use std::io::Write;
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
/// It can neither be read nor made.
pub fn workspace_key(root: &Path) -> std::io::Result<Vec<u8>> {
    let path = root.join(KEY_FILE);
    if let Ok(key) = fs::read(&path)
        && key.len() == KEY_BYTES
    {
        return Ok(key);
    }
    fs::create_dir_all(root)?;
    let mut key = vec![0u8; KEY_BYTES];
    getrandom::fill(&mut key).map_err(|e| std::io::Error::other(e.to_string()))?;
    let beside = root.join(format!("{KEY_FILE}.{}", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    file.write_all(&key)?;
    // Two runs may begin at once: the first to put its key there wins.
    match fs::hard_link(&beside, &path) {
        Ok(()) => {}
        Err(_) if path.exists() => key = fs::read(&path)?,
        Err(error) => {
            let _ = fs::remove_file(&beside);
            return Err(error);
        }
    }
    fs::remove_file(&beside)?;
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
