//! Models of discovery: providers over the network, a script that stands in for one, a recording that is played back.
//!
//! All of them answer behind `waymark_discovery::Model`. Knows neither the screen nor what its requests are about.

mod answer;
mod scripted;

pub use scripted::{ScriptError, Scripted};
