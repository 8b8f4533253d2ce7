//! The program as its callers meet it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod commands;
mod common;
#[cfg(feature = "discovery")]
mod doctor_model;
mod faults;
mod hostile;
mod usage;
