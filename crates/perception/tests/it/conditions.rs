//! The one evaluation of predicates.
use std::collections::BTreeSet;

use waymark_artifact::{Condition, Name, ScreenIdPattern};
use waymark_perception::{Facts, holds};
use waymark_snapshot::UiSnapshot;

use crate::read::{given, json, snapshot, stored};

fn verdict(snapshot: &UiSnapshot, condition: &str) -> String {
    let condition: Condition = json(condition);
    let windows = ["main".to_owned(), "lookup".to_owned()];
    let outputs: BTreeSet<Name> = ["balance"].iter().filter_map(|n| Name::new(n).ok()).collect();
    let screen_id: ScreenIdPattern = json(r#"{"pattern":"([A-Z]{2}\\d{3}) .*"}"#);
    let facts =
        Facts { dialog: Some("Close account 7?"), windows: &windows, outputs: &outputs, screen_id: Some(&screen_id) };
    match holds(&condition, snapshot, &facts, &given(&[("id", "7"), ("empty", "")])) {
        Ok(verdict) => {
            let leaves: Vec<String> = verdict.leaves.iter().map(|l| format!("{} = {}", l.words, l.holds)).collect();
            format!("{} [{}]", verdict.holds, leaves.join("; "))
        }
        Err(error) => format!("error: {error}"),
    }
}

const PAGE: &str = "window main <http://a.test/list;s=1?id=7> title=\"List\"
  text \"LN100 Loans\" block=1
  paragraph
    text \"Paid \"
    link \"5.00\" native=a
      text \"5.00\" block=2
    text \" to Ann\"
  button \"Send\" [disabled]
  button \"Drawn\"
    img
  checkbox \"Paperless\" [checked] #on
  checkbox \"Weekly\" #off
  checkbox \"Some\" [mixed]
  textbox \"Amount\" = \"5.00 \"
  textbox \"Pin\" [protected]
  textbox \"Empty\" = \"\"
  treeitem \"Node\" [expanded selected]
  link \"Twice\"
  link \"Twice\"
  frame name=\"work\" <http://a.test/work>
    text \"Saved\"
  frame name=\"stuck\" index=1 <http://a.test/stuck> unreadable
window lookup <http://a.test/pop>
  text \"Pick one\"
";

fn check(condition: &str, expected: bool) {
    let answer = verdict(&snapshot(PAGE), condition);
    assert!(answer.starts_with(&expected.to_string()), "{condition}: {answer}");
}

fn text(kind: &str, rest: &str) -> String {
    format!(r#"{{"kind":"{kind}",{rest}}}"#)
}

#[test]
fn text_is_looked_for_line_by_line() {
    check(&text("text_present", r#""match":{"text":"5.00 to"}"#), true);
    check(&text("text_present", r#""match":{"text":"Paid 5.00  to Ann","rule":"equals"}"#), true);
    check(&text("text_present", r#""match":{"text":"5.00 to Ann","rule":"equals"}"#), false);
    check(&text("text_present", r#""match":{"text":"Paid","rule":"starts_with"}"#), true);
    check(&text("text_present", r#""match":{"text":"to Ann","rule":"starts_with"}"#), false);
    check(&text("text_present", r#""match":{"text":"paid"}"#), false);
    check(&text("text_absent", r#""match":{"text":"Paid"}"#), false);
    check(&text("text_absent", r#""match":{"text":"paid"}"#), true);
    // Two lines are not one.
    check(&text("text_present", r#""match":{"text":"Loans Paid"}"#), false);
}

#[test]
fn a_button_drawn_by_the_platform_shows_its_name() {
    check(&text("text_present", r#""match":{"text":"Send"}"#), true);
    check(&text("text_present", r#""match":{"text":"Drawn"}"#), false);
    check(&text("text_present", r#""match":{"text":"Twice"}"#), false);
}

#[test]
fn an_empty_text_is_neither_present_nor_absent() {
    for text_of in ["", " ", "{param.empty}"] {
        for rule in ["contains", "equals", "starts_with"] {
            let rest = format!(r#""match":{{"text":"{text_of}","rule":"{rule}"}}"#);
            check(&text("text_present", &rest), false);
            check(&text("text_absent", &rest), false);
        }
    }
    check(r#"{"kind":"dialog_opened","dialog":{"text":{"text":""}}}"#, false);
}

#[test]
fn text_of_a_frame_or_window_belongs_to_that_frame_or_window() {
    check(&text("text_present", r#""match":{"text":"Saved"}"#), false);
    check(&text("text_present", r#""place":{"frame":[{"name":"work"}]},"match":{"text":"Saved"}"#), true);
    check(&text("text_present", r#""place":{"window":"lookup"},"match":{"text":"Pick one"}"#), true);
    check(&text("text_absent", r#""place":{"frame":[{"name":"work"}]},"match":{"text":"Paid"}"#), true);
}

#[test]
fn of_a_place_that_is_not_there_nothing_is_known() {
    for place in [
        r#"{"frame":[{"name":"stuck"}]}"#,
        r#"{"frame":[{"name":"gone"}]}"#,
        r#"{"frame":[{}]}"#,
        r#"{"window":"gone"}"#,
    ] {
        let element =
            format!(r#""element":{{"place":{place},"find":{{"rung":"role_name","role":"link","name":"Twice"}}}}"#);
        for leaf in [
            text("text_present", &format!(r#""place":{place},"match":{{"text":"Saved"}}"#)),
            text("text_absent", &format!(r#""place":{place},"match":{{"text":"Saved"}}"#)),
            text("location_matches", &format!(r#""place":{place},"pattern":"http://a.test/**""#)),
            text("title_matches", &format!(r#""place":{place},"match":{{"text":"List"}}"#)),
            text("screen_id", &format!(r#""place":{place},"equals":"LN100""#)),
            text("element_present", &element),
            text("element_absent", &element),
            text("element_has_value", &format!(r#"{element},"value":"""#)),
            text("element_has_state", &format!(r#"{element},"state":"enabled""#)),
        ] {
            check(&leaf, false);
            check(&format!(r#"{{"kind":"not","of":{leaf}}}"#), false);
            let open = r#"{"kind":"window_opened","name":"main"}"#;
            let shut = r#"{"kind":"window_closed","name":"main"}"#;
            check(&format!(r#"{{"kind":"all","of":[{open},{leaf}]}}"#), false);
            check(&format!(r#"{{"kind":"not","of":{{"kind":"all","of":[{open},{leaf}]}}}}"#), false);
            check(&format!(r#"{{"kind":"not","of":{{"kind":"all","of":[{leaf},{shut}]}}}}"#), true);
            check(&format!(r#"{{"kind":"any","of":[{leaf},{open}]}}"#), true);
            check(&format!(r#"{{"kind":"not","of":{{"kind":"any","of":[{shut},{leaf}]}}}}"#), false);
        }
    }
}

#[test]
fn elements_are_there_or_not() {
    let element = |kind: &str, find: &str| text(kind, &format!(r#""element":{{"find":{find}}}"#));
    let twice = r#"{"rung":"role_name","role":"link","name":"Twice"}"#;
    let none = r#"{"rung":"role_name","role":"link","name":"twice"}"#;
    let row = r#"{"rung":"anchor","role":"row","relation":{"relation":"row","keys":[{"equals":"7"}]}}"#;
    check(&element("element_present", twice), true);
    check(&element("element_absent", twice), false);
    check(&element("element_present", none), false);
    check(&element("element_absent", none), true);
    check(&element("element_present", row), false);
    check(&element("element_absent", row), true);
}

#[test]
fn by_a_rung_that_heals_nothing_is_known() {
    for find in [
        r#"{"rung":"role_name_normalized","role":"link","name":"twice"}"#,
        r#"{"rung":"ordinal","role":"link","index":1,"of":9}"#,
        r#"{"rung":"native_hint","hint":{"a":"b"}}"#,
        r#"{"rung":"vision","description":"x"}"#,
    ] {
        for kind in ["element_present", "element_absent"] {
            check(&text(kind, &format!(r#""element":{{"find":{find}}}"#)), false);
        }
    }
}

fn element(role: &str, name: &str) -> String {
    format!(r#""element":{{"find":{{"rung":"role_name","role":"{role}","name":"{name}"}}}}"#)
}

#[test]
fn a_value_is_what_one_element_shows() {
    let value = |role, name, value| text("element_has_value", &format!(r#"{},"value":"{value}""#, element(role, name)));
    check(&value("textbox", "Amount", " 5.00"), true);
    check(&value("textbox", "Amount", "5"), false);
    check(&value("textbox", "Empty", ""), true);
    check(&value("link", "5.00", "5.00"), true);
    check(&value("link", "Twice", ""), false);
    check(&value("textbox", "Gone", ""), false);
    // What a field hides is not known to be empty.
    check(&value("textbox", "Pin", ""), false);
}

#[test]
fn a_state_is_that_of_one_element() {
    let state = |role, name, state| text("element_has_state", &format!(r#"{},"state":"{state}""#, element(role, name)));
    check(&state("button", "Send", "disabled"), true);
    check(&state("button", "Send", "enabled"), false);
    check(&state("checkbox", "Paperless", "checked"), true);
    check(&state("checkbox", "Paperless", "unchecked"), false);
    check(&state("checkbox", "Weekly", "unchecked"), true);
    check(&state("checkbox", "Some", "unchecked"), false);
    check(&state("checkbox", "Some", "checked"), false);
    check(&state("button", "Drawn", "unchecked"), false);
    check(&state("treeitem", "Node", "expanded"), true);
    check(&state("treeitem", "Node", "collapsed"), false);
    check(&state("treeitem", "Node", "selected"), true);
    check(&state("link", "Twice", "enabled"), false);
}

#[test]
fn locations_windows_dialogs_screens_and_outputs_are_facts() {
    check(r#"{"kind":"location_matches","pattern":"http://a.test/list"}"#, true);
    check(r#"{"kind":"location_matches","pattern":"http://a.test/list?id={param.id}"}"#, true);
    check(r#"{"kind":"location_matches","pattern":"http://a.test/list?id=8"}"#, false);
    check(r#"{"kind":"title_matches","match":{"text":"List","rule":"equals"}}"#, true);
    check(r#"{"kind":"title_matches","match":{"text":"list"}}"#, false);
    check(r#"{"kind":"title_matches","match":{"text":""}}"#, false);
    check(r#"{"kind":"not","of":{"kind":"title_matches","match":{"text":"Lists"}}}"#, true);
    check(r#"{"kind":"window_opened","name":"lookup"}"#, true);
    check(r#"{"kind":"window_opened","name":"other"}"#, false);
    check(r#"{"kind":"window_closed","name":"other"}"#, true);
    check(r#"{"kind":"window_closed","name":"lookup"}"#, false);
    check(r#"{"kind":"dialog_opened","dialog":{"text":{"text":"Close account {param.id}"}}}"#, true);
    check(r#"{"kind":"dialog_opened","dialog":{"text":{"text":"Close account 8"}}}"#, false);
    check(r#"{"kind":"dialog_closed"}"#, false);
    check(r#"{"kind":"screen_id","equals":"LN100"}"#, true);
    check(r#"{"kind":"screen_id","equals":"LN10"}"#, false);
    check(r#"{"kind":"output_not_empty","output":"balance"}"#, true);
    check(r#"{"kind":"output_not_empty","output":"rows"}"#, false);
}

#[test]
fn without_dialog_and_screen_pattern_the_facts_are_the_other_way() {
    let snapshot = snapshot(PAGE);
    let facts = Facts { dialog: None, windows: &[], outputs: &BTreeSet::new(), screen_id: None };
    let holds_now = |condition: &str| holds(&json(condition), &snapshot, &facts, &given(&[])).map(|v| v.holds);
    assert_eq!(holds_now(r#"{"kind":"dialog_closed"}"#), Ok(true));
    assert_eq!(holds_now(r#"{"kind":"dialog_opened","dialog":{"text":{"text":"Close"}}}"#), Ok(false));
    assert_eq!(holds_now(r#"{"kind":"screen_id","equals":"LN100"}"#), Ok(false));
    assert_eq!(holds_now(r#"{"kind":"not","of":{"kind":"screen_id","equals":"LN100"}}"#), Ok(false));
}

#[test]
fn every_leaf_gets_its_verdict_and_its_words() {
    let condition = r#"{"kind":"all","of":[
        {"kind":"text_absent","match":{"text":"Paid"}},
        {"kind":"any","of":[{"kind":"window_opened","name":"main"},{"kind":"location_matches","pattern":"http://a.test/x/{param.id}"}]},
        {"kind":"not","of":{"kind":"element_has_state","element":{"find":{"rung":"role_name","role":"button","name":"Send"}},"state":"disabled"}}]}"#;
    assert_eq!(
        verdict(&snapshot(PAGE), condition),
        "false [text \"Paid\" is not visible = false; window main is open = true; \
         the location fits http://a.test/x/{param.id} = false; button \"send\" is disabled = true]"
    );
    let missing = r#"{"kind":"text_present","match":{"text":"{param.gone}"}}"#;
    assert_eq!(verdict(&snapshot(PAGE), missing), "error: the parameter `gone` has no value in this run");
}

#[test]
fn an_outcome_text_is_there_before_the_rows_and_gone_after() {
    let none = r#"{"kind":"text_present","match":{"text":"No transactions found."}}"#;
    assert!(verdict(&stored("parabank_activity_early"), none).starts_with("true"));
    assert!(verdict(&stored("parabank_activity"), none).starts_with("false"));
}

#[test]
fn a_text_that_stands_in_the_navigation_proves_less_than_a_heading_with_a_row() {
    let text = r#"{"kind":"text_present","match":{"text":"Accounts Overview"}}"#;
    let row = r#"{"kind":"all","of":[
        {"kind":"element_present","element":{"find":{"rung":"role_name","role":"heading","name":"Accounts Overview"}}},
        {"kind":"element_present","element":{"find":{"rung":"anchor","role":"link","relation":{"relation":"column","header":"Account"}}}}]}"#;
    assert!(verdict(&stored("parabank_transfer"), text).starts_with("true"));
    assert!(verdict(&stored("parabank_transfer"), row).starts_with("false"));
    assert!(verdict(&stored("parabank_overview_early"), row).starts_with("false"));
    assert!(verdict(&stored("parabank_overview"), row).starts_with("true"));
}

#[test]
fn of_a_row_that_does_not_say_its_key_nothing_is_known() {
    let page = |account: &str| {
        let page = format!(
            "window main <x>\n  table\n    row\n      columnheader cell=0,0,1,1,header\n        text \"Account\"\n      \
             columnheader cell=0,1,1,1,header\n        text \"Name\"\n    row\n      cell cell=1,0\n{account}      cell \
             cell=1,1\n        text \"Ann\"\n"
        );
        snapshot(&page)
    };
    let find =
        r#"{"rung":"anchor","role":"row","relation":{"relation":"row","keys":[{"column":"Account","equals":"AC-9"}]}}"#;
    let told = |account: &str, kind: &str| {
        verdict(&page(account), &text(kind, &format!(r#""element":{{"find":{find}}}"#))).starts_with("true")
    };
    for (account, there, absent) in
        [("        text \"AC-9\"\n", true, false), ("        text \"AC-8\"\n", false, true), ("", false, false)]
    {
        assert_eq!((told(account, "element_present"), told(account, "element_absent")), (there, absent), "{account}");
    }
}

#[test]
fn an_empty_cell_says_that_there_is_none_where_every_row_has_one() {
    let row = |at: u32, debit: &str, credit: &str| {
        let cell = |col: u32, said: &str| match said {
            "" => format!("      cell cell={at},{col}\n"),
            said => format!("      cell cell={at},{col}\n        text \"{said}\"\n"),
        };
        format!("    row\n{}{}{}", cell(0, "sent"), cell(1, debit), cell(2, credit))
    };
    let page = |rows: &[(&str, &str)]| {
        let head = "window main <x>\n  table\n    row\n      columnheader cell=0,0,1,1,header\n        text \"What\"\n      \
                    columnheader cell=0,1,1,1,header\n        text \"Debit\"\n      columnheader cell=0,2,1,1,header\n        \
                    text \"Credit\"\n";
        let rows: String = (1u32..).zip(rows).map(|(at, (debit, credit))| row(at, debit, credit)).collect();
        snapshot(&format!("{head}{rows}"))
    };
    let find =
        r#"{"rung":"anchor","role":"row","relation":{"relation":"row","keys":[{"column":"Debit","equals":"9.00"}]}}"#;
    let absent = |rows: &[(&str, &str)]| {
        verdict(&page(rows), &text("element_absent", &format!(r#""element":{{"find":{find}}}"#))).starts_with("true")
    };
    assert!(absent(&[("5.00", ""), ("", "7.00")]), "each row has one of the two");
    assert!(!absent(&[("5.00", ""), ("", "")]), "this row says less than the other");
    assert!(!absent(&[("", "7.00")]), "of one row alone nobody can tell");
    assert!(!absent(&[("5.00", ""), ("9.00", "")]));
}
