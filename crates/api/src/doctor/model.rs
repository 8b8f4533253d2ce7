//! Whether the configured models can be asked: one tiny question to each.

use std::collections::BTreeMap;
use std::time::Duration;

use waymark_discovery::{Call, CallStatus, Candidate, Choice, Role, Selected, Selector as _};
use waymark_llm::{
    AnswerBy, ConfigError, Form, Options, Pace, Prices, Provider, Settings, answer_by_variable, connect, connect_jev,
    resolve, resolve_selector, try_model,
};

use super::{CheckState, ModelCheck};

/// Which model is asked, as far as the caller says; the rest is in the environment and in `.env`.
#[derive(Clone)]
pub struct ModelAsk {
    pub provider: Option<String>,
    pub model: Option<String>,
    pub base_url: Option<String>,
    /// The environment of the program; only what configures models is looked at.
    pub env: BTreeMap<String, String>,
    /// The text of `.env`, where there is one.
    pub dot_env: Option<String>,
    /// How long an answer may take.
    pub within: Duration,
}

/// Asks the navigator's model, and the selector's where one is configured. Each is asked once: what fails is not tried again,
/// but for what a server does not take and for an answer in the wrong form.
pub async fn try_models(ask: &ModelAsk) -> Vec<ModelCheck> {
    let dot_env = ask.dot_env.as_deref();
    let options = Options {
        provider: ask.provider.clone(),
        model: ask.model.clone(),
        base_url: ask.base_url.clone(),
        answer_by: None,
    };
    let navigator = try_one(Role::Navigator, resolve(&ask.env, dot_env, &options), ask.within).await;
    let mut checks = vec![navigator];
    match resolve_selector(&ask.env, dot_env, &Options::default()) {
        Ok(None) => {}
        Ok(Some(settings)) => checks.push(try_one(Role::Selector, Ok(settings), ask.within).await),
        // What is wrong with the file is told once.
        Err(error) if error.code == "dot_env" && checks[0].code == Some(error.code) => {}
        Err(error) => checks.push(try_one(Role::Selector, Err(error), ask.within).await),
    }
    checks
}

async fn try_one(role: Role, settings: Result<Settings, ConfigError>, within: Duration) -> ModelCheck {
    let mut check = ModelCheck {
        role: match role {
            Role::Navigator => "navigator",
            Role::Selector => "selector",
        },
        state: CheckState::Problem,
        provider: None,
        model: None,
        base_url: None,
        form: None,
        calls: 0,
        latency_ms: 0,
        input_tokens: None,
        output_tokens: None,
        cached_tokens: None,
        code: None,
        message: String::new(),
        hint: String::new(),
        notes: Vec::new(),
    };
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return wrong(check, error),
    };
    check.provider = Some(settings.provider.word().to_owned());
    check.model = Some(settings.model.clone());
    check.base_url = Some(settings.base_url.clone());
    check.notes.clone_from(&settings.notes);
    if settings.provider == Provider::Jev {
        return try_jev(check, &settings, within).await;
    }
    let mut model = match connect(&settings, &Prices::default()) {
        // A pause longer than the deadline: what may pass is told and not waited for.
        Ok(model) => model.paced(Pace { base: within * 4, longest: within * 4, calls: 6, call: within }),
        Err(error) => return wrong(check, error),
    };
    let trial = try_model(&mut model, role, within).await;
    check.calls = u32::try_from(trial.calls.len()).unwrap_or(u32::MAX);
    check.latency_ms = trial.calls.iter().map(|call| call.latency_ms).sum();
    let sum = |part: fn(&Call) -> Option<u64>| trial.calls.iter().filter_map(part).reduce(|a, b| a + b);
    check.input_tokens = sum(|call| call.usage.input);
    check.output_tokens = sum(|call| call.usage.output);
    check.cached_tokens = sum(|call| call.usage.cached);
    check.form = model.form().map(|form| match form {
        Form::ToolCall => "tool_call",
        Form::Text => "text",
    });
    if let Some(problem) = trial.problem {
        (check.code, check.message, check.hint) = (Some(problem.code), problem.message, problem.hint);
        return check;
    }
    let repaired = trial.calls.iter().any(|call| call.status == CallStatus::Misfit);
    let by_text = model.form() == Some(Form::Text) && settings.answer_by == AnswerBy::Tool;
    let (state, message, hint) = if repaired {
        let hint = "each such answer costs a call more: take a stronger model";
        (
            CheckState::Note,
            "it called the tool in the right form only after it was told what was wrong",
            hint.to_owned(),
        )
    } else if by_text {
        let hint = format!(
            "it works, but such models choose badly: take a stronger one, or set {}=schema for a small server of your own",
            answer_by_variable(role)
        );
        (CheckState::Note, "it answered in text instead of calling the tool", hint)
    } else {
        let message = match model.form() {
            Some(Form::Text) => "it answered in the form of the schema",
            _ => "it called the tool in the right form",
        };
        (CheckState::Ok, message, String::new())
    };
    (check.state, check.message, check.hint) = (state, message.to_owned(), hint);
    check
}

/// A service that answers choices alone is asked a choice.
async fn try_jev(mut check: ModelCheck, settings: &Settings, within: Duration) -> ModelCheck {
    let mut selector = match connect_jev(settings, &Prices::default()) {
        Ok(jev) => jev.paced(Pace { base: within * 4, longest: within * 4, calls: 2, call: within }),
        Err(error) => return wrong(check, error),
    };
    let candidates = [(1, "button \"Save\""), (2, "link \"Help\"")];
    let choice = Choice {
        action: "click".to_owned(),
        wanted: "the button that saves".to_owned(),
        reason: "a trial".to_owned(),
        candidates: candidates.map(|(number, words)| Candidate { number, words: words.to_owned() }).to_vec(),
    };
    let Selected { reply, calls } = selector.select(&choice, within).await;
    check.calls = u32::try_from(calls.len()).unwrap_or(u32::MAX);
    check.latency_ms = calls.iter().map(|call| call.latency_ms).sum();
    match reply {
        Err(error) => {
            (check.code, check.message) = (Some(error.code()), error.to_string());
            check.hint = waymark_llm::hint(&error, Role::Selector);
        }
        Ok(chosen) => {
            check.state = if chosen == Some(1) { CheckState::Ok } else { CheckState::Note };
            let right = if chosen == Some(1) { "the right one of two" } else { "another than the right one of two" };
            check.message = format!("it answered a choice with {right}");
        }
    }
    check
}

fn wrong(mut check: ModelCheck, error: ConfigError) -> ModelCheck {
    (check.code, check.message, check.hint) = (Some(error.code), error.message, error.hint);
    check
}
