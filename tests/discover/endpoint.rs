//! A model behind an endpoint, and a script that plays one.

use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Value, json};
use waymark_discovery::{Model as _, ModelRequest, Role, Tool};
use waymark_llm::Scripted;

use super::server::{Answer, Got, Server};

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// How many came before it, the repairs of answers included.
    pub number: usize,
    /// The text of the question.
    pub prompt: String,
    /// The tool's name and schema.
    pub tool: (String, Value),
}

/// What it answers.
#[derive(Clone, Debug)]
pub enum Says {
    /// The tool is called with these arguments.
    Calls(Value),
    /// Something else comes over the wire.
    Wire(Answer),
}

/// The endpoint; it ends when it is dropped.
pub struct Endpoint {
    server: Server,
}

impl Endpoint {
    /// Starts one.
    ///
    /// # Errors
    /// No port can be had.
    pub fn start(decide: impl FnMut(&Question) -> Says + Send + 'static) -> Result<Self> {
        let state = Mutex::new((0, decide));
        let server = Server::start(move |got| {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let (number, decide) = &mut *state;
            let Some(question) = question(*number, got) else {
                return Answer::json(400, &json!({"error": {"message": "this is no question"}}));
            };
            *number += 1;
            match decide(&question) {
                Says::Calls(arguments) => called(&question.tool.0, &arguments),
                Says::Wire(answer) => answer,
            }
        })?;
        Ok(Endpoint { server })
    }

    /// The arguments of a discovery that asks it.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let url = format!("{}/v1", self.server.origin());
        ["--provider", "openai", "--model", "made-up", "--model-url", &url].map(str::to_owned).to_vec()
    }

    /// Every byte that it was sent.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.server.bytes()
    }

    /// The texts of all questions.
    #[must_use]
    pub fn prompts(&self) -> Vec<String> {
        self.server.got().iter().filter_map(|got| Some(question(0, got)?.prompt)).collect()
    }
}

/// A script as a model behind an endpoint: it sees what is asked and nothing else. Where the script ends or does not fit,
/// the answer is one that fits no tool, with the reason.
///
/// # Errors
/// It is no script.
pub fn player(file: &str, text: &str) -> Result<impl FnMut(&Question) -> Says + Send + use<>> {
    let mut script = Scripted::from_text(file, text)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(move |question: &Question| {
        let (name, parameters) = question.tool.clone();
        let request = ModelRequest {
            role: Role::Navigator,
            instructions: String::new(),
            prompt: question.prompt.clone(),
            tool: Tool { name, description: String::new(), parameters },
            max_output_tokens: 0,
        };
        let decided = runtime.block_on(script.decide(&request, std::time::Duration::from_secs(1)));
        match decided.reply {
            Ok(arguments) => Says::Calls(arguments),
            Err(error) => Says::Calls(json!({"the script": error.to_string()})),
        }
    })
}

/// A sound answer.
fn called(tool: &str, arguments: &Value) -> Answer {
    let call = json!({"id": "c1", "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    Answer::json(
        200,
        &json!({
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }),
    )
}

fn question(number: usize, got: &Got) -> Option<Question> {
    let body: Value = serde_json::from_slice(&got.body).ok()?;
    let messages = body["messages"].as_array()?;
    let asked = messages.iter().find(|message| message["role"] == "user")?;
    let prompt = match &asked["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array()?.iter().filter_map(|part| part["text"].as_str()).collect(),
    };
    let tool = &body["tools"][0]["function"];
    let name = tool["name"].as_str()?.to_owned();
    Some(Question { number, prompt, tool: (name, tool["parameters"].clone()) })
}
