//! Who decides and who tells apart: two roles, configured independently.

use std::path::Path;

use waymark_discovery::{ByModel, Model, Role, Selector};
use waymark_llm::{ConfigError, Options, Prices, Scripted, connect, resolve, resolve_selector};
use waymark_run::Code;

use super::{DiscoverRequest, MAX_BYTES, Provider};
use crate::file;
use crate::problems::Problems;

/// The models of a discovery.
pub(super) struct Models {
    pub(super) navigator: Box<dyn Model>,
    /// `None` where nobody is configured: then what is not told apart goes back to the navigator.
    pub(super) selector: Option<Box<dyn Selector>>,
    /// What a person should know about the choice.
    pub(super) notes: Vec<String>,
}

/// Reads and prepares both. Nothing is asked yet.
pub(super) fn read(request: &DiscoverRequest, problems: &mut Problems) -> Option<Models> {
    let prices = read_prices(&request.config, problems)?;
    let mut notes = Vec::new();
    // The lines of a script that answer for the other role.
    let mut beside = None;
    let navigator: Option<Box<dyn Model>> = match &request.provider {
        Provider::Scripted(path) => script(path, problems).map(|mut script| {
            beside = Some(script.split_off(Role::Selector)).filter(|its| its.left() > 0);
            Box::new(script) as Box<dyn Model>
        }),
        Provider::Network { dot_env, .. } => {
            let settings = resolve(&request.env, dot_env.as_deref(), &options(&request.provider));
            let remote = settings.and_then(|settings| {
                notes.extend(settings.notes.iter().cloned());
                connect(&settings, &prices)
            });
            match remote {
                Ok(remote) => Some(Box::new(remote)),
                Err(error) => told("--provider", error, problems),
            }
        }
    };
    let by_model = |model: Box<dyn Model>| Some(Box::new(ByModel(model)) as Box<dyn Selector>);
    let selector = match &request.selector {
        Provider::Scripted(path) => {
            script(path, problems).and_then(|mut script| by_model(Box::new(script.split_off(Role::Selector))))
        }
        Provider::Network { dot_env, .. } => {
            let said = options(&request.selector);
            let scripted = matches!(request.provider, Provider::Scripted(_));
            // A script stands in for everything that is not said otherwise: it never asks a model unawares.
            if scripted && said == Options::default() {
                beside.and_then(|script| by_model(Box::new(script)))
            } else {
                let settings = resolve_selector(&request.env, dot_env.as_deref(), &said);
                let remote = settings.and_then(|settings| {
                    settings
                        .map(|settings| {
                            notes.extend(settings.notes.iter().cloned());
                            connect(&settings, &prices)
                        })
                        .transpose()
                });
                match remote {
                    Ok(remote) => remote.and_then(|remote| by_model(Box::new(remote))),
                    Err(error) => told("--selector-provider", error, problems),
                }
            }
        }
    };
    Some(Models { navigator: navigator?, selector, notes })
}

/// What models cost; a folder without the file knows no price.
pub(crate) fn read_prices(config: &Path, problems: &mut Problems) -> Option<Prices> {
    let path = config.join("models.yaml");
    let text = match file::bytes(&path, MAX_BYTES) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(Prices::default()),
        Err(error) => {
            let (problem, message, hint) = file::told(&error);
            problems.add(Code::InvalidPolicy, path.display().to_string(), problem, message, hint);
            return None;
        }
    };
    let read = Prices::from_yaml(&text);
    read.map_err(|error| {
        problems.add(Code::InvalidPolicy, path.display().to_string(), "prices", error.to_string(), "correct the file");
    })
    .ok()
}

fn options(provider: &Provider) -> Options {
    match provider {
        Provider::Scripted(_) => Options::default(),
        Provider::Network { provider, model, base_url, .. } => {
            Options { provider: provider.clone(), model: model.clone(), base_url: base_url.clone(), answer_by: None }
        }
    }
}

fn told<T>(place: &str, error: ConfigError, problems: &mut Problems) -> Option<T> {
    problems.add(Code::InvalidInvocation, place, error.code, error.message, error.hint);
    None
}

fn script(path: &Path, problems: &mut Problems) -> Option<Scripted> {
    let label = path.display().to_string();
    let text = match file::bytes(path, MAX_BYTES) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            let (problem, message, hint) = file::told(&error);
            problems.add(Code::InvalidInvocation, label, problem, message, hint);
            return None;
        }
    };
    match Scripted::from_text(&label, &text) {
        Ok(script) => Some(script),
        Err(error) => {
            let place = format!("{}:{}", error.file, error.line);
            problems.add(Code::InvalidInvocation, place, "script", error.message, error.hint);
            None
        }
    }
}
