//! Declared remedies.

use expect_test::expect;

use crate::check;

#[test]
fn a_nuisance_before_a_step_is_removed_and_the_step_done_once() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen
  heading "Survey"
  button "OK"
  button "Go"
20 seen
30 delivered
40 seen
  button "Go"
50 seen
60 delivered
70 seen
80 seen
  text "Done"
90 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: recoverable survey; step survey; look
            20 seen: found button "OK" by role_name; ACT click n2 declared safe submit
            30 delivered: look
            40 seen: check survey holds; done survey; recovered survey continue; look
            50 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            60 delivered: look
            70 seen: wait 4980
            80 seen: check go holds; done go; look
            90 seen: check run holds; END success
              effect none, done 1/1, recovered survey@go
        "#]],
    );
}

#[test]
fn a_nuisance_is_believed_of_a_settled_screen_only() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen requesting
  heading "Survey"
  button "OK"
  button "Go"
20 seen
  button "Go"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: wait 14990
            20 seen: found button "Go" by role_name; ACT click n1 declared safe submit
        "#]],
    );
}

#[test]
fn after_a_remedy_a_step_that_had_its_effect_is_not_done_again() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  heading "Survey"
  button "OK"
40 seen
50 delivered
60 seen
  text "Done"
70 seen
80 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: recoverable survey; step survey; look
            40 seen: found button "OK" by role_name; ACT click n2 declared safe submit
            50 delivered: look
            60 seen: check survey holds; done survey; recovered survey continue; look
            70 seen: check go holds; done go; look
            80 seen: check run holds; END success
              effect none, done 1/1, recovered survey@go
        "#]],
    );
}

#[test]
fn after_a_remedy_a_safe_step_without_effect_is_done_again_and_spends_no_retry() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  heading "Survey"
  button "OK"
40 seen
50 delivered
60 seen
  button "Go"
70 seen
80 seen
90 delivered
100 seen
  text "Done"
110 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: recoverable survey; step survey; look
            40 seen: found button "OK" by role_name; ACT click n2 declared safe submit
            50 delivered: look
            60 seen: check survey holds; done survey; recovered survey continue; look
            70 seen: check go fails; retry 0 (a nuisance came in between); look
            80 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            90 delivered: look
            100 seen: check go holds; done go; look
            110 seen: check run holds; END success
              effect none, done 1/1, recovered survey@go
        "#]],
    );
}

#[test]
fn a_remedy_is_used_as_often_as_it_may_be() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen
  heading "Survey"
  button "OK"
20 seen
30 delivered
40 seen
  button "Go"
50 seen
60 delivered
70 seen
  heading "Survey"
  button "OK"
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: recoverable survey; step survey; look
            20 seen: found button "OK" by role_name; ACT click n2 declared safe submit
            30 delivered: look
            40 seen: check survey holds; done survey; recovered survey continue; look
            50 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            60 delivered: look
            70 seen: recoverable survey; unexpectedstate recovery_spent; END needs_human recovery_spent at go
              "the remedy `survey` was used 1 times already"
              effect none, done 0/1, recovered survey@go
        "#]],
    );
}

#[test]
fn the_remedies_of_a_run_are_counted_together() {
    check(
        r#"
limits: {recoveries_per_run: 1}
steps:
- {id: go, click: button "Go", check: text "Done"}
recoveries:
- {id: survey, when: heading "Survey", limit: 9, click: button "OK", check: no heading "Survey"}
- {id: news, when: heading "News", limit: 9, click: button "OK", check: no heading "News"}
"#,
        r#"
0 start
10 seen
  heading "Survey"
  button "OK"
20 seen
30 delivered
40 seen
  heading "News"
  button "OK"
50 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: recoverable survey; step survey; look
            20 seen: found button "OK" by role_name; ACT click n2 declared safe submit
            30 delivered: look
            40 seen: check survey holds; done survey; recovered survey continue; look
            50 seen: recoverable news; unexpectedstate recovery_spent; END needs_human recovery_spent at go
              "`news` is called for, and 1 remedies were used in this run already"
              effect none, done 0/1, recovered survey@go
        "#]],
    );
}

#[test]
fn a_remedy_that_does_not_work_ends_the_run() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen
  heading "Survey"
  button "OK"
20 seen
30 failed protocol
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: recoverable survey; step survey; look
            20 seen: found button "OK" by role_name; ACT click n2 declared safe submit
            30 failed: unexpectedstate internal; END failed internal at go
              "a call failed: no"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_remedy_may_be_to_wait_and_its_time_is_not_the_steps() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

recoveries:
- {id: busy, when: text "Please wait", wait: no text "Please wait", deadline: 60000}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Please wait"
40 seen
50030 seen
  text "Working"
50040 seen
50050 seen
  button "Go"
50060 delivered
50070 seen
  text "Done"
50080 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: recoverable busy; step busy; look
            40 seen: wait 59990
            50030 seen: check busy holds; done busy; recovered busy continue; look
            50040 seen: check go fails; retry 0 (a nuisance came in between); look
            50050 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            50060 delivered: look
            50070 seen: check go holds; done go; look
            50080 seen: check run holds; END success
              effect none, done 1/1, recovered busy@go
        "#]],
    );
}

#[test]
fn a_remedy_that_waits_in_vain_ends_the_run() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}

recoveries:
- {id: busy, when: text "Please wait", wait: no text "Please wait", deadline: 1000}
"#,
        r#"
0 start
10 seen
  text "Please wait"
20 seen
1100 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: recoverable busy; step busy; look
            20 seen: wait 990
            1100 seen: check busy fails; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at go
              "waited in vain: text "Please wait" is not visible"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_nuisance_at_the_end_of_the_run_is_removed() {
    check(
        r#"
steps:
- {id: go, click: button "Go", check: text "Done"}
end: text "Balance"
recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen
  button "Go"
20 delivered
30 seen
  text "Done"
40 seen
  heading "Survey"
  button "OK"
50 seen
60 delivered
70 seen
  text "Balance"
80 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found button "Go" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check go holds; done go; look
            40 seen: recoverable survey; step survey; look
            50 seen: found button "OK" by role_name; ACT click n2 declared safe submit
            60 delivered: look
            70 seen: check survey holds; done survey; recovered survey continue; look
            80 seen: check run holds; END success
              effect none, done 1/1, recovered survey@go
        "#]],
    );
}

#[test]
fn a_walk_begins_again_at_the_last_safe_point() {
    check(
        r#"
steps:
- {id: sign_on, click: button "Find", check: heading "Menu"}
- {id: list, click: link "List", check: heading "List", safe_point: true}
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Details"}
subflows:
- {id: sign, from: sign_on, to: sign_on}
recoveries:
- {id: expired, when: text "Session expired", run: sign, then: rewalk}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  heading "Menu"
  link "List"
40 seen
50 delivered
60 seen
  heading "List"
70 seen
  text "Session expired"
  button "Find"
80 seen
90 delivered
100 seen
  heading "Menu"
  link "List"
110 seen
120 delivered
130 seen
  heading "List"
  button "Save"
140 seen
"#,
        expect![[r#"
            0 start: step sign_on; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check sign_on holds; done sign_on; step list; look
            40 seen: found link "List" by role_name; ACT click n2 declared safe
            50 delivered: look
            60 seen: check list holds; done list; step save; look
            70 seen: recoverable expired; step sign_on; look
            80 seen: found button "Find" by role_name; ACT click n3 declared safe submit
            90 delivered: look
            100 seen: check sign_on holds; done sign_on; recovered expired rewalk_from_safe_point; step list; look
            110 seen: found link "List" by role_name; ACT click n2 declared safe
            120 delivered: look
            130 seen: check list holds; done list; step save; look
            140 seen: found button "Save" by role_name; ACT click n2 declared risky submit
        "#]],
    );
}

#[test]
fn a_walk_never_begins_again_before_a_committed_risky_step() {
    check(
        r#"
steps:
- {id: sign_on, click: button "Find", check: heading "Menu"}
- {id: list, click: link "List", check: heading "List", safe_point: true}
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Details"}
subflows:
- {id: sign, from: sign_on, to: sign_on}
recoveries:
- {id: expired, when: text "Session expired", run: sign, then: rewalk}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  heading "Menu"
  link "List"
40 seen
50 delivered
60 seen
  heading "List"
  button "Save"
70 seen
80 delivered
90 seen
  text "Saved"
100 seen
  text "Session expired"
  button "Find"
110 seen
120 delivered
130 seen
  heading "Menu"
"#,
        expect![[r#"
            0 start: step sign_on; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check sign_on holds; done sign_on; step list; look
            40 seen: found link "List" by role_name; ACT click n2 declared safe
            50 delivered: look
            60 seen: check list holds; done list; step save; look
            70 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            80 delivered: look
            90 seen: check save holds; done save; step more; look
            100 seen: recoverable expired; step sign_on; look
            110 seen: found button "Find" by role_name; ACT click n3 declared safe submit
            120 delivered: look
            130 seen: check sign_on holds; done sign_on; recovered expired rewalk_from_safe_point; unexpectedstate unexpected_state; END needs_human unexpected_state at more
              "`save` was committed since the last safe point; it is not walked again"
              effect done, done 3/4, recovered expired@more
        "#]],
    );
}

#[test]
fn a_session_that_expires_on_a_risky_step_leaves_its_effect_unknown() {
    check(
        r#"
steps:
- {id: sign_on, click: button "Find", check: heading "Menu"}
- {id: list, click: link "List", check: heading "List", safe_point: true}
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Details"}
subflows:
- {id: sign, from: sign_on, to: sign_on}
recoveries:
- {id: expired, when: text "Session expired", run: sign, then: rewalk}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  heading "Menu"
  link "List"
40 seen
50 delivered
60 seen
  heading "List"
  button "Save"
70 seen
80 delivered
90 seen
  text "Session expired"
  button "Find"
100 seen
110 delivered
120 seen
  heading "Menu"
"#,
        expect![[r#"
            0 start: step sign_on; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check sign_on holds; done sign_on; step list; look
            40 seen: found link "List" by role_name; ACT click n2 declared safe
            50 delivered: look
            60 seen: check list holds; done list; step save; look
            70 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            80 delivered: look
            90 seen: recoverable expired; step sign_on; look
            100 seen: found button "Find" by role_name; ACT click n3 declared safe submit
            110 delivered: look
            120 seen: check sign_on holds; done sign_on; recovered expired rewalk_from_safe_point; check save fails; unexpectedstate effect_unknown; END needs_human effect_unknown at save
              ""save" was delivered and its checkpoint did not come; it was not repeated"
              effect unknown, done 2/4, not attempted more, recovered expired@save
        "#]],
    );
}

#[test]
fn a_committed_step_before_the_safe_point_does_not_hinder() {
    check(
        r#"
steps:
- {id: sign_on, click: button "Find", check: heading "Menu"}
- {id: list, click: link "List", check: heading "List", safe_point: true}
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
- {id: more, click: link "More", check: text "Details", safe_point: true}
subflows:
- {id: sign, from: sign_on, to: sign_on}
recoveries:
- {id: expired, when: text "Session expired", run: sign, then: rewalk}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  heading "Menu"
  link "List"
40 seen
50 delivered
60 seen
  heading "List"
  button "Save"
70 seen
80 delivered
90 seen
  text "Saved"
100 seen
  text "Session expired"
  button "Find"
110 seen
120 delivered
130 seen
  heading "Menu"
  link "More"
140 seen
"#,
        expect![[r#"
            0 start: step sign_on; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check sign_on holds; done sign_on; step list; look
            40 seen: found link "List" by role_name; ACT click n2 declared safe
            50 delivered: look
            60 seen: check list holds; done list; step save; look
            70 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            80 delivered: look
            90 seen: check save holds; done save; step more; look
            100 seen: recoverable expired; step sign_on; look
            110 seen: found button "Find" by role_name; ACT click n3 declared safe submit
            120 delivered: look
            130 seen: check sign_on holds; done sign_on; recovered expired rewalk_from_safe_point; step more; look
            140 seen: found link "More" by role_name; ACT click n2 declared safe
        "#]],
    );
}

#[test]
fn without_a_safe_point_nothing_is_walked_again() {
    check(
        r#"
steps:
- {id: sign_on, click: button "Find", check: heading "Menu"}
subflows:
- {id: sign, from: sign_on, to: sign_on}
recoveries:
- {id: expired, when: text "Session expired", run: sign, then: rewalk}
end: text "Balance"
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  heading "Menu"
40 seen
  text "Session expired"
  button "Find"
50 seen
60 delivered
70 seen
  heading "Menu"
"#,
        expect![[r#"
            0 start: step sign_on; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check sign_on holds; done sign_on; look
            40 seen: recoverable expired; step sign_on; look
            50 seen: found button "Find" by role_name; ACT click n3 declared safe submit
            60 delivered: look
            70 seen: check sign_on holds; done sign_on; recovered expired rewalk_from_safe_point; unexpectedstate unexpected_state; END needs_human unexpected_state
              "there is no safe point to walk again from"
              effect none, done 1/1, recovered expired@sign_on
        "#]],
    );
}

#[test]
fn a_remedy_that_would_clear_a_half_filled_form_is_for_a_person() {
    check(
        r#"
steps:
- {id: start, open: "http://app.test/start", check: label textbox "Amount"}
- {id: amount, type: label textbox "Amount", value: "5"}
- {id: go, click: button "Go", check: text "Done"}
subflows:
- {id: again, from: start, to: start}
recoveries:
- {id: lost, when: text "Something broke", run: again}
"#,
        r#"
0 start
10 seen
  text "blank"
20 delivered
30 seen
  textbox "Amount" labelled
40 seen
50 delivered = "5"
60 seen
  textbox "Amount" = "5" labelled
  text "Something broke"
"#,
        expect![[r#"
            0 start: step start; look
            10 seen: ACT open main http://app.test/start declared safe
            20 delivered: look
            30 seen: check start holds; done start; step amount; look
            40 seen: found textbox "Amount" by label; ACT type n1 "5" insert declared safe
            50 delivered: done amount; step go; look
            60 seen: recoverable lost; unexpectedstate unexpected_state; END needs_human unexpected_state at go
              "the remedy `lost` would clear a form that is half filled in"
              effect none, done 2/3
        "#]],
    );
}

#[test]
fn after_signing_on_anew_the_reconcile_check_decides_about_a_risky_step() {
    check(
        r#"
steps:
- {id: sign_on, click: button "Find", check: heading "Menu"}
- {id: list, click: link "List", check: heading "List", safe_point: true}
- {id: save, click: button "Save", risk: risky, check: text "Saved", reconcile: {run: look, landed: text "Acme"}}
subflows:
- {id: sign, from: sign_on, to: sign_on}
- {id: look, from: list, to: list}
recoveries:
- {id: expired, when: text "Session expired", run: sign, then: rewalk}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  heading "Menu"
  link "List"
40 seen
50 delivered
60 seen
  heading "List"
  button "Save"
70 seen
80 delivered
90 seen
  text "Session expired"
  button "Find"
100 seen
110 delivered
120 seen
  heading "Menu"
  link "List"
130 seen
140 delivered
150 seen
  heading "List"
  text "Acme"
160 seen
170 seen
"#,
        expect![[r#"
            0 start: step sign_on; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check sign_on holds; done sign_on; step list; look
            40 seen: found link "List" by role_name; ACT click n2 declared safe
            50 delivered: look
            60 seen: check list holds; done list; step save; look
            70 seen: found button "Save" by role_name; ACT click n2 declared risky submit
            80 delivered: look
            90 seen: recoverable expired; step sign_on; look
            100 seen: found button "Find" by role_name; ACT click n3 declared safe submit
            110 delivered: look
            120 seen: check sign_on holds; done sign_on; recovered expired rewalk_from_safe_point; check save fails; step list; look
            130 seen: found link "List" by role_name; ACT click n2 declared safe
            140 delivered: look
            150 seen: check list holds; done list; look
            160 seen: reconciled landed; done save; look
            170 seen: check run holds; END success
              effect done, done 3/3, recovered expired@save
        "#]],
    );
}
