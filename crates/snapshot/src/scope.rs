//! Scopes: the windows and frames of a session.

use serde::{Deserialize, Serialize};

use crate::Ix;

/// Index of a scope in its snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeId(pub u32);

/// The stable name of a window within a session: `main` for the first one, else the name it was opened
/// under, else `window-N` in order of opening.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WindowKey(pub String);

impl WindowKey {
    /// The first window of a session.
    #[must_use]
    pub fn main() -> Self {
        WindowKey("main".into())
    }
}

/// How one frame is known to its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FrameName {
    /// The name its parent gave it.
    pub name: String,
    /// Its title, as the person or assistive technology is told.
    pub title: String,
    /// Its order among the frames of its parent, from 0.
    pub index: u32,
}

/// A window (path empty) or a frame in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The window.
    pub window: WindowKey,
    /// The frames from the window down to this one.
    pub path: Vec<FrameName>,
    /// The address of the content.
    pub location: String,
    /// The title of the content.
    pub title: String,
    /// The scope that holds this one.
    pub parent: Option<ScopeId>,
    /// The frame node in the parent.
    pub holder: Option<Ix>,
    /// Whether the content was there to be read; a frame that hangs or crashed is not.
    pub readable: bool,
}
