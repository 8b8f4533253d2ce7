//! What comes from a provider and can be used.

use waymark_discovery::Usage;

use super::*;

#[tokio::test]
async fn a_call_of_the_tool_is_the_answer_with_its_usage() {
    for provider in BOTH {
        let came = ask(provider, vec![called(provider, "act", &click())]).await;
        assert_eq!(came.decided.reply, Ok(click()));
        let [call] = came.decided.calls.as_slice() else { panic!("{:?}", came.decided.calls) };
        assert_eq!(call.usage, Usage { input: Some(140), output: Some(7), cached: Some(40) });
        assert_eq!((call.status, call.name.simulated), (CallStatus::Answered, false));
        let price = (provider == Provider::OpenAi).then_some(154);
        assert_eq!(call.price_micros, price, "unknown stays unknown");
    }
}

/// A reply of a compatible server: the answer, whatever else stands in it.
async fn lenient(reply: Value) {
    let came = ask(Provider::OpenAi, vec![Reply::json(200, reply.clone())]).await;
    assert_eq!(came.decided.reply, Ok(click()), "{reply}");
    assert_eq!(came.statuses(), [CallStatus::Answered]);
}

#[tokio::test]
async fn oddities_of_compatible_servers_do_not_matter() {
    let call = json!({ "function": { "name": "act", "arguments": click().to_string() } });
    for tier in [json!(null), json!("on_demand"), json!(""), json!({ "name": "flex" }), json!(3)] {
        lenient(
            json!({ "service_tier": tier, "choices": [{ "finish_reason": "", "message": { "tool_calls": [call] } }] }),
        )
        .await;
    }
    for finish in [json!(""), json!(null), json!("weird"), json!(7)] {
        lenient(
            json!({ "choices": [{ "finish_reason": finish, "message": { "content": "", "tool_calls": [call] } }] }),
        )
        .await;
    }
    let usages = [json!(null), json!({}), json!({ "prompt_tokens": "many" }), json!({ "total_tokens": 3.5 })];
    for usage in usages {
        lenient(json!({ "id": 7, "usage": usage, "choices": [{ "message": { "tool_calls": [call] } }] })).await;
    }
    lenient(json!({ "error": null, "choices": [{ "message": { "refusal": null, "tool_calls": [call] } }] })).await;
    // Arguments as an object, the older form of a call, text, text in parts, text with words, a field that may be null left out.
    lenient(json!({ "choices": [{ "message": { "tool_calls": [{ "function": { "name": "act", "arguments": click() } }] } }] })).await;
    lenient(
        json!({ "choices": [{ "message": { "function_call": { "name": "act", "arguments": click().to_string() } } }] }),
    )
    .await;
    lenient(json!({ "choices": [{ "message": { "tool_calls": [], "content": click().to_string() } }] })).await;
    lenient(json!({ "choices": [{ "message": { "content": [{ "type": "text", "text": click().to_string() }] } }] }))
        .await;
    lenient(json!({ "choices": [{ "message": { "content": format!("```json\n{}\n```", click()) } }] })).await;
    let came = ask(Provider::OpenAi, vec![told(Provider::OpenAi, r#"{"action": "done"}"#)]).await;
    assert_eq!(came.decided.reply, Ok(json!({ "action": "done", "element": null })));
}

#[tokio::test]
async fn a_misfit_is_told_to_the_model_once() {
    for provider in BOTH {
        let misfits = [
            called(provider, "act", &json!({ "action": "fly", "element": 1 })),
            called(provider, "navigate", &json!({ "url": "http://x.test" })),
            told(provider, "I would press the button."),
            told(provider, ""),
        ];
        for misfit in misfits {
            let came = ask(provider, vec![misfit, called(provider, "act", &click())]).await;
            assert_eq!(came.decided.reply, Ok(click()));
            assert_eq!(came.statuses(), [CallStatus::Misfit, CallStatus::Answered]);
            let messages = came.seen[1].body["messages"].as_array().unwrap();
            let last = messages.last().unwrap()["content"].as_str().unwrap();
            assert!(last.starts_with("That does not fit: ") && last.contains("`act`"), "{last}");
            let before = &messages[messages.len() - 2];
            assert!(before["role"] == "assistant" && !before["content"].as_str().unwrap().is_empty());
        }
    }
}

#[tokio::test]
async fn a_second_misfit_is_no_answer() {
    for provider in BOTH {
        let wrong = || called(provider, "navigate", &json!({}));
        let came = ask(provider, vec![wrong(), wrong(), called(provider, "act", &click())]).await;
        assert_eq!((came.code(), came.seen.len()), ("invalid_model_output", 2));
        assert_eq!(came.statuses(), [CallStatus::Misfit, CallStatus::Misfit]);
        assert!(came.said().contains("`navigate` was called; the one tool is `act`"), "{}", came.said());
    }
}

#[tokio::test]
async fn several_calls_and_cut_off_answers_are_misfits() {
    let call = json!({ "function": { "name": "act", "arguments": click().to_string() } });
    let cut = json!({ "function": { "name": "act", "arguments": "{\"action\": \"cli" } });
    for (message, finish, part) in [
        (json!({ "tool_calls": [call, call] }), "tool_calls", "2 calls at once"),
        (json!({ "tool_calls": [cut] }), "length", "cut off at 99 tokens"),
        (json!({ "content": "" }), "length", "cut off at 99 tokens"),
    ] {
        let reply = || Reply::json(200, json!({ "choices": [{ "finish_reason": finish, "message": message }] }));
        let came = ask(Provider::OpenAi, vec![reply(), reply()]).await;
        assert!(came.code() == "invalid_model_output" && came.said().contains(part), "{}", came.said());
    }
    let reply = || {
        let content = [json!({ "type": "tool_use", "name": "act", "input": { "action": "done" } })];
        Reply::json(200, json!({ "stop_reason": "max_tokens", "content": content }))
    };
    let came = ask(Provider::Anthropic, vec![reply(), reply()]).await;
    assert!(came.said().contains("cut off at 99 tokens"), "{}", came.said());
}

#[tokio::test]
async fn a_refusal_is_final() {
    let refusals = [
        (Provider::OpenAi, json!({ "choices": [{ "message": { "refusal": "I will not." } }] }), "I will not."),
        (Provider::OpenAi, json!({ "choices": [{ "finish_reason": "content_filter", "message": {} }] }), "filter"),
        (Provider::Anthropic, json!({ "stop_reason": "refusal", "content": [] }), "refused"),
        (
            Provider::Anthropic,
            json!({ "stop_reason": "refusal", "content": [{ "type": "text", "text": "No." }] }),
            "No.",
        ),
    ];
    for (provider, reply, part) in refusals {
        let came = ask(provider, vec![Reply::json(200, reply)]).await;
        assert_eq!((came.code(), came.seen.len()), ("model_declined", 1));
        assert_eq!(came.statuses(), [CallStatus::Declined]);
        assert!(came.said().contains(part), "{}", came.said());
    }
}
