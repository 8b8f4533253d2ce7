//! Choosing by seed.

use sha2::{Digest as _, Sha256};

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
