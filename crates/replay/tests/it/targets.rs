//! Finding and reaching the target of a step.

use expect_test::expect;

use crate::check;

#[test]
fn a_target_that_slipped_away_is_looked_for_twice_more() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 stale
30 seen
  heading "New"
  button "Go"
40 hidden
50 seen
60 stale
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 stale: look
            30 seen: found button "Go" by role_name; ACT click n2 declared safe submit
            40 hidden: look
            50 seen: found button "Go" by role_name; ACT click n2 declared safe submit
            60 stale: unexpectedstate target_not_found; END needs_human target_not_found at go
              "the target was replaced again and again"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_covered_target_waits_for_the_cover_to_go() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 covered "img 'Busy'"
30 seen
40 delivered
50 seen
  text "Done"
60 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 covered: wait 14980
            30 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            40 delivered: look
            50 seen: check go holds; done go; look
            60 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_cover_that_stays_is_named() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 covered "the banner"
15010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 covered: wait 14980
            15010 seen: unexpectedstate covered_by; END needs_human covered_by at go
              "the target is covered by the banner"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_disabled_target_waits_and_is_told() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go" [disabled]
20 disabled
15010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 disabled: wait 14980
            15010 seen: unexpectedstate unexpected_state; END needs_human unexpected_state at go
              "the target is disabled"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_target_that_is_missing_may_still_come_and_is_told_with_what_was_tried() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  text "Nothing"
9000 seen
15010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            9000 seen: wait 6000
            15010 seen: unresolved target_not_found [role_name:0]; unexpectedstate target_not_found; END needs_human target_not_found at go
              "nothing fits "button "Go"""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_target_that_is_missing_on_a_restless_screen_is_not_settled() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen requesting
  text "Nothing"
15010 seen requesting
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            15010 seen: unresolved not_settled [role_name:0]; unexpectedstate not_settled; END failed not_settled at go
              "nothing fits "button "Go"""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn two_that_fit_are_refused_as_soon_as_the_screen_is_settled() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen requesting
  button "Go"
  button "Go"
20 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            20 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; END needs_human target_ambiguous at go
              "2 elements fit "button "Go""; the engine does not guess"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn another_thing_than_the_recorded_one_is_refused() {
    check(
        r#"
steps:
- id: go
  click:
    description: the button
    candidates: [{find: {rung: native_hint, hint: {web: "form button"}}}]
    fingerprint: {role: button, name: Go}
  check: text "Done"
"#,
        r#"
0 start
10 seen
  button "Delete all"
  ! hint n1
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: unresolved fingerprint_mismatch [native_hint:1]; unexpectedstate fingerprint_mismatch; END needs_human fingerprint_mismatch at go
              ""the button" led to button "Delete all", whose name differs: recorded "Go", found "Delete all""
              effect none, done 0/1
        "#]],
    );
}

/// A target with a hint as its last rung.
const HINTED: &str = r#"
steps:
- id: go
  risk: RISK
  click:
    description: the button
    candidates:
    - {find: {rung: role_name, role: button, name: GO}, within: [{relation: region, name: Sign on}]}
    - {find: {rung: native_hint, hint: {web: "form button"}}}
    fingerprint: {role: button, name: GO}
  check: text "Done"
  deadline: 1000
"#;

#[test]
fn a_hint_finds_what_still_is_the_recorded_thing_once_the_screen_is_at_rest_and_is_drift() {
    check(
        &HINTED.replace("RISK", "safe"),
        r#"
0 start
10 seen changing
  button "GO"
  ! hint n1
20 seen
  button "GO"
  ! hint n1
30 delivered
40 seen
  text "Done"
50 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 990
            20 seen: found button "GO" by native_hint drift 1; ACT click n1 declared safe submit
            30 delivered: look
            40 seen: check go holds; done go; look
            50 seen: check run holds; END success
              effect none, done 1/1, drift 1
        "#]],
    );
}

#[test]
fn a_hint_that_leads_to_another_thing_is_refused_when_the_recorded_one_could_have_come() {
    check(
        &HINTED.replace("RISK", "safe"),
        r#"
0 start
10 seen
  button "Delete all"
  ! hint n1
1010 seen
  button "Delete all"
  ! hint n1
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 990
            1010 seen: unresolved fingerprint_mismatch [role_name:0 native_hint:1]; unexpectedstate fingerprint_mismatch; END needs_human fingerprint_mismatch at go
              ""the button" led to button "Delete all", whose name differs: recorded "GO", found "Delete all""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_hint_does_not_keep_the_recorded_thing_from_coming() {
    check(
        &HINTED.replace("RISK", "safe"),
        r#"
0 start
10 seen
  button "Delete all"
  ! hint n1
500 seen
  region "Sign on"
    button "GO"
  ! hint n1
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 990
            500 seen: found button "GO" by role_name hint moved; ACT click n2 declared safe submit
        "#]],
    );
}

#[test]
fn a_hint_alone_never_decides_what_is_more_than_safe() {
    check(
        &HINTED.replace("RISK", "risky"),
        r#"
0 start
10 seen
  button "GO"
  ! hint n1
1010 seen
  button "GO"
  ! hint n1
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 990
            1010 seen: unresolved target_not_found [native_hint:1]; unexpectedstate target_not_found; END needs_human target_not_found at go
              "only the driver's hint leads to "the button", and that alone does not decide what is more than safe"
              effect none, done 0/1
        "#]],
    );
    // Neither where the policy alone says so.
    check(
        &HINTED.replace("RISK", "safe").replace("GO", "Transfer"),
        r#"
0 start
10 seen
  button "Transfer"
  ! hint n1
1010 seen
  button "Transfer"
  ! hint n1
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 990
            1010 seen: unresolved target_not_found [native_hint:1]; unexpectedstate target_not_found; END needs_human target_not_found at go
              "only the driver's hint leads to "the button", and that alone does not decide what is more than safe"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn hints_that_fit_two_things_are_no_ambiguous_target_for_a_declared_answer() {
    check(
        &format!("{}outcomes:\n- {{code: twice, at: go, result: target_ambiguous}}\n", HINTED.replace("RISK", "safe")),
        r#"
0 start
10 seen
  button "GO"
  button "GO"
  ! hint n1 n2
1010 seen
  button "GO"
  button "GO"
  ! hint n1 n2
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 990
            1010 seen: unresolved target_ambiguous [role_name:0 native_hint:2]; unexpectedstate target_ambiguous; END needs_human target_ambiguous at go
              "2 elements fit "the button"; the engine does not guess"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_descent_is_drift_and_counted_once() {
    check(
        r#"
steps:
- id: go
  click:
    description: the button
    candidates:
    - {find: {rung: role_name, role: button, name: Begin}}
    - {find: {rung: role_name_normalized, role: button, name: go}}
    fingerprint: {role: button, name: Go}
  check: text "Done"
"#,
        r#"
0 start
10 seen
  button "GO"
20 delivered
5100 seen
5110 seen
5120 delivered
5130 seen
  text "Done"
5140 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "GO" by role_name_normalized drift 1; ACT click n1 declared safe submit
            20 delivered: look
            5100 seen: check go fails; retry 1 (the checkpoint did not come); look
            5110 seen: found button "GO" by role_name_normalized drift 1; ACT click n1 declared safe submit
            5120 delivered: look
            5130 seen: check go holds; done go; look
            5140 seen: check run holds; END success
              effect none, done 1/1, drift 1
        "#]],
    );
}

#[test]
fn a_window_that_is_not_open_is_waited_for() {
    check(
        r#"
steps:
- id: go
  click:
    description: the button
    window: lookup
    candidates: [{find: {rung: role_name, role: button, name: Go}}]
  check: text "Done"
"#,
        r#"
0 start
10 seen
  button "Go"
15010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            15010 seen: unresolved target_not_found []; unexpectedstate target_not_found; END needs_human target_not_found at go
              "the window `lookup` is not open"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_control_that_does_not_take_the_action_is_told() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 unsupported "it is no button"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 unsupported: unexpectedstate unexpected_state; END needs_human unexpected_state at go
              "it is no button"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_dialog_that_nobody_sees_does_not_hold_the_run_for_ever() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 dialog_open
30 seen
40 dialog_open
50 seen
60 dialog_open
15010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 dialog_open: look
            30 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            40 dialog_open: look
            50 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            60 dialog_open: wait 14940
            15010 seen: unexpectedstate not_settled; END failed not_settled at go
              "the target came when the time of the step was over"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn nothing_is_sent_when_the_time_of_the_step_is_over() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
"#,
        r#"
0 start
10 seen
  text "Nothing"
15010 seen
  button "Save"
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: wait 14990
            15010 seen: unexpectedstate not_settled; END failed not_settled at save
              "the target came when the time of the step was over"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_dialog_that_held_the_act_back_is_looked_at() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 dialog_open
30 seen held
  ! dialog alert "Hello"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 dialog_open: look
            30 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "a dialog (alert) says: Hello"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_missing_document_explains_a_missing_target() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  text "Bad Gateway"
  ! document 502 http://app.test/page
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact document; unexpectedstate app_error; END failed app_error at go
              "http://app.test/page answered 502"
              effect none, done 0/1
        "#]],
    );
}
