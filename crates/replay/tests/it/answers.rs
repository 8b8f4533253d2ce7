//! Declared answers: what is believed, when, and in which order.

use expect_test::expect;

use crate::check;

#[test]
fn an_answer_is_not_believed_before_the_screen_is_settled() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: next, click: link "More", check: text "Done"}
outcomes:
- {code: nothing_found, when: text "No transactions found"}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen requesting
  text "No transactions found"
40 seen
  text "Results"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 14970
            40 seen: check find holds; done find; step next; look
        "#]],
    );
}

#[test]
fn an_answer_on_a_settled_screen_ends_the_run() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: next, click: link "More", check: text "Done"}
outcomes:
- {code: nothing_found, when: text "No transactions found"}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen requesting
  text "No transactions found"
40 seen
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 14970
            40 seen: businessoutcome nothing_found; END business_outcome nothing_found at find
              effect none, done 0/2, not attempted next
        "#]],
    );
}

#[test]
fn an_answer_together_with_the_checkpoint_wins_and_says_so() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: next, click: link "More", check: text "Done"}
outcomes:
- {code: nothing_found, when: text "No transactions found"}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  text "Results"
  text "No transactions found"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: businessoutcome nothing_found; END business_outcome nothing_found (checkpoint too) at find
              effect none, done 0/2, not attempted next
        "#]],
    );
}

#[test]
fn an_answer_on_a_screen_that_never_settles_is_not_settled() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: next, click: link "More", check: text "Done"}
outcomes:
- {code: nothing_found, when: text "No transactions found"}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen requesting
  text "No transactions found"
15010 seen requesting
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 14970
            15010 seen: unexpectedstate not_settled; END failed not_settled at find
              "the screen did not come to rest within the step's deadline"
              effect none, done 0/2, not attempted next
        "#]],
    );
}

#[test]
fn an_answer_comes_before_a_nuisance_and_a_nuisance_before_what_was_expected() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: next, click: link "More", check: text "Done"}
outcomes:
- {code: nothing_found, when: text "No transactions found"}

recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  text "Results"
  heading "Survey"
  button "OK"
40 seen
50 delivered
60 seen
  heading "Survey"
  text "No transactions found"
70 seen
  text "Results"
  text "No transactions found"
80 seen
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: recoverable survey; step survey; look
            40 seen: found button "OK" by role_name; ACT click n4 declared safe submit
            50 delivered: look
            60 seen: wait 4983
            70 seen: check survey holds; done survey; recovered survey continue; look
            80 seen: businessoutcome nothing_found; END business_outcome nothing_found (checkpoint too) at find
              effect none, done 0/2, not attempted next, recovered survey@find
        "#]],
    );
}

#[test]
fn a_guard_waits_for_a_mark_to_go() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
outcomes:
- {code: none, when: text "No transactions", absent: text "Loading"}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  text "No transactions"
  text "Loading"
40 seen
  text "No transactions"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 14970
            40 seen: businessoutcome none; END business_outcome none at find
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_guard_waits_until_the_screen_was_stable_long_enough() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
outcomes:
- {code: none, when: text "No transactions", stable: 300}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
100 seen
  text "No transactions"
300 seen
  text "No transactions"
  text "Clock"
500 seen
600 seen
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            100 seen: wait 300
            300 seen: wait 300
            500 seen: wait 100
            600 seen: businessoutcome none; END business_outcome none at find
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_guard_waits_for_an_answered_request_and_in_the_end_does_not_guess() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
outcomes:
- {code: none, when: text "No transactions", request: true}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  text "No transactions"
15010 seen
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: wait 14970
            15010 seen: unexpectedstate not_settled; END failed not_settled at find
              "an answer was on the screen that could not be believed within the step's deadline"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_guard_is_content_with_an_answered_request() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
outcomes:
- {code: none, when: text "No transactions", request: true}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen answered=1
  text "No transactions"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: businessoutcome none; END business_outcome none at find
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_answer_belongs_to_the_steps_it_names() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: more, click: link "More", check: text "Done"}
outcomes:
- {code: late, when: text "Too late", after: [more]}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  text "Results"
  text "Too late"
  link "More"
40 seen
50 delivered
60 seen
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check find holds; done find; step more; look
            40 seen: found link "More" by role_name; ACT click n5 declared safe
            50 delivered: look
            60 seen: businessoutcome late; END business_outcome late at more
              effect none, done 1/2
        "#]],
    );
}

#[test]
fn an_answer_of_the_step_before_still_counts_while_nothing_else_was_done() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: heading "Results"}
- {id: total, read: cell "Total", into: total}
outputs:
- {name: total, type: text}
outcomes:
- {code: none, when: text "Nothing found", after: [find]}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen requesting
  heading "Results"
40 seen
  heading "Results"
  text "Nothing found"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check find holds; done find; step total; look
            40 seen: businessoutcome none; END business_outcome none at total
              effect none, done 1/2
        "#]],
    );
}

#[test]
fn before_a_step_acts_answers_are_left_alone() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
outcomes:
- {code: none, when: text "Nothing found"}
"#,
        r#"
0 start
10 seen
  button "Find"
  text "Nothing found"
20 delivered
30 seen
  text "Results"
40 seen
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check find holds; done find; look
            40 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn where_the_target_is_missing_answers_are_looked_at() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: next, click: link "More", check: text "Done"}
outcomes:
- {code: nothing_found, when: text "No transactions found"}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  text "Results"
40 seen requesting
50 seen
  text "No transactions found"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check find holds; done find; step next; look
            40 seen: wait 14990
            50 seen: businessoutcome nothing_found; END business_outcome nothing_found at next
              effect none, done 1/2
        "#]],
    );
}

#[test]
fn where_the_precondition_fails_answers_are_looked_at() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: more, click: link "More", pre: text "Member", check: text "Done"}
outcomes:
- {code: locked, when: text "Locked", after: [find]}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  text "Results"
40 seen
  link "More"
  text "Locked"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check find holds; done find; step more; look
            40 seen: businessoutcome locked; END business_outcome locked at more
              effect none, done 1/2
        "#]],
    );
}

#[test]
fn a_row_that_is_not_there_is_an_answer_once_settled() {
    check(
        r#"
steps:
- id: open
  click:
    description: the account
    candidates:
    - find: {rung: anchor, role: link, relation: {relation: row, keys: [{equals: "77"}]}}
  check: text "Account 77"
outcomes:
- {code: account_not_found, at: open, result: row_absent}
"#,
        r#"
0 start
10 seen requesting
  table
    row
      columnheader "Account" cell=0,0,1,1,header
        text "Account"
    row
      cell "12" cell=1,0
        link "12"
          text "12"
20 seen
"#,
        expect![[r#"
            0 start: step open; look
            10 seen: wait 14990
            20 seen: businessoutcome account_not_found; END business_outcome account_not_found at open
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn half_a_document_is_no_answer_also_to_later_steps() {
    check(
        r#"
steps:
- {id: go, click: link "Accounts", check: heading "Accounts"}
- id: open
  click:
    description: the account
    candidates:
    - find: {rung: anchor, role: link, relation: {relation: row, keys: [{equals: "77"}]}}
  check: text "Account 77"
outcomes:
- {code: account_not_found, at: open, result: row_absent}
- {code: no_accounts, when: text "No accounts"}
"#,
        r#"
0 start
10 seen
  link "Accounts"
20 delivered
30 seen
  ! failed http://app.test/accounts
  heading "Accounts"
  text "No accounts"
  table
    row
      columnheader "Account" cell=0,0,1,1,header
        text "Account"
    row
      cell "12" cell=1,0
        link "12"
          text "12"
40 seen
"#,
        expect![[r#"
            0 start: step go; look
            10 seen: found link "Accounts" by role_name; ACT click n1 declared safe
            20 delivered: look
            30 seen: fact document; check go holds; done go; step open; look
            40 seen: unexpectedstate app_error; END failed app_error at open
              "http://app.test/accounts could not be loaded: connection refused"
              effect none, done 1/2
        "#]],
    );
}

#[test]
fn two_that_fit_may_be_a_declared_answer() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
outcomes:
- {code: several, at: find, result: target_ambiguous}
"#,
        r#"
0 start
10 seen
  button "Find"
  button "Find"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: businessoutcome several; END business_outcome several at find
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_option_that_is_not_there_may_be_a_declared_answer() {
    check(
        r#"
steps:
- {id: month, choose: combobox "Month", value: May}
outcomes:
- {code: no_month, at: month, result: option_absent}
"#,
        r#"
0 start
10 seen
  combobox "Month"
20 no_option "June"
"#,
        expect![[r#"
            0 start: step month; look
            10 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            20 no_option: businessoutcome no_month; END business_outcome no_month at month
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_cover_is_asked_for_an_answer() {
    check(
        r#"
steps:
- {id: find, click: button "Find", check: text "Results"}
- {id: more, click: link "More", check: text "Done"}
outcomes:
- {code: locked, when: text "Locked", after: [find]}
"#,
        r#"
0 start
10 seen
  button "Find"
20 delivered
30 seen
  text "Results"
  link "More"
40 seen
  link "More"
  text "Locked"
50 covered "Locked"
"#,
        expect![[r#"
            0 start: step find; look
            10 seen: found button "Find" by role_name; ACT click n1 declared safe submit
            20 delivered: look
            30 seen: check find holds; done find; step more; look
            40 seen: found link "More" by role_name; ACT click n1 declared safe
            50 covered: businessoutcome locked; END business_outcome locked at more
              effect none, done 1/2
        "#]],
    );
}
