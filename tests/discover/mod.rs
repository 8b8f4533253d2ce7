//! Discoveries as a caller meets them, with a model and an application that a test makes up.
//!
//! The model is an endpoint on loopback that speaks a provider's protocol, so that what a model would get is seen byte by
//! byte as it leaves the program. With it the program is made to go wrong at any turn, and judged from outside.

mod endpoint;
mod job;
mod report;
mod server;
mod strike;

pub use endpoint::{Endpoint, Question, Says, player};
pub use job::{JOBS, Job};
pub use report::{Cell, NAME, cells, render, slice};
pub use server::{Answer, Got, Server};
pub use strike::{At, Blow, Line, lines_after_draft, strike, turns};
