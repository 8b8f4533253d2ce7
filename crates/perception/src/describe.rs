//! Things in words.

use waymark_snapshot::{Ix, UiSnapshot, squash};

use crate::label_of;

/// What a person would call the thing: role, name or caption, and where it stands.
#[must_use]
pub fn describe(snapshot: &UiSnapshot, ix: Ix) -> String {
    let node = snapshot.node(ix);
    let name = label_of(snapshot, ix).unwrap_or_default();
    let name: String = squash(&name).chars().take(80).collect();
    let mut out = node.role.as_str().to_owned();
    if !name.is_empty() {
        out.push_str(&format!(" \"{name}\""));
    }
    if let Some(b) = node.bounds {
        out.push_str(&format!(" at {},{}", b.x, b.y));
    }
    let scope = snapshot.scope(node.scope);
    if !scope.path.is_empty() {
        let path: Vec<&str> = scope.path.iter().map(|f| f.name.as_str()).collect();
        out.push_str(&format!(" in frame {}", path.join("/")));
    }
    out
}
