//! Dialogs, windows, sign-ins and places that the surface brings up by itself.

use expect_test::expect;

use crate::check;

#[test]
fn declared_dialogs_are_answered_in_order() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['confirm "Sure?" accept', 'alert "Done." accept']}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog confirm "Sure?"
40 delivered
50 seen held
  ! dialog alert "Done."
60 delivered
70 seen
  text "Gone"
80 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; ACT accept declared safe submit
            40 delivered: look
            50 seen: fact dialog_opened; ACT accept declared safe
            60 delivered: look
            70 seen: check go holds; done go; look
            80 seen: check run holds; END success
              effect done, done 1/1
        "#]],
    );
}

#[test]
fn a_declared_dialog_out_of_order_is_not_answered() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['confirm "Sure?" accept', 'alert "Done." accept']}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog alert "Done."
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "a dialog (alert) says: Done."
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_declared_dialog_that_says_something_else_is_not_answered() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['confirm "Sure?" accept', 'alert "Done." accept']}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog confirm "Really, all of it?"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "a dialog (confirm) says: Really, all of it?"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_second_dialog_that_is_not_declared_is_for_a_person() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['confirm "Sure?" dismiss']}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog confirm "Sure?"
40 delivered
50 seen held
  ! dialog confirm "Sure?"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; ACT dismiss declared safe
            40 delivered: look
            50 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "a dialog (confirm) says: Sure?"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_dialog_that_no_step_declares_is_not_answered() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog confirm "Leave?"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "a dialog (confirm) says: Leave?"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_dialog_before_the_act_is_not_the_declared_one() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['confirm "Sure?" accept', 'alert "Done." accept']}
"#,
        r#"
0 start
10 seen held
  button "Go"
  ! dialog confirm "Sure?"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "a dialog (confirm) says: Sure?"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_yes_makes_a_step_one_that_is_not_sent_again() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['confirm "Sure?" accept', 'alert "Done." accept']}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog confirm "Sure?"
40 delivered
50 seen
5100 seen
15010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; ACT accept declared safe submit
            40 delivered: look
            50 seen: wait 14950
            5100 seen: wait 9900
            15010 seen: check go fails; unexpectedstate effect_unknown; END needs_human effect_unknown at go
              ""go" was delivered and its checkpoint did not come; it was not repeated"
              effect unknown, done 0/1
        "#]],
    );
}

#[test]
fn a_declared_dialog_that_does_not_open_is_no_success() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['confirm "Sure?" accept', 'alert "Done." accept']}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Gone"
5100 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            5100 seen: check go holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at go
              "a declared dialog did not open"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_prompt_is_answered_with_a_text() {
    check(
        r#"
parameters:
- {name: why, type: text, sensitive: true}
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['prompt "Why?" = param.why risky']}
with: {why: because}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog prompt "Why?"
40 delivered
50 seen
  text "Gone"
60 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; ACT accept *** declared risky submit
            40 delivered: look
            50 seen: check go holds; done go; look
            60 seen: check run holds; END success
              effect done, done 1/1
        "#]],
    );
}

#[test]
fn an_answer_that_does_not_arrive_ends_the_run() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Gone", dialogs: ['confirm "Sure?" accept', 'alert "Done." accept']}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog confirm "Sure?"
40 failed protocol
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; ACT accept declared safe submit
            40 failed: unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "the dialog could not be answered: Failed(Protocol { what: "a call", message: "no" })"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_field_whose_change_opens_a_declared_dialog_is_not_done_before_it() {
    check(
        r#"
steps:
- {id: kind, choose: combobox "Kind", value: Loan, dialogs: ['alert "Rates changed." accept']}
"#,
        r#"
0 start
10 seen
  combobox "Kind"
20 delivered = "Loan"
30 seen held
  ! dialog alert "Rates changed."
40 delivered
50 seen
60 seen
"#,
        expect![[r#"
            0 start: step kind; look
            10 seen: found combobox "Kind" by role_name; ACT choose n1 "Loan" declared safe
            20 delivered: look
            30 seen: fact dialog_opened; ACT accept declared safe
            40 delivered: look
            50 seen: check kind holds; done kind; look
            60 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_declared_window_may_open_and_must() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done", opens: lookup}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Done"
40 seen
  ! opened lookup
50 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            40 seen: fact window_opened; check go holds; done go; look
            50 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_declared_window_that_does_not_open_is_no_success() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done", opens: lookup}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Done"
5100 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            5100 seen: check go holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at go
              "the window "lookup" did not open"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_window_that_no_step_declares_is_for_a_person() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Done"
  ! opened ads
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact window_opened; unexpectedstate unexpected_window; END needs_human unexpected_window at go
              "the window "ads" opened at http://app.test/page"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_sign_in_outside_of_the_screens_is_for_a_person() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  ! sign_in http://app.test realm
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact sign_in_asked; unexpectedstate sign_in_needed; END needs_human sign_in_needed at go
              "http://app.test asks for a sign-in to "realm""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_way_that_the_policy_stopped_is_policy_blocked() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  ! refused deny:administration http://app.test/admin/x
5100 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact route_refused; wait 4983
            5100 seen: check go fails; unexpectedstate policy_blocked; END needs_human policy_blocked at go
              "the policy (deny:administration) stopped the way to http://app.test/admin/x"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_stopped_way_beside_what_was_expected_does_no_harm() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  ! refused origin http://ads.test/x
  text "Working"
40 seen
  text "Done"
50 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact route_refused; wait 4983
            40 seen: check go holds; done go; look
            50 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn landing_where_it_must_not_be_ends_the_run() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen off_limits
  text "Done"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: unexpectedstate policy_blocked; END needs_human policy_blocked at go
              "the session landed where it must not be (deny:administration): http://app.test/admin/x"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_crashed_page_is_a_browser_that_is_gone() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen unreadable
  ! crashed
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact crashed; unexpectedstate browser_gone; END failed browser_gone at go
              "the content of window `main` crashed"
              effect none, done 0/1
        "#]],
    );
}

const NOTICE: &str = r#"{id: notice, when: {kind: dialog_opened, dialog: {text: {text: "Closed on Sunday."}}}, answer: 'alert "Closed on Sunday." accept'}"#;

/// One safe step with the notice as a declared nuisance.
fn check_with_notice(script: &str, expected: expect_test::Expect) {
    check(
        &format!("steps:\n- {{id: go, click: button \"Go\", check: text \"Done\"}}\n\nrecoveries:\n- {NOTICE}\n"),
        script,
        expected,
    );
}

#[test]
fn a_dialog_that_is_a_declared_nuisance_is_answered_before_the_act() {
    check_with_notice(
        r#"
0 start
10 seen held
  ! dialog alert "Closed on Sunday."
20 delivered
30 seen
  button "Go"
40 delivered
50 seen
  text "Done"
60 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact dialog_opened; recoverable notice; ACT accept declared safe
            20 delivered: recovered notice continue; look
            30 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            40 delivered: look
            50 seen: check go holds; done go; look
            60 seen: check run holds; END success
              effect none, done 1/1, recovered notice@go
        "#]],
    );
}

#[test]
fn a_dialog_that_is_a_declared_nuisance_is_answered_after_the_act_and_the_act_not_repeated() {
    check_with_notice(
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen held
  ! dialog alert "Closed on Sunday."
40 delivered
50 seen
  text "Done"
60 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact dialog_opened; recoverable notice; ACT accept declared safe
            40 delivered: recovered notice continue; look
            50 seen: check go holds; done go; look
            60 seen: check run holds; END success
              effect none, done 1/1, recovered notice@go
        "#]],
    );
}

#[test]
fn a_dialog_that_is_a_nuisance_too_often_ends_the_run() {
    check_with_notice(
        r#"
0 start
10 seen held
  ! dialog alert "Closed on Sunday."
20 delivered
30 seen held
  ! dialog alert "Closed on Sunday."
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact dialog_opened; recoverable notice; ACT accept declared safe
            20 delivered: recovered notice continue; look
            30 seen: fact dialog_opened; recoverable notice; unexpectedstate recovery_spent; END needs_human recovery_spent at go
              "the remedy `notice` was used 1 times already"
              effect none, done 0/1, recovered notice@go
        "#]],
    );
}

#[test]
fn a_dialog_of_another_kind_or_text_is_no_declared_nuisance() {
    check_with_notice(
        r#"
0 start
10 seen held
  ! dialog confirm "Closed on Sunday."
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "a dialog (confirm) says: Closed on Sunday."
              effect none, done 0/1
        "#]],
    );
    check_with_notice(
        r#"
0 start
10 seen held
  ! dialog alert "Closed on Monday."
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact dialog_opened; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "a dialog (alert) says: Closed on Monday."
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_answered_nuisance_is_not_the_act_of_the_step() {
    // What the step is to bring about is there already: it is done all the same, and not taken for done.
    check_with_notice(
        r#"
0 start
10 seen held
  ! dialog alert "Closed on Sunday."
20 delivered
30 seen
  button "Go"
  text "Done"
40 delivered
50 seen
60 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact dialog_opened; recoverable notice; ACT accept declared safe
            20 delivered: recovered notice continue; look
            30 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            40 delivered: look
            50 seen: check go holds held before; done go; look
            60 seen: check run holds; END success
              effect none, done 1/1, held before go, recovered notice@go
        "#]],
    );
}

#[test]
fn what_does_harm_is_not_answered_in_passing() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
recoveries:
- {id: offer, when: {kind: dialog_opened, dialog: {text: {text: "Delete it?"}}}, answer: 'confirm "Delete it?" accept'}
"#,
        r#"
0 start
10 seen held
  ! dialog confirm "Delete it?"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: fact dialog_opened; recoverable offer; unexpectedstate unexpected_dialog; END needs_human unexpected_dialog at go
              "the answer to a dialog is irreversible: Delete it?"
              effect none, done 0/1
        "#]],
    );
}
