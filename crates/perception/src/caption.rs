//! Captions of controls that the application gave no name.

use waymark_artifact::NameSource;
use waymark_snapshot::{Ix, Node, Role, RoleClass, ScopeId, UiSnapshot, squash};

use crate::grid;

/// How far above a control its caption may end, in units of the surface.
const NEAR: i32 = 48;

/// A caption and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caption {
    /// The text, white space squashed.
    pub text: String,
    /// Where it stands.
    pub source: NameSource,
}

/// The caption of a control that has no name of its own; `None` where it has one or no caption is found.
#[must_use]
pub fn caption(snapshot: &UiSnapshot, ix: Ix) -> Option<Caption> {
    let node = snapshot.node(ix);
    if !node.role.is_control() || !squash(&node.name).is_empty() {
        return None;
    }
    infer(snapshot, ix)
}

/// What a person would call the control: the name the application associated with it, else the inferred caption.
#[must_use]
pub fn label_of(snapshot: &UiSnapshot, ix: Ix) -> Option<String> {
    let name = squash(&snapshot.node(ix).name);
    if name.is_empty() { caption(snapshot, ix).map(|c| c.text) } else { Some(name) }
}

fn infer(snapshot: &UiSnapshot, ix: Ix) -> Option<Caption> {
    let node = snapshot.node(ix);
    let toggle = node.role.class() == RoleClass::Toggle;
    let after = || line_after(snapshot, ix).map(|text| Caption { text, source: NameSource::TextAfter });
    let before = || line_before(snapshot, ix).map(|text| Caption { text, source: NameSource::TextBefore });
    let beside = if toggle { after().or_else(before) } else { before() };
    beside.or_else(|| from_cell(snapshot, ix)).or_else(|| from_block_before(snapshot, ix))
}

/// The text between the control before (or the beginning of the line) and this control, in its own line.
pub(crate) fn line_before(snapshot: &UiSnapshot, ix: Ix) -> Option<String> {
    let node = snapshot.node(ix);
    let mut leaves = Vec::new();
    for other in back(snapshot, ix, node.scope) {
        match other {
            Step::Control => break,
            Step::Leaf(leaf) if leaf.block == node.block => leaves.push(leaf.name.as_str()),
            Step::Leaf(_) => break,
        }
    }
    leaves.reverse();
    non_empty(&leaves.concat())
}

/// The text after this control in its own line, up to the next control.
pub(crate) fn line_after(snapshot: &UiSnapshot, ix: Ix) -> Option<String> {
    let node = snapshot.node(ix);
    let mut text = String::new();
    for i in node.end.0..u32::try_from(snapshot.nodes().len()).unwrap_or(u32::MAX) {
        let other = snapshot.node(Ix(i));
        if other.scope != node.scope || other.role.is_control() {
            break;
        }
        if other.role == Role::Text {
            if other.block != node.block {
                break;
            }
            text.push_str(&other.name);
        }
    }
    non_empty(&text)
}

/// In a grid the header of the column; in a table that lays out a form the cell to the left.
pub(crate) fn from_cell(snapshot: &UiSnapshot, ix: Ix) -> Option<Caption> {
    let cell_ix = snapshot.closest(ix, |n| n.role.is_cell() && n.cell.is_some())?;
    let cell = snapshot.node(cell_ix).cell?;
    let grid = grid(snapshot, cell.table);
    let declared = grid.has_declared_headers();
    if declared && !grid.is_header_row(cell.row) {
        let text = grid.header_over(cell.col).filter(|t| !t.is_empty());
        if let Some(text) = text {
            return Some(Caption { text, source: NameSource::ColumnHeader });
        }
    }
    let left = cell.col.checked_sub(1)?;
    let left_ix = grid.cell(cell.row, left)?;
    // A neighbour that holds a control is another field, not a caption.
    if snapshot.descendants(left_ix).any(|(_, n)| n.role.is_control()) {
        return None;
    }
    non_empty(&snapshot.text_of(left_ix)).map(|text| Caption { text, source: NameSource::AdjacentCell })
}

/// The last line before the control, if it stands directly above or to the left and no control is between.
pub(crate) fn from_block_before(snapshot: &UiSnapshot, ix: Ix) -> Option<Caption> {
    let node = snapshot.node(ix);
    let mut block = None;
    let mut leaves: Vec<&Node> = Vec::new();
    for other in back(snapshot, ix, node.scope) {
        match other {
            Step::Control => break,
            Step::Leaf(leaf) if block.is_none_or(|b| b == leaf.block) => {
                if squash(&leaf.name).is_empty() && leaves.is_empty() {
                    continue;
                }
                block = Some(leaf.block);
                leaves.push(leaf);
            }
            Step::Leaf(_) => break,
        }
    }
    let near = match (node.bounds, leaves.first().and_then(|l| l.bounds)) {
        (Some(control), Some(text)) => {
            let above = text.bottom() <= control.y + control.h / 2
                && control.y - text.bottom() <= NEAR
                && text.x < control.right().max(text.x + 1);
            let left = text.overlaps_vertically(&control) && text.right() <= control.x + control.w / 2;
            above || left
        }
        // A surface without boxes: order is all there is.
        _ => true,
    };
    leaves.reverse();
    let text: String = leaves.iter().map(|l| l.name.as_str()).collect();
    non_empty(&text).filter(|_| near).map(|text| Caption { text, source: NameSource::PrecedingBlock })
}

enum Step<'a> {
    Control,
    Leaf(&'a Node),
}

/// Text leaves and controls before a node, nearest first; a heading counts as a boundary like a control.
fn back(snapshot: &UiSnapshot, ix: Ix, scope: ScopeId) -> impl Iterator<Item = Step<'_>> {
    (0..ix.0).rev().map(Ix).filter_map(move |i| {
        let node = snapshot.node(i);
        if node.scope != scope || snapshot.contains(i, ix) {
            return None;
        }
        if node.role.is_control() || node.role == Role::Heading {
            return Some(Step::Control);
        }
        if node.role != Role::Text {
            return None;
        }
        let inside = snapshot
            .ancestors(i)
            .any(|(a, n)| (n.role.is_control() || n.role == Role::Heading) && !snapshot.contains(a, ix));
        Some(if inside { Step::Control } else { Step::Leaf(node) })
    })
}

fn non_empty(text: &str) -> Option<String> {
    let text = squash(text);
    (!text.is_empty()).then_some(text)
}
