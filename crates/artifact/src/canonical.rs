//! The one written form of a document, and its digest.

use std::fmt;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Artifact;

/// `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Digest(pub String);

impl Digest {
    /// The digest of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Digest(format!("sha256:{}", hex::encode(Sha256::digest(bytes))))
    }

    /// The digest of all that can be read from a source, in bounded memory.
    ///
    /// # Errors
    /// The source's own.
    pub fn read(source: &mut impl io::Read) -> io::Result<Self> {
        let mut state = Sha256::new();
        let mut piece = [0u8; 16 * 1024];
        loop {
            match source.read(&mut piece) {
                Ok(0) => return Ok(Digest(format!("sha256:{}", hex::encode(state.finalize())))),
                Ok(n) => state.update(&piece[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether it has the right shape.
    #[must_use]
    pub fn is_well_formed(&self) -> bool {
        self.0
            .strip_prefix("sha256:")
            .is_some_and(|h| h.len() == 64 && h.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The canonical form (RFC 8785) of a document: what is left out because it is the default is not written, so
/// documents that mean the same have the same bytes.
///
/// # Errors
/// The document holds something that has no JSON form; no loaded document does.
pub fn canonical_json(artifact: &Artifact) -> Result<Vec<u8>, serde_json::Error> {
    serde_json_canonicalizer::to_vec(artifact)
}

impl Artifact {
    /// The digest of the canonical form.
    ///
    /// # Errors
    /// As [`canonical_json`].
    pub fn digest(&self) -> Result<Digest, serde_json::Error> {
        canonical_json(self).map(|bytes| Digest::of(&bytes))
    }
}
