//! The door: who may act, what may be done, and in which order it is asked.

mod control;
mod door;
