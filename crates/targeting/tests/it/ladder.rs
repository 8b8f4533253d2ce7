//! What each rule of the ladder means.
use crate::read::{given, hints, snapshot, target, told};

const APPROVE: &str = r#"{"find":{"rung":"role_name","role":"button","name":"Approve"}}"#;
const FOLDED: &str = r#"{"find":{"rung":"role_name_normalized","role":"button","name":"Approve"}}"#;
const LABEL: &str = r#"{"find":{"rung":"label","role":"textbox","label":"Amount"}}"#;
const THIRD: &str = r#"{"find":{"rung":"ordinal","role":"button","index":1,"of":2}}"#;
const HINT: &str = r##"{"find":{"rung":"native_hint","hint":{"web":"#d > button"}}}"##;
const LOOKS: &str = r#"{"find":{"rung":"vision","description":"a green button"}}"#;
const IS_APPROVE: &str = r#"{"role":"button","name":"Approve"}"#;

const PAGE: &str = "window main <x>\n  button \"Approve\" #a\n  button \"Reject\" #r\n";
/// The same page after the vendor swapped the buttons.
const SWAPPED: &str = "window main <x>\n  button \"Reject\" #a\n  button \"Approve\" #r\n";

fn check(page: &str, candidates: &[&str], fingerprint: &str, hinted: &[(usize, &[&str])], expected: &str) {
    let target = target(&candidates.join(","), fingerprint);
    assert_eq!(told(&snapshot(page), &target, &hints(hinted), &given(&[])), expected);
}

#[test]
fn the_first_rung_with_matches_decides_and_the_descent_is_drift() {
    check(PAGE, &[APPROVE, FOLDED], IS_APPROVE, &[], "a by 0 role_name drift 0");
    let upper = "window main <x>\n  link \"APPROVE\" #a\n";
    check(upper, &[APPROVE, FOLDED], IS_APPROVE, &[], "a by 1 role_name_normalized drift 1");
    check(upper, &[APPROVE, LABEL, FOLDED], IS_APPROVE, &[], "a by 2 role_name_normalized drift 2");
    check(PAGE, &[FOLDED], "null", &[], "a by 0 role_name_normalized drift 0");
}

#[test]
fn two_matches_are_refused_although_a_lower_rung_knows_one() {
    let twice = "window main <x>\n  button \"Approve\" #a\n  button \"Approve\" #b\n";
    check(twice, &[APPROVE, THIRD], IS_APPROVE, &[], "ambiguous: role_name[a b]");
    check(twice, &[LABEL, FOLDED, THIRD], IS_APPROVE, &[], "ambiguous: label[], role_name_normalized[a b]");
}

#[test]
fn a_match_that_is_something_else_is_refused_although_a_lower_rung_knows_better() {
    check(SWAPPED, &[THIRD, APPROVE], IS_APPROVE, &[], "mismatch: a name \"Reject\", was \"Approve\": ordinal[a]");
    check(
        "window main <x>\n  text \"Amount\"\n  textbox native=input:text #t\n",
        &[LABEL],
        r#"{"role":"textbox","name":"","native":"input:search"}"#,
        &[],
        "mismatch: t native \"input:text\", was \"input:search\": label[t]",
    );
}

#[test]
fn nothing_that_fits_is_not_found() {
    check(
        "window main <x>\n  button \"Go\" #g\n",
        &[APPROVE, THIRD, HINT, LOOKS],
        IS_APPROVE,
        &[],
        "not found: role_name[], ordinal[], native_hint[], vision[] (a vision rung does not find in a snapshot)",
    );
    check(PAGE, &[LOOKS], IS_APPROVE, &[], "not found: vision[] (a vision rung does not find in a snapshot)");
    check(PAGE, &[], IS_APPROVE, &[], "not found: ");
}

#[test]
fn a_hint_is_always_drift() {
    check(PAGE, &[HINT], IS_APPROVE, &[(0, &["a"])], "a by 0 native_hint drift 1");
    check(PAGE, &[LABEL, HINT], IS_APPROVE, &[(1, &["a"])], "a by 1 native_hint drift 1");
    check(PAGE, &[LABEL, LABEL, HINT], IS_APPROVE, &[(2, &["a"])], "a by 2 native_hint drift 2");
    check(PAGE, &[HINT], IS_APPROVE, &[(0, &["r", "a"])], "ambiguous: native_hint[a r]");
    check(PAGE, &[HINT], IS_APPROVE, &[(0, &["gone"])], "not found: native_hint[]");
    check(PAGE, &[HINT], IS_APPROVE, &[(0, &["a", "a"])], "a by 0 native_hint drift 1");
}

#[test]
fn a_hint_or_a_position_says_nothing_without_a_fingerprint() {
    check(PAGE, &[HINT], "null", &[(0, &["a"])], "mismatch: a none \"button\", was \"no fingerprint\": native_hint[a]");
    check(PAGE, &[THIRD], "null", &[], "mismatch: a none \"button\", was \"no fingerprint\": ordinal[a]");
}

#[test]
fn a_hint_finds_things_of_its_frame_and_scope_only() {
    let page = "window main <x>\n  text \"Approve\" #t\n  region \"One\"\n    button \"Approve\" #a\n  frame <y>\n    button \"Approve\" #f\n";
    check(page, &[HINT], IS_APPROVE, &[(0, &["t", "f"])], "not found: native_hint[]");
    let in_region = |name: &str| {
        format!(
            r#"{{"find":{{"rung":"native_hint","hint":{{"w":"b"}}}},"within":[{{"relation":"region","name":"{name}"}}]}}"#
        )
    };
    check(page, &[&in_region("One")], IS_APPROVE, &[(0, &["a"])], "a by 0 native_hint drift 1");
    check(
        page,
        &[&in_region("Two")],
        IS_APPROVE,
        &[(0, &["a"])],
        "not found: native_hint[] (no region is called `Two`)",
    );
}

#[test]
fn when_the_slot_holds_something_else_the_name_wins_and_the_hint_alone_is_refused() {
    check(PAGE, &[APPROVE, HINT], IS_APPROVE, &[(1, &["a"])], "a by 0 role_name drift 0");
    check(SWAPPED, &[APPROVE, HINT], IS_APPROVE, &[(1, &["a"])], "r by 0 role_name drift 0 hint moved");
    check(SWAPPED, &[HINT], IS_APPROVE, &[(0, &["a"])], "mismatch: a name \"Reject\", was \"Approve\": native_hint[a]");
    // A hint that finds nothing has not moved.
    check(SWAPPED, &[APPROVE, HINT], IS_APPROVE, &[(1, &[])], "r by 0 role_name drift 0");
    let unnamed = r#"{"find":{"rung":"role_name","role":"button","name":""}}"#;
    check(
        "window main <x>\n  button #a\n  button #r\n",
        &[unnamed, HINT],
        r#"{"role":"button","name":""}"#,
        &[(1, &["a"])],
        "ambiguous: role_name[a r]",
    );
}

#[test]
fn an_anchor_survives_changed_markup_and_not_changed_words() {
    let by_caption = r#"{"find":{"rung":"anchor","role":"textbox","relation":{"relation":"adjacent","text":"Amount","side":"before"}}}"#;
    let is_field = r#"{"role":"textbox","name":""}"#;
    let found = "t by 0 anchor drift 0";
    check("window main <x>\n  text \"Amount\"\n  textbox #t\n", &[by_caption], is_field, &[], found);
    // The same words in a table, under other handles and with a field of another kind beside them.
    let table = "window main <x>\n  table\n    row\n      cell cell=0,0\n        text \"Amount\"\n      cell cell=0,1\n        textbox #t\n      cell cell=0,2\n        checkbox #c\n";
    check(table, &[by_caption], is_field, &[], found);
    let renamed = table.replace("Amount", "Sum to pay");
    let target = target(by_caption, is_field);
    let told = told(&snapshot(&renamed), &target, &hints(&[]), &given(&[]));
    assert!(told.starts_with("not found: "), "{told}");
}

#[test]
fn a_place_that_is_missing_is_told() {
    let in_frame = |frame: &str| {
        let mut target = target(APPROVE, IS_APPROVE);
        target.frame = serde_json::from_str(frame).unwrap_or_default();
        told(&snapshot("window main <x>\n  frame name=\"a\" <y> unreadable\n"), &target, &hints(&[]), &given(&[]))
    };
    assert_eq!(in_frame(r#"[{"name":"a"}]"#), "place missing: the frame `a` cannot be read");
    assert_eq!(in_frame(r#"[{"name":"b"}]"#), "place missing: no frame fits `b`");
}

#[test]
fn a_reference_without_value_is_an_error() {
    let by_number = r#"{"find":{"rung":"role_name","role":"link","name":"{param.no}"}}"#;
    check(PAGE, &[by_number], "null", &[], "error: the parameter `no` has no value in this run");
    check(
        PAGE,
        &[APPROVE],
        r#"{"role":"button","name":"{param.no}"}"#,
        &[],
        "error: the parameter `no` has no value in this run",
    );
}

fn rows(count: u32) -> String {
    let mut out = String::from("window main <x>\n  table\n");
    for n in 1..=count {
        let r = n - 1;
        out.push_str(&format!(
            "    row\n      cell cell={r},0\n        text \"AC-{n}\"\n      cell cell={r},1\n        button \"Edit\" #e{n}\n"
        ));
    }
    out
}

fn check_rows(count: u32, extra: &[&str], account: &str, hinted: &[(usize, &[&str])], expected: &str) {
    let mut candidates = vec![
        r#"{"find":{"rung":"role_name","role":"button","name":"Edit"},"within":[{"relation":"row","keys":[{"equals":"{param.account}"}]}]}"#,
    ];
    candidates.extend(extra);
    let target = target(&candidates.join(","), r#"{"role":"button","name":"Edit"}"#);
    let page = format!("{}  table #head\n", rows(count));
    assert_eq!(told(&snapshot(&page), &target, &hints(hinted), &given(&[("account", account)])), expected);
}

#[test]
fn a_row_is_found_by_the_parameter_however_many_there_are() {
    check_rows(50, &[], "AC-37", &[], "e37 by 0 role_name drift 0");
    check_rows(1, &[], "AC-1", &[], "e1 by 0 role_name drift 0");
    check_rows(50, &[], "AC-1", &[], "e1 by 0 role_name drift 0");
    check_rows(3, &[], "AC-2", &[], "e2 by 0 role_name drift 0");
}

#[test]
fn a_row_that_does_not_say_its_key_is_no_proof_that_it_is_absent_and_is_not_taken_for_it() {
    let candidates = [
        r#"{"find":{"rung":"role_name","role":"button","name":"Edit"},"within":[{"relation":"row","keys":[{"column":"Account","equals":"AC-9"}]}]}"#,
        HINT,
    ];
    let target = target(&candidates.join(","), r#"{"role":"button","name":"Edit"}"#);
    let page = |account: &str, name: &str| {
        format!(
            "window main <x>\n  table\n    row\n      columnheader cell=0,0,1,1,header\n        text \"Account\"\n      \
             columnheader cell=0,1,1,1,header\n        text \"Name\"\n      columnheader cell=0,2,1,1,header\n        text \"What\"\n    \
             row\n      cell cell=1,0\n{account}      cell cell=1,1\n{name}      cell cell=1,2\n        button \"Edit\" #e1\n"
        )
    };
    let told = |account: &str, name: &str| {
        told(&snapshot(&page(account, name)), &target, &hints(&[(1, &["e1"])]), &given(&[]))
    };
    let (name, key) = ("        text \"Ann\"\n", "no row has Account = `AC-9`");
    let untold = format!(
        "not found: role_name[] ({key}, and one may be it that does not say), native_hint[] (passed over: the row is not there)"
    );
    assert_eq!(told("", name), untold);
    // It stands there twice, or beside something.
    let twice = "        link \"AC-9\"\n          text \"AC-9\"\n        link \"AC-9\"\n          text \"AC-9\"\n";
    assert_eq!(told(twice, name), untold);
    let absent =
        format!("row absent: Account = `AC-9`: role_name[] ({key}), native_hint[] (passed over: the row is not there)");
    assert_eq!(told("        text \"AC-8\"\n", name), absent);
    // A text that only begins like it is another one.
    assert_eq!(told("        text \"AC-9 old\"\n", name), absent);
}

#[test]
fn when_the_row_is_absent_no_other_row_is_taken() {
    check_rows(50, &[], "AC-51", &[], "row absent: a cell = `AC-51`: role_name[] (no row has a cell = `AC-51`)");
    check_rows(
        2,
        &[HINT, r#"{"find":{"rung":"ordinal","role":"button","index":2,"of":2}}"#],
        "AC-3",
        &[(1, &["e2"])],
        "row absent: a cell = `AC-3`: role_name[] (no row has a cell = `AC-3`), \
         native_hint[] (passed over: the row is not there), ordinal[] (passed over: the row is not there)",
    );
}
