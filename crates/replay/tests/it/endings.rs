//! How a run ends that cannot go on.

use expect_test::expect;

use crate::check;

#[test]
fn a_trigger_makes_a_failure_of_what_would_escalate() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
triggers: {target_ambiguous: fail}
"#,
        r#"
0 start
10 seen
  button "Go"
  button "Go"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; END failed target_ambiguous at go
              "2 elements fit "button "Go""; the engine does not guess"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_trigger_hands_over_what_would_fail() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
triggers: {app_error: escalate}
"#,
        r#"
0 start
10 seen
  text "Bad Gateway"
  ! document 502 http://app.test/page
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact document; unexpectedstate app_error; END needs_human app_error at go
              "http://app.test/page answered 502"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn where_nobody_may_be_asked_what_would_escalate_fails() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
escalate: false
"#,
        r#"
0 start
10 seen
  button "Go"
  button "Go"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; END failed target_ambiguous at go
              "2 elements fit "button "Go""; the engine does not guess"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn what_the_gate_refuses_ends_the_run() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 refused policy_blocked deny:administration
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 refused: unexpectedstate policy_blocked; END needs_human policy_blocked at go
              "the gate says no"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn what_needs_approval_waits_for_a_person_and_no_trigger_moves_it() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
triggers: {risk_approval: fail}
"#,
        r#"
0 start
10 seen
  button "Save"
20 refused risk_approval declared
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            20 refused: unexpectedstate risk_approval; END needs_human risk_approval at save
              "the gate says no"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_look_without_an_answer_is_not_settled() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 lost timeout
"#,
        expect![[r#"
            0 start: step go; look
            10 lost: unexpectedstate not_settled; END failed not_settled at go
              "no answer within 1000 ms: a call"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_closed_window_is_an_unexpected_state() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 lost closed
"#,
        expect![[r#"
            0 start: step go; look
            10 lost: unexpectedstate unexpected_state; END needs_human unexpected_state at go
              "the window `main` is closed"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_unexpected_dialog_on_a_risky_step_keeps_its_name_and_its_unknown_effect() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
triggers: {unexpected_dialog: fail}
"#,
        r#"
0 start
10 seen
  button "Save"
20 delivered
30 seen held
  ! dialog confirm "Twice?"
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            20 delivered: look
            30 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at save
              "a dialog (confirm) says: Twice?"
              effect unknown, done 0/1
        "#]],
    );
}
