#![expect(clippy::unwrap_used, reason = "snapshots and names are literals here")]

use expect_test::{Expect, expect};
use waymark_artifact::Name;
use waymark_snapshot::{Ix, UiSnapshot, parse};

use super::{Purpose, target};
use crate::Values;

const LOGIN: &str = include_str!("../../../../fixtures/snapshots/parabank_login.txt");
const OVERVIEW: &str = include_str!("../../../../fixtures/snapshots/parabank_overview.txt");
const TRANSFER: &str = include_str!("../../../../fixtures/snapshots/parabank_transfer.txt");

fn values() -> Values {
    let mut values = Values::new();
    values.parameter(Name::new("account_id").unwrap(), "12345".into());
    values.sensitive(Name::new("password").unwrap(), waymark_redact::Secret::new("demo-secret".into()));
    values
}

/// The n-th thing of a role, from 1.
fn thing(screen: &UiSnapshot, role: &str, nth: usize) -> Ix {
    screen.iter().filter(|(_, n)| n.role.as_str() == role).nth(nth - 1).unwrap().0
}

/// Role and position of a thing on a screen, and its ladder, a rung a line.
#[track_caller]
fn check(screen: &str, role: &str, nth: usize, ladder: Expect) {
    let purpose = if role == "cell" { Purpose::Read } else { Purpose::Act };
    let screen = parse(screen).unwrap();
    let said = match target(&screen, thing(&screen, role, nth), &values(), purpose, None) {
        Ok(target) => {
            let rungs = target.candidates.iter().map(|c| {
                let mut find = serde_json::to_value(&c.find).unwrap();
                find["within"] = serde_json::to_value(&c.within).unwrap();
                format!("{}\n  {find}\n", c.why)
            });
            format!("{}\n{}", target.description, rungs.collect::<String>())
        }
        Err(error) => error.to_string(),
    };
    ladder.assert_eq(&said);
}

#[test]
fn a_button_is_known_by_its_name() {
    check(
        LOGIN,
        "button",
        1,
        expect![[r#"
        the button "Log In"
        unique role and name
          {"name":"Log In","role":"button","rung":"role_name","within":[]}
        carries a restyled name
          {"name":"Log In","role":"button","rung":"role_name_normalized","within":[]}
        the only button under its heading
          {"relation":{"name":"Customer Login","relation":"region"},"role":"button","rung":"anchor","within":[]}
    "#]],
    );
}

#[test]
fn a_field_without_a_name_is_known_by_its_caption() {
    check(
        LOGIN,
        "textbox",
        1,
        expect![[r#"
        the field "Username"
        its caption is unique
          {"label":"Username","role":"textbox","rung":"label","within":[]}
        the only textbox beside its caption
          {"relation":{"relation":"adjacent","side":"before","text":"Username"},"role":"textbox","rung":"anchor","within":[]}
    "#]],
    );
}

#[test]
fn a_link_that_stands_twice_is_known_by_what_it_stands_under() {
    // "About Us" stands in the header and in the footer.
    check(
        LOGIN,
        "link",
        3,
        expect![[r#"link "About Us" at 20,126 cannot be told apart from link "About Us" at 110,702"#]],
    );
}

#[test]
fn the_link_of_a_row_is_known_by_the_callers_value() {
    check(
        OVERVIEW,
        "link",
        16,
        expect![[r#"
            the link "{account_id}"
            unique role and name in the row of the caller's value and column
              {"name":"{param.account_id}","role":"link","rung":"role_name","within":[{"header":"Account","keys":[{"column":"Account","equals":"{param.account_id}"}],"relation":"cell"}]}
            carries a restyled name in the row of the caller's value and column
              {"name":"{param.account_id}","role":"link","rung":"role_name_normalized","within":[{"header":"Account","keys":[{"column":"Account","equals":"{param.account_id}"}],"relation":"cell"}]}
            the only link in the row of the caller's value and column
              {"relation":{"header":"Account","keys":[{"column":"Account","equals":"{param.account_id}"}],"relation":"cell"},"role":"link","rung":"anchor","within":[]}
        "#]],
    );
}

#[test]
fn a_table_is_known_by_its_heading() {
    check(
        OVERVIEW,
        "table",
        1,
        expect![[r#"
        the table "Accounts Overview"
        the only table under its heading
          {"relation":{"name":"Accounts Overview","relation":"region"},"role":"table","rung":"anchor","within":[]}
    "#]],
    );
}

#[test]
fn a_cell_is_known_by_row_and_column() {
    check(
        OVERVIEW,
        "cell",
        2,
        expect![[r#"
            the cell "Balance"
            the only cell in the row of the caller's value and column
              {"relation":{"header":"Balance*","keys":[{"column":"Account","equals":"{param.account_id}"}],"relation":"cell"},"role":"cell","rung":"anchor","within":[]}
        "#]],
    );
}

#[test]
fn a_list_is_known_by_its_caption() {
    check(
        TRANSFER,
        "combobox",
        1,
        expect![[r#"
        the list "From account #"
        its caption is unique
          {"label":"From account #","role":"combobox","rung":"label","within":[]}
        the only combobox beside its caption
          {"relation":{"relation":"adjacent","side":"before","text":"From account #"},"role":"combobox","rung":"anchor","within":[]}
    "#]],
    );
}
