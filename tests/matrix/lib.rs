//! Long matrices: every fault at every step of the reference capabilities, judged by what the stand-in counted.
//!
//! A cell is one run with one fault. The run is a real one, in this process, with a real browser; the fault strikes
//! at an exact line of its journal, because the watcher of a run is told each line before the run goes on.

mod browser;
mod cell;
mod front;
mod judge;
mod leftovers;
mod relay;
mod repeat;
mod report;
mod rival;
mod seed;
mod strike;
mod wire;
mod world;

pub use cell::{Cell, cells};
pub use judge::Line;
pub use repeat::{Repeat, judged, repeat, serve, told};
pub use report::{NAME, render};
pub use seed::pick;
pub use world::World;
