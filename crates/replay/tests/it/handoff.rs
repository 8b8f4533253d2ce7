//! Standing still for a person, and going on: what was done is seen, what was not is done once, and nothing risky is
//! done twice.

use expect_test::expect;

use crate::check;

const TWO_STEPS: &str = r#"
waits: true
steps:
- {id: search, click: button "Go", check: text "Found"}
- {id: more, click: link "More", check: text "Done"}
"#;

const RISKY: &str = r#"
waits: true
grant: risky
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
"#;

const ASKED: &str = r#"
waits: true
mode: unattended
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
"#;

#[test]
fn what_a_person_did_is_not_done_again() {
    check(
        TWO_STEPS,
        r#"
0 start
10 seen
  button "Go"
  button "Go"
20 resume drove
  text "Found"
  link "More"
30 seen
40 delivered
50 seen
  text "Done"
60 seen
"#,
        expect![[r#"
            0 start: step search; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            20 resume: resume the check of `search` holds: goes on with `more`; check search holds; done search; step more; look
            30 seen: found link "More" by role_name; ACT click n3 declared safe
            40 delivered: look
            50 seen: check more holds; done more; look
            60 seen: check run holds; END success
              effect none, done 2/2
        "#]],
    );
}

#[test]
fn what_nobody_did_is_done_once_and_then_it_is_for_a_person_again() {
    check(
        TWO_STEPS,
        r#"
0 start
10 seen
  button "Go"
  button "Go"
20 resume drove
  button "Go"
30 seen
40 delivered
50 seen
16000 seen
20000 given_up
"#,
        expect![[r#"
            0 start: step search; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            20 resume: resume does `search` once more; step search; look
            30 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            40 delivered: look
            50 seen: wait 14970
            16000 seen: check search fails; unexpectedstate checkpoint_unmet; HAND OVER END needs_human checkpoint_unmet at search
              "text "Found" Not so: text "Found" is visible"
            20000 given_up: END needs_human checkpoint_unmet at search
              "text "Found" Not so: text "Found" is visible"
              effect none, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn nothing_goes_on_from_a_page_that_is_not_declared_not_allowed_not_at_rest_or_held_by_a_dialog() {
    check(
        TWO_STEPS,
        r#"
0 start
10 seen
  button "Go"
  button "Go"
20 resume drove
  text "Somewhere else"
30 resume drove
  button "Go"
  button "Go"
40 resume drove off_limits
  text "Found"
50 resume drove requesting
  text "Found"
60 resume drove
  text "Found"
  ! dialog confirm "Sure?"
70 lost gone
"#,
        expect![[r#"
            0 start: step search; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            20 resume: resume does not go on (unexpected_state): nothing on the screen fits "button "Go""; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            30 resume: resume does not go on (unexpected_state): 2 elements still fit "button "Go""; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            40 resume: resume does not go on (policy_blocked): the session is where it must not be (deny:administration): http://app.test/admin/x; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            50 resume: resume does not go on (not_settled): the page is still loading; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            60 resume: resume does not go on (unexpected_dialog): a dialog is open: Sure?; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            70 lost: END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
              effect none, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn a_check_that_held_when_it_stood_still_proves_nothing_later() {
    check(
        TWO_STEPS,
        r#"
0 start
10 seen
  text "Found"
  button "Go"
  button "Go"
20 resume drove
  text "Found"
30 resume drove
  text "Found"
  button "Go"
"#,
        expect![[r#"
            0 start: step search; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            20 resume: resume does not go on (unexpected_state): nothing on the screen fits "button "Go""; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            30 resume: resume does `search` once more; step search; look
        "#]],
    );
}

#[test]
fn a_risky_step_that_was_delivered_is_never_done_again_by_a_resume() {
    check(
        RISKY,
        r#"
0 start
10 seen
  button "Save"
20 delivered
30 seen
16000 seen
16100 resume drove
  button "Save"
16200 resume drove approved
  button "Save"
16300 resume drove
  text "Saved"
16400 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n1 declared risky submit
            20 delivered: look
            30 seen: wait 14970
            16000 seen: check save fails; unexpectedstate effect_unknown; HAND OVER END needs_human effect_unknown at save
              ""save" was delivered and its checkpoint did not come; it was not repeated"
            16100 resume: resume does not go on (effect_unknown): "save" was delivered, and nothing on the screen shows its effect; it is not done again. Bring up what proves it, or abort; HAND OVER END needs_human effect_unknown at save
              ""save" was delivered and its checkpoint did not come; it was not repeated"
            16200 resume: resume does not go on (effect_unknown): "save" was delivered, and nothing on the screen shows its effect; it is not done again. Bring up what proves it, or abort; HAND OVER END needs_human effect_unknown at save
              ""save" was delivered and its checkpoint did not come; it was not repeated"
            16300 resume: resume the check of `save` holds: it was the last step, the run's own check comes next; check save holds; done save; look
            16400 seen: check run holds; END success
              effect done, done 1/1
        "#]],
    );
}

#[test]
fn a_risky_step_that_a_person_may_have_done_needs_their_yes() {
    check(
        RISKY,
        r#"
0 start
10 seen
  button "Save"
  button "Save"
20 resume drove
  textbox "Amount" = "5"
  button "Save"
30 resume drove approved
  textbox "Amount" = "5"
  button "Save"
40 seen
  textbox "Amount" = "5"
  button "Save"
50 delivered
60 seen
  text "Saved"
70 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; HAND OVER END needs_human target_ambiguous at save
              "2 elements fit "button "Save""; the engine does not guess"
            20 resume: resume does not go on (risk_approval): "save" may have been done by whoever drove; it is done only after a yes to exactly this; HAND OVER END needs_human target_ambiguous at save
              "2 elements fit "button "Save""; the engine does not guess"
            30 resume: resume does `save` once more; step save; look
            40 seen: found button "Save" by role_name; ACT click n2 declared risky submit approved
            50 delivered: look
            60 seen: check save holds; done save; look
            70 seen: check run holds; END success
              effect done, done 1/1
        "#]],
    );
}

#[test]
fn a_risky_step_that_a_person_did_is_done() {
    check(
        RISKY,
        r#"
0 start
10 seen
  button "Save"
  button "Save"
20 resume drove
  text "Saved"
30 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; HAND OVER END needs_human target_ambiguous at save
              "2 elements fit "button "Save""; the engine does not guess"
            20 resume: resume the check of `save` holds: it was the last step, the run's own check comes next; check save holds; done save; look
            30 seen: check run holds; END success
              effect done, done 1/1
        "#]],
    );
}

#[test]
fn a_yes_is_for_one_step_and_one_screen() {
    check(
        ASKED,
        r#"
0 start
10 seen
  textbox "Amount" = "5"
  button "Save"
20 refused risk_approval lexicon:save
30 resume
  textbox "Amount" = "5"
  button "Save"
40 resume approved
  textbox "Amount" = "5"
  button "Save"
50 seen
  textbox "Amount" = "6"
  button "Save"
60 resume approved
  textbox "Amount" = "6"
  button "Save"
70 seen
  textbox "Amount" = "6"
  button "Save"
80 delivered
90 seen
  text "Saved"
100 seen
"#,
        expect![[r#"
            0 start: step save; look
            10 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            20 refused: unexpectedstate risk_approval; HAND OVER (a yes to click button "Save" [Amount=5]) END needs_human risk_approval at save
              "the gate says no"
            30 resume: resume does not go on (risk_approval): "save" needs a person's yes; HAND OVER END needs_human risk_approval at save
              "the gate says no"
            40 resume: resume does `save` once more; step save; look
            50 seen: unexpectedstate risk_approval; HAND OVER (a yes to click button "Save" [Amount=6]) END needs_human risk_approval at save
              "what was approved is not what the screen shows any more; it was not done"
            60 resume: resume does `save` once more; step save; look
            70 seen: found button "Save" by role_name; ACT click n2 declared risky submit approved
            80 delivered: look
            90 seen: check save holds; done save; look
            100 seen: check run holds; END success
              effect done, done 1/1
        "#]],
    );
}

#[test]
fn nobody_goes_on_over_a_policy() {
    check(
        TWO_STEPS,
        r#"
0 start
10 seen off_limits
  button "Go"
"#,
        expect![[r#"
            0 start: step search; look
            10 seen: unexpectedstate policy_blocked; END needs_human policy_blocked at search
              "the session landed where it must not be (deny:administration): http://app.test/admin/x"
              effect none, done 0/2, not attempted more
        "#]],
    );
}

#[test]
fn a_window_that_a_person_opened_is_not_held_against_the_application() {
    check(
        TWO_STEPS,
        r#"
0 start
10 seen
  button "Go"
  button "Go"
20 resume drove
  button "Go"
  ! opened help
  ! refused deny:administration http://app.test/admin/x
30 seen
40 delivered
50 seen
  text "Found"
"#,
        expect![[r#"
            0 start: step search; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            20 resume: resume does `search` once more; step search; look
            30 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            40 delivered: look
            50 seen: check search holds; done search; step more; look
        "#]],
    );
}

#[test]
fn a_declared_answer_that_a_person_brought_up_is_the_answer() {
    check(
        r#"
waits: true
outcomes:
- {code: none_found, when: text "None found"}
steps:
- {id: search, click: button "Go", check: text "Found"}
"#,
        r#"
0 start
10 seen
  button "Go"
  button "Go"
20 resume drove
  text "None found"
"#,
        expect![[r#"
            0 start: step search; look
            10 seen: unresolved target_ambiguous [role_name:2]; unexpectedstate target_ambiguous; HAND OVER END needs_human target_ambiguous at search
              "2 elements fit "button "Go""; the engine does not guess"
            20 resume: resume the application answers `none_found`: it ends with that; businessoutcome none_found; END business_outcome none_found at search
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn the_checkpoint_of_the_run_may_be_brought_about_by_a_person() {
    check(
        r#"
waits: true
end: text "All done"
steps:
- {id: search, click: button "Go", check: text "Found"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Found"
40 seen
16000 seen
16100 resume drove
  text "Found"
16200 resume drove
  text "Found"
  text "All done"
16300 seen
"#,
        expect![[r#"
            0 start: step search; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check search holds; done search; look
            40 seen: wait 14990
            16000 seen: check run fails; unexpectedstate checkpoint_unmet; HAND OVER END needs_human checkpoint_unmet
              "text "All done" Not so: text "All done" is visible"
            16100 resume: resume does not go on (checkpoint_unmet): text "All done" Not so: text "All done" is visible; HAND OVER END needs_human checkpoint_unmet
              "text "All done" Not so: text "All done" is visible"
            16200 resume: resume the run's own check holds: it ends; look
            16300 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}
