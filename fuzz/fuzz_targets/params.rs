//! Any bytes as the parameters of a capability that has one of each type.
#![no_main]

#[path = "../../crates/artifact/tests/sound/mod.rs"]
mod sound;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sound::parameters(bytes));
