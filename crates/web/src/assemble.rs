//! One snapshot out of the walks of all frames.

use std::collections::BTreeMap;

use waymark_snapshot::{
    Cell, FrameName, Ix, Node, NodeDetail, NodeId, OptionItem, Rect, Role, Scope, ScopeId, SnapshotBuilder, States,
    UiSnapshot, WindowKey,
};

use crate::walk::{Extra, Walk, WalkNode};

/// A window or frame with what was seen in it.
pub(crate) struct View<'a> {
    /// Number of its document.
    pub(crate) serial: u32,
    /// Its name as its parent gave it.
    pub(crate) name: String,
    /// Its order among the frames of its parent.
    pub(crate) index: u32,
    pub(crate) location: String,
    /// `None` where it could not be read.
    pub(crate) walk: Option<&'a Walk>,
    /// Where its viewport begins in its parent's viewport; `None` takes the box of its element.
    pub(crate) origin: Option<(f64, f64)>,
    /// Frames in it, by the number of their element.
    pub(crate) frames: BTreeMap<u32, View<'a>>,
}

/// The snapshot of all windows in order.
pub(crate) fn assemble(windows: &[(WindowKey, View<'_>)]) -> UiSnapshot {
    let mut builder = SnapshotBuilder::new();
    for (key, view) in windows {
        let scope = builder.scope(scope_of(key, view, Vec::new(), None, None));
        let mut node = Node::bare(NodeId(format!("window.{}", key.0)), Role::Window, scope);
        node.detail.holds = Some(scope);
        builder.open(node);
        fill(&mut builder, key, view, scope, &[], (0.0, 0.0));
        builder.close();
    }
    builder.finish()
}

fn fill(
    builder: &mut SnapshotBuilder,
    window: &WindowKey,
    view: &View<'_>,
    scope: ScopeId,
    path: &[FrameName],
    origin: (f64, f64),
) {
    let Some(walk) = view.walk else { return };
    let base = builder.depth();
    let mut places: Vec<Ix> = Vec::with_capacity(walk.nodes.len());
    // Indices into the walk of the nodes that are open now.
    let mut open: Vec<usize> = Vec::new();
    for (at, seen) in walk.nodes.iter().enumerate() {
        let parent = usize::try_from(seen.1).ok();
        while open.last().copied() != parent && !open.is_empty() {
            open.pop();
            builder.close();
        }
        let node = node_of(seen, view.serial, scope, &places, origin);
        let frame = (node.role == Role::Frame).then(|| view.frames.get(&seen.0)).flatten();
        let bounds = node.bounds.unwrap_or_default();
        let title = node.name.clone();
        let ix = builder.open(node);
        places.push(ix);
        open.push(at);
        if let Some(inner) = frame {
            let mut path = path.to_vec();
            path.push(FrameName { name: inner.name.clone(), title, index: inner.index });
            let held = builder.scope(scope_of(window, inner, path.clone(), Some(scope), Some(ix)));
            builder.node_mut(ix).detail.holds = Some(held);
            let inner_origin = match inner.origin {
                Some((x, y)) => (origin.0 + x, origin.1 + y),
                None => (f64::from(bounds.x), f64::from(bounds.y)),
            };
            fill(builder, window, inner, held, &path, inner_origin);
        }
    }
    while builder.depth() > base {
        builder.close();
    }
}

fn scope_of(
    window: &WindowKey,
    view: &View<'_>,
    path: Vec<FrameName>,
    parent: Option<ScopeId>,
    holder: Option<Ix>,
) -> Scope {
    Scope {
        window: window.clone(),
        path,
        location: view.location.clone(),
        title: view.walk.map(|walk| walk.title.clone()).unwrap_or_default(),
        parent,
        holder,
        readable: view.walk.is_some(),
    }
}

fn node_of(seen: &WalkNode, serial: u32, scope: ScopeId, places: &[Ix], origin: (f64, f64)) -> Node {
    let cell = seen.12.and_then(|(table, row, col, row_span, col_span, header)| {
        let table = *places.get(table as usize)?;
        Some(Cell { table, row, col, row_span: row_span.max(1), col_span: col_span.max(1), header: header.0 })
    });
    Node {
        id: handle(serial, seen.0),
        role: Role::from_word(&seen.2),
        name: seen.3.clone(),
        value: seen.4.clone(),
        states: States(seen.5),
        bounds: Some(Rect {
            x: whole(seen.6 + origin.0),
            y: whole(seen.7 + origin.1),
            w: whole(seen.8),
            h: whole(seen.9),
        }),
        scope,
        parent: None,
        end: Ix(0),
        native: seen.10.clone(),
        block: seen.11,
        cell,
        detail: seen.13.as_ref().map(detail_of).unwrap_or_default(),
    }
}

fn detail_of(extra: &Extra) -> NodeDetail {
    NodeDetail {
        level: extra.level,
        options: extra
            .options
            .iter()
            .map(|(text, _, selected, disabled)| OptionItem {
                text: text.clone(),
                selected: selected.0,
                enabled: !disabled.0,
            })
            .collect(),
        description: extra.desc.clone(),
        placeholder: extra.placeholder.clone(),
        location: extra.href.clone(),
        labelled: extra.label.is_some_and(|label| label.0),
        holds: None,
    }
}

/// The handle of a node: the number of its document and its own number there.
pub(crate) fn handle(serial: u32, id: u32) -> NodeId {
    NodeId(format!("{serial}.{id}"))
}

/// Document and number of a handle.
pub(crate) fn read_handle(id: &NodeId) -> Option<(u32, u32)> {
    let (serial, id) = id.as_str().split_once('.')?;
    Some((serial.parse().ok()?, id.parse().ok()?))
}

/// To whole pixels, however far out.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, which is what is wanted here")]
pub(crate) fn whole(value: f64) -> i32 {
    value.round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(nodes: &str) -> Walk {
        serde_json::from_str(&format!(r#"{{"url":"u","title":"t","hash":"1","nodes":{nodes}}}"#)).unwrap_or_default()
    }

    #[test]
    fn frames_lie_inside_their_holders_and_boxes_count_from_the_window() {
        let outer = walk(
            r#"[[1,-1,"table","",null,0,0,0,10,10,"table",1,null,null],
                [2,0,"cell","a",null,0,1,2,3,4,"td",2,[0,1,2,1,1,true],null],
                [3,-1,"frame","Work",null,0,100,50,20,20,"iframe",0,null,{"frameName":"w"}],
                [4,-1,"button","Go",null,524288,0,0,1,1,"button",0,null,null]]"#,
        );
        let inner = walk(r#"[[9,-1,"text","In",null,0,1,1,5,5,"",3,null,null]]"#);
        let frame = View {
            serial: 7,
            name: "w".into(),
            index: 0,
            location: "in".into(),
            walk: Some(&inner),
            origin: Some((102.0, 52.0)),
            frames: BTreeMap::new(),
        };
        let window = View {
            serial: 3,
            name: String::new(),
            index: 0,
            location: "out".into(),
            walk: Some(&outer),
            origin: None,
            frames: BTreeMap::from([(3, frame)]),
        };
        let snapshot = assemble(&[(WindowKey::main(), window)]);
        assert_eq!(
            waymark_snapshot::print(&snapshot),
            "window main #window.main <out> title=\"t\"\n\
             \u{20} table @0,0,10,10 native=table block=1 #3.1\n\
             \u{20}   cell \"a\" @1,2,3,4 cell=1,2,1,1,header native=td block=2 #3.2\n\
             \u{20} frame \"Work\" @100,50,20,20 native=iframe #3.3 name=\"w\" <in> title=\"t\"\n\
             \u{20}   text \"In\" @103,53,5,5 #7.9\n\
             \u{20} button \"Go\" [interactive] @0,0,1,1 native=button #3.4\n"
        );
    }

    #[test]
    fn a_handle_is_read_back() {
        assert_eq!(read_handle(&handle(3, 14)), Some((3, 14)));
        assert_eq!(read_handle(&NodeId::new("window.main")), None);
    }
}
