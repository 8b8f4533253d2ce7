//! What is refused before anything is done.

use expect_test::{Expect, expect};
use waymark_replay::Machine;
use waymark_test_support::app::plan;

fn check(text: &str, expected: Expect) {
    let told = match Machine::new(plan(text)) {
        Ok(_) => "bound".to_owned(),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&told);
}

#[test]
fn an_upload_is_not_replayed() {
    check(
        r#"{steps: [{id: file, upload: label file "File", value: "a.pdf"}]}"#,
        expect!["`file`: an upload is not replayed by this version"],
    );
}

#[test]
fn scrolling_to_load_is_not_replayed() {
    check(
        r#"{steps: [{id: rest, scroll: list "Rows"}]}"#,
        expect!["`rest`: scrolling to load is not replayed by this version"],
    );
}

#[test]
fn a_download_is_not_replayed() {
    check(
        r#"{steps: [{id: get, click: link "Get", check: text "Done", download: file}]}"#,
        expect!["`get`: a download is not replayed by this version"],
    );
}

#[test]
fn a_remedy_is_looked_at_too() {
    check(
        r#"{steps: [{id: go, click: button "Go"}], recoveries: [{id: more, when: text "More", scroll: list "Rows", check: text "All"}]}"#,
        expect!["`more`: scrolling to load is not replayed by this version"],
    );
}

#[test]
fn another_capability_as_a_subflow_is_not_replayed() {
    let digest = "0".repeat(64);
    check(
        &format!(
            r#"{{steps: [{{id: go, click: button "Go"}}], subflows: [{{id: sign, body: {{capability: {{id: app.sign, digest: "sha256:{digest}"}}}}}}]}}"#
        ),
        expect!["`sign`: another capability as a sub-flow is not replayed by this version"],
    );
}

#[test]
fn another_rule_for_finding_or_settling_is_refused() {
    check(
        r#"{engine: {ladder: 2, settle: 1}, steps: [{id: go, click: button "Go"}]}"#,
        expect!["made for ladder rule 2; this version has rule 1"],
    );
    check(
        r#"{engine: {ladder: 1, settle: 7}, steps: [{id: go, click: button "Go"}]}"#,
        expect!["made for settle rule 7; this version has rule 1"],
    );
}

#[test]
fn a_variable_needs_a_value() {
    check(
        r#"{variables: [{name: base}], steps: [{id: open, open: "{var.base}/x"}]}"#,
        expect!["the variable `base` has no value"],
    );
    check(
        r#"{variables: [{name: base}], steps: [{id: open, open: "{var.base}/x"}], vars: {base: "http://app.test"}}"#,
        expect!["bound"],
    );
}

#[test]
fn a_value_that_has_no_such_written_form_is_refused_and_not_rounded() {
    let amount = |format: &str, own: &str| {
        format!(
            r#"{{parameters: [{{name: amount, type: {{money: {{currency: USD}}}}{format}}}], with: {{amount: "1.505"}},
            steps: [{{id: amount, type: label textbox "Amount", value: param.amount{own}}}]}}"#
        )
    };
    let mut rounded = plan(&amount("", ""));
    let form = waymark_artifact::DisplayFormat { decimals: Some(2), ..Default::default() };
    rounded.artifact.parameters[0].format = Some(form);
    let told = Machine::new(rounded).map(|_| ()).map_err(|error| error.to_string());
    let why = "the parameter `amount` has no written form: the value cannot be written: it has more decimals than the format allows";
    assert_eq!(told, Err(why.to_owned()));
    check(
        &amount("", ", format: {decimals: 2}"),
        expect![
            "the parameter `amount` has no written form: the value cannot be written: it has more decimals than the format allows"
        ],
    );
    check(&amount(", format: {decimals: 3}", ""), expect!["bound"]);
}
