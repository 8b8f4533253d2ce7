//! Models behind real servers on loopback, which speak either protocol from a script.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod failures;
mod jev;
mod replies;
mod requests;
mod roles;
mod server;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waymark_discovery::{CallStatus, Decided, Model as _, ModelRequest, Role, Tool};
use waymark_llm::{AnswerBy, Options, Pace, Prices, Provider, Remote, connect, resolve};

use server::{Reply, Seen, Server};

const KEY: &str = "canary-key-1234567890";
/// Far longer than anything takes here, on a busy machine too.
const LONG: Duration = Duration::from_secs(30);
const BOTH: [Provider; 2] = [Provider::OpenAi, Provider::Anthropic];

fn request() -> ModelRequest {
    ModelRequest {
        role: Role::Navigator,
        instructions: "One action.".to_owned(),
        prompt: "1 button \"Log In\"".to_owned(),
        tool: Tool {
            name: "act".to_owned(),
            description: "Takes one action.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "action": { "enum": ["click", "done"] }, "element": { "type": ["integer", "null"] } },
                // Not the order of the alphabet.
                "required": ["element", "action"],
                "additionalProperties": false,
            }),
        },
        max_output_tokens: 99,
    }
}

fn click() -> Value {
    json!({ "action": "click", "element": 1 })
}

fn model(provider: Provider, server: &Server, options: &Options) -> Remote {
    let exported = BTreeMap::from([(provider.key_variable().to_owned(), KEY.to_owned())]);
    let options = Options {
        provider: Some(provider.word().to_owned()),
        model: Some("tiny".to_owned()),
        base_url: Some(server.url()),
        ..options.clone()
    };
    let settings = resolve(&exported, None, &options).unwrap();
    let prices = "version: 1\nmodels:\n  - {provider: openai, model: tiny, input_usd_per_million: \"1\", output_usd_per_million: \"2\"}\n";
    let pace = Pace { base: Duration::from_millis(2), longest: Duration::from_millis(8), calls: 8, call: LONG };
    connect(&settings, &Prices::from_yaml(prices).unwrap()).unwrap().paced(pace)
}

/// What one question came to, and what the server saw of it.
struct Came {
    decided: Decided,
    seen: Vec<Seen>,
    took: Duration,
}

impl Came {
    fn statuses(&self) -> Vec<CallStatus> {
        self.decided.calls.iter().map(|call| call.status).collect()
    }

    fn code(&self) -> &'static str {
        self.decided.reply.as_ref().map_or_else(|error| error.code(), |_| "answered")
    }

    fn said(&self) -> String {
        self.decided.reply.as_ref().map_or_else(ToString::to_string, ToString::to_string)
    }
}

async fn ask(provider: Provider, script: Vec<Reply>) -> Came {
    ask_with(provider, script, &Options::default(), LONG).await
}

/// Asks once. Whatever comes, the key is in nothing that is told.
async fn ask_with(provider: Provider, script: Vec<Reply>, options: &Options, deadline: Duration) -> Came {
    let server = Server::start(script).await;
    let mut model = model(provider, &server, options);
    let started = Instant::now();
    let decided = model.decide(&request(), deadline).await;
    let took = started.elapsed();
    let told = format!("{decided:?} {}", decided.reply.as_ref().map_or_else(ToString::to_string, ToString::to_string));
    assert!(!told.contains("canary"), "the key is told: {told}");
    Came { decided, seen: server.seen(), took }
}

/// A sound reply of a provider that calls the tool.
fn called(provider: Provider, name: &str, arguments: &Value) -> Reply {
    Reply::json(
        200,
        match provider {
            Provider::Anthropic => json!({
                "type": "message", "stop_reason": "tool_use",
                "content": [{ "type": "tool_use", "id": "t1", "name": name, "input": arguments }],
                "usage": { "input_tokens": 100, "cache_read_input_tokens": 40, "output_tokens": 7 },
            }),
            _ => json!({
                "choices": [{ "finish_reason": "tool_calls", "message": { "role": "assistant", "content": null, "tool_calls": [
                    { "id": "c1", "type": "function", "function": { "name": name, "arguments": arguments.to_string() } },
                ] } }],
                "usage": { "prompt_tokens": 140, "completion_tokens": 7, "prompt_tokens_details": { "cached_tokens": 40 } },
            }),
        },
    )
}

/// A sound reply of a provider that answers with words.
fn told(provider: Provider, text: &str) -> Reply {
    Reply::json(
        200,
        match provider {
            Provider::Anthropic => json!({ "stop_reason": "end_turn", "content": [{ "type": "text", "text": text }] }),
            _ => json!({ "choices": [{ "finish_reason": "stop", "message": { "content": text } }] }),
        },
    )
}

fn by(answer_by: AnswerBy) -> Options {
    Options { answer_by: Some(answer_by), ..Options::default() }
}
