//! Whatever the screen: no panic, and the same answer for the same screen.
use proptest::prelude::*;
use waymark_artifact::{Bindings, RungKind, Target};
use waymark_perception::{find, fingerprint_holds};
use waymark_snapshot::{NodeId, ScopeId, UiSnapshot, parse, print};
use waymark_targeting::{Hints, Resolution, resolve};

use crate::read::{given, target};

const WORDS: [&str; 6] = ["Save", "Amount", "save:", "7", "", ">>"];

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&WORDS[..])
}

fn role() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &["button", "link", "textbox", "combobox", "checkbox", "heading", "region", "row", "cell", "table"][..],
    )
}

/// Lines of a snapshot: how deep at most, role, name, text, box, place in a table.
fn page() -> impl Strategy<Value = String> {
    let line = (
        0usize..5,
        role(),
        word(),
        prop::option::of((0i32..4, 0i32..9)),
        (0u32..4, 0u32..3, 0u32..2000, any::<bool>()),
    );
    (prop::collection::vec((line, 0u32..6), 1..30), any::<bool>()).prop_map(|(lines, frame)| {
        let mut out = String::from("window main <http://a.test/x>\n");
        let mut depth = 0;
        let mut first = true;
        let mut table_at: Option<usize> = None;
        for (at, ((deep, role, name, place, (row, col, span, header)), kind)) in lines.into_iter().enumerate() {
            depth = if std::mem::take(&mut first) { 0 } else { deep.min(depth + 1) };
            if table_at.is_some_and(|t| depth <= t) {
                table_at = None;
            }
            let indent = "  ".repeat(depth + 1);
            let bounds = place.map(|(x, y)| format!(" @{},{},90,20", x * 100, y * 25)).unwrap_or_default();
            if frame && at == 7 {
                out.push_str(&format!("{indent}frame name=\"f\" <http://a.test/f>\n"));
            } else if kind == 0 {
                out.push_str(&format!("{indent}text \"{name}\"{bounds}\n"));
            } else {
                let inside = table_at.is_some() && (role == "cell" || kind == 1);
                let header = if header { ",header" } else { "" };
                let cell =
                    if inside { format!(" cell={row},{col},{},{}{header}", span % 3, span) } else { String::new() };
                out.push_str(&format!("{indent}{role} \"{name}\"{bounds}{cell}\n"));
                if role == "table" && table_at.is_none() {
                    table_at = Some(depth);
                }
            }
        }
        out
    })
}

fn relation() -> impl Strategy<Value = String> {
    prop_oneof![
        word().prop_map(|w| format!(r#"{{"relation":"region","name":"{w}"}}"#)),
        (word(), word())
            .prop_map(|(a, b)| format!(r#"{{"relation":"row","keys":[{{"column":"{a}","equals":"{b}"}}]}}"#)),
        word().prop_map(|w| format!(r#"{{"relation":"row","keys":[{{"equals":"{w}"}}]}}"#)),
        word().prop_map(|w| format!(r#"{{"relation":"column","header":"{w}"}}"#)),
        (word(), word())
            .prop_map(|(a, b)| format!(r#"{{"relation":"cell","keys":[{{"equals":"{a}"}}],"header":"{b}"}}"#)),
        (word(), any::<bool>()).prop_map(|(w, b)| {
            format!(r#"{{"relation":"adjacent","text":"{w}","side":"{}"}}"#, if b { "before" } else { "after" })
        }),
    ]
}

fn rung() -> impl Strategy<Value = String> {
    prop_oneof![
        (role(), word()).prop_map(|(r, w)| format!(r#"{{"rung":"role_name","role":"{r}","name":"{w}"}}"#)),
        (role(), word()).prop_map(|(r, w)| format!(r#"{{"rung":"role_name_normalized","role":"{r}","name":"{w}"}}"#)),
        (role(), word()).prop_map(|(r, w)| format!(r#"{{"rung":"label","role":"{r}","label":"{w}"}}"#)),
        (role(), relation()).prop_map(|(r, a)| format!(r#"{{"rung":"anchor","role":"{r}","relation":{a}}}"#)),
        (role(), 0u32..4, 0u32..4)
            .prop_map(|(r, i, n)| format!(r#"{{"rung":"ordinal","role":"{r}","index":{i},"of":{n}}}"#)),
        Just(r#"{"rung":"native_hint","hint":{"web":"a"}}"#.to_owned()),
        Just(r#"{"rung":"vision","description":"x"}"#.to_owned()),
    ]
}

fn any_target() -> impl Strategy<Value = Target> {
    let candidate = (rung(), prop::collection::vec(relation(), 0..2))
        .prop_map(|(find, within)| format!(r#"{{"find":{find},"within":[{}]}}"#, within.join(",")));
    let print = prop_oneof![
        Just("null".to_owned()),
        (role(), word()).prop_map(|(r, w)| format!(r#"{{"role":"{r}","name":"{w}","caption":"Amount"}}"#)),
        (role(), word()).prop_map(|(r, w)| format!(r#"{{"role":"{r}","name":"{w}"}}"#)),
    ];
    (prop::collection::vec(candidate, 1..5), print).prop_map(|(c, p)| target(&c.join(","), &p))
}

/// The same snapshot as another driver would hand it over: other handles.
fn with_other_handles(snapshot: &UiSnapshot) -> UiSnapshot {
    let renamed: String = print(snapshot)
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{line}\n").replacen('\n', &format!(" #h{at}\n"), 1))
        .collect();
    match parse(&renamed) {
        Ok(snapshot) => snapshot,
        Err(error) => panic!("{error}\n{renamed}"),
    }
}

fn hints_of(snapshot: &UiSnapshot, picked: &[usize]) -> Hints {
    let ids: Vec<NodeId> =
        picked.iter().filter_map(|at| snapshot.nodes().get(*at)).map(|node| node.id.clone()).collect();
    (0..5).map(|rung| (rung, ids.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_depends_on_the_screen_alone(page in page(), target in any_target(), picked in prop::collection::vec(0usize..40, 0..3)) {
        let snapshot = match parse(&page) {
            Ok(snapshot) => snapshot,
            Err(error) => panic!("{error}\n{page}"),
        };
        let bindings: Bindings = given(&[]);
        let first = resolve(&target, &snapshot, &hints_of(&snapshot, &picked), &bindings);
        prop_assert_eq!(&first, &resolve(&target, &snapshot, &hints_of(&snapshot, &picked), &bindings));
        let renamed = with_other_handles(&snapshot);
        prop_assert_eq!(&first, &resolve(&target, &renamed, &hints_of(&renamed, &picked), &bindings), "{}", page);
        if let Ok(Resolution::Found(found)) = &first {
            prop_assert!(found.drift >= u32::from(found.rung > 0));
            let candidate = &target.candidates[found.rung];
            if found.kind != RungKind::NativeHint {
                let again = find(&snapshot, ScopeId(0), &candidate.find, &candidate.within, &bindings);
                prop_assert_eq!(again, Ok(vec![found.node]));
            }
            if let Some(recorded) = &target.fingerprint {
                prop_assert_eq!(fingerprint_holds(&snapshot, found.node, recorded, found.kind, &bindings), Ok(None));
            }
        }
    }
}
