//! Discovery: a model does a job once, one action at a time; what it did is recorded.
//!
//! Knows neither a provider of models, nor a browser, nor how a capability is replayed: it is handed all three.

mod decision;
mod explore;
mod ground;
mod job;
mod list;
mod model;
mod prompt;
mod selector;
mod stage;

pub use decision::{ACTIONS, Decision, Pointed, Source, Written, tool};
pub use explore::{Closing, Ending, Exploration, Standing, explore};
pub use ground::Candidate;
pub use job::{Bounds, Fixed, Job, Named};
pub use list::{Listed, list};
pub use model::{Call, CallStatus, Decided, Model, ModelError, ModelName, ModelRequest, Role, Tool, Usage};
pub use selector::{ByModel, Choice, Selected, Selector};
pub use stage::{Acted, Said, Stage};
