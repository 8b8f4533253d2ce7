//! A risky step is sent once; what came of it is proven, looked up, or unknown.

use expect_test::expect;

use crate::check;

#[test]
fn a_risky_step_waits_for_a_settled_screen_before_and_after() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen requesting
  button "Save"
20 seen
30 delivered
40 seen requesting
  text "Saved"
50 seen
60 seen
  link "More"
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: wait 14990
            20 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 seen: wait 14960
            50 seen: check save holds; done save; step more; look
            60 seen: found link "More" by role_name; ACT click n1 declared safe
        "#]],
    );
}

#[test]
fn a_saved_that_is_taken_back_is_not_believed() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}

outcomes:
- {code: rejected, when: text "Rejected"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
40 seen requesting
  text "Saved"
50 seen
  text "Rejected"
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 seen: wait 14960
            50 seen: businessoutcome rejected; END business_outcome rejected at save
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn a_risky_step_is_never_sent_again() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
40 seen reaction=none
5100 seen reaction=none
10100 seen reaction=none
15010 seen reaction=none
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 seen: wait 14960
            5100 seen: wait 9900
            10100 seen: wait 4900
            15010 seen: check save fails; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered and its checkpoint did not come; it was not repeated"
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn an_unknown_delivery_counts_as_sent() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 unknown timeout
40 seen
15010 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 unknown: look
            40 seen: wait 14960
            15010 seen: check save fails; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered and its checkpoint did not come; it was not repeated"
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn an_unknown_delivery_may_be_proven() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 unknown timeout
40 seen
  text "Saved"
  link "More"
50 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 unknown: look
            40 seen: check save holds; done save; step more; look
            50 seen: found link "More" by role_name; ACT click n3 declared safe
        "#]],
    );
}

#[test]
fn a_failed_document_after_a_risky_step_is_an_unknown_effect() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
40 seen
  ! document 500 http://app.test/save
  text "Error"
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 seen: fact document; check save fails; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered and http://app.test/save answered 500; it was not repeated"
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn what_held_before_and_did_not_react_proves_no_risky_step() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
  text "Saved"
30 delivered
40 seen reaction=none
15010 seen reaction=none
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 seen: wait 14960
            15010 seen: check save holds held before; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered and nothing shows that it had an effect; it was not repeated"
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn what_the_policy_finds_risky_is_not_repeated_either() {
    check(
        r#"
steps:
- {id: save, click: button "Save", check: text "Saved"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
40 seen
15010 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared safe submit
            30 delivered: look
            40 seen: wait 14960
            15010 seen: check save fails; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered and its checkpoint did not come; it was not repeated"
              effect unknown, done 0/1
        "#]],
    );
}

#[test]
fn a_remedy_does_not_repeat_a_landed_risky_step() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}

recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
40 seen
  heading "Survey"
  button "OK"
50 seen
60 delivered
70 seen
  button "Save"
80 seen
15100 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 seen: recoverable survey; step survey; look
            50 seen: found button "OK" by role_name; ACT click n2 declared safe submit
            60 delivered: look
            70 seen: check survey holds; done survey; recovered survey continue; look
            80 seen: wait 14950
            15100 seen: check save fails; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered and its checkpoint did not come; it was not repeated"
              effect unknown, done 0/2, not attempted more, recovered survey@save
        "#]],
    );
}

#[test]
fn the_browser_gone_before_a_risky_step_was_sent_did_nothing() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 failed gone
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 failed: unexpectedstate browser_gone; END failed browser_gone at save
              "the browser is gone: the pipe closed"
              effect none, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn the_browser_gone_while_a_risky_step_was_sent_is_an_unknown_effect() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 unknown gone
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 unknown: unexpectedstate browser_gone; END failed browser_gone at save
              "the browser is gone: the pipe closed"
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn the_browser_gone_after_a_risky_step_was_sent_is_an_unknown_effect() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
40 lost gone
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 lost: unexpectedstate browser_gone; END failed browser_gone at save
              "the browser is gone: the pipe closed"
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn a_stop_while_a_risky_step_is_under_way_is_an_unknown_effect() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
20 stop
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            20 stop: unexpectedstate interrupted; END failed interrupted at save
              "the run was told to end"
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn a_stop_while_a_safe_step_is_under_way_did_nothing_risky() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 stop
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 stop: unexpectedstate interrupted; END failed interrupted at go
              "the run was told to end"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_run_deadline_without_proof_is_an_unknown_effect_and_no_trigger_moves_it() {
    check(
        r#"
limits: {run_deadline_ms: 5000}
triggers: {effect_unknown: fail, timeout: fail, checkpoint_unmet: fail}

steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
5001 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            5001 seen: unexpectedstate effect_unknown; END needs_human effect_unknown at save
              "a risky step was delivered and is not proven: the run's deadline passed (timeout)"
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn an_answer_after_a_risky_step_leaves_its_effect_unknown() {
    check(
        r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Done"}

outcomes:
- {code: rejected, when: text "Rejected"}
"#,
        r#"
0 start
10 seen
  button "Save"
30 delivered
40 seen
  text "Rejected"
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            30 delivered: look
            40 seen: businessoutcome rejected; END business_outcome rejected at save
              effect unknown, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn what_was_sent_is_unknown_from_that_moment_on() {
    let plan = waymark_test_support::app::plan(
        r#"{steps: [{id: save, click: button "Save", risk: risky, check: text "Saved"}]}"#,
    );
    let mut machine = match waymark_replay::Machine::new(plan) {
        Ok(machine) => machine,
        Err(error) => panic!("{error}"),
    };
    let mut effects = Vec::new();
    for (_, input) in waymark_test_support::script::inputs(
        r#"
0 start
10 seen
  button "Save"
20 delivered
30 seen
  text "Saved"
"#,
    ) {
        machine.step(input);
        effects.push(machine.summary().effect);
    }
    use waymark_run::Effect::{Done, None, Unknown};
    assert_eq!(effects, [None, None, Unknown, Done]);
}
