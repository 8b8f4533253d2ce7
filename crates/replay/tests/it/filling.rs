//! Typing, choosing and toggling, and what the control holds afterwards.

use expect_test::expect;

use crate::check;

#[test]
fn a_field_that_holds_what_was_typed_is_done() {
    check(
        r#"
parameters:
- {name: amount, type: {money: {currency: USD}}}
- {name: pin, type: text, sensitive: true}
steps:
- {id: amount, type: label textbox "Amount", value: param.amount}
with: {amount: "1500.5", pin: "4711"}
"#,
        r#"
0 start
10 seen
  textbox "Amount" labelled
20 delivered = "1500.5"
30 seen
"#,
        expect![[r#"
            0 start: step amount; look
            10 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            20 delivered: done amount; look
            30 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_field_that_writes_the_same_amount_its_own_way_is_done() {
    check(
        r#"
parameters:
- {name: amount, type: {money: {currency: USD}}}
- {name: pin, type: text, sensitive: true}
steps:
- {id: amount, type: label textbox "Amount", value: param.amount}
with: {amount: "1500.5", pin: "4711"}
"#,
        r#"
0 start
10 seen
  textbox "Amount" labelled
20 delivered = "$1,500.50"
30 seen
"#,
        expect![[r#"
            0 start: step amount; look
            10 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            20 delivered: done amount; look
            30 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_field_that_holds_something_else_is_typed_again_and_then_told() {
    check(
        r#"
parameters:
- {name: amount, type: {money: {currency: USD}}}
- {name: pin, type: text, sensitive: true}
steps:
- {id: amount, type: label textbox "Amount", value: param.amount}
with: {amount: "1500.5", pin: "4711"}
"#,
        r#"
0 start
10 seen
  textbox "Amount" labelled
20 delivered = "150"
30 seen
40 seen
50 delivered = "150"
60 seen
70 seen
80 delivered = "150"
90 seen
"#,
        expect![[r#"
            0 start: step amount; look
            10 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            20 delivered: look
            30 seen: check amount holds; retry 1 (typed "1500.5", the field holds "150"); look
            40 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            50 delivered: look
            60 seen: check amount holds; retry 2 (typed "1500.5", the field holds "150"); look
            70 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            80 delivered: look
            90 seen: check amount holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at amount
              "typed "1500.5", the field holds "150""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_declared_answer_explains_a_field_that_holds_something_else() {
    check(
        r#"
parameters:
- {name: amount, type: {money: {currency: USD}}}
- {name: pin, type: text, sensitive: true}
steps:
- {id: amount, type: label textbox "Amount", value: param.amount}
with: {amount: "1500.5", pin: "4711"}

outcomes:
- {code: frozen, when: text "Account frozen"}
"#,
        r#"
0 start
10 seen
  textbox "Amount" labelled
20 delivered = ""
30 seen
  text "Account frozen"
"#,
        expect![[r#"
            0 start: step amount; look
            10 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            20 delivered: look
            30 seen: businessoutcome frozen; END business_outcome frozen at amount
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_secret_is_never_told() {
    check(
        r#"
parameters:
- {name: pin, type: text, sensitive: true}
steps:
- {id: pin, type: label textbox "PIN", value: param.pin, typing: keys}
with: {pin: "4711"}
limits: {retries_per_step: 0}
"#,
        r#"
0 start
10 seen
  textbox "PIN" labelled
20 delivered = "47"
30 seen
"#,
        expect![[r#"
            0 start: step pin; look
            10 seen: found textbox "PIN" by label; ACT type n1 *** keys declared safe
            20 delivered: look
            30 seen: check pin holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at pin
              "the field holds something else than what was typed"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_secret_is_compared_where_it_lies() {
    check(
        r#"
parameters:
- {name: pin, type: text, sensitive: true}
steps:
- {id: pin, type: label textbox "PIN", value: param.pin}
with: {pin: "4711"}
"#,
        r#"
0 start
10 seen
  textbox "PIN" labelled
20 delivered equal
30 seen
"#,
        expect![[r#"
            0 start: step pin; look
            10 seen: found textbox "PIN" by label; ACT type n1 *** insert declared safe
            20 delivered: done pin; look
            30 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_credential_is_resolved_when_it_is_typed() {
    check(
        r#"
credentials:
- {name: pass}
steps:
- {id: pass, type: label textbox "Password", value: cred.pass}
"#,
        r#"
0 start
10 seen
  textbox "Password" [protected] labelled
20 delivered equal
30 seen
"#,
        expect![[r#"
            0 start: step pass; look
            10 seen: found textbox "Password" by label; ACT type n1 *** insert credential pass declared safe
            20 delivered: done pass; look
            30 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_credential_that_cannot_be_resolved_ends_the_run() {
    check(
        r#"
credentials:
- {name: pass}
steps:
- {id: pass, type: label textbox "Password", value: cred.pass}
"#,
        r#"
0 start
10 seen
  textbox "Password" [protected] labelled
20 no_credential pass
"#,
        expect![[r#"
            0 start: step pass; look
            10 seen: found textbox "Password" by label; ACT type n1 *** insert credential pass declared safe
            20 no_credential: unexpectedstate credential_unavailable; END failed credential_unavailable at pass
              "the credential `pass` could not be resolved: its source is empty"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_typed_text_that_may_not_have_arrived_is_typed_again_not_believed() {
    check(
        r#"
parameters:
- {name: amount, type: {money: {currency: USD}}}
- {name: pin, type: text, sensitive: true}
steps:
- {id: amount, type: label textbox "Amount", value: param.amount}
with: {amount: "1500.5", pin: "4711"}
"#,
        r#"
0 start
10 seen
  textbox "Amount" labelled
20 unknown timeout
30 seen
5100 seen
5110 seen
5120 delivered = "1500.5"
5130 seen
"#,
        expect![[r#"
            0 start: step amount; look
            10 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            20 unknown: look
            30 seen: wait 4983
            5100 seen: check amount holds; retry 1 (the checkpoint did not come); look
            5110 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            5120 delivered: done amount; look
            5130 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn a_field_that_cannot_be_read_back_is_no_success() {
    check(
        r#"
parameters:
- {name: amount, type: {money: {currency: USD}}}
- {name: pin, type: text, sensitive: true}
steps:
- {id: amount, type: label textbox "Amount", value: param.amount}
limits: {retries_per_step: 0}
with: {amount: "1500.5", pin: "4711"}
"#,
        r#"
0 start
10 seen
  textbox "Amount" labelled
20 delivered
30 seen
"#,
        expect![[r#"
            0 start: step amount; look
            10 seen: found textbox "Amount" by label; ACT type n1 "1500.5" insert declared safe
            20 delivered: look
            30 seen: check amount holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at amount
              "the control could not be read back"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_chosen_option_is_read_back() {
    check(
        r#"
steps:
- {id: month, choose: combobox "Month", value: May}
"#,
        r#"
0 start
10 seen
  combobox "Month"
20 delivered = " May "
30 seen
"#,
        expect![[r#"
            0 start: step month; look
            10 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            20 delivered: done month; look
            30 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn an_option_other_than_the_chosen_one_is_told() {
    check(
        r#"
steps:
- {id: month, choose: combobox "Month", value: May}
limits: {retries_per_step: 0}
"#,
        r#"
0 start
10 seen
  combobox "Month"
20 delivered = "March"
30 seen
"#,
        expect![[r#"
            0 start: step month; look
            10 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            20 delivered: look
            30 seen: check month holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at month
              "chose "May", the control holds "March""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_sensitive_option_is_never_told() {
    check(
        r#"
parameters:
- {name: code, type: text, sensitive: true}
steps:
- {id: code, choose: combobox "Code", value: param.code}
limits: {retries_per_step: 0}
with: {code: hunter2}
"#,
        r#"
0 start
10 seen
  combobox "Code"
20 delivered = "hunter3"
30 seen
"#,
        expect![[r#"
            0 start: step code; look
            10 seen: found combobox "Code" by role_name; ACT choose n1 *** declared safe
            20 delivered: look
            30 seen: check code holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at code
              "the control holds something else than what was chosen"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_option_that_is_not_there_names_those_that_are() {
    check(
        r#"
steps:
- {id: month, choose: combobox "Month", value: May}
"#,
        r#"
0 start
10 seen
  combobox "Month"
20 no_option "March"
"#,
        expect![[r#"
            0 start: step month; look
            10 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            20 no_option: unexpectedstate option_absent; END failed option_absent at month
              "there is no such option; it offers: March"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn an_option_may_still_come_while_the_screen_is_not_settled() {
    check(
        r#"
steps:
- {id: month, choose: combobox "Month", value: May}
"#,
        r#"
0 start
10 seen requesting
  combobox "Month"
20 no_option "March"
30 seen
40 delivered = "May"
50 seen
"#,
        expect![[r#"
            0 start: step month; look
            10 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            20 no_option: wait 14980
            30 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            40 delivered: done month; look
            50 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn an_option_is_not_denied_while_an_earlier_request_is_open() {
    check(
        r#"
steps:
- {id: month, choose: combobox "Month", value: May}
outcomes:
- {code: no_such_month, at: month, result: option_absent}
"#,
        r#"
0 start
10 seen waiting
  combobox "Month"
20 no_option "March"
30 seen waiting
40 no_option "March"
20000 seen waiting
"#,
        expect![[r#"
            0 start: step month; look
            10 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            20 no_option: wait 14980
            30 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            40 no_option: wait 14960
            20000 seen: unexpectedstate not_settled; END failed not_settled at month
              "the target came when the time of the step was over"
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn two_options_of_one_text_are_refused() {
    check(
        r#"
steps:
- {id: month, choose: combobox "Month", value: May}
"#,
        r#"
0 start
10 seen
  combobox "Month"
20 two_options "May"
"#,
        expect![[r#"
            0 start: step month; look
            10 seen: found combobox "Month" by role_name; ACT choose n1 "May" declared safe
            20 two_options: unexpectedstate target_ambiguous; END needs_human target_ambiguous at month
              "several options read "May""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_toggle_is_in_the_wanted_state_or_not() {
    check(
        r#"
steps:
- {id: alerts, set: checkbox "Alerts", value: "true"}
- {id: mail, set: checkbox "Mail", value: "false"}
limits: {retries_per_step: 0}
"#,
        r#"
0 start
10 seen
  checkbox "Alerts"
  checkbox "Mail" [checked]
20 delivered checked
30 seen
40 delivered checked
50 seen
"#,
        expect![[r#"
            0 start: step alerts; look
            10 seen: found checkbox "Alerts" by role_name; ACT set n1 true declared safe
            20 delivered: done alerts; step mail; look
            30 seen: found checkbox "Mail" by role_name; ACT set n2 false declared safe
            40 delivered: look
            50 seen: check mail holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at mail
              "the toggle is not in the wanted state"
              effect none, done 1/2
        "#]],
    );
}

#[test]
fn an_option_that_begins_with_the_value_is_believed_only_where_the_step_says_so() {
    check(
        r#"
steps:
- {id: share, choose: combobox "Share", value: 12345-00, rule: starts_with}
"#,
        r#"
0 start
10 seen
  combobox "Share"
20 delivered = "12345-00 REGULAR SAVINGS"
30 seen
"#,
        expect![[r#"
            0 start: step share; look
            10 seen: found combobox "Share" by role_name; ACT choose n1 "12345-00" begins declared safe
            20 delivered: done share; look
            30 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
    check(
        r#"
steps:
- {id: share, choose: combobox "Share", value: 12345-00}
limits: {retries_per_step: 0}
"#,
        r#"
0 start
10 seen
  combobox "Share"
20 delivered = "12345-00 REGULAR SAVINGS"
30 seen
"#,
        expect![[r#"
            0 start: step share; look
            10 seen: found combobox "Share" by role_name; ACT choose n1 "12345-00" declared safe
            20 delivered: look
            30 seen: check share holds; unexpectedstate checkpoint_unmet; END needs_human checkpoint_unmet at share
              "chose "12345-00", the control holds "12345-00 REGULAR SAVINGS""
              effect none, done 0/1
        "#]],
    );
}

#[test]
fn a_field_with_a_checkpoint_needs_both() {
    check(
        r#"
steps:
- {id: member, type: label textbox "Member", value: "7", check: text "Ann"}
"#,
        r#"
0 start
10 seen
  textbox "Member" labelled
20 delivered = "7"
30 seen requesting
  textbox "Member" = "7" labelled
40 seen
  text "Ann"
50 seen
"#,
        expect![[r#"
            0 start: step member; look
            10 seen: found textbox "Member" by label; ACT type n1 "7" insert declared safe
            20 delivered: look
            30 seen: wait 4983
            40 seen: check member holds; done member; look
            50 seen: check run holds; END success
              effect none, done 1/1
        "#]],
    );
}

#[test]
fn an_amount_is_typed_and_looked_for_as_the_application_writes_it() {
    check(
        r#"
parameters:
- {name: amount, type: {money: {currency: USD}}, format: {locale: de-DE, decimals: 2, grouping: true}}
steps:
- {id: amount, type: label textbox "Amount", value: param.amount, check: 'text "MOVES {param.amount} NOW"'}
with: {amount: "1500.5"}
"#,
        r#"
0 start
10 seen
  textbox "Amount" labelled
20 delivered = "1.500,50"
30 seen
  text "MOVES 1500.50 NOW"
40 seen
  text "MOVES 1.500,50 NOW"
"#,
        expect![[r#"
            0 start: step amount; look
            10 seen: found textbox "Amount" by label; ACT type n1 "1.500,50" insert declared safe
            20 delivered: look
            30 seen: wait 4983
            40 seen: check amount holds; done amount; look
        "#]],
    );
}
