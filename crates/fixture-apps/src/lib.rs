//! Offline applications for tests and demonstrations, served on the loopback address.
//!
//! [`parabank`] is a bank of 2005 with every trap that makes such pages hard to drive; [`cases`]
//! serves small hard pages, one behaviour each; [`meridian`] is a core-banking console of 1998 in
//! frames. All count what reaches them in a [`Log`] that no page shows: it is the oracle by which a
//! test knows what was really clicked and sent. A bank can be told to go wrong: see [`Fault`].
//! This crate knows nothing of the engine that drives the pages.

pub mod cases;
mod faults;
mod guest;
mod hook;
mod log;
mod markup;
pub mod meridian;
mod oracle;
pub mod parabank;
mod server;

pub use cases::serve_cases;
pub use faults::{Fault, FaultError, Mode, Place};
pub use guest::{Guest, LATE_PATH, REPORT_PATH};
pub use hook::{FAULTS_PATH, HOOK_PATH, HOOK_SCHEMA, KEY_HEADER};
pub use log::{Event, Log, Request, Strike};
pub use meridian::serve_meridian;
pub use parabank::serve_parabank;
pub use server::{Delays, NoFaults, Options, Running, StartError};
