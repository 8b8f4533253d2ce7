//! What a run leaves behind, readable with a text editor and an image viewer.
//!
//! ```text
//! <root>/replay-success-20261130T044118Z-k3v9/
//!   run.jsonl        one event a line, each with its number and the digest of the line before
//!   result.json      what the caller got
//!   effects.jsonl    what was found, done, proved and read, without time: two runs that did the same have the same file
//!   inputs.jsonl     what the engine was told, where that was asked for
//!   intervention.json  the request for a person, where there was one
//!   screenshots/     masked before they are written
//!   snapshots/       the screen as text, at failure and escalation
//! ```
//!
//! While it runs the folder is called `<kind>-running-…` and holds `owner.json`. [`RunFolder`] is the only
//! writer: everything that it writes, file names too, goes through one [`Redaction`]; where that fails, nothing
//! is written. [`runs`], [`show`] and [`verify`] read, and take a damaged folder for what it is.
//! This crate knows no clock, makes no ids and drives nothing.

mod bounded;
mod error;
mod folder;
mod index;
mod journal;
mod mask;
mod name;
mod owner;
mod reached;
mod read;
mod redaction;
mod verify;

pub use error::EvidenceError;
pub use folder::{Ended, RunFolder};
pub use index::{Channel, Index, IndexError, InterventionRow};
pub use journal::JOURNAL_SCHEMA;
pub use mask::{Exposure, MaskError, MaskedPng, mask};
pub use name::{FolderName, compact_utc};
pub use read::{ReadError, RunDetail, RunState, RunSummary, find, read_result, runs, show};
pub use redaction::{Redaction, RedactionFailed};
pub use verify::{Journal, Line, Problem, Verified, journal, read_journal, verify};

/// Proves that a folder of evidence can be made and written below `root`, and leaves nothing there but `root`.
///
/// # Errors
/// What is in the way, with the way out.
pub fn check_writable(root: &std::path::Path) -> Result<(), EvidenceError> {
    folder::check_writable(root)
}
