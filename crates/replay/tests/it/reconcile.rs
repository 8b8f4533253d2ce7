//! What came of a risky step is looked up where its proof does not come: it landed, it did not, or nobody knows.

use expect_test::expect;

use crate::check;

#[test]
fn a_reconcile_check_finds_that_it_landed() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Error"
  link "List"
15060 seen
15070 seen
15080 delivered
15090 seen
  heading "List"
  text "Acme"
15100 seen
15110 seen
  link "More"
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: found link "List" by role_name; ACT click n3 declared safe
            15080 delivered: look
            15090 seen: check list holds; done list; look
            15100 seen: reconciled landed; done save; step more; look
            15110 seen: found link "More" by role_name; ACT click n1 declared safe
        "#]],
    );
}

#[test]
fn a_reconcile_check_finds_that_it_did_not_land() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Error"
  link "List"
15060 seen
15070 seen
15080 delivered
15090 seen
  heading "List"
  text "No payees"
15100 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: found link "List" by role_name; ACT click n3 declared safe
            15080 delivered: look
            15090 seen: check list holds; done list; look
            15100 seen: reconciled not_landed; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at save
              ""save" was delivered and had no effect; it was not repeated"
              effect none, done 1/3, not attempted more
        "#]],
    );
}

#[test]
fn half_a_list_does_not_say_that_it_did_not_land() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Error"
  link "List"
15060 seen
15070 seen
15080 delivered
15090 seen
  ! failed http://app.test/list
  heading "List"
  text "No payees"
15100 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: found link "List" by role_name; ACT click n3 declared safe
            15080 delivered: look
            15090 seen: fact document; check list holds; done list; look
            15100 seen: reconciled unknown; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered; what came of it could not be found out"
              effect unknown, done 1/3, not attempted more
        "#]],
    );
}

#[test]
fn a_reconcile_check_that_finds_neither_leaves_it_unknown() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Error"
  link "List"
15060 seen
15070 seen
15080 delivered
15090 seen
  heading "List"
15100 seen requesting
15110 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: found link "List" by role_name; ACT click n3 declared safe
            15080 delivered: look
            15090 seen: check list holds; done list; look
            15100 seen: wait 14990
            15110 seen: reconciled unknown; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered; what came of it could not be found out"
              effect unknown, done 1/3, not attempted more
        "#]],
    );
}

#[test]
fn a_reconcile_check_that_finds_both_leaves_it_unknown() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Error"
  link "List"
15060 seen
15070 seen
15080 delivered
15090 seen
  heading "List"
  text "Acme"
  text "No payees"
15100 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: found link "List" by role_name; ACT click n3 declared safe
            15080 delivered: look
            15090 seen: check list holds; done list; look
            15100 seen: reconciled unknown; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered; what came of it could not be found out"
              effect unknown, done 1/3, not attempted more
        "#]],
    );
}

#[test]
fn a_reconcile_check_that_loses_its_way_leaves_it_unknown() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Error"
  link "List"
15060 seen
15070 seen
  text "Signed off"
30100 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: wait 14990
            30100 seen: unresolved target_not_found [role_name:0]; reconciled unknown; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              "a risky step was delivered and is not proven: nothing fits "link "List"" (target_not_found)"
              effect unknown, done 1/3, not attempted more
        "#]],
    );
}

#[test]
fn a_reconcile_check_presses_nothing_risky() {
    check(
        r#"
steps:
- {id: list, click: button "Save list", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme"}}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  button "Save list"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Error"
  button "Save list"
15060 seen
15070 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found button "Save list" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: reconciled unknown; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              "the reconcile check would do what is risky: "list""
              effect unknown, done 1/2
        "#]],
    );
}

#[test]
fn what_would_show_that_it_landed_proves_nothing_where_it_stood_before() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  text "Acme"
  button "Save"
40 seen
50 delivered
60 seen
  text "Error"
  link "List"
15060 seen
15070 seen
15080 delivered
15090 seen
  heading "List"
  text "Acme"
15100 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n4 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: found link "List" by role_name; ACT click n3 declared safe
            15080 delivered: look
            15090 seen: check list holds; done list; look
            15100 seen: reconciled unknown; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered; what would show it was there before"
              effect unknown, done 1/3, not attempted more, held before save
        "#]],
    );
}

#[test]
fn an_effect_that_may_still_come_is_not_said_to_be_none() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen requesting
  text "Please wait"
  link "List"
15060 seen requesting
15070 seen
15080 delivered
15090 seen
  heading "List"
  text "No payees"
15100 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: wait 14970
            15060 seen: check save fails; step list; look
            15070 seen: found link "List" by role_name; ACT click n3 declared safe
            15080 delivered: look
            15090 seen: check list holds; done list; look
            15100 seen: reconciled unknown; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered; it had no answer yet, so it may still have its effect"
              effect unknown, done 1/3, not attempted more
        "#]],
    );
}

#[test]
fn an_answer_to_a_risky_step_is_given_with_what_the_reconcile_check_found() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
outcomes:
- {code: refused, when: text "Refused", after: [save]}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Refused"
  link "List"
70 seen
80 delivered
90 seen
  heading "List"
  text "No payees"
100 seen
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: check save fails; step list; look
            70 seen: found link "List" by role_name; ACT click n3 declared safe
            80 delivered: look
            90 seen: check list holds; done list; look
            100 seen: reconciled not_landed; businessoutcome refused; END business_outcome refused at save
              effect none, done 1/3, not attempted more
        "#]],
    );
}

#[test]
fn an_answer_to_a_risky_step_that_landed_all_the_same_is_none() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
outcomes:
- {code: refused, when: text "Refused", after: [save]}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  text "Refused"
  link "List"
70 seen
80 delivered
90 seen
  heading "List"
  text "Acme"
100 seen
110 seen
  link "More"
"#,
        expect![[r#"
            0 start: step list; look
            10 seen: found link "List" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: check list holds; done list; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            50 delivered: look
            60 seen: check save fails; step list; look
            70 seen: found link "List" by role_name; ACT click n3 declared safe
            80 delivered: look
            90 seen: check list holds; done list; look
            100 seen: reconciled landed; done save; step more; look
            110 seen: found link "More" by role_name; ACT click n1 declared safe
        "#]],
    );
}

/// A page that says "Saved", and what the list shows after it; then the way ends.
fn saved_and_then(list: &str, expected: expect_test::Expect) {
    let inputs = r#"
0 start
10 seen
  button "Save"
30 delivered
40 seen
  text "Saved"
  link "List"
50 seen
60 delivered
70 seen
  heading "List"
  LIST
80 seen
15080 seen
"#;
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: list, click: link "List", check: heading "List"}
- {id: more, click: link "More", check: text "Done"}
subflows:
- {id: look, from: list, to: list}
"#,
        &inputs.replace("LIST", list),
        expected,
    );
}

#[test]
fn what_the_application_says_by_itself_is_no_effect_that_is_known() {
    saved_and_then(
        r#"text "No payees""#,
        expect![[r#"
        0 start: step save; look
        10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
        30 delivered: look
        40 seen: check save holds; done save; step list; look
        50 seen: found link "List" by role_name; ACT click n3 declared safe
        60 delivered: look
        70 seen: check list holds; done list; step more; look
        80 seen: wait 14990
        15080 seen: unresolved target_not_found [role_name:0]; unexpectedstate target_not_found; END needs_human target_not_found at more
          "nothing fits "link "More"""
          effect unknown, done 2/3
    "#]],
    );
}

#[test]
fn a_record_that_is_seen_on_the_way_is_an_effect_that_is_known() {
    saved_and_then(
        r#"text "Acme""#,
        expect![[r#"
        0 start: step save; look
        10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
        30 delivered: look
        40 seen: check save holds; done save; step list; look
        50 seen: found link "List" by role_name; ACT click n3 declared safe
        60 delivered: look
        70 seen: check list holds; done list; step more; look
        80 seen: wait 14990
        15080 seen: unresolved target_not_found [role_name:0]; unexpectedstate target_not_found; END needs_human target_not_found at more
          "nothing fits "link "More"""
          effect done, done 2/3
    "#]],
    );
}

#[test]
fn an_answer_after_the_application_said_done_is_not_taken_for_not_done() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: list, click: link "List", check: heading "List"}
outcomes:
- {code: refused, when: text "Refused", after: [save]}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
40 seen
  text "Saved"
50 seen
  text "Refused"
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 seen: check save holds; done save; step list; look
            50 seen: unexpectedstate refused; unexpectedstate effect_unknown; END needs_human effect_unknown at list
              "the application said that `save` was done, and then answered: refused"
              effect unknown, done 1/2
        "#]],
    );
}
