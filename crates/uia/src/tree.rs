//! A snapshot out of the trees of all windows.

use waymark_snapshot::{
    Cell, Ix, Node, NodeDetail, NodeId, OptionItem, Role, Scope, ScopeId, SnapshotBuilder, UiSnapshot, WindowKey,
};

use crate::element::{role_of, states_of, value_of};
use crate::{ControlType, Element};

/// A top-level window with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopWindow {
    /// Its stable name within the session.
    pub key: WindowKey,
    /// The program and its screen, in the form `app://program/screen`.
    pub location: String,
    /// The element of the window.
    pub element: Element,
}

/// The snapshot of all windows in order.
///
/// Left out: what is off screen, and what is neither named nor acted on (panes, custom elements, thumbs), whose
/// children take its place. A text element becomes a text leaf. A named control without text inside shows no leaf:
/// its name is what it says. Boxes count from the window's own corner.
#[must_use]
pub fn snapshot_of(windows: &[TopWindow]) -> UiSnapshot {
    let mut builder = SnapshotBuilder::new();
    for window in windows {
        let scope = builder.scope(Scope {
            window: window.key.clone(),
            path: Vec::new(),
            location: window.location.clone(),
            title: window.element.name.clone(),
            parent: None,
            holder: None,
            readable: true,
        });
        let corner = window.element.bounds.map_or((0, 0), |b| (b.x, b.y));
        let mut node = Node::bare(NodeId::new(format!("window.{}", window.key.0)), Role::Window, scope);
        node.detail.holds = Some(scope);
        builder.open(node);
        for child in &window.element.children {
            add(&mut builder, child, &Place { scope, corner, table: None });
        }
        builder.close();
    }
    builder.finish()
}

#[derive(Clone, Copy)]
struct Place {
    scope: ScopeId,
    corner: (i32, i32),
    table: Option<Ix>,
}

fn add(builder: &mut SnapshotBuilder, element: &Element, place: &Place) {
    if element.is_offscreen {
        return;
    }
    let role = role_of(element);
    let mut inner = *place;
    let quiet = role == Role::Generic && element.name.is_empty() && !element.is_keyboard_focusable;
    if !quiet {
        if role.is_table() {
            inner.table = Some(builder.next());
        }
        let node = node_of(element, role.clone(), place);
        // Each element of this interface is laid out by itself: a line of its own.
        let block = builder.next().0;
        let ix = builder.open(node);
        builder.node_mut(ix).block = block;
    }
    // A cell that is a text shows its name as a person reads it.
    if role.is_cell() && element.children.is_empty() && !element.name.is_empty() && element.value.is_none() {
        let mut leaf = Node::bare(NodeId::new(format!("{}.text", element.runtime_id)), Role::Text, place.scope);
        leaf.name.clone_from(&element.name);
        leaf.block = builder.next().0;
        builder.leaf(leaf);
    }
    for child in &element.children {
        add(builder, child, &inner);
    }
    if !quiet {
        builder.close();
    }
}

fn node_of(element: &Element, role: Role, place: &Place) -> Node {
    let mut node = Node::bare(NodeId::new(element.runtime_id.clone()), role, place.scope);
    node.name.clone_from(&element.name);
    node.value = value_of(element);
    node.states = states_of(element);
    node.bounds = element.bounds.map(|mut b| {
        b.x = b.x.saturating_sub(place.corner.0);
        b.y = b.y.saturating_sub(place.corner.1);
        b
    });
    element.control_type.map_or("", ControlType::as_str).clone_into(&mut node.native);
    node.cell = element.place.zip(place.table).map(|(at, table)| Cell {
        table,
        row: at.row,
        col: at.column,
        row_span: at.row_span.max(1),
        col_span: at.column_span.max(1),
        header: node.role == Role::ColumnHeader,
    });
    let level = if element.heading_level > 0 { element.heading_level } else { element.level };
    node.detail = NodeDetail {
        level: (level > 0).then_some(level),
        options: options_of(element, &node.role),
        description: (!element.help_text.is_empty()).then(|| element.help_text.clone()),
        labelled: element.labelled,
        ..NodeDetail::default()
    };
    node
}

/// The items of a choice control, also those that are off screen while it is closed.
fn options_of(element: &Element, role: &Role) -> Vec<OptionItem> {
    if !matches!(role, Role::ComboBox | Role::ListBox) {
        return Vec::new();
    }
    let item = |e: &&Element| e.control_type == Some(ControlType::ListItem);
    let direct = element.children.iter().filter(item);
    let dropped = element.children.iter().filter(|e| e.control_type == Some(ControlType::List));
    let in_list = dropped.flat_map(|list| list.children.iter().filter(item));
    direct
        .chain(in_list)
        .map(|e| OptionItem { text: e.name.clone(), selected: e.is_selected, enabled: e.is_enabled })
        .collect()
}
