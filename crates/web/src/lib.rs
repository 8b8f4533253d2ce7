//! The browser driver: sees and acts on web applications through a browser's own protocol.
//!
//! [`Browser`] starts or joins a browser, [`WebDriver`] is one session in it and implements
//! [`waymark_surface::Driver`]. What an artifact is, and what a run wants, is not known here.

mod act;
mod assemble;
mod browser;
mod cdp;
mod core;
mod driver;
mod evaluate;
mod events;
mod inpage;
mod launch;
mod look;
mod picture;
mod router;
mod settle;
mod state;
mod walk;
mod wire;

pub use browser::{Browser, Probe, SessionOptions};
pub use driver::WebDriver;
pub use launch::{BrowserKind, Found, LaunchError, LaunchOptions, installed, sweep};
pub use router::CallError;

#[cfg(test)]
extern crate self as waymark_web;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;
#[cfg(test)]
mod tests;
