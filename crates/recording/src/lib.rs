//! From what was done and seen once to the document by which it is done again.
//!
//! Ladders are proposed and proven on the screen, checkpoints are taken from what a deed changed, values become
//! references to parameters, and side trips are left out. Nothing here knows who decided what to do: a model, a
//! person, or a repair.

mod answers;
mod around;
mod compile;
mod data;
mod deed;
mod hint;
mod ladder;
mod names;
mod pinned;
mod proof;
mod record;
mod refute;
mod stood;
mod table;
mod trips;
mod values;
mod wish;

pub use answers::{Answer, Sign};
pub use compile::{CompileError, Compiled, Contract, compile, compile_without};
pub use data::shown_as_data;
pub use deed::{Deed, Did, Given, Reading};
pub use ladder::{NoTarget, Purpose, beside, target};
pub use names::{from_words, unlike};
pub use pinned::built_on;
pub use proof::{Proof, appeared, is_so, places, shows};
pub use stood::{Shown, identifiers};
pub use table::{TableReading, format_for, table_reading, type_of};
pub use trips::{same_screen, without_trips};
pub use values::Values;
pub use wish::Wish;
