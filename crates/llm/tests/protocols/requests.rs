//! What goes to a provider.

use super::*;

#[tokio::test]
async fn openai_gets_one_strict_tool_and_the_two_texts() {
    let came = ask(Provider::OpenAi, vec![called(Provider::OpenAi, "act", &click())]).await;
    let [seen] = came.seen.as_slice() else { panic!("{} requests", came.seen.len()) };
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(seen.body["model"], "tiny");
    assert_eq!(seen.body["messages"][0], json!({ "role": "system", "content": "One action." }));
    assert_eq!(seen.body["messages"][1], json!({ "role": "user", "content": "1 button \"Log In\"" }));
    assert_eq!(seen.body["tools"][0]["function"]["parameters"], request().tool.parameters);
    assert_eq!(seen.body["tools"][0]["function"]["strict"], true);
    assert_eq!(seen.body["tool_choice"]["function"]["name"], "act");
    assert_eq!((&seen.body["max_tokens"], &seen.body["stream"]), (&json!(99), &json!(false)));
    assert!(!seen.body.to_string().contains("canary"));
}

#[tokio::test]
async fn anthropic_gets_the_tool_forced_and_the_instructions_kept() {
    let came = ask(Provider::Anthropic, vec![called(Provider::Anthropic, "act", &click())]).await;
    let [seen] = came.seen.as_slice() else { panic!("{} requests", came.seen.len()) };
    assert_eq!(seen.path, "/v1/messages");
    assert_eq!(seen.headers["x-api-key"], KEY);
    assert_eq!(seen.headers["anthropic-version"], "2023-06-01");
    assert_eq!(seen.body["system"][0]["cache_control"]["type"], "ephemeral");
    assert_eq!(seen.body["tools"][0]["input_schema"], request().tool.parameters);
    assert_eq!(seen.body["tool_choice"], json!({ "type": "tool", "name": "act", "disable_parallel_tool_use": true }));
    assert_eq!(seen.body["max_tokens"], 99);
    assert!(!seen.body.to_string().contains("canary"));
}

#[tokio::test]
async fn a_server_without_tools_is_asked_by_schema() {
    let script = vec![told(Provider::OpenAi, &click().to_string())];
    let came = ask_with(Provider::OpenAi, script, &by(AnswerBy::Schema), LONG).await;
    assert_eq!(came.decided.reply, Ok(click()));
    let body = &came.seen[0].body;
    assert_eq!(body["response_format"]["json_schema"]["schema"], request().tool.parameters);
    assert!(body.get("tools").is_none() && body["messages"][0]["content"].as_str().unwrap().contains("JSON"));
}

/// What the server's refusal names is left out of the next call.
async fn adapts(refusal: &str, gone: &str) {
    let error = Reply::json(400, json!({ "error": { "message": refusal } }));
    let answer = told(Provider::OpenAi, &click().to_string());
    let came = ask(Provider::OpenAi, vec![error, answer]).await;
    assert_eq!(came.decided.reply, Ok(click()), "{refusal}");
    assert_eq!(came.statuses(), [CallStatus::Rejected, CallStatus::Answered]);
    assert!(came.seen[0].body.pointer(gone).is_some() && came.seen[1].body.pointer(gone).is_none(), "{gone}");
}

#[tokio::test]
async fn what_a_server_refuses_by_name_is_left_out() {
    adapts("Unsupported value: 'temperature' does not support 0", "/temperature").await;
    adapts("unknown field `strict`", "/tools/0/function/strict").await;
    adapts("tool_choice must be auto", "/tool_choice/function").await;
    adapts("this model does not support tools", "/tools").await;
    adapts("'max_tokens' is not supported; use 'max_completion_tokens'", "/max_tokens").await;
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Server::start(vec![called(Provider::Anthropic, "act", &click())]).await;
    for provider in BOTH {
        let came = ask(provider, vec![Reply::text(307, "").header("location", &other.url())]).await;
        assert_eq!(came.code(), "model_rejected");
        assert!(other.seen().is_empty());
    }
}

#[tokio::test]
async fn fields_are_offered_in_the_order_of_the_tool() {
    for provider in BOTH {
        let came = ask(provider, vec![called(provider, "act", &click())]).await;
        assert!(came.seen[0].text.contains(r#""properties":{"element":"#), "{}", came.seen[0].text);
    }
}
