//! Keeping what must not be seen out of everything that is written.

mod secret;

pub use secret::{MASK, Secret};
