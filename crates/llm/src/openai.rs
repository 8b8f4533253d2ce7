//! OpenAI's chat protocol, as OpenAI, Groq and compatible servers speak it.
//!
//! Requests go through async-openai with bodies of our own, and replies are decoded from plain JSON: compatible servers
//! send fields that typed replies break on (`service_tier`, an empty `finish_reason`, no usage).

use std::task::{Context, Poll};

use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures_util::future::BoxFuture;
use reqwest::Client;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::SecretString;
use serde_json::{Value, json};
use waymark_discovery::{CallStatus, ModelRequest, Usage};
use waymark_redact::Secret;

use crate::answer::{in_text, other_tool, parsed};
use crate::ask::{Answer, Form, Repair, Says};
use crate::config::AnswerBy;
use crate::http::{Failure, exchange};
use crate::in_order::InOrder;

/// A server that speaks the protocol, and what it was found not to take.
pub(crate) struct OpenAi {
    client: async_openai::Client<Server>,
    model: String,
    takes: Takes,
}

/// What a request says beyond the words. A server that refuses one of these by name is not sent it again.
#[derive(Clone, Copy, Debug)]
struct Takes {
    by: AnswerBy,
    /// `max_completion_tokens` instead of `max_tokens`.
    completion_tokens: bool,
    temperature: bool,
    parallel: bool,
    strict: bool,
    /// The tool is named as the one to call, instead of any.
    named_choice: bool,
}

impl OpenAi {
    pub(crate) fn new(http: Client, base_url: &str, key: Option<Secret<String>>, model: &str, by: AnswerBy) -> Self {
        let server = Server::new(base_url, key.as_ref());
        let client = async_openai::Client::build(http.clone(), server).with_http_service(Transport { http, key });
        let own = base_url.contains("api.openai.com") || base_url.contains("api.groq.com");
        let takes =
            Takes { by, completion_tokens: own, temperature: true, parallel: own, strict: true, named_choice: true };
        OpenAi { client, model: model.to_owned(), takes }
    }

    /// Asks once.
    pub(crate) async fn ask(&self, request: &ModelRequest, repair: Option<&Repair>) -> Result<Answer, Failure> {
        let body = self.body(request, repair);
        let reply: Result<Value, OpenAIError> = self.client.chat().create_byot(InOrder(&body)).await;
        reply.map(|reply| answer(request, &reply)).map_err(failure)
    }

    /// Leaves out what the server refused by name. Whether anything was left out, so that asking again may help.
    pub(crate) fn adapt(&mut self, failure: &Failure) -> bool {
        if failure.status != CallStatus::Rejected || !matches!(failure.number, Some(400 | 404 | 422)) {
            return false;
        }
        let said = failure.why.to_lowercase();
        let takes = &mut self.takes;
        let off = |what: &mut bool, word: &str| {
            let now = *what && said.contains(word);
            *what &= !now;
            now
        };
        if off(&mut takes.temperature, "temperature")
            || off(&mut takes.parallel, "parallel_tool_calls")
            || off(&mut takes.completion_tokens, "max_completion_tokens")
            || off(&mut takes.strict, "strict")
            || off(&mut takes.named_choice, "tool_choice")
        {
            return true;
        }
        if !takes.completion_tokens && said.contains("max_tokens") && said.contains("max_completion_tokens") {
            takes.completion_tokens = true;
            return true;
        }
        if takes.by == AnswerBy::Tool && (said.contains("tool") || said.contains("function")) {
            takes.by = AnswerBy::Schema;
            return true;
        }
        false
    }

    fn body(&self, request: &ModelRequest, repair: Option<&Repair>) -> Value {
        let (takes, tool) = (self.takes, &request.tool);
        let mut instructions = request.instructions.clone();
        if takes.by == AnswerBy::Schema {
            instructions.push_str(&format!("\n\nAnswer with one JSON object and nothing else: {}", tool.description));
        }
        let mut messages = vec![
            json!({ "role": "system", "content": instructions }),
            json!({ "role": "user", "content": request.prompt }),
        ];
        if let Some(repair) = repair {
            // As text, also where it was a call: servers disagree about how a call is answered.
            messages.push(json!({ "role": "assistant", "content": repair.said }));
            messages.push(json!({ "role": "user", "content": repair.asks }));
        }
        let mut body = json!({ "model": self.model, "messages": messages, "stream": false });
        let tokens = if takes.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body[tokens] = request.max_output_tokens.into();
        if takes.temperature {
            body["temperature"] = json!(0);
        }
        match takes.by {
            AnswerBy::Tool => {
                let mut function =
                    json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
                if takes.strict {
                    function["strict"] = json!(true);
                }
                body["tools"] = json!([{ "type": "function", "function": function }]);
                body["tool_choice"] = match takes.named_choice {
                    true => json!({ "type": "function", "function": { "name": tool.name } }),
                    false => json!("auto"),
                };
                if takes.parallel {
                    body["parallel_tool_calls"] = json!(false);
                }
            }
            AnswerBy::Schema => {
                let mut schema = json!({ "name": tool.name, "schema": tool.parameters });
                if takes.strict {
                    schema["strict"] = json!(true);
                }
                body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
            }
        }
        body
    }
}

/// The answer in a reply of any server.
fn answer(request: &ModelRequest, reply: &Value) -> Answer {
    let usage = usage(reply.get("usage").unwrap_or(&Value::Null));
    let choice = reply.pointer("/choices/0").unwrap_or(&Value::Null);
    let message = choice.get("message").unwrap_or(&Value::Null);
    let finish = choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
    let text = text_of(message.get("content").unwrap_or(&Value::Null));
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty()) {
        return Answer { usage, says: Says::Declined(refusal.to_owned()) };
    }
    if finish == "content_filter" {
        return Answer { usage, says: Says::Declined("the provider's filter withheld the answer".to_owned()) };
    }
    let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let single = message.get("function_call").filter(|call| call.is_object());
    let functions: Vec<&Value> = calls.iter().map(|call| call.get("function").unwrap_or(call)).chain(single).collect();
    let tool = &request.tool;
    let (said, arguments) = match functions.as_slice() {
        [] if text.trim().is_empty() => {
            (String::new(), Err(format!("the answer is empty; `{}` was to be called", tool.name)))
        }
        [] => (text.clone(), in_text(tool, &text)),
        [call] => {
            let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
            let arguments = call.get("arguments").unwrap_or(&Value::Null);
            let read = if name == tool.name { parsed(arguments) } else { Err(other_tool(tool, name)) };
            (call.to_string(), read)
        }
        several => (json!(several).to_string(), Err(format!("{} calls at once; one is wanted", several.len()))),
    };
    let arguments = match (arguments, finish) {
        (Err(why), "length") => Err(format!("{why}; the answer was cut off at {} tokens", request.max_output_tokens)),
        (arguments, _) => arguments,
    };
    let form = if functions.is_empty() { Form::Text } else { Form::ToolCall };
    Answer { usage, says: Says::Called { said, arguments, form } }
}

fn usage(usage: &Value) -> Usage {
    let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    Usage {
        input: number("/prompt_tokens"),
        output: number("/completion_tokens"),
        cached: number("/prompt_tokens_details/cached_tokens"),
    }
}

/// The text of a message, which some servers send in parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn failure(error: OpenAIError) -> Failure {
    let broken = || Failure {
        status: CallStatus::ServerError,
        number: None,
        why: "the answer cannot be read".to_owned(),
        wait: None,
    };
    match error {
        OpenAIError::Boxed(inner) => inner.downcast::<Failure>().map_or_else(|_| broken(), |failure| *failure),
        // Its text may hold the whole answer.
        _ => broken(),
    }
}

/// Where the server is and how it is addressed. Nothing is read from the environment.
struct Server {
    base: String,
    headers: HeaderMap,
    key: SecretString,
}

impl Server {
    fn new(base: &str, key: Option<&Secret<String>>) -> Self {
        let mut headers = HeaderMap::new();
        // A key that no header can carry was refused before.
        if let Some(Ok(mut value)) = key.map(|key| HeaderValue::from_str(&format!("Bearer {}", key.expose()))) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        // The headers are all that carries it.
        Server { base: base.trim_end_matches('/').to_owned(), headers, key: SecretString::from(String::new()) }
    }
}

impl Config for Server {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }
    fn api_base(&self) -> &str {
        &self.base
    }
    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

/// Sends one request once, and checks that what comes is JSON before anything else can print it.
#[derive(Clone)]
struct Transport {
    http: Client,
    key: Option<Secret<String>>,
}

impl tower_service::Service<HttpRequestFactory> for Transport {
    type Response = reqwest::Response;
    type Error = OpenAIError;
    type Future = BoxFuture<'static, Result<reqwest::Response, OpenAIError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        let Transport { http, key } = self.clone();
        Box::pin(async move {
            let request = factory.build().await?;
            let body = exchange(&http, request, key.as_ref())
                .await
                .map_err(|failure| OpenAIError::Boxed(Box::new(failure)))?;
            Ok(reqwest::Response::from(http::Response::new(body)))
        })
    }
}
