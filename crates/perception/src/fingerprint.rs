//! What a thing looks like, and whether it still does.

use waymark_artifact::{BindError, Bindings, Fingerprint, RungKind, Template};
use waymark_snapshot::{Fold, Ix, State, UiSnapshot, same, squash};

use crate::caption;

/// How a thing differs from what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// `role`, `name`, `caption`, `protected` or `native`.
    pub part: &'static str,
    /// What was recorded.
    pub recorded: String,
    /// What is there.
    pub found: String,
}

/// What the thing looks like now.
#[must_use]
pub fn fingerprint(snapshot: &UiSnapshot, ix: Ix) -> Fingerprint {
    let node = snapshot.node(ix);
    Fingerprint {
        role: node.role.clone(),
        name: Template::literal(&squash(&node.name)),
        caption: caption(snapshot, ix).map(|c| Template::literal(&c.text)),
        native: (!node.native.is_empty()).then(|| node.native.clone()),
        protected: node.is(State::Protected),
    }
}

/// Compares the thing with what was recorded, by ladder rule 1.
///
/// Role: of the same class (vendors turn links into buttons). Name and caption: folded. The surface's own kind of
/// element: only where the rung that found the thing did not compare its name, since then nothing else tells a
/// look-alike apart.
///
/// # Errors
/// A reference in the fingerprint stands for nothing.
pub fn fingerprint_holds(
    snapshot: &UiSnapshot,
    ix: Ix,
    recorded: &Fingerprint,
    by: RungKind,
    bindings: &Bindings,
) -> Result<Option<Mismatch>, BindError> {
    let node = snapshot.node(ix);
    let miss = |part, recorded: &str, found: &str| {
        Ok(Some(Mismatch { part, recorded: recorded.to_owned(), found: found.to_owned() }))
    };
    if !node.role.same_class(&recorded.role) {
        return miss("role", recorded.role.as_str(), node.role.as_str());
    }
    let name = bindings.text(&recorded.name)?;
    if !same(&node.name, &name, Fold::Folded) {
        return miss("name", &name, &node.name);
    }
    if let Some(wanted) = &recorded.caption {
        let wanted = bindings.text(wanted)?;
        let found = caption(snapshot, ix).map(|c| c.text).unwrap_or_default();
        if !same(&found, &wanted, Fold::Folded) {
            return miss("caption", &wanted, &found);
        }
    }
    if recorded.protected && !node.is(State::Protected) {
        return miss("protected", "hides what it holds", "shows what it holds");
    }
    let by_name = matches!(by, RungKind::RoleName | RungKind::RoleNameNormalized);
    if let Some(native) = &recorded.native
        && !by_name
        && *native != node.native
    {
        return miss("native", native, &node.native);
    }
    Ok(None)
}
