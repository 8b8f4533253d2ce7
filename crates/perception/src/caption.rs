//! Captions of controls that the application gave no name.

use std::collections::BTreeMap;

use waymark_artifact::NameSource;
use waymark_snapshot::{Ix, Node, Rect, Role, RoleClass, UiSnapshot, squash};

use crate::Grid;
use crate::sight::Sight;

/// How far from a control its caption may end, in units of the surface.
const NEAR: i32 = 48;
/// How many empty cells may lie between a caption and its control.
const SPACERS: u32 = 2;

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
    caption_in(&Sight::new(snapshot), ix)
}

/// The captions of all controls without a name; as [`caption`] of each, with the tables worked out once.
#[must_use]
pub fn captions(snapshot: &UiSnapshot) -> BTreeMap<Ix, Caption> {
    let sight = Sight::new(snapshot);
    snapshot.iter().filter_map(|(ix, _)| Some((ix, caption_in(&sight, ix)?))).collect()
}

/// What a person would call the control: the name the application associated with it, else the inferred caption.
#[must_use]
pub fn label_of(snapshot: &UiSnapshot, ix: Ix) -> Option<String> {
    label_in(&Sight::new(snapshot), ix)
}

pub(crate) fn label_in(sight: &Sight<'_>, ix: Ix) -> Option<String> {
    let name = squash(&sight.snapshot.node(ix).name);
    if name.is_empty() { caption_in(sight, ix).map(|c| c.text) } else { Some(name) }
}

fn caption_in(sight: &Sight<'_>, ix: Ix) -> Option<Caption> {
    let node = sight.snapshot.node(ix);
    if !node.role.is_control() || !squash(&node.name).is_empty() {
        return None;
    }
    let made = |source| move |text: String| Caption { text, source };
    let after = || line_after(sight.snapshot, ix).filter(|t| says(t)).map(made(NameSource::TextAfter));
    let before = || line_before(sight.snapshot, ix).filter(|t| says(t)).map(made(NameSource::TextBefore));
    let beside = if node.role.class() == RoleClass::Toggle { after().or_else(before) } else { before() };
    beside
        .or_else(|| from_cell(sight, ix))
        .or_else(|| from_block_before(sight.snapshot, ix).filter(|t| says(t)).map(made(NameSource::PrecedingBlock)))
}

/// The field of the same kind that a caption could as well mean: it stands on the other side of this one, in the same cell,
/// with nothing said between the two, and has neither a name nor a caption of its own.
pub(crate) fn twin_in(sight: &Sight<'_>, ix: Ix) -> Option<Ix> {
    let snapshot = sight.snapshot;
    let node = snapshot.node(ix);
    if !is_field(&node.role) {
        return None;
    }
    let other = match caption_in(sight, ix)?.source {
        NameSource::TextAfter => field_before(snapshot, ix),
        _ => field_after(snapshot, ix),
    }?;
    let alike = snapshot.node(other).role == node.role && cell_of(snapshot, other) == cell_of(snapshot, ix);
    (alike && label_in(sight, other).is_none()).then_some(other)
}

fn field_before(snapshot: &UiSnapshot, ix: Ix) -> Option<Ix> {
    back(snapshot, ix).find_map(|step| match step {
        Step::Boundary(at) => Some(Some(at)),
        Step::Leaf(_, leaf) => says(&leaf.name).then_some(None),
    })?
}

fn field_after(snapshot: &UiSnapshot, ix: Ix) -> Option<Ix> {
    let scope = snapshot.node(ix).scope;
    let mut rest = snapshot.iter().skip(snapshot.node(ix).end.at()).take_while(|(_, other)| other.scope == scope);
    rest.find_map(|(at, other)| {
        let text = other.role == Role::Text && says(&other.name);
        if text { Some(None) } else { bounds_text(&other.role).then_some(Some(at)) }
    })?
}

/// The text between the control before (or the beginning of the line) and this control, in its own line.
pub(crate) fn line_before(snapshot: &UiSnapshot, ix: Ix) -> Option<String> {
    let mut leaves: Vec<&Node> = Vec::new();
    for step in back(snapshot, ix) {
        let Step::Leaf(at, leaf) = step else { break };
        let here = match leaves.first() {
            Some(nearest) => leaf.block == nearest.block,
            None => on_line(snapshot, at, ix) && ends_before(leaf, snapshot.node(ix)),
        };
        if !here {
            break;
        }
        leaves.push(leaf);
    }
    text_back(leaves)
}

/// The text after this control in its own line, up to the next control.
pub(crate) fn line_after(snapshot: &UiSnapshot, ix: Ix) -> Option<String> {
    first_line_after(snapshot, ix)
        .filter(|(at, _)| {
            let (node, leaf) = (snapshot.node(ix), snapshot.node(*at));
            on_line(snapshot, *at, ix)
                && match (node.bounds, leaf.bounds) {
                    (Some(control), Some(text)) if leaf.block != node.block => (control.x.saturating_add(control.w / 2)
                        ..=control.right().saturating_add(NEAR))
                        .contains(&text.x),
                    _ => true,
                }
        })
        .map(|(_, text)| text)
}

/// The first line of text after a node, if it stands directly below or to the right and no control is between.
pub(crate) fn from_block_after(snapshot: &UiSnapshot, ix: Ix) -> Option<String> {
    first_line_after(snapshot, ix)
        .filter(|(at, _)| {
            cell_of(snapshot, *at) == cell_of(snapshot, ix)
                && match (snapshot.node(ix).bounds, snapshot.node(*at).bounds) {
                    (Some(thing), Some(text)) => is_above(&thing, &text) || is_left(&thing, &text),
                    _ => true,
                }
        })
        .map(|(_, text)| text)
}

/// In a grid the header of the column; in a table that lays out a form the cell to the left.
pub(crate) fn from_cell(sight: &Sight<'_>, ix: Ix) -> Option<Caption> {
    let snapshot = sight.snapshot;
    let cell = snapshot.node(cell_of(snapshot, ix)?).cell?;
    let grid = sight.grid(cell.table);
    if grid.has_declared_headers() && grid.is_header_row(cell.row) {
        return None;
    }
    if grid.has_declared_headers() || grid.looks_headed(cell.col) {
        // Without a header there is no caption: the cell to the left holds another column's value.
        let text = grid.header_over(cell.col).filter(|text| says(text))?;
        return Some(Caption { text, source: NameSource::ColumnHeader });
    }
    left_caption(snapshot, &grid, cell.row, cell.col)
        .map(|text| Caption { text, source: NameSource::AdjacentCell })
        .or_else(|| {
            grid.caption_above(cell.row, cell.col).map(|text| Caption { text, source: NameSource::ColumnHeader })
        })
}

/// The last line before the control, if it stands directly above or to the left and no control is between.
pub(crate) fn from_block_before(snapshot: &UiSnapshot, ix: Ix) -> Option<String> {
    let node = snapshot.node(ix);
    let mut leaves: Vec<&Node> = Vec::new();
    for step in back(snapshot, ix) {
        match step {
            Step::Leaf(at, leaf) => match leaves.first() {
                None if squash(&leaf.name).is_empty() => {}
                None if !in_reach(snapshot, at, ix) => return None,
                Some(nearest) if leaf.block != nearest.block => break,
                _ => leaves.push(leaf),
            },
            // Text behind another field in its line belongs to that field.
            Step::Boundary(at) => {
                let other = snapshot.node(at);
                if is_field(&other.role) && leaves.first().is_some_and(|leaf| leaf.block == other.block) {
                    return None;
                }
                break;
            }
        }
    }
    let near = match (node.bounds, hull(&leaves)) {
        (Some(control), Some(text)) => is_above(&text, &control) || is_left(&text, &control),
        // A surface without boxes: order is all there is.
        _ => true,
    };
    if near { text_back(leaves) } else { None }
}

/// The caption to the left in the row of a form; cells of nothing but signs may lie between.
fn left_caption(snapshot: &UiSnapshot, grid: &Grid<'_>, row: u32, col: u32) -> Option<String> {
    for left in (col.saturating_sub(SPACERS + 1)..col).rev() {
        let ix = grid.cell(row, left)?;
        // A neighbour that holds a control is another field, not a caption.
        if snapshot.descendants(ix).any(|(_, n)| n.role.is_control()) {
            return None;
        }
        let text = squash(&snapshot.text_of(ix));
        if says(&text) {
            // A number, date or amount is a value of another column.
            return text.chars().any(char::is_alphabetic).then_some(text);
        }
    }
    None
}

enum Step<'a> {
    /// A control, a heading, or text in one.
    Boundary(Ix),
    /// Text.
    Leaf(Ix, &'a Node),
}

/// Text leaves and boundaries before a node in its scope, nearest first.
fn back(snapshot: &UiSnapshot, ix: Ix) -> impl Iterator<Item = Step<'_>> {
    let scope = snapshot.node(ix).scope;
    (0..ix.0).rev().map(Ix).filter_map(move |i| {
        let node = snapshot.node(i);
        if node.scope != scope || snapshot.contains(i, ix) {
            return None;
        }
        if bounds_text(&node.role) {
            return Some(Step::Boundary(i));
        }
        if node.role != Role::Text {
            return None;
        }
        // From the first one on that holds both, all do.
        let mut around = snapshot.ancestors(i).take_while(|(a, _)| !snapshot.contains(*a, ix));
        let holder = around.find(|(_, n)| bounds_text(&n.role));
        Some(holder.map_or(Step::Leaf(i, node), |(holder, _)| Step::Boundary(holder)))
    })
}

/// The first line after a node up to the next control, with its first leaf.
fn first_line_after(snapshot: &UiSnapshot, ix: Ix) -> Option<(Ix, String)> {
    let node = snapshot.node(ix);
    let mut first: Option<(Ix, u32)> = None;
    let mut text = String::new();
    for (at, other) in snapshot.iter().skip(node.end.at()) {
        if other.scope != node.scope || bounds_text(&other.role) {
            break;
        }
        if other.role != Role::Text || (first.is_none() && squash(&other.name).is_empty()) {
            continue;
        }
        if first.get_or_insert((at, other.block)).1 != other.block {
            break;
        }
        text.push_str(&other.name);
    }
    let text = non_empty(&text)?;
    first.map(|(at, _)| (at, text))
}

fn bounds_text(role: &Role) -> bool {
    role.is_control() || *role == Role::Heading
}

fn is_field(role: &Role) -> bool {
    matches!(role.class(), RoleClass::TextEntry | RoleClass::Choice | RoleClass::Toggle)
        || matches!(role, Role::File | Role::Slider)
}

/// Whether text and control share a line: by the surface's word, or because they stand side by side in one cell.
fn on_line(snapshot: &UiSnapshot, leaf: Ix, ix: Ix) -> bool {
    let (text, control) = (snapshot.node(leaf), snapshot.node(ix));
    if text.block == control.block {
        return true;
    }
    match (text.bounds, control.bounds) {
        (Some(t), Some(c)) => shares_height(&t, &c) && cell_of(snapshot, leaf) == cell_of(snapshot, ix),
        _ => false,
    }
}

/// Whether text that is not of the control's own block ends before the control's middle.
fn ends_before(leaf: &Node, node: &Node) -> bool {
    match (leaf.bounds, node.bounds) {
        (Some(text), Some(control)) if leaf.block != node.block => is_left(&text, &control),
        _ => true,
    }
}

/// At least half of the lower of the two boxes is beside the other.
fn shares_height(a: &Rect, b: &Rect) -> bool {
    let shared = i64::from(a.bottom().min(b.bottom())) - i64::from(a.y.max(b.y));
    shared > 0 && shared * 2 >= i64::from(a.h.min(b.h))
}

fn is_above(upper: &Rect, lower: &Rect) -> bool {
    let gap = i64::from(lower.y) - i64::from(upper.bottom());
    upper.bottom() <= lower.y.saturating_add(lower.h / 2)
        && gap <= i64::from(NEAR)
        && upper.x < lower.right()
        && upper.right().saturating_add(NEAR) > lower.x
}

fn is_left(left: &Rect, right: &Rect) -> bool {
    left.overlaps_vertically(right) && left.right() <= right.x.saturating_add(right.w / 2)
}

fn hull(leaves: &[&Node]) -> Option<Rect> {
    let boxes = || leaves.iter().filter_map(|l| l.bounds);
    let (x, y) = (boxes().map(|b| b.x).min()?, boxes().map(|b| b.y).min()?);
    let (right, bottom) = (boxes().map(|b| b.right()).max()?, boxes().map(|b| b.bottom()).max()?);
    Some(Rect { x, y, w: right.saturating_sub(x), h: bottom.saturating_sub(y) })
}

/// Whether text outside of the control's own cell may be its caption: it leads the table that the control begins.
fn in_reach(snapshot: &UiSnapshot, leaf: Ix, ix: Ix) -> bool {
    let Some(cell_ix) = cell_of(snapshot, ix) else { return true };
    if snapshot.contains(cell_ix, leaf) {
        return true;
    }
    snapshot.node(cell_ix).cell.is_none_or(|c| (c.row, c.col) == (0, 0) && !snapshot.contains(c.table, leaf))
}

fn cell_of(snapshot: &UiSnapshot, ix: Ix) -> Option<Ix> {
    snapshot.closest(ix, |n| n.cell.is_some())
}

fn text_back(mut leaves: Vec<&Node>) -> Option<String> {
    leaves.reverse();
    let text: String = leaves.iter().map(|l| l.name.as_str()).collect();
    non_empty(&text)
}

/// A currency sign or a star alone is no caption.
pub(crate) fn says(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn non_empty(text: &str) -> Option<String> {
    let text = squash(text);
    (!text.is_empty()).then_some(text)
}
