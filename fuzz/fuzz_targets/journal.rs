//! Any bytes as a journal, and as a stored result.
#![no_main]

#[path = "../../crates/evidence/tests/sound/mod.rs"]
mod sound;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sound::journal(bytes));
