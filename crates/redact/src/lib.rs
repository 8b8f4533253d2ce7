//! Keeping what must not be seen out of everything that is written.

mod rules;
mod secret;

pub use rules::{CustomPattern, PatternKind, Rules};
pub use secret::{MASK, Secret};
