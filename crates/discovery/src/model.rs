//! What a model is asked and what it answers, whoever provides it.

use std::time::Duration;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whoever decides: a provider's model, a recording of one, or a script that stands in for one.
pub trait Model: Send {
    /// Who answers, for ledger and evidence.
    fn name(&self) -> ModelName;

    /// Asks once and waits at most `deadline`, with every retry and repair counted in.
    ///
    /// The answer's arguments have been checked against the tool's schema. Nothing in the request is secret: what
    /// must not reach a model was taken out before.
    fn decide<'a>(&'a mut self, request: &'a ModelRequest, deadline: Duration) -> BoxFuture<'a, Decided>;
}

/// Provider and model as the ledger names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelName {
    /// `anthropic`, `openai`, `groq`, `scripted`, …
    pub provider: String,
    /// The provider's name of the model.
    pub model: String,
    /// Whether no model answers at all but a script or a recording: shown wherever the name is.
    pub simulated: bool,
}

/// Which of the two independent roles asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Chooses the next action.
    Navigator,
    /// Says which of several elements a description means.
    Selector,
}

/// One question. All of it is plain text; no pictures are shown to models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    pub role: Role,
    /// The same for every turn of a run, so that providers can keep it.
    pub instructions: String,
    /// This turn: goal, what was done, and the screen. Rebuilt each time; no transcript grows.
    pub prompt: String,
    /// The one tool the model has to call.
    pub tool: Tool,
    /// The most tokens of an answer.
    pub max_output_tokens: u32,
}

/// The tool by which the model answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// A flat JSON Schema of an object: no nesting, no references, every property required, nullable where it may
    /// be left open, `additionalProperties: false`.
    pub parameters: Value,
}

/// What came of a question, and every call that it took.
#[derive(Debug)]
pub struct Decided {
    /// The arguments of the tool call, or why there are none.
    pub reply: Result<Value, ModelError>,
    /// In the order in which they were made; retries and the repair round are calls of their own.
    pub calls: Vec<Call>,
}

/// One call for the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub role: Role,
    pub name: ModelName,
    pub usage: Usage,
    /// Milliseconds from request to the end of the answer.
    pub latency_ms: u64,
    pub status: CallStatus,
    /// In millionths of a US dollar, where a price is configured; unknown stays unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_micros: Option<u64>,
}

/// Tokens as the provider counted them; unknown stays unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Of the input, what the provider had kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Answered, and the answer fits the schema.
    Answered,
    /// Answered with something that is no call of the tool, or does not fit its schema.
    Misfit,
    /// The model declined to answer.
    Declined,
    RateLimited,
    /// The provider's own failure.
    ServerError,
    /// The request or its key was refused.
    Rejected,
    Timeout,
    Unreachable,
}

/// Why there is no answer. Messages never hold a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelError {
    #[error("the answer does not fit, also after it was asked to repair it: {why}")]
    InvalidOutput { why: String },
    #[error("the model declined: {why}")]
    Declined { why: String },
    #[error("the provider refused the request ({status}): {why}")]
    Rejected { status: u16, why: String },
    #[error("the provider limits the rate of requests, and the deadline is over")]
    RateLimited,
    #[error("the provider failed ({status}), and the deadline is over")]
    ServerError { status: u16 },
    #[error("no answer within the deadline of {seconds} seconds")]
    Timeout { seconds: u64 },
    #[error("the provider cannot be reached: {why}")]
    Unreachable { why: String },
    /// The script has no answer to this question.
    #[error("the script has no answer left: {why}")]
    ScriptEnded { why: String },
    /// The recording that is played back was of another run than this one becomes.
    #[error("turn {turn} does not fit the recording: {why}")]
    Unrecorded { turn: u32, why: String },
}

impl ModelError {
    /// The stable code of this failure.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidOutput { .. } => "invalid_model_output",
            Self::Declined { .. } => "model_declined",
            Self::Rejected { .. } => "model_rejected",
            Self::RateLimited => "model_rate_limited",
            Self::ServerError { .. } => "model_server_error",
            Self::Timeout { .. } => "model_timeout",
            Self::Unreachable { .. } => "model_unreachable",
            Self::ScriptEnded { .. } => "script_ended",
            Self::Unrecorded { .. } => "cassette_mismatch",
        }
    }
}
