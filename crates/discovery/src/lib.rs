//! Discovery: a model does a job once, one action at a time; what it did is recorded.
//!
//! Knows neither a provider of models, nor a browser, nor how a capability is replayed: it is handed all three.

mod model;

pub use model::{Call, CallStatus, Decided, Model, ModelError, ModelName, ModelRequest, Role, Tool, Usage};
