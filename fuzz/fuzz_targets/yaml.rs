//! Any text as one of the configuration files; the first byte says which.
#![no_main]

#[path = "../../crates/policy/tests/sound/mod.rs"]
mod sound;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sound::configuration(bytes));
