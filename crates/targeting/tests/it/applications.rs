//! The ladder on pages of real shape.
use crate::read::{given, hints, snapshot, stored, target, told};

fn check_stored(page: &str, candidates: &str, fingerprint: &str, parameters: &[(&str, &str)], expected: &str) {
    let answer = told(&stored(page), &target(candidates, fingerprint), &hints(&[]), &given(parameters));
    assert!(answer.contains(expected), "{answer}");
}

fn check(page: &str, candidates: &str, fingerprint: &str, parameters: &[(&str, &str)], expected: &str) {
    let answer = told(&snapshot(page), &target(candidates, fingerprint), &hints(&[]), &given(parameters));
    assert_eq!(answer, expected);
}

#[test]
fn fields_without_names_are_found_by_their_captions() {
    let label = |role: &str, text: &str| format!(r#"{{"find":{{"rung":"label","role":"{role}","label":"{text}"}}}}"#);
    let print =
        |caption: &str| format!(r#"{{"role":"textbox","name":"","caption":"{caption}","native":"input:text"}}"#);
    let found = "by 0 label drift 0";
    check_stored("parabank_login", &label("textbox", "Username"), &print("Username"), &[], found);
    check_stored("parabank_login", &label("textbox", "Password"), &print("Password"), &[], "mismatch");
    check_stored("parabank_billpay", &label("textbox", "Phone #"), &print("Phone #:"), &[], found);
    check_stored("parabank_billpay", &label("textbox", "Verify Account #"), &print("Verify Account #:"), &[], found);
    check_stored("parabank_transfer", &label("combobox", "to account #"), "null", &[], found);
}

#[test]
fn a_link_and_a_heading_of_one_name_are_two_things() {
    let by_name =
        |role: &str| format!(r#"{{"find":{{"rung":"role_name","role":"{role}","name":"Accounts Overview"}}}}"#);
    check_stored("parabank_overview", &by_name("link"), "null", &[], "by 0 role_name drift 0");
    check_stored("parabank_overview", &by_name("heading"), "null", &[], "by 0 role_name drift 0");
}

#[test]
fn four_buttons_of_one_name_are_refused_and_their_section_tells_them_apart() {
    let button = r#"{"find":{"rung":"role_name","role":"button","name":"Find Transactions"}}"#;
    check_stored("parabank_find", button, "null", &[], "ambiguous: role_name[");
    check_stored(
        "parabank_find",
        r#"{"find":{"rung":"ordinal","role":"button","index":2,"of":4}}"#,
        r#"{"role":"button","name":"Find Transactions"}"#,
        &[],
        "by 0 ordinal drift 0",
    );
    // The same words are a link in the navigation.
    let link = r#"{"find":{"rung":"role_name","role":"link","name":"Find Transactions"}}"#;
    check_stored("parabank_find", link, "null", &[], "by 0 role_name drift 0");
}

#[test]
fn an_account_is_a_row_of_the_list_once_the_rows_have_come() {
    let account = r#"{"find":{"rung":"role_name","role":"link","name":"{param.account}"},
        "within":[{"relation":"row","keys":[{"column":"Account","equals":"{param.account}"}]}]}"#;
    let print = r#"{"role":"link","name":"{param.account}"}"#;
    check_stored("parabank_overview", account, print, &[("account", "12456")], "by 0 role_name drift 0");
    check_stored("parabank_overview", account, print, &[("account", "99999")], "row absent: Account = `99999`");
    check_stored("parabank_overview_early", account, print, &[("account", "12456")], "row absent: Account = `12456`");
    check_stored(
        "parabank_transfer",
        account,
        print,
        &[("account", "12456")],
        "not found: role_name[] (no table fits)",
    );
}

#[test]
fn links_that_stand_twice_on_every_page_are_refused() {
    let about = r#"{"find":{"rung":"role_name","role":"link","name":"About Us"}}"#;
    check_stored("parabank_login", about, "null", &[], "ambiguous");
}

const SAVE: &str = r#"{"find":{"rung":"role_name","role":"button","name":"Save"}}"#;
const SAVE_SHIPPING: &str = r#"{"find":{"rung":"role_name","role":"button","name":"Save"},
    "within":[{"relation":"region","name":"Shipping"}]}"#;

#[test]
fn two_buttons_of_one_name_are_told_apart_by_their_region() {
    let page = "window main <x>\n  region \"Billing\"\n    button \"Save\" #b\n  region \"Shipping\"\n    button \"Save\" #s\n";
    check(page, SAVE_SHIPPING, r#"{"role":"button","name":"Save"}"#, &[], "s by 0 role_name drift 0");
    check(page, SAVE, r#"{"role":"button","name":"Save"}"#, &[], "ambiguous: role_name[b s]");
    let plain = "window main <x>\n  button \"Save\" #b\n  button \"Save\" #s\n";
    check(
        plain,
        &format!("{SAVE_SHIPPING},{SAVE}"),
        r#"{"role":"button","name":"Save"}"#,
        &[],
        "ambiguous: role_name[] (no region is called `Shipping`), role_name[b s]",
    );
}

#[test]
fn two_people_of_one_name_are_refused_until_the_date_of_birth_is_given() {
    let page = "window main <x>
  table
    row
      cell cell=0,0
        text \"Ann Lee\"
      cell cell=0,1
        text \"1980-02-01\"
      cell cell=0,2
        link \"Open\" #1
    row
      cell cell=1,0
        text \"Ann Lee\"
      cell cell=1,1
        text \"1991-07-09\"
      cell cell=1,2
        link \"Open\" #2
";
    let open = |keys: &str| {
        format!(
            r#"{{"find":{{"rung":"role_name","role":"link","name":"Open"}},"within":[{{"relation":"row","keys":[{keys}]}}]}}"#
        )
    };
    let name = r#"{"equals":"{param.name}"}"#;
    let born = r#"{"equals":"{param.dob}"}"#;
    let print = r#"{"role":"link","name":"Open"}"#;
    let given: &[(&str, &str)] = &[("name", "Ann Lee"), ("dob", "1991-07-09")];
    check(page, &open(name), print, given, "ambiguous: role_name[1 2]");
    check(page, &open(&format!("{name},{born}")), print, given, "2 by 0 role_name drift 0");
}

/// A week of hours; rows before the wanted one push it down.
fn hours(rows: &[&str]) -> String {
    let mut out = String::from(
        "window main <x>\n  table\n    row\n      columnheader cell=0,0,1,1,header\n      columnheader cell=0,1,1,1,header\n        \
         text \"Mon\"\n      columnheader cell=0,2,1,1,header\n        text \"Tue\"\n",
    );
    for (r, name) in (1..).zip(rows) {
        out.push_str(&format!(
            "    row\n      cell cell={r},0\n        text \"{name}\"\n      cell cell={r},1\n        textbox = \"\" #{name}.mon\n      \
             cell cell={r},2\n        textbox = \"\" #{name}.tue\n"
        ));
    }
    out
}

#[test]
fn a_field_without_any_label_is_the_cell_where_row_and_column_cross() {
    let cell = r#"{"find":{"rung":"anchor","role":"textbox",
        "relation":{"relation":"cell","keys":[{"equals":"Travel"}],"header":"Tue"}}}"#;
    let print = r#"{"role":"textbox","name":"","caption":"Tue"}"#;
    check(&hours(&["Hours", "Travel"]), cell, print, &[], "Travel.tue by 0 anchor drift 0");
    check(&hours(&["Lunch", "Hours", "Travel"]), cell, print, &[], "Travel.tue by 0 anchor drift 0");
    let label = r#"{"find":{"rung":"label","role":"textbox","label":"Tue"}}"#;
    check(&hours(&["Hours", "Travel"]), label, print, &[], "ambiguous: label[Hours.tue Travel.tue]");
    let crossed = r#"{"find":{"rung":"label","role":"textbox","label":"Tue"},
        "within":[{"relation":"row","keys":[{"equals":"Travel"}]},{"relation":"column","header":"Tue"}]}"#;
    check(&hours(&["Hours", "Travel"]), crossed, print, &[], "Travel.tue by 0 label drift 0");
}

#[test]
fn a_label_made_anew_on_each_load_is_found_by_its_text() {
    for (label, expected) in [("Amount", "7 by 0 label drift 0"), ("fj3k2x", "not found: label[]")] {
        let find = format!(r#"{{"find":{{"rung":"label","role":"textbox","label":"{label}"}}}}"#);
        check("window main <x>\n  textbox \"Amount\" labelled #7\n", &find, "null", &[], expected);
    }
}
