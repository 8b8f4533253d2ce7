#![expect(clippy::unwrap_used, reason = "snapshots and names are literals here")]

use waymark_artifact::{Name, RungKind};
use waymark_snapshot::parse;

use crate::{Purpose, Values, target};

/// Whether the hint to the first thing of a role stands at the end of its ladder; nowhere else does one.
#[track_caller]
fn check(screen: &str, role: &str, hint: &str, stands: bool) {
    let screen = parse(screen).unwrap();
    let mut values = Values::new();
    values.parameter(Name::new("member").unwrap(), "Abel".into());
    values.parameter(Name::new("branch").unwrap(), "7b".into());
    values.sensitive(Name::new("pin").unwrap(), waymark_redact::Secret::new("Tulip".into()));
    let (node, _) = screen.iter().find(|(_, n)| n.role.as_str() == role).unwrap();
    let target = target(&screen, node, &values, Purpose::Act, Some(("web", hint))).unwrap();
    let kinds: Vec<RungKind> = target.candidates.iter().map(|c| c.find.kind()).collect();
    let at = kinds.iter().position(|kind| *kind == RungKind::NativeHint);
    assert_eq!(at, stands.then(|| kinds.len() - 1), "{hint}: {kinds:?}");
    assert!(kinds.len() > usize::from(stands), "a hint is never the only way");
}

const FORM: &str = r#"window main "Bank" <http://bank.test/>
  heading "Sign on"
  textbox "Member name" = "open Meadow"
  button "Go"
"#;

#[test]
fn a_hint_is_the_last_rung_of_what_has_a_name() {
    check(FORM, "button", "form[name=\"login\"] > input:nth-of-type(2)", true);
    check(FORM, "textbox", "input[id=\"username\"]", true);
}

#[test]
fn a_hint_with_a_value_of_the_caller_stands_in_no_document() {
    for hint in ["button[id=\"go-Abel\"]", "button[id=\"goabelnow\"]", "form[id=\"f-7b\"] > button:nth-of-type(1)"] {
        check(FORM, "button", hint, false);
    }
    for hint in ["button[id=\"go-tulip\"]", "button[name=\"xTULIPx\"]"] {
        check(FORM, "button", hint, false);
    }
}

#[test]
fn a_hint_with_a_word_of_a_record_or_a_field_stands_in_no_document() {
    let page = r#"window main "Bank" <http://bank.test/>
  table
    row
      columnheader "Owner" cell=0,0,1,1,header
      columnheader "Kind" cell=0,1,1,1,header
    row
      cell "Cora Field" cell=1,0,1,1
      cell "checking" cell=1,1,1,1
  textbox "Note" = "open Meadow"
  button "Go"
"#;
    check(page, "button", "div[id=\"ownerCora\"] > button:nth-of-type(1)", false);
    check(page, "button", "div[id=\"panel_meadow\"] > button:nth-of-type(1)", false);
    check(page, "button", "div[id=\"panel_owner\"] > button:nth-of-type(1)", true);
}

#[test]
fn what_stands_among_records_has_no_hint() {
    let page = r#"window main "Bank" <http://bank.test/>
  table
    row
      columnheader "Owner" cell=0,0,1,1,header
      columnheader "Do" cell=0,1,1,1,header
    row
      cell "Abel" cell=1,0,1,1
      cell "" cell=1,1,1,1
        button "Close"
  button "Go"
"#;
    check(page, "button", "table[id=\"rows\"] > button:nth-of-type(1)", false);
}
