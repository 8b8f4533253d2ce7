//! A checkpoint: when it is believed, and what becomes of a safe step without it.

use expect_test::expect;

use crate::check;

#[test]
fn a_positive_checkpoint_ends_the_wait_at_once() {
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
30 seen requesting
  text "Done"
40 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check go holds; done go; look
            40 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_negative_checkpoint_is_believed_of_a_settled_screen_only() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: no text "Loading"}
"#,
        r#"
0 start
10 seen
  button "Go"
  text "Loading"
20 delivered
30 seen requesting
  button "Go"
40 seen
50 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            40 seen: check go holds; done go; look
            50 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn what_held_before_the_act_is_believed_of_a_settled_screen_and_reported() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
  text "Done"
20 delivered
30 seen navigating
40 seen
50 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            40 seen: check go holds held before; done go; look
            50 seen: check run holds; END success
              effect none, done 1/1, held before go
        "#]],
    );
}

#[test]
fn quiet_does_not_end_the_wait_for_a_positive_checkpoint() {
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
  text "Working"
4000 seen
  text "Done"
4010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            4000 seen: check go holds; done go; look
            4010 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_screen_that_never_comes_to_rest_ends_as_not_settled() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: no text "Loading"}
"#,
        r#"
0 start
10 seen
  button "Go"
  text "Loading"
20 delivered
30 seen requesting
  text "List"
5100 seen requesting
15000 seen requesting
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            5100 seen: wait 9900
            15000 seen: check go holds; unexpectedstate not_settled; END failed not_settled at go
              "no text "Loading" The screen did not come to rest in time"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_safe_step_is_done_again_within_its_limits_and_then_reclassified() {
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
30 seen reaction=none
5100 seen reaction=none
5110 seen
5120 delivered
5130 seen reaction=request
10100 seen reaction=request
10110 seen
10120 delivered
10130 seen
15010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            5100 seen: check go fails; retry 1 (nothing reacted); look
            5110 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            5120 delivered: look
            5130 seen: wait 4930
            10100 seen: check go fails; retry 2 (the checkpoint did not come); look
            10110 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            10120 delivered: look
            10130 seen: wait 4870
            15010 seen: check go fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at go
              "text "Done" Not so: text "Done" is visible"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn the_retries_of_a_run_are_counted_over_its_steps() {
    check(
        r#"
limits: {retries_per_run: 1}
steps:
- {id: a, click: button "Go", check: text "One"}
- {id: b, click: button "Go", check: text "Two"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
5100 seen
5110 seen
5120 delivered
5130 seen
  button "Go"
  text "One"
5140 seen
5150 delivered
10200 seen
20140 seen
"#,
        expect![[r#"
            0 start: step a; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            5100 seen: check a fails; retry 1 (the checkpoint did not come); look
            5110 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            5120 delivered: look
            5130 seen: check a holds; done a; step b; look
            5140 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            5150 delivered: look
            10200 seen: wait 9930
            20140 seen: check b fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at b
              "text "Two" Not so: text "Two" is visible"
              effect none, done 1/2
        "#]],
    );
}

#[test]
fn a_late_effect_of_the_first_attempt_is_noticed_instead_of_sending_again() {
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
5100 seen
5110 seen
  text "Done"
5120 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            5100 seen: check go fails; retry 1 (the checkpoint did not come); look
            5110 seen: check go holds; done go; look
            5120 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_safe_press_that_led_elsewhere_is_told_by_its_proof_and_not_by_the_control_that_went_with_it() {
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
  text "Something else"
5100 seen
5110 seen
15100 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 4983
            5100 seen: check go fails; retry 1 (the checkpoint did not come); look
            5110 seen: wait 9890
            15100 seen: check go fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at go
              "text "Done" Not so: text "Done" is visible"
              effect none, done 0/1
        "#]],
    );
    // Before it was pressed at all, it is the control that is missing.
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  text "Something else"
15100 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            15100 seen: unresolved target_not_found [role_name:0]; unexpectedstate target_not_found; END needs_human target_not_found at go
              "nothing fits "button "Go"""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_answer_that_comes_before_the_second_attempt_is_an_answer() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

outcomes:
- {code: locked, when: text "Locked"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
5100 seen
5110 seen
  button "Go"
  text "Locked"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            5100 seen: check go fails; retry 1 (the checkpoint did not come); look
            5110 seen: businessoutcome locked; END business_outcome locked at go
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn nothing_is_sent_again_after_the_deadline_of_the_step() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
15 seen
  text "Nothing"
14000 seen
  button "Go"
14010 delivered
14020 seen
  text "Working"
15001 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            15 seen: wait 14985
            14000 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            14010 delivered: look
            14020 seen: wait 320
            15001 seen: check go fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at go
              "text "Done" Not so: text "Done" is visible"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_step_that_waited_for_its_target_shares_what_is_left_among_its_attempts() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  text "Nothing"
6000 seen
  button "Go"
6010 delivered
6020 seen
9010 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            6000 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            6010 delivered: look
            6020 seen: wait 2986
            9010 seen: check go fails; retry 1 (the checkpoint did not come); look
        "#]],
    );
}

#[test]
fn the_application_failing_by_its_own_word_is_app_error_once_settled() {
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
30 seen navigating
  ! document 503 http://app.test/do
  text "Service Unavailable"
40 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact document; wait 4983
            40 seen: check go fails; unexpectedstate app_error; END failed app_error at go
              "http://app.test/do answered 503"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_document_that_takes_the_place_of_a_failed_one_clears_it() {
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
30 seen navigating
  ! document 500 http://app.test/do work
40 seen navigating
  ! document 200 http://app.test/do work
50 seen
  text "Done"
60 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact document; wait 4983
            40 seen: fact document; wait 4973
            50 seen: check go holds; done go; look
            60 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_document_of_another_frame_does_not_clear_a_failed_one() {
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
30 seen navigating
  ! document 500 http://app.test/do work
40 seen
  ! document 200 http://app.test/do nav
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact document; wait 4983
            40 seen: fact document; check go fails; unexpectedstate app_error; END failed app_error at go
              "http://app.test/do answered 500"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_declared_answer_explains_a_failed_document() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

outcomes:
- {code: down, when: text "Maintenance"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  ! document 503 http://app.test/do
  text "Maintenance"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact document; businessoutcome down; END business_outcome down at go
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_open_step_loads_its_location() {
    check(
        r#"
variables:
- {name: base, default: "http://app.test"}
steps:
- {id: open, open: "{var.base}/start", check: button "Go"}
"#,
        r#"
0 start
10 seen
  text "blank"
20 delivered
30 seen
  button "Go"
40 seen
"#,
        expect![[r#"
            0 start: step open; look
            10 seen: ACT open main http://app.test/start declared safe
            20 delivered: look
            30 seen: check open holds; done open; look
            40 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_key_is_pressed_where_its_target_is() {
    check(
        r#"
steps:
- {id: leave, key: Tab, focus: label textbox "Amount", check: text "Done"}
"#,
        r#"
0 start
10 seen
  textbox "Amount" labelled
20 delivered
30 seen
  text "Done"
40 seen
"#,
        expect![[r#"
            0 start: step leave; look
            10 seen: found textbox "Amount" by label; ACT press Tab on n1 declared safe
            20 delivered: look
            30 seen: check leave holds; done leave; look
            40 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_page_that_the_server_could_not_make_proves_nothing_whatever_it_shows() {
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
  ! document 500 http://app.test/do
  text "Done"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact document; check go holds; unexpectedstate app_error; END failed app_error at go
              "http://app.test/do answered 500"
              effect none, done 0/1
        "#]],
    );
    // A frame that nobody looks at may fail as it likes.
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
  ! document 500 http://app.test/ad ad
  text "Done"
40 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: fact document; check go holds; done go; look
            40 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_declared_failure_of_the_application_is_no_answer() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

outcomes:
- {code: internal_error, when: text "Something went wrong.", failure: true, application_code: E-17}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Something went wrong."
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: unexpectedstate internal_error; unexpectedstate app_error; END failed app_error at go
              "internal_error (E-17)"
              effect none, done 0/1
        "#]],
    );
}
