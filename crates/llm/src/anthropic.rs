//! Anthropic's Messages protocol.

use reqwest::Client;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};
use waymark_discovery::{CallStatus, ModelRequest, Usage};
use waymark_redact::Secret;

use crate::answer::{in_text, other_tool};
use crate::ask::{Answer, Form, Repair, Says};
use crate::http::{Failure, exchange};
use crate::in_order::InOrder;

const VERSION: &str = "2023-06-01";

/// A server that speaks the protocol.
pub(crate) struct Anthropic {
    http: Client,
    url: String,
    key: Option<Secret<String>>,
    model: String,
    temperature: bool,
}

impl Anthropic {
    pub(crate) fn new(http: Client, base_url: &str, key: Option<Secret<String>>, model: &str) -> Self {
        let base = base_url.trim_end_matches('/').trim_end_matches("/v1");
        Anthropic { http, url: format!("{base}/v1/messages"), key, model: model.to_owned(), temperature: true }
    }

    /// Asks once.
    pub(crate) async fn ask(&self, request: &ModelRequest, repair: Option<&Repair>) -> Result<Answer, Failure> {
        let mut sent =
            self.http.post(&self.url).header("anthropic-version", VERSION).json(&InOrder(&self.body(request, repair)));
        // A key that no header can carry was refused before.
        if let Some(Ok(mut value)) = self.key.as_ref().map(|key| HeaderValue::from_str(key.expose())) {
            value.set_sensitive(true);
            sent = sent.header("x-api-key", value);
        }
        let sent = sent.build().map_err(|error| Failure {
            status: CallStatus::Rejected,
            number: None,
            why: error.without_url().to_string(),
            wait: None,
        })?;
        let body = exchange(&self.http, sent, self.key.as_ref()).await?;
        let reply = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Ok(answer(request, &reply))
    }

    /// Leaves out what the server refused by name. Whether anything was left out, so that asking again may help.
    pub(crate) fn adapt(&mut self, failure: &Failure) -> bool {
        let refused = self.temperature && failure.number == Some(400) && failure.why.contains("temperature");
        self.temperature &= !refused;
        refused
    }

    fn body(&self, request: &ModelRequest, repair: Option<&Repair>) -> Value {
        let tool = &request.tool;
        let mut messages = vec![json!({ "role": "user", "content": request.prompt })];
        if let Some(repair) = repair {
            messages.push(json!({ "role": "assistant", "content": repair.said }));
            messages.push(json!({ "role": "user", "content": repair.asks }));
        }
        let mut body = json!({
            "model": self.model,
            "max_tokens": request.max_output_tokens,
            // The same in every turn of a run.
            "system": [{ "type": "text", "text": request.instructions, "cache_control": { "type": "ephemeral" } }],
            "messages": messages,
            "tools": [{ "name": tool.name, "description": tool.description, "input_schema": tool.parameters }],
            "tool_choice": { "type": "tool", "name": tool.name, "disable_parallel_tool_use": true },
        });
        if self.temperature {
            body["temperature"] = json!(0);
        }
        body
    }
}

fn answer(request: &ModelRequest, reply: &Value) -> Answer {
    let usage = usage(reply.get("usage").unwrap_or(&Value::Null));
    let stop = reply.get("stop_reason").and_then(Value::as_str).unwrap_or_default();
    let blocks = reply.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let of =
        |kind: &'static str| blocks.iter().filter(move |block| block.get("type").and_then(Value::as_str) == Some(kind));
    let texts: Vec<&str> = of("text").filter_map(|block| block.get("text").and_then(Value::as_str)).collect();
    let text = texts.join("\n");
    if stop == "refusal" {
        let why = if text.is_empty() { "the model refused".to_owned() } else { text };
        return Answer { usage, says: Says::Declined(why) };
    }
    let calls: Vec<&Value> = of("tool_use").collect();
    let tool = &request.tool;
    let (said, arguments) = match calls.as_slice() {
        [] if text.trim().is_empty() => {
            (String::new(), Err(format!("the answer is empty; `{}` was to be called", tool.name)))
        }
        [] => (text.clone(), in_text(tool, &text)),
        [call] => {
            let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
            let input = call.get("input").cloned().unwrap_or(Value::Null);
            let read = if name == tool.name { Ok(input.clone()) } else { Err(other_tool(tool, name)) };
            (json!({ "name": name, "input": input }).to_string(), read)
        }
        several => (json!(several).to_string(), Err(format!("{} calls at once; one is wanted", several.len()))),
    };
    // What was cut off may still look whole.
    let arguments = match (arguments, stop) {
        (_, "max_tokens") => Err(format!("the answer was cut off at {} tokens", request.max_output_tokens)),
        (arguments, _) => arguments,
    };
    let form = if calls.is_empty() { Form::Text } else { Form::ToolCall };
    Answer { usage, says: Says::Called { said, arguments, form } }
}

/// What is new and what was kept are counted apart here; the ledger counts both as input.
fn usage(usage: &Value) -> Usage {
    let number = |key: &str| usage.get(key).and_then(Value::as_u64);
    let cached = number("cache_read_input_tokens");
    let written = number("cache_creation_input_tokens").unwrap_or_default();
    let input = number("input_tokens").map(|new| new + cached.unwrap_or_default() + written);
    Usage { input, output: number("output_tokens"), cached }
}
