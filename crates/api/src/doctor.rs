//! Whether this machine has what Waymark needs.

#[cfg(feature = "discovery")]
mod model;

use std::path::Path;

use serde::Serialize;
use waymark_web::{BrowserKind, installed};

use crate::configuration;
#[cfg(feature = "discovery")]
pub use model::{ModelAsk, try_models};

/// What was found on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Doctor {
    /// `waymark.doctor/1`.
    pub schema: &'static str,
    /// Whether a capability can be replayed.
    pub ready: bool,
    /// Check by check.
    pub items: Vec<Check>,
    /// What came of asking the models of discovery, where that was wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelCheck>,
}

/// What came of one tiny question to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelCheck {
    /// `navigator` or `selector`.
    pub role: &'static str,
    /// What came of it.
    pub state: CheckState,
    /// `anthropic`, `openai` or `groq`; `None` where none can be chosen.
    pub provider: Option<String>,
    /// The provider's name of the model.
    pub model: Option<String>,
    /// Its address, which carries neither name nor password.
    pub base_url: Option<String>,
    /// `tool_call` or `text`: in which form it answered, if it did.
    pub form: Option<&'static str>,
    /// Calls that it took.
    pub calls: u32,
    /// Milliseconds of all of them.
    pub latency_ms: u64,
    /// Tokens of all of them; unknown stays unknown.
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cached_tokens: Option<u64>,
    /// The stable code of what is wrong.
    pub code: Option<&'static str>,
    /// In words.
    pub message: String,
    /// The way out; empty where nothing is to be done.
    pub hint: String,
    /// What a person should know about the choice.
    pub notes: Vec<String>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// What came of it.
    pub state: CheckState,
    /// In words.
    pub message: String,
    /// The way out; empty where nothing is to be done.
    pub hint: String,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// As it should be.
    Ok,
    /// Works, but not as well as it could.
    Note,
    /// Replay does not work.
    Problem,
}

/// Looks at browsers, configuration and the place for evidence. Browsers are asked for their version; nothing is
/// opened.
#[must_use]
pub fn doctor(config: &Path, evidence_root: &Path) -> Doctor {
    let mut items = browsers();
    items.push(policy(config));
    items.push(evidence(evidence_root));
    let ready = items.iter().all(|check| check.state != CheckState::Problem);
    Doctor { schema: "waymark.doctor/1", ready, items, models: Vec::new() }
}

fn browsers() -> Vec<Check> {
    let found = installed();
    let usable = found.iter().any(|browser| browser.version.is_some());
    let check = |name, kind, install: &str, without: &str| {
        let browser = found.iter().find(|browser| browser.kind == kind);
        let (state, message, hint) = match browser.map(|browser| (&browser.path, &browser.version)) {
            Some((path, Some(version))) => (CheckState::Ok, format!("{version} at {}", path.display()), String::new()),
            Some((path, None)) => {
                (missing(usable), format!("{} cannot be run", path.display()), format!("install it anew: {install}"))
            }
            None => (missing(usable), format!("not installed; {without}"), format!("on Debian: {install}")),
        };
        Check { name, state, message, hint }
    };
    vec![
        check("headless shell", BrowserKind::Shell, "apt install chromium-headless-shell", "Chromium is used instead"),
        check("chromium", BrowserKind::Chromium, "apt install chromium", "--headed does not work without it"),
    ]
}

/// One of the two is enough.
fn missing(usable: bool) -> CheckState {
    if usable { CheckState::Note } else { CheckState::Problem }
}

fn policy(config: &Path) -> Check {
    let name = "configuration";
    match configuration::guards(config) {
        Ok(guards) => {
            let message = format!("{} is valid, policy {}", config.display(), guards.policy.digest());
            Check { name, state: CheckState::Ok, message, hint: String::new() }
        }
        Err(faults) => {
            let messages: Vec<String> =
                faults.iter().map(|fault| format!("{}: {}", fault.file.display(), fault.message)).collect();
            let hint = faults.first().map(|fault| fault.hint).unwrap_or_default().to_owned();
            Check { name, state: CheckState::Problem, message: messages.join("\n"), hint }
        }
    }
}

fn evidence(root: &Path) -> Check {
    let name = "evidence";
    match waymark_evidence::check_writable(root) {
        Ok(()) => {
            let message = format!("{} can be written", root.display());
            Check { name, state: CheckState::Ok, message, hint: String::new() }
        }
        Err(error) => {
            Check { name, state: CheckState::Problem, message: error.to_string(), hint: error.hint().to_owned() }
        }
    }
}
