//! From step to step, and to the end.

use expect_test::expect;

use crate::check;

#[test]
fn a_step_is_left_out_without_its_parameter() {
    check(
        r#"
parameters:
- {name: note, type: text, optional: true}
steps:
- {id: note, type: label textbox "Note", value: param.note, only_if: note}
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Done"
40 seen
"#,
        expect![[r#"
            0 start: left out note; step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check go holds; done go; look
            40 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_precondition_is_waited_for() {
    check(
        r#"
steps:
- {id: go, click: button "Go", pre: text "Ready", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 seen
  button "Go"
  text "Ready"
30 delivered
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            20 seen: check go holds; found button "Go" by role_name; ACT click n1 declared safe submit
            30 delivered: look
        "#]],
    );
}

#[test]
fn a_precondition_that_does_not_come_is_an_unexpected_state() {
    check(
        r#"
steps:
- {id: go, click: button "Go", pre: text "Ready", check: text "Done"}
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
            15010 seen: check go fails; unexpectedstate unexpected_state; END needs_human unexpected_state at go
              "text "Ready" Not so: text "Ready" is visible"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_precondition_that_went_with_the_step_leaves_its_proof_missing() {
    check(
        r#"
steps:
- {id: next, click: link "Next", pre: heading "List", check: button "Send"}
"#,
        r#"
0 start
10 seen
  heading "List"
  link "Next"
20 delivered
30 seen
  heading "Form"
  link "Next"
5100 seen
10100 seen
15100 seen
"#,
        expect![[r#"
            0 start: step next; look
            10 seen: check next holds; found link "Next" by role_name; ACT click n2 declared safe
            20 delivered: look
            30 seen: wait 4983
            5100 seen: check next fails; retry 1 (the checkpoint did not come); look
            10100 seen: wait 4900
            15100 seen: check next fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at next
              "button "Send" Not so: button "Send" is there"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_negative_precondition_needs_a_settled_screen() {
    check(
        r#"
steps:
- {id: go, click: button "Go", pre: no text "Busy", check: text "Done"}
"#,
        r#"
0 start
10 seen requesting
  button "Go"
20 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            20 seen: check go holds; found button "Go" by role_name; ACT click n1 declared safe submit
        "#]],
    );
}

#[test]
fn the_run_has_a_checkpoint_of_its_own() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
end: [text "Done", no text "Error"]
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Done"
40 seen requesting
50 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check go holds; done go; look
            40 seen: wait 14990
            50 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_run_checkpoint_that_does_not_come_is_unmet() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
end: text "Balance"
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Done"
40 seen
15040 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check go holds; done go; look
            40 seen: wait 14990
            15040 seen: check run fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet
              "text "Balance" Not so: text "Balance" is visible"
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn an_answer_at_the_end_of_the_run_is_an_answer() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

end: text "Balance"
outcomes:
- {code: locked, when: text "Locked", after: [go]}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Done"
40 seen
  text "Locked"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check go holds; done go; look
            40 seen: businessoutcome locked; END business_outcome locked
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn waiting_for_something_ends_when_it_holds() {
    check(
        r#"
steps:
- {id: until, wait: text "Ready"}
"#,
        r#"
0 start
10 seen
  text "Busy"
20 seen requesting
  text "Ready"
30 seen
"#,
        expect![[r#"
            0 start: step until; look
            10 seen: wait 14990
            20 seen: check until holds; done until; look
            30 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn waiting_in_vain_names_what_did_not_come() {
    check(
        r#"
steps:
- {id: until, wait: text "Ready", deadline: 1000}
"#,
        r#"
0 start
10 seen
  text "Busy"
1001 seen
"#,
        expect![[r#"
            0 start: step until; look
            10 seen: wait 990
            1001 seen: check until fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at until
              "waited in vain: text "Ready" is visible"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_picture_is_taken_after_each_step_that_acts() {
    check(
        r#"
outputs:
- {name: title, type: text}
pictures: true
steps:
- {id: go, click: button "Go", check: heading "Done"}
- {id: title, read: heading "Done", part: name, into: title}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  heading "Done"
40 captured
50 seen
60 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check go holds; done go; capture
            40 captured: step title; look
            50 seen: found heading "Done" by role_name; read title "Done"; done title; look
            60 seen: check run holds; END success
              effect none, done 2/2
              title = "Done"
        "#]],
    );
}

#[test]
fn the_deadline_of_the_run_is_kept() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
limits: {run_deadline_ms: 1000}
"#,
        r#"
0 start
10 seen
  text "Nothing"
1001 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 991
            1001 seen: unexpectedstate timeout; END failed timeout at go
              "the run's deadline passed"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_walk_does_not_begin_again_where_the_remedy_led_to_what_the_step_was_to_bring_about() {
    check(
        r#"
steps:
- {id: start, open: "http://app.test/", check: button "Find", safe_point: true}
- {id: sign_on, click: button "Find", check: heading "Menu"}
subflows:
- {id: sign, from: start, to: sign_on}
recoveries:
- {id: expired, when: text "Session expired", run: sign, then: rewalk}
"#,
        r#"
0 start
5 seen
10 delivered
20 seen
  button "Find"
30 seen
40 delivered
50 seen
  text "Session expired"
  button "Find"
55 seen
60 delivered
70 seen
  button "Find"
80 seen
90 delivered
100 seen
  heading "Menu"
110 seen
120 seen
"#,
        expect![[r#"
            0 start: step start; look
            5 seen: ACT open main http://app.test/ declared safe
            10 delivered: look
            20 seen: check start holds; done start; step sign_on; look
            30 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            40 delivered: look
            50 seen: recoverable expired; step start; look
            55 seen: ACT open main http://app.test/ declared safe
            60 delivered: look
            70 seen: check start holds held before; done start; step sign_on; look
            80 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            90 delivered: look
            100 seen: check sign_on holds; done sign_on; recovered expired rewalk_from_safe_point; look
            110 seen: check sign_on holds; done sign_on; look
            120 seen: check run holds; END success
              effect none, done 2/2, recovered expired@sign_on
        "#]],
    );
}
