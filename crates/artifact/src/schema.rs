//! The published JSON Schemas.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use crate::{Artifact, Overlay};

/// The JSON Schema (draft 2020-12) of version 1.
#[must_use]
pub fn json_schema() -> Schema {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Artifact>();
    schema.insert("$id".into(), "urn:waymark:artifact:1".into());
    schema.insert("title".into(), "Waymark capability artifact, version 1".into());
    schema
}

/// The JSON Schema (draft 2020-12) of overlays, version 1.
#[must_use]
pub fn overlay_schema() -> Schema {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Overlay>();
    schema.insert("$id".into(), "urn:waymark:overlay:1".into());
    schema.insert("title".into(), "Waymark tenant overlay, version 1".into());
    schema
}
