//! Which window and frame a target or condition means.

use waymark_artifact::{BindError, Bindings, FrameRef, Template, location_matches};
use waymark_snapshot::{Scope, ScopeId, UiSnapshot, WindowKey, squash};

/// Why a place is none of the snapshot's scopes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceMiss {
    /// The window is not open.
    #[error("the window `{0}` is not open")]
    Window(String),
    /// No frame fits.
    #[error("no frame fits `{0}`")]
    Frame(String),
    /// Several frames fit.
    #[error("{1} frames fit `{0}`")]
    Ambiguous(String, usize),
    /// The frame is there but cannot be read.
    #[error("the frame `{0}` cannot be read")]
    Unreadable(String),
    /// A reference stands for nothing.
    #[error(transparent)]
    Bind(#[from] BindError),
}

/// The scope that a window and frame path mean.
///
/// # Errors
/// There is none, or more than one.
pub fn place(
    snapshot: &UiSnapshot,
    window: Option<&Template>,
    path: &[FrameRef],
    bindings: &Bindings,
) -> Result<ScopeId, PlaceMiss> {
    let key = window.map(|w| bindings.text(w)).transpose()?.map_or_else(WindowKey::main, WindowKey);
    let mut here = snapshot.window(&key).ok_or(PlaceMiss::Window(key.0))?;
    for frame in path {
        let wanted = Wanted::bind(frame, bindings)?;
        let fitting: Vec<ScopeId> =
            snapshot.frames(here).filter(|(_, scope)| wanted.fits(scope)).map(|(id, _)| id).collect();
        here = match fitting.as_slice() {
            [one] => *one,
            [] => return Err(PlaceMiss::Frame(wanted.words())),
            several => return Err(PlaceMiss::Ambiguous(wanted.words(), several.len())),
        };
    }
    let scope = snapshot.scope(here);
    if scope.readable {
        Ok(here)
    } else {
        Err(PlaceMiss::Unreadable(scope.path.last().map_or_else(|| scope.window.0.clone(), |f| f.name.clone())))
    }
}

/// The names on the path of a scope, as the driver is asked to watch them.
///
/// # Errors
/// A reference stands for nothing.
pub fn frame_path(path: &[FrameRef], bindings: &Bindings) -> Result<Vec<String>, BindError> {
    path.iter()
        .map(|frame| match (&frame.name, &frame.title) {
            (Some(name), _) | (None, Some(name)) => bindings.text(name),
            (None, None) => Ok("*".to_owned()),
        })
        .collect()
}

struct Wanted {
    name: Option<String>,
    title: Option<String>,
    location: Option<String>,
}

impl Wanted {
    fn bind(frame: &FrameRef, bindings: &Bindings) -> Result<Self, BindError> {
        let text = |t: &Option<Template>| t.as_ref().map(|t| bindings.text(t)).transpose();
        Ok(Wanted { name: text(&frame.name)?, title: text(&frame.title)?, location: text(&frame.location)? })
    }

    fn fits(&self, scope: &Scope) -> bool {
        let Some(frame) = scope.path.last() else { return false };
        self.name.as_ref().is_none_or(|n| *n == frame.name)
            && self
                .title
                .as_ref()
                .is_none_or(|t| squash(t) == squash(&frame.title) || squash(t) == squash(&scope.title))
            && self.location.as_ref().is_none_or(|l| location_matches(l, &scope.location))
    }

    fn words(&self) -> String {
        [&self.name, &self.title, &self.location].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }
}
