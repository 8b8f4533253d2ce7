//! Perception, told by snapshots in text form.
mod captions;
mod conditions;
mod fingerprints;
mod places;
mod read;
mod relations;
mod rungs;
mod tables;
