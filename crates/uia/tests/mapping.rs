//! Every control type, property and pattern, and what becomes of it.
use std::collections::BTreeSet;

use waymark_perception::{caption, captions};
use waymark_snapshot::{Rect, Role, WindowKey, print};
use waymark_surface::{Act, Key, TypedText, TypingMode};
use waymark_uia::{
    ControlType, Element, ExpandCollapseState, GridPlace, Means, Pattern, ToggleState, TopWindow, means_of, role_of,
    snapshot_of, states_of, value_of,
};

/// Number, name and role of every published control type.
const TABLE: &str = "\
50000 Button button
50001 Calendar grid
50002 CheckBox checkbox
50003 ComboBox combobox
50004 Edit textbox
50005 Hyperlink link
50006 Image img
50007 ListItem listitem
50008 List list
50009 Menu menu
50010 MenuBar menubar
50011 MenuItem menuitem
50012 ProgressBar progressbar
50013 RadioButton radio
50014 ScrollBar scrollbar
50015 Slider slider
50016 Spinner spinbutton
50017 StatusBar status
50018 Tab tablist
50019 TabItem tab
50020 Text text
50021 ToolBar toolbar
50022 ToolTip tooltip
50023 Tree tree
50024 TreeItem treeitem
50025 Custom generic
50026 Group group
50027 Thumb generic
50028 DataGrid grid
50029 DataItem row
50030 Document document
50031 SplitButton button
50032 Window dialog
50033 Pane generic
50034 Header row
50035 HeaderItem columnheader
50036 Table table
50037 TitleBar banner
50038 Separator separator
50039 SemanticZoom group
50040 AppBar toolbar
";

fn of(kind: ControlType) -> Element {
    Element { control_type: Some(kind), is_enabled: true, ..Element::default() }
}

#[test]
fn every_control_type_has_its_number_and_a_role_that_has_a_name() {
    let told: String = ControlType::ALL.iter().map(|t| format!("{} {} {}\n", t.id(), t.as_str(), t.role())).collect();
    assert_eq!(told, TABLE);
    let numbers: Vec<u32> = ControlType::ALL.iter().map(|t| t.id()).collect();
    assert_eq!(numbers, (50000..=50040).collect::<Vec<_>>());
    for kind in ControlType::ALL {
        assert_eq!(ControlType::from_id(kind.id()), Some(*kind));
        assert!(Role::KNOWN.contains(&kind.role()), "{kind:?}");
        assert_ne!(role_of(&of(*kind)), Role::Window, "a window inside a window is a part of it: {kind:?}");
    }
    assert_eq!(ControlType::from_id(49999), None);
    assert_eq!(ControlType::from_id(50041), None);
}

fn check_role(element: Element, expected: &str) {
    assert_eq!(role_of(&element).as_str(), expected, "{element:?}");
}

#[test]
fn patterns_refine_the_role() {
    let with = |kind, pattern| Element { patterns: vec![pattern], ..of(kind) };
    let placed =
        |kind| Element { place: Some(GridPlace { row: 0, column: 0, row_span: 1, column_span: 1 }), ..of(kind) };
    check_role(with(ControlType::Button, Pattern::Toggle), "switch");
    check_role(with(ControlType::Button, Pattern::Invoke), "button");
    check_role(with(ControlType::MenuItem, Pattern::Toggle), "menuitemcheckbox");
    check_role(with(ControlType::MenuItem, Pattern::SelectionItem), "menuitemradio");
    check_role(with(ControlType::List, Pattern::Selection), "listbox");
    check_role(with(ControlType::List, Pattern::Grid), "grid");
    check_role(with(ControlType::ListItem, Pattern::SelectionItem), "option");
    check_role(with(ControlType::Tree, Pattern::Grid), "treegrid");
    check_role(placed(ControlType::ListItem), "gridcell");
    check_role(placed(ControlType::Text), "gridcell");
    check_role(placed(ControlType::Edit), "gridcell");
    check_role(placed(ControlType::Custom), "gridcell");
    check_role(placed(ControlType::HeaderItem), "columnheader");
    check_role(Element { heading_level: 2, ..of(ControlType::Text) }, "heading");
    check_role(Element { is_dialog: true, ..of(ControlType::Window) }, "dialog");
    check_role(of(ControlType::Window), "group");
    check_role(Element::default(), "generic");
}

fn check_states(element: Element, expected: &str) {
    let words: Vec<&str> = states_of(&element).iter().map(|s| s.as_str()).collect();
    assert_eq!(words.join(" "), expected, "{element:?}");
}

#[test]
fn properties_become_states() {
    use ControlType::{Button, CheckBox, ComboBox, Edit, List, ListItem, RadioButton, SplitButton, Text, Window};
    check_states(of(Text), "");
    check_states(Element { is_enabled: false, ..of(Text) }, "disabled");
    check_states(Element { toggle: Some(ToggleState::On), ..of(CheckBox) }, "checked");
    check_states(Element { toggle: Some(ToggleState::Off), ..of(CheckBox) }, "");
    check_states(Element { toggle: Some(ToggleState::Indeterminate), ..of(CheckBox) }, "mixed");
    check_states(Element { is_selected: true, ..of(RadioButton) }, "checked selected");
    check_states(Element { is_selected: true, ..of(ListItem) }, "selected");
    check_states(Element { expand: Some(ExpandCollapseState::Expanded), ..of(ComboBox) }, "expanded");
    check_states(Element { expand: Some(ExpandCollapseState::PartiallyExpanded), ..of(ComboBox) }, "expanded");
    check_states(Element { expand: Some(ExpandCollapseState::Collapsed), ..of(ComboBox) }, "collapsed");
    check_states(Element { expand: Some(ExpandCollapseState::LeafNode), ..of(ComboBox) }, "");
    check_states(Element { is_keyboard_focusable: true, ..of(Edit) }, "focusable interactive");
    check_states(Element { has_keyboard_focus: true, ..of(Edit) }, "focused");
    check_states(Element { is_read_only: true, ..of(Edit) }, "readonly");
    check_states(Element { is_read_only: true, ..of(Button) }, "");
    check_states(Element { is_required_for_form: true, is_data_invalid: true, ..of(Edit) }, "required invalid");
    check_states(Element { is_password: true, ..of(Edit) }, "protected");
    check_states(Element { can_select_multiple: true, ..of(List) }, "multiselectable");
    check_states(of(SplitButton), "haspopup");
    check_states(Element { is_dialog: true, ..of(Window) }, "modal");
    for pattern in [Pattern::Invoke, Pattern::Toggle, Pattern::SelectionItem, Pattern::ExpandCollapse] {
        check_states(Element { patterns: vec![pattern], ..of(Text) }, "interactive");
    }
}

#[test]
fn a_field_that_hides_what_it_holds_gives_no_value() {
    let field = Element { value: Some("7412".into()), ..of(ControlType::Edit) };
    assert_eq!(value_of(&field), Some("7412".into()));
    assert_eq!(value_of(&Element { is_password: true, ..field }), None);
}

fn named(id: &str, kind: ControlType, name: &str, x: i32, y: i32) -> Element {
    Element { runtime_id: id.into(), name: name.into(), bounds: Some(Rect { x, y, w: 80, h: 20 }), ..of(kind) }
}

fn screen() -> TopWindow {
    let field = Element {
        is_keyboard_focusable: true,
        patterns: vec![Pattern::Value],
        value: Some("5.00".into()),
        ..named("42.2", ControlType::Edit, "", 200, 110)
    };
    let item = |id: &str, name: &str, chosen| Element {
        is_selected: chosen,
        is_offscreen: true,
        patterns: vec![Pattern::SelectionItem],
        ..named(id, ControlType::ListItem, name, 0, 0)
    };
    let list = Element {
        is_offscreen: true,
        children: vec![item("42.5", "EUR", false), item("42.6", "USD", true)],
        ..named("42.4", ControlType::List, "", 0, 0)
    };
    let choice = Element {
        children: vec![list],
        value: Some("USD".into()),
        expand: Some(ExpandCollapseState::Collapsed),
        ..named("42.3", ControlType::ComboBox, "Currency", 300, 110)
    };
    let cell = |id: &str, kind, name: &str, row, column| Element {
        place: Some(GridPlace { row, column, row_span: 1, column_span: 1 }),
        ..named(id, kind, name, 110, 150)
    };
    let head = Element {
        children: vec![cell("42.9", ControlType::HeaderItem, "Account", 0, 0)],
        ..named("42.8", ControlType::Header, "", 110, 150)
    };
    let row = Element {
        children: vec![cell("42.11", ControlType::Text, "12345", 1, 0)],
        ..named("42.10", ControlType::DataItem, "12345", 110, 170)
    };
    let grid = Element { children: vec![head, row], ..named("42.7", ControlType::DataGrid, "Accounts", 110, 150) };
    let pane = Element {
        children: vec![named("42.1", ControlType::Text, "Amount:", 110, 112), field, choice, grid],
        ..named("42.0", ControlType::Pane, "", 100, 100)
    };
    let hidden = Element { is_offscreen: true, ..named("42.12", ControlType::Button, "Save", 0, 0) };
    TopWindow {
        key: WindowKey::main(),
        location: "app://teller/loans".into(),
        element: Element {
            children: vec![pane, hidden],
            bounds: Some(Rect { x: 100, y: 100, w: 600, h: 400 }),
            ..named("42", ControlType::Window, "Teller", 0, 0)
        },
    }
}

#[test]
fn a_screen_becomes_a_snapshot_like_that_of_any_other_surface() {
    assert_eq!(
        print(&snapshot_of(&[screen()])),
        r#"window main #window.main <app://teller/loans> title="Teller"
  text "Amount:" @10,12,80,20 native=Text block=1 #42.1
  textbox = "5.00" [focusable interactive] @100,10,80,20 native=Edit block=2 #42.2
  combobox "Currency" = "USD" [collapsed] @200,10,80,20 options=("EUR" *"USD") native=ComboBox block=3 #42.3
  grid "Accounts" @10,50,80,20 native=DataGrid block=4 #42.7
    row @10,50,80,20 native=Header block=5 #42.8
      columnheader "Account" @10,50,80,20 cell=0,0,1,1,header native=HeaderItem block=6 #42.9
        text "Account" block=7 #42.9.text
    row "12345" @10,70,80,20 native=DataItem block=8 #42.10
      gridcell "12345" @10,50,80,20 cell=1,0,1,1 native=Text block=9 #42.11
        text "12345" block=10 #42.11.text
"#
    );
}

#[test]
fn captions_and_tables_are_understood_without_a_word_about_the_surface() {
    let snapshot = snapshot_of(&[screen()]);
    let told: Vec<String> = captions(&snapshot).into_values().map(|c| c.text).collect();
    assert_eq!(told, ["Amount:"]);
    assert_eq!(caption(&snapshot, waymark_snapshot::Ix(3)), None);
    let grid = waymark_perception::grid(&snapshot, waymark_snapshot::Ix(4));
    assert_eq!(grid.column("Account"), Ok(0));
    assert_eq!(grid.data_rows().collect::<Vec<_>>(), [1]);
}

#[test]
fn each_act_has_its_means() {
    let node = waymark_snapshot::NodeId::new("42.2");
    let offers = |patterns: &[Pattern]| Element { patterns: patterns.to_vec(), ..of(ControlType::Edit) };
    let check = |act: &Act, element: &Element, expected: Means| assert_eq!(means_of(act, element), expected, "{act:?}");
    let text = TypedText::Plain("5".into());
    let click = Act::Click { node: node.clone() };
    check(&click, &offers(&[Pattern::Invoke]), Means::Pointer);
    let typed = Act::Type { node: node.clone(), text: text.clone(), mode: TypingMode::Insert };
    check(&typed, &offers(&[Pattern::Value]), Means::By(Pattern::Value));
    check(&typed, &Element { is_read_only: true, ..offers(&[Pattern::Value]) }, Means::Refused);
    check(&typed, &Element { is_keyboard_focusable: true, ..offers(&[]) }, Means::Keys);
    check(&typed, &Element { is_keyboard_focusable: true, is_read_only: true, ..offers(&[]) }, Means::Refused);
    let by_keys = Act::Type { node: node.clone(), text: text.clone(), mode: TypingMode::Keys };
    check(&by_keys, &Element { is_keyboard_focusable: true, ..offers(&[Pattern::Value]) }, Means::Keys);
    let choose = Act::Choose { node: node.clone(), option: text, rule: Default::default() };
    check(&choose, &offers(&[Pattern::Selection]), Means::By(Pattern::Selection));
    check(&choose, &offers(&[Pattern::ExpandCollapse]), Means::By(Pattern::ExpandCollapse));
    check(&choose, &offers(&[]), Means::Refused);
    let toggle = Act::SetChecked { node: node.clone(), checked: true };
    check(&toggle, &offers(&[Pattern::Toggle]), Means::By(Pattern::Toggle));
    check(&toggle, &offers(&[Pattern::SelectionItem]), Means::By(Pattern::SelectionItem));
    check(&toggle, &offers(&[Pattern::Invoke]), Means::Refused);
    check(&Act::PressKey { node: None, key: Key("Enter".into()) }, &offers(&[]), Means::Keys);
    check(&Act::Scroll { node: Some(node) }, &offers(&[Pattern::Scroll]), Means::By(Pattern::Scroll));
    check(&Act::Scroll { node: None }, &offers(&[]), Means::Refused);
    check(&Act::CloseWindow { window: WindowKey::main() }, &offers(&[]), Means::Session);
}

#[test]
fn the_documented_mapping_names_every_pattern() {
    let documented = include_str!("../src/lib.rs");
    let missing: BTreeSet<String> = Pattern::ALL
        .iter()
        .map(|p| format!("{p:?}"))
        .filter(|name| !documented.contains(&format!("`{name}")))
        .collect();
    assert_eq!(missing, BTreeSet::new());
}
