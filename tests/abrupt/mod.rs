//! Runs whose own program is ended at a chosen line of their journal, and what is left of them then.
//!
//! Everything is judged from outside: exit code, standard output, the run's folder as `waymark runs` tells it, processes
//! and files that are left, and the stand-in's own log of what was sent.

mod job;
mod left;
mod report;
mod strike;

pub use job::{JOBS, Job};
pub use left::{files, processes};
pub use report::{NAME, pick, render};
pub use strike::{Line, Signal, positions, strike};
