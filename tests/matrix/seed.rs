//! Choosing by seed, and the digest of the sources that a report speaks of.

use anyhow::Result;
use sha2::{Digest as _, Sha256};
use waymark_tests::sources;

/// The digest over everything that decides how a run goes: the sources of the engine, the artifacts, the policy, the
/// stand-ins.
///
/// # Errors
/// The sources cannot be listed.
pub fn source_digest() -> Result<String> {
    let parts = ["crates/", "artifacts/", "config/", "fixtures/apps/", "tests/matrix/", "Cargo.lock"];
    let mut digest = Sha256::new();
    for source in sources()? {
        let decides = parts.iter().any(|part| source.path.starts_with(part));
        if decides && !source.path.ends_with(".md") && !source.path.contains("/tests/") {
            digest.update(source.path.as_bytes());
            digest.update([0]);
            digest.update(source.text.as_bytes());
            digest.update([0]);
        }
    }
    Ok(hex::encode(digest.finalize()))
}

/// `count` numbers below `of`, each once, in an order that the seed alone decides.
#[must_use]
pub fn pick(seed: &str, count: usize, of: usize) -> Vec<usize> {
    let mut ranked: Vec<([u8; 32], usize)> = (0..of)
        .map(|at| {
            let mut digest = Sha256::new();
            digest.update(seed.as_bytes());
            digest.update(at.to_le_bytes());
            (digest.finalize().into(), at)
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(count).map(|(_, at)| at).collect()
}
