//! Who decides and who tells apart: two roles, configured independently.

use std::path::Path;
use std::sync::Arc;

use waymark_discovery::{ByModel, Model, Role, Selector};
use waymark_llm::{
    Cassette, ConfigError, Options, Prices, Recording, Scripted, connect, connect_selector, resolve, resolve_selector,
};
use waymark_redact::Redactor;
use waymark_run::Code;

use super::{DiscoverRequest, MAX_BYTES, Provider};
use crate::file;
use crate::problems::Problems;

/// The models of a discovery.
pub(crate) struct Models {
    pub(crate) navigator: Box<dyn Model>,
    /// `None` where nobody is configured: then what is not told apart goes back to the navigator.
    pub(crate) selector: Option<Box<dyn Selector>>,
    /// What a person should know about the choice.
    pub(super) notes: Vec<String>,
}

/// Reads and prepares both. Nothing is asked yet.
pub(crate) fn read(request: &DiscoverRequest, problems: &mut Problems) -> Option<Models> {
    let prices = read_prices(&request.config, problems)?;
    let mut notes = Vec::new();
    // The lines of a script that answer for the other role.
    let mut beside = None;
    let navigator: Option<Box<dyn Model>> = match &request.provider {
        Provider::Scripted(path) => script(path, problems).map(|mut script| {
            beside = Some(script.split_off(Role::Selector)).filter(|its| its.left() > 0).map(by_model);
            Box::new(script) as Box<dyn Model>
        }),
        Provider::Cassette(path) => cassette(path, problems).map(|cassette| {
            let of = cassette.name().model;
            notes.push(format!("played back from {}: what {of} answered when it was recorded", path.display()));
            beside = cassette.selector().map(by_model);
            Box::new(cassette) as Box<dyn Model>
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
    let played = matches!(request.provider, Provider::Cassette(_));
    let selector = match &request.selector {
        other if played && (!matches!(other, Provider::Network { .. }) || options(other) != Options::default()) => {
            let message = "a recording answers in both roles";
            let hint = "leave the options of the selector out, or record it anew with them";
            problems.add(Code::InvalidInvocation, "--selector-provider", "unfit", message, hint);
            None
        }
        Provider::Cassette(_) => {
            let message = "a recording answers for the selector where it answers for the one who decides";
            let hint = "say --provider cassette, and nothing of the selector";
            problems.add(Code::InvalidInvocation, "--selector-provider", "unfit", message, hint);
            None
        }
        Provider::Scripted(path) => script(path, problems).map(|mut script| by_model(script.split_off(Role::Selector))),
        Provider::Network { dot_env, .. } => {
            let said = options(&request.selector);
            let simulated = !matches!(request.provider, Provider::Network { .. });
            // A script stands in for everything that is not said otherwise: it never asks a model unawares.
            if simulated && said == Options::default() {
                beside
            } else {
                let settings = resolve_selector(&request.env, dot_env.as_deref(), &said);
                let remote = settings.and_then(|settings| {
                    settings
                        .map(|settings| {
                            notes.extend(settings.notes.iter().cloned());
                            connect_selector(&settings, &prices)
                        })
                        .transpose()
                });
                match remote {
                    Ok(selector) => selector,
                    Err(error) => told("--selector-provider", error, problems),
                }
            }
        }
    };
    Some(Models { navigator: navigator?, selector, notes })
}

impl Models {
    /// Has every answer of both roles recorded, without what the redactor takes out.
    pub(super) fn recorded(self, redactor: Arc<Redactor>) -> (Self, Recording) {
        let recording = Recording::new(self.navigator.name(), self.selector.as_ref().map(|s| s.name()), redactor);
        let navigator = recording.model(self.navigator);
        let selector = self.selector.map(|selector| recording.selector(selector));
        (Models { navigator, selector, notes: self.notes }, recording)
    }
}

fn by_model(model: impl Model + 'static) -> Box<dyn Selector> {
    Box::new(ByModel(Box::new(model)))
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
        Provider::Scripted(_) | Provider::Cassette(_) => Options::default(),
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
    let (label, text) = read_text(path, problems)?;
    match Scripted::from_text(&label, &text) {
        Ok(script) => Some(script),
        Err(error) => {
            let place = format!("{}:{}", error.file, error.line);
            problems.add(Code::InvalidInvocation, place, "script", error.message, error.hint);
            None
        }
    }
}

fn cassette(path: &Path, problems: &mut Problems) -> Option<Cassette> {
    let (label, text) = read_text(path, problems)?;
    match Cassette::from_text(&label, &text) {
        Ok(cassette) => Some(cassette),
        Err(error) => {
            let place = format!("{}:{}", error.file, error.line);
            let hint = "record it anew; a cassette is not written by hand";
            problems.add(Code::InvalidInvocation, place, "cassette", error.message, hint);
            None
        }
    }
}

/// A file's label and text.
fn read_text(path: &Path, problems: &mut Problems) -> Option<(String, String)> {
    let label = path.display().to_string();
    match file::bytes(path, MAX_BYTES) {
        Ok(bytes) => Some((label, String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) => {
            let (problem, message, hint) = file::told(&error);
            problems.add(Code::InvalidInvocation, label, problem, message, hint);
            None
        }
    }
}
