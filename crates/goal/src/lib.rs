//! What an analyst wants done, said once and fixed before a model is asked.
//!
//! One [`Goal`] has three faces: a Markdown file, the flags of a command, and JSON. All three give the same goal, and
//! what cannot be checked by a program is refused in all three. A model is shown names, types and descriptions of the data
//! and never a value ([`Goal::values`] fetches those for the run). This crate reads no file and no variable: it is handed
//! texts.

mod check;
mod document;
mod flags;
mod goal;
mod json;
mod line;
mod markdown;
mod problem;
mod values;

pub use document::{
    Absent, Condition, DataKey, DeclaredOutcome, Limits, SCHEMA, Source, Usd, WantedColumn, WantedOutput,
};
pub use flags::Flags;
pub use goal::{Checked, Goal, goal_schema};
pub use problem::{GOAL_CODES, GoalError, GoalErrors, GoalWarning, WARNING_CODES, Where};
pub use values::{Given, Values};

#[cfg(test)]
mod tests;
