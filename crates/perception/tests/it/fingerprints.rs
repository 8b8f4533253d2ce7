//! What a thing looked like, compared with what it looks like.
use waymark_artifact::{Fingerprint, RungKind};
use waymark_perception::{fingerprint, fingerprint_holds};
use waymark_snapshot::{Ix, UiSnapshot};

use crate::read::{given, json, snapshot, stored};

/// The last thing on the screen, compared after it was found by a kind of rung.
fn compared(snapshot: &UiSnapshot, recorded: &str, by: RungKind) -> String {
    let ix = snapshot.iter().filter(|(_, n)| n.role != waymark_snapshot::Role::Text).last().map_or(Ix(0), |(ix, _)| ix);
    let recorded: Fingerprint = json(recorded);
    match fingerprint_holds(snapshot, ix, &recorded, by, &given(&[("id", "7")])) {
        Ok(None) => "holds".to_owned(),
        Ok(Some(m)) => format!("{}: {:?}, was {:?}", m.part, m.found, m.recorded),
        Err(error) => format!("error: {error}"),
    }
}

fn check(body: &str, recorded: &str, expected: &str) {
    let snapshot = snapshot(&format!("window main <x>\n{body}\n"));
    assert_eq!(compared(&snapshot, recorded, RungKind::Label), expected);
}

#[test]
fn the_role_may_change_within_its_class() {
    check("  link \"Log out\"", r#"{"role":"button","name":"Log out"}"#, "holds");
    check("  checkbox \"Log out\"", r#"{"role":"button","name":"Log out"}"#, r#"role: "checkbox", was "button""#);
    check("  cell \"7\"", r#"{"role":"row","name":"7"}"#, r#"role: "cell", was "row""#);
}

#[test]
fn the_name_is_compared_folded_and_with_this_runs_values() {
    check("  button \"LOG OUT:\"", r#"{"role":"button","name":"Log out"}"#, "holds");
    check("  button \"Reject\"", r#"{"role":"button","name":"Approve"}"#, r#"name: "Reject", was "Approve""#);
    check("  link \"Record 7\"", r#"{"role":"link","name":"Record {param.id}"}"#, "holds");
    check(
        "  link \"Record 8\"",
        r#"{"role":"link","name":"Record {param.id}"}"#,
        r#"name: "Record 8", was "Record 7""#,
    );
    check(
        "  link \"8\"",
        r#"{"role":"link","name":"{param.no}"}"#,
        "error: the parameter `no` has no value in this run",
    );
    check("  button \"<<\"", r#"{"role":"button","name":">>"}"#, r#"name: "<<", was ">>""#);
    // A thing that had no name and has one now is another thing.
    check("  textbox \"Amount\"", r#"{"role":"textbox","name":""}"#, r#"name: "Amount", was """#);
}

#[test]
fn the_caption_is_compared_where_one_was_recorded() {
    let recorded = r#"{"role":"textbox","name":"","caption":"From account"}"#;
    check("  text \"FROM ACCOUNT:\"\n  textbox", recorded, "holds");
    check("  text \"To account\"\n  textbox", recorded, r#"caption: "To account", was "From account""#);
    check("  textbox", recorded, r#"caption: "", was "From account""#);
}

#[test]
fn a_field_that_hid_its_content_must_hide_it_again() {
    let recorded = r#"{"role":"textbox","name":"","protected":true}"#;
    check("  textbox [protected]", recorded, "holds");
    check("  textbox", recorded, r#"protected: "shows what it holds", was "hides what it holds""#);
    check("  textbox [protected]", r#"{"role":"textbox","name":""}"#, "holds");
}

#[test]
fn the_native_kind_counts_only_where_the_name_was_not_compared() {
    let body = snapshot("window main <x>\n  button \"Go\" native=a\n");
    let recorded = r#"{"role":"button","name":"Go","native":"button:submit"}"#;
    let differs = r#"native: "a", was "button:submit""#;
    assert_eq!(compared(&body, recorded, RungKind::RoleName), "holds");
    assert_eq!(compared(&body, recorded, RungKind::RoleNameNormalized), "holds");
    for by in [RungKind::Label, RungKind::Anchor, RungKind::Ordinal, RungKind::NativeHint] {
        assert_eq!(compared(&body, recorded, by), differs, "{by:?}");
    }
}

#[test]
fn what_is_taken_of_a_thing_holds_of_it() {
    for page in ["parabank_login", "parabank_billpay", "parabank_transfer", "parabank_overview"] {
        let page = stored(page);
        for (ix, node) in page.iter().filter(|(_, n)| n.role.is_control()) {
            let taken = fingerprint(&page, ix);
            let again = fingerprint_holds(&page, ix, &taken, RungKind::NativeHint, &given(&[]));
            assert_eq!(again, Ok(None), "{node:?}");
        }
    }
    let login = stored("parabank_login");
    let secret =
        login.iter().find(|(_, n)| n.is(waymark_snapshot::State::Protected)).map(|(ix, _)| fingerprint(&login, ix));
    let expected: Fingerprint =
        json(r#"{"role":"textbox","name":"","caption":"Password","native":"input:password","protected":true}"#);
    assert_eq!(secret, Some(expected));
}
