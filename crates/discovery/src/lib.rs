//! Discovery: a model does a job once, one action at a time; what it did is recorded.
//!
//! Knows neither a provider of models, nor a browser, nor how a capability is replayed: it is handed all three.

mod decision;
mod explore;
mod job;
mod list;
mod model;
mod prompt;
mod stage;

pub use decision::{ACTIONS, Decision, Source, Written, tool};
pub use explore::{Ending, Exploration, explore};
pub use job::{Bounds, Fixed, Job, Named};
pub use list::{Listed, list};
pub use model::{Call, CallStatus, Decided, Model, ModelError, ModelName, ModelRequest, Role, Tool, Usage};
pub use stage::{Acted, Said, Stage};
