//! Whatever a snapshot holds, its text form holds it too.
use proptest::prelude::*;
use waymark_snapshot::{
    Cell, Fold, FrameName, Ix, Node, NodeDetail, NodeId, OptionItem, Rect, Role, Scope, ScopeId, SnapshotBuilder,
    States, UiSnapshot, WindowKey, fold, parse, print, same, squash,
};

/// What becomes one node, and how many levels are closed before it.
#[derive(Clone, Debug)]
struct Seed {
    close: usize,
    node: Node,
    frame: Option<(String, String, String, bool)>,
    cell: Option<(u32, u32, u32, u32, bool)>,
    table: prop::sample::Index,
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z \"\\\\<>=#@\\[\\]\u{a0}\n\t\r>-]{0,12}",
        any::<String>(),
        Just("Amount: $".to_owned()),
        Just(" ".to_owned()),
    ]
}

fn any_role() -> impl Strategy<Value = Role> {
    prop_oneof![
        8 => prop::sample::select(Role::KNOWN).prop_filter("windows are made apart", |r| *r != Role::Window),
        1 => any_text().prop_map(|word| Role::from_word(&word)).prop_filter("as above", |r| *r != Role::Window),
        2 => Just(Role::Frame),
        2 => Just(Role::Table),
    ]
}

fn any_node() -> impl Strategy<Value = Node> {
    let detail = (
        prop::option::of(0u32..7),
        prop::collection::vec((any_text(), any::<bool>(), any::<bool>()), 0..3),
        prop::option::of(any_text()),
        prop::option::of(any_text()),
        prop::option::of(any_text()),
        any::<bool>(),
    )
        .prop_map(|(level, options, description, placeholder, location, labelled)| NodeDetail {
            level,
            options: options
                .into_iter()
                .map(|(text, selected, enabled)| OptionItem { text, selected, enabled })
                .collect(),
            description,
            placeholder,
            location,
            labelled,
            holds: None,
        });
    (
        any_role(),
        any_text(),
        prop::option::of(any_text()),
        0u32..(1 << 20),
        prop::option::of(any::<[i32; 4]>()),
        any_text(),
        any::<u32>(),
        detail,
        any_text(),
    )
        .prop_map(|(role, name, value, states, bounds, native, block, detail, id)| Node {
            id: NodeId(id),
            role,
            name,
            value,
            states: States(states),
            bounds: bounds.map(|[x, y, w, h]| Rect { x, y, w, h }),
            scope: ScopeId(0),
            parent: None,
            end: Ix(0),
            native,
            block: if block % 2 == 0 { block } else { u32::MAX },
            cell: None,
            detail,
        })
}

fn any_seed() -> impl Strategy<Value = Seed> {
    (
        0usize..3,
        any_node(),
        prop::option::of((any_text(), any_text(), any_text(), any::<bool>())),
        prop::option::of((0u32..9, 0u32..9, 0u32..9, 0u32..9, any::<bool>())),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(close, node, frame, cell, table)| Seed { close, node, frame, cell, table })
}

fn window(key: String, location: String) -> Scope {
    Scope {
        window: WindowKey(key),
        path: Vec::new(),
        location,
        title: String::new(),
        parent: None,
        holder: None,
        readable: true,
    }
}

fn build(seeds: Vec<Seed>, key: &str) -> UiSnapshot {
    let mut builder = SnapshotBuilder::new();
    // Scopes with the depth of their node, innermost last.
    let mut scopes: Vec<(usize, ScopeId)> = Vec::new();
    let mut tables: Vec<Ix> = Vec::new();
    for (at, seed) in seeds.into_iter().enumerate() {
        for _ in 0..seed.close {
            if builder.depth() > 1 || (at % 7 == 0 && builder.depth() == 1) {
                builder.close();
            }
        }
        scopes.retain(|(depth, _)| *depth < builder.depth());
        let mut node = seed.node;
        let Some((_, scope)) = scopes.last().copied() else {
            let id = builder.scope(window(format!("{key}{at}"), node.name.clone()));
            node.role = Role::Window;
            node.scope = id;
            node.detail.holds = Some(id);
            scopes.push((builder.depth(), id));
            builder.open(node);
            continue;
        };
        node.scope = scope;
        if let (Role::Frame, Some((name, location, title, readable))) = (&node.role, seed.frame) {
            let outer = builder.scope_mut(scope).clone();
            let mut path = outer.path;
            path.push(FrameName { name, title: node.name.clone(), index: u32::from(readable) });
            let id = builder.scope(Scope {
                window: outer.window,
                path,
                location,
                title,
                parent: Some(scope),
                holder: Some(builder.next()),
                readable,
            });
            node.detail.holds = Some(id);
            scopes.push((builder.depth(), id));
        }
        if let Some((row, col, row_span, col_span, header)) = seed.cell
            && !tables.is_empty()
        {
            let table = tables[seed.table.index(tables.len())];
            node.cell = Some(Cell { table, row, col, row_span, col_span, header });
        }
        if node.role.is_table() {
            tables.push(builder.next());
        }
        builder.open(node);
    }
    builder.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_parsing_give_the_same_snapshot(
        seeds in prop::collection::vec(any_seed(), 1..24),
        key in any_text(),
    ) {
        let snapshot = build(seeds, &key);
        let text = print(&snapshot);
        prop_assert_eq!(parse(&text), Ok(snapshot), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "(window m\n)?([ ]{0,6}[a-z<>\"\\[\\]=#@,0-9\\\\ -]{0,20}\n?){0,5}") {
        let _ = parse(&text);
    }

    #[test]
    fn comparing_is_comparing_what_was_folded(a in any_text(), b in any_text()) {
        for rule in [Fold::Exact, Fold::Folded] {
            prop_assert_eq!(same(&a, &b, rule), fold(&a, rule) == fold(&b, rule), "{:?}", rule);
            let wider = a.replace(' ', "\u{a0} ");
            prop_assert!(same(&a, &wider, rule));
        }
        prop_assert_eq!(squash(&squash(&a)), squash(&a));
        prop_assert_eq!(fold(&fold(&a, Fold::Folded), Fold::Folded), fold(&a, Fold::Folded));
    }
}
