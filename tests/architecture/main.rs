//! The invariants of the house, each with the sentence that says how to keep it.

mod bans;
mod dependencies;
mod documents;
mod graph;
mod licences;
mod sources;
mod vocabulary;
