//! Keeping what must not be seen out of everything that is written.
//!
//! A [`Secret`] cannot be printed by accident. The one [`Redactor`] of a run masks, in any text, the values that
//! were registered with it, in whatever encoding, and values that are found by their form or by the name of
//! their field. This crate writes nothing itself and knows nothing of what the texts are about.

mod forms;
mod known;
mod number;
mod redactor;
mod rules;
mod secret;
mod view;

pub use redactor::{RedactError, Redactor, mask};
pub use rules::{CustomPattern, PatternKind, Rules};
pub use secret::{MASK, Secret};
pub use view::is_unseen;
