//! Trials of recorded capabilities on the stand-ins, judged by what the stand-ins saw and never by the engine's own word.
//!
//! [`scenarios`] runs what a file declares, and tells whether it ended so. [`drift`] changes the pages under a capability, a
//! step at a time, and tells survived from refused from wrong. [`demo`] shows the five endings. Everything
//! runs through the public way of replaying; nothing here knows how an element is found.

mod browser;
mod demo;
mod digest;
mod drift;
mod error;
mod faults;
mod lines;
mod pool;
mod scenarios;
mod stage;
mod world;

pub use demo::{DemoRequest, SceneEnded, demo};
pub use digest::sources as source_digest;
pub use drift::{
    DRIFT_NAME, DriftHead, DriftLine, DriftReport, DriftRequest, Mutation, Verdict, drift, read_drift, render_drift,
};
pub use error::EvalError;
pub use faults::{
    FAULTS_NAME, FaultsHead, FaultsLine, FaultsReport, FaultsRequest, faults, read_faults, render_faults,
};
pub use scenarios::{
    ScenarioLine, ScenariosHead, ScenariosReport, ScenariosRequest, read_scenarios, render_scenarios, scenarios,
};
