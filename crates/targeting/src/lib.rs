//! Finding the recorded thing again: the ladder, rule 1.
//!
//! A pure function of target, snapshot and hint matches. Rungs are tried in order; the first with matches
//! decides. One match whose fingerprint holds is found; two or more are refused; none leads to the next rung.
//! There is no score and no threshold.

mod ladder;

pub use ladder::{Attempt, Found, Hints, RULE, Resolution, resolve};
