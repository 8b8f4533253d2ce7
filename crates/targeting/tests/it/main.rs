//! The ladder, told by snapshots in text form.
mod applications;
mod ladder;
mod read;
mod robust;
