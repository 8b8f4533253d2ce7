//! Making sense of a snapshot, from the snapshot alone.
//!
//! Captions of controls that have no name, headers of columns, relations between things, fingerprints, and the
//! one evaluation of predicates. Equal snapshots give equal answers; nothing here looks at the application.

mod caption;
mod describe;
mod find;
mod fingerprint;
mod holds;
mod place;
mod relation;
mod sight;
mod table;

pub use caption::{Caption, caption, captions, label_of};
pub use describe::describe;
pub use find::{FindError, find};
pub use fingerprint::{Mismatch, fingerprint, fingerprint_holds};
pub use holds::{Facts, Leaf, Verdict, holds, is_screen_id, screen_ids, text_fits};
pub use place::{PlaceMiss, frame_path, place};
pub use relation::{RelationMiss, Spans, rows, spans};
pub use table::{Grid, HeaderMiss, grid, tables};
