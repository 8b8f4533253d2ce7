//! Discoveries as a caller meets them, with a model and an application that a test makes up.
//!
//! The model is an endpoint on loopback that speaks a provider's protocol, so that what a model would get is seen byte by
//! byte as it leaves the program.

mod endpoint;
mod server;

pub use endpoint::{Endpoint, Question, Says, player};
pub use server::{Answer, Got, Server};
