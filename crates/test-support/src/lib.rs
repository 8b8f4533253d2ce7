//! What tests are written with: capabilities, screens and what happens as short texts, and a driver that plays them.
//!
//! [`app`] makes a plan out of a short text, [`script`] feeds a machine and tells what it did in a line a turn,
//! [`FakeDriver`] stands in for a live session. Nothing here is part of the product. A text that is not understood
//! panics: it is a mistake in a test.

#![expect(clippy::panic, clippy::expect_used, reason = "a mistake in a test ends the test, with the place named")]

pub mod app;
pub mod canary;
mod driver;
mod events;
pub mod script;
mod short;
mod told;

pub use driver::{Acts, FakeDriver};
pub use events::{delivery, observation};
