//! Replaying a capability: a synchronous machine.
//!
//! [`Machine::step`] takes what happened and says what to do next; nothing else happens in here. There is no
//! clock (inputs carry the time), no browser (looks and acts are asked for), no file and no model. The same
//! inputs give the same turns.

mod effects;
mod ending;
mod machine;
mod plan;
mod read;
mod recording;

pub use effects::Hide;
pub use ending::{Ending, Summary};
pub use machine::{Acted, Handoff, Input, Machine, Next, Turn, What};
pub use plan::{Plan, PlanError, SETTLE_RULE};
pub use recording::{INPUTS_SCHEMA, PolicySource, Recording, RecordingError, input_lines};
