//! Whether a model can be asked: one tiny question.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use waymark_discovery::{Call, Model, ModelError, ModelName, ModelRequest, Role, Tool};

use crate::config::answer_by_variable;

/// What came of the tiny question.
#[derive(Debug, Serialize)]
pub struct Trial {
    /// Who was asked.
    pub name: ModelName,
    /// Every call that it took, with latency and usage.
    pub calls: Vec<Call>,
    /// What is wrong, if anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// Why a model cannot be asked, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The stable code of the failure.
    pub code: &'static str,
    /// What is wrong; no key is in it.
    pub message: String,
    /// The way out.
    pub hint: String,
}

/// Asks one tiny question. The way out names what configures this role.
pub async fn try_model(model: &mut dyn Model, role: Role, deadline: Duration) -> Trial {
    let request = ModelRequest {
        role,
        instructions: "Answer by calling the tool.".to_owned(),
        prompt: "Call the tool with ready = true.".to_owned(),
        tool: Tool {
            name: "answer".to_owned(),
            description: "Says that you are ready.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "ready": { "type": "boolean" } },
                "required": ["ready"],
                "additionalProperties": false,
            }),
        },
        // A model that thinks first needs room for it.
        max_output_tokens: 256,
    };
    let name = model.name();
    let decided = model.decide(&request, deadline).await;
    let told = |error: ModelError| Problem { code: error.code(), message: error.to_string(), hint: hint(&error, role) };
    let problem = decided.reply.err().map(told);
    Trial { name, calls: decided.calls, problem }
}

/// The way out of a failure of a model in this role.
#[must_use]
pub fn hint(error: &ModelError, role: Role) -> String {
    let fixed = match error {
        ModelError::InvalidOutput { .. } => {
            let variable = answer_by_variable(role);
            return format!(
                "the model does not call tools well: take a stronger one, or set {variable}=schema for a small server of your own"
            );
        }
        ModelError::Declined { .. } => "the model or its provider refuses this kind of request: take another model",
        ModelError::Rejected { status: 401 | 403, .. } => "check the key: its provider, its project and its rights",
        ModelError::Rejected { status: 404, .. } => {
            "check the model's name and the address, up to the version (`…/v1`)"
        }
        ModelError::Rejected { status: 402, .. } => "the account has no credit left",
        ModelError::Rejected { .. } => "the provider's words say what it does not take; check model and address",
        ModelError::RateLimited => "wait a minute, or raise the limit of the account",
        ModelError::ServerError { .. } => "the provider has a failure of its own; try again later",
        ModelError::Timeout { .. } => {
            "the model is too slow for the limit `call seconds`; raise it, or take a faster one"
        }
        ModelError::Unreachable { .. } => {
            "check network, proxy and address; a server of your own has to be started first"
        }
        ModelError::Unrecorded { .. } => "record it anew",
        ModelError::ScriptEnded { .. } => "add the turn that the message asks for",
    };
    fixed.to_owned()
}
