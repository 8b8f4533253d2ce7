//! Scripts against requests as a model would get them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use futures_util::FutureExt as _;
use serde_json::json;
use waymark_discovery::Tool;

use super::*;

fn request(role: Role, prompt: &str) -> ModelRequest {
    ModelRequest {
        role,
        instructions: "Answer with one action.".to_owned(),
        prompt: prompt.to_owned(),
        tool: Tool {
            name: "act".to_owned(),
            description: "One action.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "reason": { "type": ["string", "null"] },
                    "action": { "enum": ["click", "type", "done"] },
                    "element": { "type": ["integer", "null"] },
                    "parameter": { "type": ["string", "null"] },
                },
                "required": ["reason", "action", "element", "parameter"],
                "additionalProperties": false,
            }),
        },
        max_output_tokens: 200,
    }
}

/// What a script answers to a navigator's question.
fn check(script: &str, prompt: &str, expected: Result<Value, &str>, status: Option<CallStatus>) {
    let mut model = Scripted::from_text("job.jsonl", script).unwrap();
    let decided = model.decide(&request(Role::Navigator, prompt), Duration::from_secs(9)).now_or_never().unwrap();
    match (&decided.reply, expected) {
        (Ok(got), Ok(expected)) => assert_eq!(*got, expected),
        (Err(error), Err(part)) => {
            let said = format!("{}: {error}", error.code());
            assert!(said.contains(part), "{said:?} does not say {part:?}");
        }
        (got, expected) => panic!("{got:?} instead of {expected:?}"),
    }
    assert_eq!(decided.calls.first().map(|call| call.status), status);
    assert!(decided.calls.iter().all(|call| call.name.simulated && call.usage == Usage::default()));
}

const CLICK: &str = r#"{"action":"click","element":{"role":"button","name":"Log In"},"reason":"sign on"}"#;

#[test]
fn a_list_in_another_order_gives_another_number_and_the_same_action() {
    for (prompt, number) in [("1 link \"Help\"\n2 button \"Log In\"", 2), ("1 button \"Log In\"\n2 link \"Help\"", 1)] {
        let expected = json!({ "action": "click", "element": number, "reason": "sign on", "parameter": null });
        check(CLICK, prompt, Ok(expected), Some(CallStatus::Answered));
    }
}

#[test]
fn an_element_that_is_not_there_once_ends_the_script_with_what_is_there() {
    let said = "script_ended: the script has no answer left: job.jsonl line 1: there is no button \"Log In\"; there is 1 button \"Sign In\"";
    check(CLICK, "1 button \"Sign In\"", Err(said), None);
    check(CLICK, "1 button \"Log In\"\n2 button \"Log In\"", Err("is there 2 times"), None);
}

#[test]
fn comments_and_empty_lines_are_no_turns() {
    check(
        "# sign on\n\n{\"action\":\"type\",\"element\":{\"role\":\"textbox\",\"name\":\"U\"},\"parameter\":\"username\"}\n",
        "5 textbox \"U\"",
        Ok(json!({ "action": "type", "element": 5, "parameter": "username", "reason": null })),
        Some(CallStatus::Answered),
    );
}

#[test]
fn raw_arguments_are_checked_like_a_models() {
    let raw = json!({ "action": "click", "element": 99, "parameter": null, "reason": null });
    check(&json!({ "arguments": raw }).to_string(), "", Ok(raw), Some(CallStatus::Answered));
    check(r#"{"arguments":{"action":"navigate"}}"#, "", Err("invalid_model_output"), Some(CallStatus::Misfit));
}

#[test]
fn a_field_that_the_tool_does_not_have_is_no_answer() {
    check(r#"{"action":"click","url":"http://x.test"}"#, "", Err("the tool has no field `url`"), None);
}

#[test]
fn failures_are_those_of_a_real_model() {
    for (word, code, status) in [
        ("timeout", "model_timeout", CallStatus::Timeout),
        ("rate_limited", "model_rate_limited", CallStatus::RateLimited),
        ("server_error", "model_server_error", CallStatus::ServerError),
        ("unreachable", "model_unreachable", CallStatus::Unreachable),
        ("rejected", "model_rejected", CallStatus::Rejected),
        ("declined", "model_declined", CallStatus::Declined),
        ("invalid_output", "invalid_model_output", CallStatus::Misfit),
    ] {
        check(&json!({ "error": word }).to_string(), "", Err(code), Some(status));
    }
}

#[test]
fn a_script_that_is_over_or_for_the_other_role_says_so() {
    check("", "", Err("has no turn left"), None);
    check(
        r#"{"for":"selector","action":"done"}"#,
        "",
        Err("line 1 is for the selector, and the navigator is asked"),
        None,
    );
    let mut model = Scripted::from_text("x", r#"{"for":"selector","action":"done"}"#).unwrap();
    let decided = model.decide(&request(Role::Selector, ""), Duration::from_secs(1)).now_or_never().unwrap();
    assert_eq!(decided.calls.len(), 1);
    assert_eq!(model.left(), 0);
}

#[test]
fn a_line_that_is_no_turn_is_named() {
    for (text, line, part) in [
        ("# ok\nclick", 2, "not JSON"),
        ("[]", 1, "no object"),
        (r#"{"action":"click","element":7}"#, 1, "invalid type"),
        (r#"{"error":"boom"}"#, 1, "unknown variant"),
        (r#"{"error":"timeout","action":"click"}"#, 1, "more stands beside"),
        (r#"{"for":"jev","action":"click"}"#, 1, "unknown variant"),
    ] {
        let error = Scripted::from_text("job.jsonl", text).unwrap_err();
        assert_eq!(error.line, line);
        assert!(error.to_string().contains(part) && error.to_string().contains("hint: "), "{error}");
    }
}

/// The list and the tool as discovery makes them: what a script means by them must not drift apart.
#[test]
fn scripts_read_what_discovery_shows() {
    let shown = |snapshot: &str| {
        let screen = waymark_snapshot::parse(snapshot).unwrap();
        let listed = waymark_discovery::list(&screen, &|text| text.replace("12456", "{account_id}"));
        let asked = ModelRequest { tool: waymark_discovery::tool(), ..request(Role::Navigator, "") };
        ModelRequest { prompt: format!("GOAL: x\nSCREEN (turn 1 of 9):\n{}\n", listed.text), ..asked }
    };
    let login = shown(include_str!("../../../../fixtures/snapshots/parabank_login.txt"));
    let overview = shown(include_str!("../../../../fixtures/snapshots/parabank_overview.txt"));
    let transfer = shown(include_str!("../../../../fixtures/snapshots/parabank_transfer.txt"));
    for (asked, line, number, decision) in [
        (&login, r#"{"action":"type","element":{"role":"textbox","name":"Password"},"value":"password"}"#, 8, "Type"),
        (&login, r#"{"action":"click","element":{"role":"button","name":"Log In"}}"#, 9, "Click"),
        (
            &login,
            r#"{"action":"click","element":{"role":"link","name":"Services","context":"Customer Login"}}"#,
            14,
            "Click",
        ),
        (
            &overview,
            r#"{"action":"click","element":{"role":"link","name":"{account_id}","column":"Account"}}"#,
            17,
            "Click",
        ),
        (
            &overview,
            r#"{"action":"read_table","element":{"role":"table","name":"Balance*"},"output":"a","rows":3}"#,
            15,
            "ReadTable",
        ),
        (
            &transfer,
            r#"{"action":"choose","element":{"role":"combobox","name":"From account #"},"text":"12345"}"#,
            16,
            "Choose",
        ),
    ] {
        let mut model =
            Scripted::from_text("job.jsonl", &line.replace("\"action\"", "\"reason\":\"r\",\"action\"")).unwrap();
        let reply = model.decide(asked, Duration::from_secs(1)).now_or_never().unwrap().reply.unwrap();
        assert_eq!(reply["element"], number, "{line}");
        let (_, read) = waymark_discovery::Decision::read(&reply).unwrap();
        assert!(format!("{read:?}").starts_with(decision), "{read:?}");
    }
}
