//! Places relative to something else.
use waymark_artifact::{Relation, Rung};
use waymark_perception::find;
use waymark_snapshot::{ScopeId, UiSnapshot};

use crate::read::{given, json, short, snapshot, stored};

/// The things of a role in a relation.
fn found(snapshot: &UiSnapshot, role: &str, relation: &str, parameters: &[(&str, &str)]) -> String {
    let relation: Relation = json(relation);
    let rung = Rung::Anchor { role: waymark_snapshot::Role::from_word(role), name: None, relation };
    match find(snapshot, ScopeId(0), &rung, &[], &given(parameters)) {
        Ok(found) if found.is_empty() => "none".to_owned(),
        Ok(found) => found.into_iter().map(|ix| short(snapshot, ix)).collect::<Vec<_>>().join(", "),
        Err(error) => format!("error: {error}"),
    }
}

fn check(body: &str, role: &str, relation: &str, expected: &str) {
    let snapshot = snapshot(&format!("window main <x>\n{body}"));
    assert_eq!(found(&snapshot, role, relation, &[("name", "Ann Lee"), ("empty", "")]), expected, "{relation}");
}

const REGIONS: &str = "  region \"Billing\"
    button \"Save\" #b
  region \"Shipping\"
    button \"Save\" #s
  heading \"Notes\" level=2
    text \"Notes\"
  button \"Save\" #n
  heading \"Older\" level=3
  button \"Save\" #o
  heading \"Files\" level=2
  button \"Save\" #f
  banner
    heading \"Boxed\" level=2
  button \"Save\" #x
  form #edge
    button \"Save\" #e
";

#[test]
fn a_region_is_known_by_its_name_or_by_the_heading_of_its_section() {
    check(REGIONS, "button", r#"{"relation":"region","name":"Shipping"}"#, "button \"Save\" #s");
    check(REGIONS, "button", r#"{"relation":"region","role":"region","name":"Billing"}"#, "button \"Save\" #b");
    check(REGIONS, "button", r#"{"relation":"region","name":"Notes"}"#, "button \"Save\" #n, button \"Save\" #o");
    check(REGIONS, "button", r#"{"relation":"region","name":"Older"}"#, "button \"Save\" #o");
    check(REGIONS, "button", r#"{"relation":"region","name":"Files"}"#, "button \"Save\" #f");
    check(REGIONS, "button", r#"{"relation":"region","name":"Boxed"}"#, "button \"Save\" #x, button \"Save\" #e");
    check(REGIONS, "button", r#"{"relation":"region","role":"form","name":"Boxed"}"#, "button \"Save\" #e");
    check(REGIONS, "button", r#"{"relation":"region","name":"Taxes"}"#, "error: no region is called `Taxes`");
    check(
        REGIONS,
        "button",
        r#"{"relation":"region","role":"dialog","name":"Billing"}"#,
        "error: no region is called `Billing`",
    );
    check(REGIONS, "button", r#"{"relation":"region","name":"{param.empty}"}"#, "error: no region is called ``");
}

const PEOPLE: &str = "  table
    row
      columnheader cell=0,0,1,1,header
        text \"Name\"
      columnheader cell=0,1,1,1,header
        text \"Born\"
      columnheader cell=0,2,1,1,header
        text \"Agent\"
    row
      cell cell=1,0
        text \"Ann Lee\"
      cell cell=1,1
        text \"1980\"
      cell cell=1,2
        link \"Open\" #1
    row
      cell cell=2,0
        text \"Ann Lee\"
      cell cell=2,1
        text \"1991\"
      cell cell=2,2
        link \"Open\" #2
    row
      cell cell=3,0
        text \"Bob Ray\"
      cell cell=3,1
        text \"1991\"
      cell cell=3,2
        text \"Ann Lee\"
        link \"Open\" #3
";

#[test]
fn a_row_is_known_by_all_of_its_keys() {
    check(
        PEOPLE,
        "link",
        r#"{"relation":"row","keys":[{"column":"Name","equals":"{param.name}"}]}"#,
        "link \"Open\" #1, link \"Open\" #2",
    );
    check(
        PEOPLE,
        "link",
        r#"{"relation":"row","keys":[{"column":"Name","equals":"{param.name}"},{"column":"Born","equals":"1991"}]}"#,
        "link \"Open\" #2",
    );
    check(PEOPLE, "link", r#"{"relation":"row","keys":[{"equals":"1980"}]}"#, "link \"Open\" #1");
    check(
        PEOPLE,
        "link",
        r#"{"relation":"row","keys":[{"equals":"Ann Lee"}]}"#,
        "link \"Open\" #1, link \"Open\" #2, link \"Open\" #3",
    );
    // The whole text of a cell, not a part of it.
    check(
        PEOPLE,
        "link",
        r#"{"relation":"row","keys":[{"column":"Name","equals":"Ann"}]}"#,
        "error: no row has Name = `Ann`",
    );
}

#[test]
fn an_absent_row_an_absent_column_and_an_absent_table_are_three_things() {
    check(
        PEOPLE,
        "link",
        r#"{"relation":"row","keys":[{"column":"Name","equals":"Eve"}]}"#,
        "error: no row has Name = `Eve`",
    );
    check(
        PEOPLE,
        "link",
        r#"{"relation":"row","keys":[{"column":"Id","equals":"7"}]}"#,
        "error: the header `Id` stands over no column, or over several",
    );
    check(
        PEOPLE,
        "link",
        r#"{"relation":"row","keys":[{"equals":"7"}],"table":{"headers":["Id"]}}"#,
        "error: no table fits",
    );
    check(PEOPLE, "link", r#"{"relation":"row","keys":[{"equals":"7"}]}"#, "error: no row has a cell = `7`");
    check("  paragraph\n", "link", r#"{"relation":"row","keys":[{"equals":"7"}]}"#, "error: no table fits");
}

#[test]
fn a_reference_to_an_empty_text_is_no_key() {
    let gap = format!(
        "{PEOPLE}    row\n      cell cell=4,0\n      cell cell=4,1\n      cell cell=4,2\n        link \"Open\" #4\n"
    );
    check(
        &gap,
        "link",
        r#"{"relation":"row","keys":[{"column":"Name","equals":"{param.empty}"}]}"#,
        "error: no row has Name = ``",
    );
    check(&gap, "link", r#"{"relation":"row","keys":[{"column":"Name","equals":""}]}"#, "link \"Open\" #4");
    check(&gap, "link", r#"{"relation":"row","keys":[]}"#, "error: no row has no key");
}

#[test]
fn a_first_row_without_declared_headers_is_found_by_what_it_says() {
    let plain = "  table\n    row\n      cell cell=0,0\n        text \"Ann\"\n      cell cell=0,1 #a\n        text \"1980\"\n    \
                 row\n      cell cell=1,0\n        text \"Bob\"\n      cell cell=1,1\n        text \"1991\"\n";
    check(plain, "row", r#"{"relation":"row","keys":[{"equals":"Ann"}]}"#, "row \"\"");
    check(
        plain,
        "cell",
        r#"{"relation":"cell","keys":[{"equals":"Ann"}],"header":"1980"}"#,
        "error: no row has a cell = `Ann`",
    );
}

#[test]
fn a_table_that_only_arranges_the_screen_has_no_absent_rows() {
    let layout = "  table
    row
      cell cell=0,0
        text \"menu\"
      cell cell=0,1
        text \"work\"
    row
      cell cell=1,0
        heading \"Sign in\"
";
    check(layout, "link", r#"{"relation":"row","keys":[{"equals":"7"}]}"#, "error: no table fits");
}

#[test]
fn a_column_and_a_cell_are_known_by_their_headers() {
    check(PEOPLE, "cell", r#"{"relation":"column","header":"Born"}"#, "cell \"\", cell \"\", cell \"\"");
    check(
        PEOPLE,
        "link",
        r#"{"relation":"cell","keys":[{"column":"Name","equals":"Bob Ray"}],"header":"Agent"}"#,
        "link \"Open\" #3",
    );
    check(
        PEOPLE,
        "link",
        r#"{"relation":"cell","keys":[{"column":"Name","equals":"Bob Ray"}],"header":"Born"}"#,
        "none",
    );
    check(
        PEOPLE,
        "link",
        r#"{"relation":"cell","keys":[{"column":"Name","equals":"Eve"}],"header":"Agent"}"#,
        "error: no row has Name = `Eve`",
    );
}

#[test]
fn a_table_is_found_by_the_rows_it_has() {
    let two = format!(
        "{PEOPLE}  table #t2\n    row\n      cell cell=0,0\n        text \"Total\"\n      cell cell=0,1\n        text \"3\"\n    row\n      cell cell=1,0\n        text \"Open\"\n      cell cell=1,1\n        text \"0\"\n"
    );
    check(&two, "table", r#"{"relation":"row","keys":[{"equals":"Open"}]}"#, "table \"\" #t2");
    check(&two, "table", r#"{"relation":"column","header":"Name"}"#, "table \"\"");
}

const DETAILS: &str = "  table
    row
      cell cell=0,0
        text \"Balance:\"
      cell cell=0,1 #v
        text \"$5\"
      cell cell=0,2
        text \"USD\"
  paragraph
    text \"Repeat \"
    checkbox #c
    text \" weekly\"
  paragraph
    text \"Memo\"
  textbox #m block=77
  paragraph
    text \"at most 20 letters\"
";

#[test]
fn beside_a_text_is_in_its_line_the_next_cell_or_the_next_block() {
    let check = |role: &str, text: &str, side: &str, expected: &str| {
        let relation = format!(r#"{{"relation":"adjacent","text":"{text}","side":"{side}"}}"#);
        check(DETAILS, role, &relation, expected);
    };
    check("cell", "Balance:", "before", "cell \"\" #v");
    check("cell", "USD", "after", "cell \"\" #v");
    check("checkbox", "Repeat", "before", "checkbox \"\" #c");
    check("checkbox", "weekly", "after", "checkbox \"\" #c");
    check("textbox", "Memo", "before", "textbox \"\" #m");
    check("textbox", "at most 20 letters", "after", "textbox \"\" #m");
    check("textbox", "at most 20 letters", "before", "none");
    check("textbox", "Memo", "after", "none");
    check("textbox", "memo", "before", "none");
}

#[test]
fn values_of_a_stored_page_stand_beside_their_captions() {
    let page = stored("parabank_activity");
    let value = |text: &str| {
        let relation = format!(r#"{{"relation":"adjacent","text":"{text}","side":"before"}}"#);
        found(&page, "cell", &relation, &[])
    };
    assert_eq!(value("Balance:"), "cell \"-$2300.00\"");
    assert_eq!(value("Account Type:"), "cell \"CHECKING\"");
    let debit = r#"{"relation":"cell","keys":[{"column":"Transaction","equals":"Check # 1211"}],"header":"Debit (-)"}"#;
    assert_eq!(found(&page, "cell", debit, &[]), "cell \"$100.00\"");
    assert_eq!(
        found(&stored("parabank_activity_early"), "cell", debit, &[]),
        "error: no row has Transaction = `Check # 1211`"
    );
}
