//! Any bytes as an artifact.
#![no_main]

#[path = "../../crates/artifact/tests/sound/mod.rs"]
mod sound;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sound::artifact(bytes));
