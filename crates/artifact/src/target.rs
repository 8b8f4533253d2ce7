//! How a thing on a screen is found again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waymark_snapshot::Role;

use crate::Template;

/// A thing on a screen: the ways to find it, strongest first, and what it looked like when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// What a person would call it.
    pub description: String,
    /// The window it is in, by the name under which a step opened it; the main one if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Template>,
    /// The frames from the window down to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frame: Vec<FrameRef>,
    /// The ladder: the first rung with matches decides.
    pub candidates: Vec<Candidate>,
    /// What it looked like when it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// Whether the name used to find it was inferred from text beside it. Advisory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_inferred: Option<bool>,
    /// Where an inferred name came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_source: Option<NameSource>,
}

/// One frame on the way down, by what its parent or its content calls it. All parts that are given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameRef {
    /// The name its parent gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Template>,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Template>,
    /// Pattern of the address of its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Template>,
}

/// One rung of a ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// How it finds.
    pub find: Rung,
    /// Where it looks: within all of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Relation>,
    /// What the thing looks like where it is found this way, if that is other than what was recorded of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// Why it was chosen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A way to find.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rung", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rung {
    /// Exact role and accessible name; white space squashed.
    RoleName {
        /// The role.
        #[schemars(with = "String")]
        role: Role,
        /// The name.
        name: Template,
    },
    /// Role within its class and name with case, punctuation and a trailing colon folded.
    RoleNameNormalized {
        /// The role.
        #[schemars(with = "String")]
        role: Role,
        /// The name.
        name: Template,
    },
    /// The caption of a control: associated with it, or inferred from the text beside it.
    Label {
        /// The role.
        #[schemars(with = "String")]
        role: Role,
        /// The caption.
        label: Template,
    },
    /// A relation to something else on the screen.
    Anchor {
        /// The role.
        #[schemars(with = "String")]
        role: Role,
        /// Its name, where that is part of the way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<Template>,
        /// The relation.
        relation: Relation,
    },
    /// The n-th of its role within a scope that is proven to hold exactly so many.
    Ordinal {
        /// The role.
        #[schemars(with = "String")]
        role: Role,
        /// Which one, from 1.
        index: u32,
        /// How many there must be.
        of: u32,
    },
    /// An opaque hint for the driver of one kind of surface. Its use is always drift.
    NativeHint {
        /// The hint, by kind of surface.
        hint: BTreeMap<String, String>,
    },
    /// By looks. A name only: refused in replay.
    Vision {
        /// What it looks like.
        description: String,
    },
}

/// The kinds of rungs, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RungKind {
    /// Exact role and name.
    RoleName,
    /// Role class and folded name.
    RoleNameNormalized,
    /// Caption.
    Label,
    /// Relation.
    Anchor,
    /// Position.
    Ordinal,
    /// Driver's hint.
    NativeHint,
    /// Looks.
    Vision,
}

impl Rung {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> RungKind {
        match self {
            Rung::RoleName { .. } => RungKind::RoleName,
            Rung::RoleNameNormalized { .. } => RungKind::RoleNameNormalized,
            Rung::Label { .. } => RungKind::Label,
            Rung::Anchor { .. } => RungKind::Anchor,
            Rung::Ordinal { .. } => RungKind::Ordinal,
            Rung::NativeHint { .. } => RungKind::NativeHint,
            Rung::Vision { .. } => RungKind::Vision,
        }
    }
}

impl RungKind {
    /// The word as it is written in artifacts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RungKind::RoleName => "role_name",
            RungKind::RoleNameNormalized => "role_name_normalized",
            RungKind::Label => "label",
            RungKind::Anchor => "anchor",
            RungKind::Ordinal => "ordinal",
            RungKind::NativeHint => "native_hint",
            RungKind::Vision => "vision",
        }
    }
}

/// A place on the screen relative to something else. Comparisons are exact, white space squashed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "relation", rename_all = "snake_case", deny_unknown_fields)]
pub enum Relation {
    /// Inside a region, group, dialog or other container of this name.
    Region {
        /// Its role, where that is part of the way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        role: Option<Role>,
        /// Its name, or the text of its heading or caption.
        name: Template,
    },
    /// In the row whose cells have these texts.
    Row {
        /// The cells; all must hold.
        keys: Vec<RowKey>,
        /// The table, where there are several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<TableRef>,
    },
    /// In the column with this header.
    Column {
        /// The header's text.
        header: Template,
        /// The table, where there are several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<TableRef>,
    },
    /// In the cell where a row and a column cross.
    Cell {
        /// The row.
        keys: Vec<RowKey>,
        /// The column's header.
        header: Template,
        /// The table, where there are several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<TableRef>,
    },
    /// Directly beside a text: in the same line or block, in the neighbouring cell, or in the block before or after.
    Adjacent {
        /// The text.
        text: Template,
        /// On which side of the thing the text stands.
        side: Side,
    },
}

/// On which side of the thing the text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The text comes before it (to the left, or above).
    Before,
    /// The text comes after it (to the right, or below).
    After,
}

/// A cell that marks a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowKey {
    /// The header of the cell's column; any cell of the row if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<Template>,
    /// The cell's whole text.
    pub equals: Template,
}

/// A table, by its name or by the headers it must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableRef {
    /// Its name, caption or the heading above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Template>,
    /// Headers it must have, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<Template>,
}

/// What a thing looked like when it was recorded. Compared before every action on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// Its role.
    #[schemars(with = "String")]
    pub role: Role,
    /// Its accessible name; empty where the application published none.
    pub name: Template,
    /// Its inferred caption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<Template>,
    /// The surface's own word for the kind of element. Opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<String>,
    /// Whether it hides what it holds, as fields for secrets do. Where this is so, it must be so again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
}

/// Where an inferred name came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameSource {
    /// The block before the control.
    PrecedingBlock,
    /// The neighbouring cell of a table that lays out a form.
    AdjacentCell,
    /// Bare text before the control in the same block.
    TextBefore,
    /// Bare text after the control in the same block (toggles).
    TextAfter,
    /// The header of the column of a data grid.
    ColumnHeader,
}
