//! One live run: owns the browser, carries out what the machine asks for, and writes down what happened.
//!
//! Time, secrets, the browser and the evidence are here; what to do next is the machine's word alone.

mod acting;
mod clock;
mod drive;
mod effects;
#[cfg(feature = "discovery")]
mod explore;
mod guard;
mod handoff;
mod ids;
mod pictures;
mod recorder;
mod result;
mod run;
mod screen;
mod secrets;

pub use clock::today;
#[cfg(feature = "discovery")]
pub use explore::{Explored, Exploring, Texts, explore};
pub use handoff::{ChannelError, Element, HandoffStanding, OperatorAsk, OperatorRefused, Order, PersonAct, Wait, ask};
pub use run::{BrowserChoice, Request, Stop, StopCause, Watcher, run};
pub use secrets::{CredentialSource, SecretError};
