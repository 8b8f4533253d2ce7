//! What is refused, with code and place.

use serde_json::{Value as Json, json};

use super::*;

/// A Markdown text in which `from` was replaced: the code, and the place that the message begins with.
fn check(from: &str, to: &str, code: &str, place: &str) {
    assert!(MARKDOWN.contains(from), "{from:?} is not in the text");
    let errors = Goal::from_markdown("job.md", &MARKDOWN.replace(from, to)).unwrap_err();
    let first = &errors.0[0];
    assert_eq!(first.code, code, "{errors}");
    assert!(errors.to_string().starts_with(place), "{errors} does not stand at {place}");
    assert!(!first.hint.is_empty() && GOAL_CODES.iter().any(|(known, _)| *known == code));
}

#[test]
fn claims_of_success_are_refused_with_the_three_forms() {
    check(
        "- Text: Transfer Complete!",
        "- the job looks done",
        "free_form_success",
        "job.md line 13: `the job looks done`",
    );
    check("- Text: Transfer Complete!", "- Result: it worked", "free_form_success", "job.md line 13");
    check("- Text: Transfer Complete!", "- Visual: overview", "visual_not_yet", "job.md line 13");
    check("- Text: Transfer Complete!", "- Text:", "empty_condition", "job.md line 13");
    check("- URL: transfer.htm", "- text:  Transfer   Complete!", "twice", "job.md line 15");
    let errors =
        Goal::from_markdown("job.md", &MARKDOWN.replace("Text: Transfer Complete!", "looks done")).unwrap_err();
    for form in ["Text: …", "Not text: …", "URL: …"] {
        assert!(errors.to_string().contains(form), "{errors}");
    }
}

#[test]
fn sensitive_values_in_the_document_are_refused_and_not_repeated() {
    for line in ["- password: hunter2", "- amount (text, sensitive): hunter2", "- api_key: \"hunter2\""] {
        let text =
            MARKDOWN.replace("- amount (money USD): 10.00", line).replace("- password: env PARABANK_PASSWORD\n", "");
        let errors = Goal::from_markdown("job.md", &text).unwrap_err();
        assert_eq!(errors.code(), "secret_in_document");
        assert!(
            errors.to_string().contains("stdin") && !format!("{errors} {errors:?}").contains("hunter2"),
            "{errors}"
        );
    }
    check("(when pin = 9)", "(when password = hunter2)", "secret_in_document", "job.md line 25");
    let flags = Flags { params: vec!["password=hunter2".to_owned()], ..flags() };
    let errors = Goal::from_flags(&Flags { outcomes: Vec::new(), ..flags }).unwrap_err();
    assert!(errors.to_string().starts_with("--param: ") && !errors.to_string().contains("hunter2"), "{errors}");
}

#[test]
fn what_does_not_read_is_told_with_its_line() {
    check("# Transfer funds", "Transfer funds", "stray_text", "job.md line 6");
    check(
        "## Success",
        "## Steps",
        "unknown_section",
        "job.md line 12: there is no section `Steps`\n  hint: the model finds the steps",
    );
    check("## Outputs", "## Data", "twice", "job.md line 28");
    check("- Text: Transfer Complete!", "Text: Transfer Complete!", "stray_text", "job.md line 13");
    check("url:", "baseUrl:", "front_matter", "job.md line 3");
    check("capability: parabank.transfer_funds", "capability: Transfer", "not_an_id", "job.md line 2");
    check("- amount (money USD): 10.00", "- amount (money USD): ten", "value_misfit", "job.md line 20");
    check("- amount (money USD): 10.00", "- amount (number): 10.00", "type_unknown", "job.md line 20");
    check("- amount (money USD): 10.00", "- amount (money usd): 10.00", "type_unknown", "job.md line 20");
    check("- amount (money USD): 10.00", "- Amount: 10.00", "data_line", "job.md line 20");
    check("- amount (money USD): 10.00", "- username: 10.00", "twice", "job.md line 20");
    check("env PARABANK_USERNAME", "env user name", "source_unknown", "job.md line 18");
    for (said, code) in [
        ("amount (integer, at most 4): 10", "bounds_misfit"),
        ("amount (text, at most 0): 10", "bounds_misfit"),
        ("amount (text, at best 4): 10", "data_line"),
        ("amount (text, at least 4): 10", "bounds_misfit"),
        ("amount (money USD, at least a lot): 10", "bounds_misfit"),
        ("amount (money USD, at least 10.01): 10", "value_misfit"),
        ("amount (text, matching \"[0-9\"): 10", "pattern_unusable"),
        ("amount (text, matching \"[a-z]+\"): 10", "value_misfit"),
        ("amount (text, matching \"a): 10", "data_line"),
    ] {
        check("- amount (money USD): 10.00", &format!("- {said}"), code, "job.md line 20");
    }
    check("(when pin = 9)", "(after the risky step) (when nobody = 9)", "unknown_name", "job.md line 25");
    check("(when pin = 9)", "(when nobody = 9)", "unknown_name", "job.md line 25");
    check("- steps: 30", "- steps: 0", "limit_out_of_range", "job.md line 33");
    check("- steps: 30", "- steps: many", "limit_line", "job.md line 33");
    check("- usd: 0.50", "- usd: $1", "limit_line", "job.md line 34");
    check("- usd: 0.50", "- steps: 31", "twice", "job.md line 34");
    check("http://127.0.0.1:8080/parabank/index.htm", "http://a:b@127.0.0.1/", "start_unusable", "job.md line 3");
    check("index.htm", "index.htm?access-token=abc", "secret_in_address", "job.md line 3");
    let task = "Log in as the member.\nTransfer the amount and read the confirmation.\n";
    check(task, "", "missing", "job.md line 8");
}

#[test]
fn the_front_matter_never_repeats_its_lines() {
    let text = MARKDOWN.replace("url:", "password: hunter2\nurl:");
    let errors = Goal::from_markdown("job.md", &text).unwrap_err();
    assert!(!format!("{errors} {errors:?}").contains("hunter2"), "{errors}");
}

#[test]
fn a_lone_negative_is_warned_of() {
    let text = MARKDOWN.replace("- Text: Transfer Complete!\n", "").replace("- URL: transfer.htm\n", "");
    let checked = Goal::from_markdown("job.md", &text).unwrap();
    assert_eq!(checked.warnings[0].code, "lone_negative");
    assert!(checked.warnings[0].to_string().starts_with("job.md line 12: "));
    let text = MARKDOWN.replace("Text: Transfer Complete!", "Text: $10.00 was paid");
    assert_eq!(Goal::from_markdown("job.md", &text).unwrap().warnings[0].code, "condition_holds_value");
}

fn check_json(pointer: &str, value: Json, code: &str, place: &str) {
    let mut document = json();
    *document.pointer_mut(pointer).unwrap() = value;
    let errors = Goal::from_json(document.to_string().as_bytes()).unwrap_err();
    assert_eq!(errors.code(), code, "{errors}");
    assert!(errors.to_string().starts_with(place), "{errors} does not stand at {place}");
}

#[test]
fn json_is_refused_with_its_pointer() {
    check_json("/success/0", json!("the job looks done"), "free_form_success", "/success/0: ");
    check_json("/success/0", json!("Text: Transfer"), "shape", "/success/0: ");
    check_json("/success/1", json!({ "visual": "x.png" }), "visual_not_yet", "/success/1: ");
    check_json("/success/1", json!({ "looks": "done" }), "free_form_success", "/success/1: ");
    check_json("/data/1/from", json!({ "value": "hunter2" }), "secret_in_document", "/data/1: ");
    check_json("/data/2/type", json!("file"), "type_unknown", "/data/2: ");
    check_json("/data/2/from", json!({ "value": null }), "value_misfit", "/data/2: ");
    check_json("/limits", json!({ "steps": 1, "calls": 3 }), "shape", "/limits");
    check_json("/limits/usd", json!(2.5), "shape", "/limits/usd");
    check_json("/schema", json!("waymark.goal/2"), "schema_unknown", "/schema");
    check_json("/url", json!(""), "missing", "/url");
    for text in ["{", "{\"task\": 1, \"task\": 2}", "[]"] {
        assert!(["not_json", "shape"].contains(&Goal::from_json(text.as_bytes()).unwrap_err().code()));
    }
}

#[test]
fn one_of_several_flags_is_counted() {
    let mut given = flags();
    given.success[2] = "it worked".to_owned();
    let errors = Goal::from_flags(&given).unwrap_err();
    assert!(errors.to_string().starts_with("--success (the 3.): "), "{errors}");
    let errors = Goal::from_flags(&Flags { goal: None, url: None, ..flags() }).unwrap_err();
    let codes: Vec<_> = errors.0.iter().map(|error| (error.code, error.place.to_string())).collect();
    assert_eq!(codes, [("missing", "--goal: ".to_owned()), ("missing", "--url: ".to_owned())]);
}

#[test]
fn everything_wrong_is_told_at_once() {
    let text = MARKDOWN.replace("- Text: Transfer Complete!", "- it worked").replace("- steps: 30", "- paces: 30");
    assert_eq!(Goal::from_markdown("job.md", &text).unwrap_err().0.len(), 2);
}
