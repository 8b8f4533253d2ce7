//! What each rung finds in one scope.
use waymark_artifact::{Relation, Rung};
use waymark_perception::{describe, find};
use waymark_snapshot::{ScopeId, UiSnapshot};

use crate::read::{given, json, short, snapshot, stored};

fn found(snapshot: &UiSnapshot, rung: &str, within: &str, parameters: &[(&str, &str)]) -> String {
    let rung: Rung = json(rung);
    let within: Vec<Relation> = json(within);
    match find(snapshot, ScopeId(0), &rung, &within, &given(parameters)) {
        Ok(found) if found.is_empty() => "none".to_owned(),
        Ok(found) => found.into_iter().map(|ix| short(snapshot, ix)).collect::<Vec<_>>().join(", "),
        Err(error) => format!("error: {error}"),
    }
}

const SHOP: &str = "window main <x>
  link \"Log out\" #out
  button \"SAVE\" #save
  button \">>\" #next
  button \"<<\" #back
  textbox #plain
  generic \"Edit\" [interactive] #div
  checkbox \"Active\" #act
  text \"Log out\"
  frame <y>
    button \"SAVE\"
";

fn check(rung: &str, expected: &str) {
    assert_eq!(found(&snapshot(SHOP), rung, "[]", &[("empty", "")]), expected, "{rung}");
}

#[test]
fn role_and_name_are_exact_but_for_white_space() {
    check(r#"{"rung":"role_name","role":"link","name":" Log   out "}"#, "link \"Log out\" #out");
    check(r#"{"rung":"role_name","role":"link","name":"log out"}"#, "none");
    check(r#"{"rung":"role_name","role":"button","name":"Log out"}"#, "none");
    check(r#"{"rung":"role_name","role":"button","name":"SAVE"}"#, "button \"SAVE\" #save");
    check(r#"{"rung":"role_name","role":"text","name":"Log out"}"#, "none");
}

#[test]
fn normalized_names_fold_case_and_punctuation_and_roles_of_one_class() {
    check(r#"{"rung":"role_name_normalized","role":"button","name":"log OUT:"}"#, "link \"Log out\" #out");
    check(r#"{"rung":"role_name_normalized","role":"link","name":"Save"}"#, "button \"SAVE\" #save");
    check(r#"{"rung":"role_name_normalized","role":"button","name":"edit"}"#, "generic \"Edit\" #div");
    check(r#"{"rung":"role_name_normalized","role":"textbox","name":"Save"}"#, "none");
    check(r#"{"rung":"role_name_normalized","role":"switch","name":"active"}"#, "checkbox \"Active\" #act");
}

#[test]
fn a_name_of_signs_alone_fits_these_signs_only() {
    check(r#"{"rung":"role_name_normalized","role":"button","name":">>"}"#, "button \">>\" #next");
    check(r#"{"rung":"role_name_normalized","role":"button","name":"..."}"#, "none");
}

#[test]
fn a_reference_to_an_empty_text_finds_nothing() {
    check(r#"{"rung":"role_name","role":"textbox","name":"{param.empty}"}"#, "none");
    check(r#"{"rung":"role_name_normalized","role":"textbox","name":"{param.empty}"}"#, "none");
    check(r#"{"rung":"label","role":"textbox","label":"{param.empty}"}"#, "none");
    check(
        r#"{"rung":"anchor","role":"textbox","relation":{"relation":"adjacent","text":"{param.empty}","side":"before"}}"#,
        "none",
    );
    check(r#"{"rung":"role_name","role":"textbox","name":""}"#, "textbox \"\" #plain");
    check(
        r#"{"rung":"role_name","role":"textbox","name":"{param.other}"}"#,
        "error: the parameter `other` has no value in this run",
    );
}

#[test]
fn a_label_is_the_name_or_the_caption_without_colon_and_star() {
    let check = |page: &str, role: &str, label: &str, expected: &str| {
        let rung = format!(r#"{{"rung":"label","role":"{role}","label":"{label}"}}"#);
        assert_eq!(found(&stored(page), &rung, "[]", &[]), expected, "{rung}");
    };
    check("parabank_login", "textbox", "Username", "textbox \"\"");
    check("parabank_login", "textbox", "username", "none");
    check("parabank_billpay", "textbox", "Payee Name", "textbox \"\"");
    check("parabank_billpay", "textbox", "Account #:", "textbox \"\"");
    check("parabank_transfer", "combobox", "From account #", "combobox \"\"");
    check("parabank_transfer", "textbox", "From account #", "none");
}

#[test]
fn a_position_counts_only_while_the_number_is_as_recorded() {
    check(r#"{"rung":"ordinal","role":"button","index":2,"of":3}"#, "button \">>\" #next");
    check(r#"{"rung":"ordinal","role":"button","index":2,"of":4}"#, "none");
    check(r#"{"rung":"ordinal","role":"button","index":0,"of":3}"#, "none");
    check(r#"{"rung":"ordinal","role":"button","index":4,"of":3}"#, "none");
}

#[test]
fn hints_and_looks_find_nothing_in_a_snapshot() {
    check(r#"{"rung":"native_hint","hint":{"a":"b"}}"#, "error: a native_hint rung does not find in a snapshot");
    check(r#"{"rung":"vision","description":"the blue one"}"#, "error: a vision rung does not find in a snapshot");
}

#[test]
fn a_link_and_a_heading_of_one_name_are_told_apart_by_role() {
    let page = stored("parabank_overview_early");
    let check = |role: &str, expected: &str| {
        let rung = format!(r#"{{"rung":"role_name","role":"{role}","name":"Accounts Overview"}}"#);
        assert_eq!(found(&page, &rung, "[]", &[]), expected);
    };
    check("link", "link \"Accounts Overview\"");
    check("heading", "heading \"Accounts Overview\"");
}

#[test]
fn a_caption_of_two_fields_that_nothing_tells_apart_means_neither() {
    let check = |fields: &str, role: &str, expected: &str| {
        let page = format!("window main <x>\n  text \"Name\" block=1\n{fields}");
        for rung in [
            format!(r#"{{"rung":"label","role":"{role}","label":"Name"}}"#),
            format!(
                r#"{{"rung":"anchor","role":"{role}","relation":{{"relation":"adjacent","text":"Name","side":"before"}}}}"#
            ),
        ] {
            assert_eq!(found(&snapshot(&page), &rung, "[]", &[]), expected, "{fields}");
        }
    };
    let one = "  textbox #one block=2\n";
    let both = "textbox \"\" #one, textbox \"\" #two";
    check(one, "textbox", "textbox \"\" #one");
    check(&format!("{one}  textbox #two block=2\n"), "textbox", both);
    check(&format!("{one}  textbox #two block=3\n"), "textbox", both);
    // What tells them apart: a text between, a name of its own, another kind.
    check(&format!("{one}  text \"to\" block=2\n  textbox #two block=2\n"), "textbox", "textbox \"\" #one");
    check(&format!("{one}  textbox \"Cents\" #two block=2\n"), "textbox", "textbox \"\" #one");
    check(&format!("{one}  button \"Find\" #two block=2\n"), "textbox", "textbox \"\" #one");
    check(&format!("{one}  combobox #two block=2\n"), "textbox", "textbox \"\" #one");
}

#[test]
fn a_caption_behind_the_second_of_two_toggles_means_neither() {
    let page = |between: &str| {
        format!(
            "window main <x>\n  checkbox #one block=2\n{between}  checkbox #two block=2\n  text \"Agreed\" block=2\n"
        )
    };
    let rung = r#"{"rung":"label","role":"checkbox","label":"Agreed"}"#;
    assert_eq!(found(&snapshot(&page("")), rung, "[]", &[]), "checkbox \"\" #one, checkbox \"\" #two");
    assert_eq!(found(&snapshot(&page("  text \"Read\" block=2\n")), rung, "[]", &[]), "checkbox \"\" #two");
}

#[test]
fn four_buttons_of_one_name_are_four_matches_and_a_caption_tells_them_apart() {
    let page = stored("parabank_find");
    let rung = r#"{"rung":"role_name","role":"button","name":"Find Transactions"}"#;
    assert_eq!(found(&page, rung, "[]", &[]).matches("button").count(), 4);
    let date = r#"{"rung":"label","role":"textbox","label":"Find by Date"}"#;
    assert_eq!(found(&page, date, "[]", &[]), "textbox \"\"");
}

#[test]
fn a_thing_is_described_by_role_name_and_place() {
    let text = "window main <x>\n  frame name=\"work\" <y>\n    textbox @5,6,7,8\n      text \"x\"\n  text \"Name\"\n  textbox block=0\n";
    let snapshot = snapshot(text);
    let words: Vec<String> =
        snapshot.iter().filter(|(_, n)| n.role.is_control()).map(|(ix, _)| describe(&snapshot, ix)).collect();
    assert_eq!(words, ["textbox at 5,6 in frame work", "textbox \"Name\""]);
}

#[test]
fn a_caption_with_two_figures_behind_it_means_neither() {
    let check = |cells: &[&str], side: &str, text: &str, expected: usize| {
        let mut page = String::from("window main <x>\n  table\n    row\n");
        for (col, cell) in cells.iter().enumerate() {
            page.push_str(&format!("      cell cell=0,{col},1,1\n        text {cell:?}\n"));
        }
        let rung = format!(
            r#"{{"rung":"anchor","role":"cell","relation":{{"relation":"adjacent","text":"{text}","side":"{side}"}}}}"#
        );
        let shown = snapshot(&page);
        assert_eq!(found(&shown, &rung, "[]", &[]).split(", ").count(), expected, "{cells:?}");
    };
    check(&["Balance:", "-$2312.50"], "before", "Balance:", 1);
    check(&["Balance:", "-$3423.61", "-$2312.50"], "before", "Balance:", 2);
    check(&["Balance:", "5.00 USD", "6.00 USD", "7.00 USD"], "before", "Balance:", 3);
    check(&["5.00", "6.00", "in all"], "after", "in all", 2);
    // What tells them apart: a caption between, other words, nothing to be taken for a figure.
    check(&["Balance:", "-$2312.50", "Available:", "$100.00"], "before", "Balance:", 1);
    check(&["Balance:", "5.00 USD", "6.00 EUR"], "before", "Balance:", 1);
    check(&["Name:", "MARIA", "Print"], "before", "Name:", 1);
}
