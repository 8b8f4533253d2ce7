//! Which model, where, and with whose key: a pure function over what the shell hands in.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reqwest::Url;
use waymark_discovery::{ByModel, ModelName, Role, Selector};
use waymark_redact::Secret;

use crate::answer::shown;
use crate::anthropic::Anthropic;
use crate::ask::{Pace, Remote, Wire};
use crate::http;
use crate::jev::{Evaluation, Jev};
use crate::openai::OpenAi;
use crate::prices::Prices;

/// The advice that goes with every choice of a model.
pub const ADVICE: &str = "Use the strongest model you have: what it decides once is frozen into the capability. \
Do not use one with tools on the provider's side (search, code execution): only what is on the screen exists.";

/// A provider of models over the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    /// Anthropic's Messages protocol.
    Anthropic,
    /// OpenAI's chat protocol.
    OpenAi,
    /// The same protocol at Groq, or at any compatible address.
    Groq,
    /// Jev, which answers choices: for the selector alone. Unverified against the live service.
    Jev,
}

impl Provider {
    /// All that answer in either role, in the order in which a key decides where nothing else does.
    pub const ALL: [Provider; 3] = [Provider::Anthropic, Provider::OpenAi, Provider::Groq];

    /// Its name in options, variables and ledger.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::Groq => "groq",
            Provider::Jev => "jev",
        }
    }

    /// The model that is taken where none is named.
    #[must_use]
    pub fn default_model(self) -> &'static str {
        match self {
            Provider::Anthropic => "claude-3-5-sonnet-latest",
            Provider::OpenAi => "gpt-4o",
            Provider::Groq => "openai/gpt-oss-120b",
            // None is known: it has to be named.
            Provider::Jev => "",
        }
    }

    /// The variable that holds its key.
    #[must_use]
    pub fn key_variable(self) -> &'static str {
        match self {
            Provider::Anthropic => "ANTHROPIC_API_KEY",
            Provider::OpenAi => "OPENAI_API_KEY",
            Provider::Groq => "GROQ_API_KEY",
            Provider::Jev => "TYPESAFE_API_KEY",
        }
    }

    fn address_variable(self) -> &'static str {
        match self {
            Provider::Anthropic => "ANTHROPIC_BASE_URL",
            Provider::OpenAi => "OPENAI_BASE_URL",
            Provider::Groq => "GROQ_BASE_URL",
            Provider::Jev => "TYPESAFE_BASE_URL",
        }
    }

    fn address(self) -> &'static str {
        match self {
            Provider::Anthropic => "https://api.anthropic.com",
            Provider::OpenAi => "https://api.openai.com/v1",
            Provider::Groq => "https://api.groq.com/openai/v1",
            // None is known: it has to be said.
            Provider::Jev => "",
        }
    }

    fn read(word: &str) -> Option<Self> {
        let mut all = Provider::ALL.into_iter().chain([Provider::Jev]);
        all.find(|provider| provider.word() == word.trim().to_lowercase())
    }
}

/// By what a model of OpenAI's protocol answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerBy {
    /// A call of the tool. A server that refuses tools is asked by schema instead.
    #[default]
    Tool,
    /// A text that has to fit the schema (`response_format`), for servers without tools.
    Schema,
}

/// What was said on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `--provider`.
    pub provider: Option<String>,
    /// `--model`.
    pub model: Option<String>,
    /// `--model-url`.
    pub base_url: Option<String>,
    /// `--answer-by`; also the variable `LLM_ANSWER_BY`.
    pub answer_by: Option<AnswerBy>,
}

/// A model that can be asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The provider.
    pub provider: Provider,
    /// The provider's name of the model.
    pub model: String,
    /// Where it is.
    pub base_url: String,
    /// Its key; none for a server on this machine.
    pub key: Option<Secret<String>>,
    /// By what it answers.
    pub answer_by: AnswerBy,
    /// What a person should know about the choice.
    pub notes: Vec<String>,
}

/// Every code of a [`ConfigError`], with what it means.
pub const CONFIG_CODES: &[(&str, &str)] = &[
    ("dot_env", "a line of the .env file does not read"),
    ("no_provider", "no provider is named, and no key says which"),
    ("provider_unknown", "the provider is none of those that are known"),
    ("navigator_unfit", "the provider answers choices alone, and cannot decide what to do"),
    ("model_missing", "no model is named, and there is none that is taken without"),
    ("address_missing", "no address is said, and there is none that is taken without"),
    ("key_missing", "the key of the provider is not set"),
    ("key_unusable", "the key holds characters that no key has"),
    ("key_elsewhere", "the address and the key come from different places"),
    ("address_unusable", "the address of the provider cannot be used"),
    ("model_has_tools", "the model searches or runs code on the provider's side"),
    ("answer_by_unknown", "a model answers neither by tool nor by schema"),
    ("prices", "the prices do not read"),
    ("client", "no connection can be prepared"),
];

/// Why no model can be asked. No key is in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\n  hint: {hint}")]
pub struct ConfigError {
    /// Stable code, one of [`CONFIG_CODES`].
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hint: String,
}

impl ConfigError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        ConfigError { code, message: message.into(), hint: hint.into() }
    }
}

/// Every variable that is looked at, so that a shell need hand in no other.
#[must_use]
pub fn variables() -> Vec<&'static str> {
    let own = Provider::ALL
        .into_iter()
        .chain([Provider::Jev])
        .flat_map(|provider| [provider.key_variable(), provider.address_variable()]);
    own.chain(["LLM_PROVIDER", "LLM_MODEL", "LLM_BASE_URL", "LLM_ANSWER_BY"])
        .chain(["SELECTOR_PROVIDER", "SELECTOR_MODEL", "SELECTOR_BASE_URL", "SELECTOR_ANSWER_BY", "SELECTOR_API_KEY"])
        .collect()
}

/// By what the two roles are configured, each on its own.
struct Words {
    provider: &'static str,
    model: &'static str,
    address: &'static str,
    answer_by: &'static str,
    /// A key of its own, beside that of the provider.
    key: Option<&'static str>,
    /// Before the options of the command line.
    option: &'static str,
    /// The option of the address.
    url: &'static str,
}

const NAVIGATOR: Words = Words {
    provider: "LLM_PROVIDER",
    model: "LLM_MODEL",
    address: "LLM_BASE_URL",
    answer_by: "LLM_ANSWER_BY",
    key: None,
    option: "--",
    url: "--model-url",
};

const SELECTOR: Words = Words {
    provider: "SELECTOR_PROVIDER",
    model: "SELECTOR_MODEL",
    address: "SELECTOR_BASE_URL",
    answer_by: "SELECTOR_ANSWER_BY",
    key: Some("SELECTOR_API_KEY"),
    option: "--selector-",
    url: "--selector-url",
};

/// The variable that says by what the model of a role answers.
#[must_use]
pub fn answer_by_variable(role: Role) -> &'static str {
    match role {
        Role::Navigator => NAVIGATOR.answer_by,
        Role::Selector => SELECTOR.answer_by,
    }
}

/// The selector's model, chosen like the navigator's ([`resolve`]) by `SELECTOR_PROVIDER`, `SELECTOR_MODEL`,
/// `SELECTOR_BASE_URL`, `SELECTOR_ANSWER_BY` and options of its own; `None` where neither those nor these name one. Its key is
/// `SELECTOR_API_KEY` or that of its provider.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_selector(
    exported: &BTreeMap<String, String>,
    dot_env: Option<&str>,
    options: &Options,
) -> Result<Option<Settings>, ConfigError> {
    let file = dot_env.map(read_dot_env).transpose()?.unwrap_or_default();
    let set =
        |name: &str| [exported, &file].iter().any(|from| from.get(name).is_some_and(|text| !text.trim().is_empty()));
    let said = options.provider.is_some() || options.model.is_some() || options.base_url.is_some();
    if !said && ![SELECTOR.provider, SELECTOR.model, SELECTOR.address].into_iter().any(set) {
        return Ok(None);
    }
    choose(exported, &file, options, &SELECTOR).map(Some)
}

/// Chooses provider, model, address and key from the exported variables, the text of `.env`, and what was said.
///
/// `LLM_PROVIDER` and `LLM_MODEL` stand before the options of the same name, and exported variables before those of
/// `.env`. A variable that is set to nothing is not set.
///
/// # Errors
/// There is no such provider, key or address, or the model is of a kind that is not used.
pub fn resolve(
    exported: &BTreeMap<String, String>,
    dot_env: Option<&str>,
    options: &Options,
) -> Result<Settings, ConfigError> {
    let file = dot_env.map(read_dot_env).transpose()?.unwrap_or_default();
    choose(exported, &file, options, &NAVIGATOR)
}

fn choose(
    exported: &BTreeMap<String, String>,
    file: &BTreeMap<String, String>,
    options: &Options,
    words: &Words,
) -> Result<Settings, ConfigError> {
    let found = |name: &str| {
        let set = |from: &BTreeMap<String, String>| {
            from.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        set(exported)
            .map(|text| Found { text, in_file: false })
            .or_else(|| set(file).map(|text| Found { text, in_file: true }))
    };
    let mut notes = Vec::new();

    let named = found(words.provider).map(|found| found.text);
    let provider = match named.as_ref().or(options.provider.as_ref()) {
        Some(word) => Provider::read(word).ok_or_else(|| unknown(word))?,
        None if options.base_url.is_some() || found(words.address).is_some() => Provider::OpenAi,
        None => {
            let keyed = Provider::ALL.into_iter().find(|provider| found(provider.key_variable()).is_some());
            keyed.ok_or_else(|| no_provider(words))?
        }
    };
    if provider == Provider::Jev && words.key.is_none() {
        let message = "jev answers choices among options: it tells elements apart, and cannot decide what to do next";
        let hint = "say --selector-provider jev, and another --provider for whoever decides";
        return Err(ConfigError::new("navigator_unfit", message, hint));
    }
    let said = options.provider.as_deref().and_then(Provider::read);
    let overruled = named.is_some() && said.is_some_and(|said| said != provider);
    if overruled {
        notes.push(format!("{}={} stands before {}provider", words.provider, provider.word(), words.option));
    }
    let named = found(words.model).map(|found| found.text);
    if let (Some(named), Some(said)) = (&named, &options.model)
        && named != said
    {
        notes.push(format!("{}={} stands before {}model", words.model, shown(named), words.option));
    }
    // A model that was said together with another provider is not this one's.
    let said = options.model.clone().filter(|_| !overruled);
    let model = named.or(said).unwrap_or_else(|| provider.default_model().to_owned());
    if model.is_empty() {
        let hint = format!("say {}model, or set {}", words.option, words.model);
        return Err(ConfigError::new("model_missing", format!("no model of {} is named", provider.word()), hint));
    }
    if let Some(why) = has_tools(&model) {
        let hint = "take a model that only answers; what is not on the screen does not exist for a capability";
        return Err(ConfigError::new("model_has_tools", format!("`{}` {why}", shown(&model)), hint));
    }

    let (its, providers) = (found(words.address), found(provider.address_variable()));
    // What is said of the selector alone stands before what is said of its provider.
    let own = if words.key.is_some() { its.or(providers) } else { providers.or(its) };
    let said = options.base_url.clone().map(|text| Found { text, in_file: false });
    let address = said.or(own);
    let url = address.as_ref().map_or(provider.address(), |found| found.text.as_str());
    if url.is_empty() {
        let hint = format!("say {}, or set {}", words.url, provider.address_variable());
        return Err(ConfigError::new("address_missing", format!("where {} is, is not known", provider.word()), hint));
    }
    let url = usable(url)?;
    let own_key = words.key.filter(|name| found(name).is_some());
    let key_variable = own_key.unwrap_or(provider.key_variable());
    let key = found(key_variable);
    match (&address, &key) {
        (Some(address), Some(key)) if address.in_file && !key.in_file && !is_loopback(&url) => {
            let message = format!(
                "the address stands in .env and {key_variable} is exported: the key would go where a file says"
            );
            let hint = "export the address too, say the address on the command line, or put the key into the same .env";
            return Err(ConfigError::new("key_elsewhere", message, hint));
        }
        (None, None) => return Err(key_missing(provider, words)),
        (Some(_), None) if provider == Provider::Jev && !is_loopback(&url) => {
            return Err(key_missing(provider, words));
        }
        (Some(_), Some(_)) if url.scheme() == "http" && !is_loopback(&url) => {
            notes.push("the address is not encrypted: key and screens travel in plain text".to_owned());
        }
        _ => {}
    }
    if key.as_ref().is_some_and(|key| !key.text.bytes().all(|byte| (0x21..0x7f).contains(&byte))) {
        let hint = "copy it again, without quotes, blanks or line ends";
        return Err(ConfigError::new("key_unusable", format!("{key_variable} holds characters that no key has"), hint));
    }
    if provider == Provider::Jev {
        notes.push("jev is unverified against the live service".to_owned());
    }
    let answer_by = match found(words.answer_by).map(|found| found.text.to_lowercase()).as_deref() {
        None => options.answer_by.unwrap_or_default(),
        Some("tool") => AnswerBy::Tool,
        Some("schema") => AnswerBy::Schema,
        Some(_) => {
            return Err(ConfigError::new(
                "answer_by_unknown",
                format!("{} is another word", words.answer_by),
                "it is tool or schema",
            ));
        }
    };
    let key = key.map(|found| Secret::new(found.text));
    Ok(Settings { provider, model, base_url: url.as_str().trim_end_matches('/').to_owned(), key, answer_by, notes })
}

/// A selector by its settings. Nothing is sent yet.
///
/// # Errors
/// As [`connect`].
pub fn connect_selector(settings: &Settings, prices: &Prices) -> Result<Box<dyn Selector>, ConfigError> {
    Ok(match settings.provider {
        Provider::Jev => Box::new(connect_jev(settings, prices)?),
        Provider::Anthropic | Provider::OpenAi | Provider::Groq => {
            Box::new(ByModel(Box::new(connect(settings, prices)?)))
        }
    })
}

/// Jev by its settings. Nothing is sent yet.
///
/// # Errors
/// As [`connect`].
pub fn connect_jev(settings: &Settings, prices: &Prices) -> Result<Jev, ConfigError> {
    connect(settings, prices).map(Jev)
}

/// A model by its settings. Nothing is sent yet. One of Jev answers no question but through [`connect_selector`].
///
/// # Errors
/// No connection can be prepared on this machine.
pub fn connect(settings: &Settings, prices: &Prices) -> Result<Remote, ConfigError> {
    let loopback = Url::parse(&settings.base_url).is_ok_and(|url| is_loopback(&url));
    let client = http::client(loopback).map_err(|why| {
        ConfigError::new("client", format!("no connection can be prepared: {why}"), "check the system's certificates")
    })?;
    let (url, key, model) = (settings.base_url.as_str(), settings.key.clone(), settings.model.as_str());
    let wire = match settings.provider {
        Provider::Anthropic => Wire::Anthropic(Anthropic::new(client, url, key, model)),
        Provider::OpenAi | Provider::Groq => Wire::OpenAi(OpenAi::new(client, url, key, model, settings.answer_by)),
        Provider::Jev => Wire::Jev(Evaluation::new(client, url, key, model)),
    };
    let name = settings.name();
    let price = prices.find(&name);
    // Over a network a call may be lost, and is broken off to ask again. A server on this machine that takes its time would
    // only begin anew.
    let pace = if loopback { Pace { call: Duration::MAX, ..Pace::default() } } else { Pace::default() };
    Ok(Remote { wire, name, price, pace, form: None })
}

impl Settings {
    /// Provider and model as the ledger names them.
    #[must_use]
    pub fn name(&self) -> ModelName {
        ModelName { provider: self.provider.word().to_owned(), model: self.model.clone(), simulated: false }
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at {}", self.provider.word(), self.model, self.base_url)
    }
}

/// A value and whether it stands in the file.
struct Found {
    text: String,
    in_file: bool,
}

fn read_dot_env(text: &str) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut out = BTreeMap::new();
    for pair in dotenvy::from_read_iter(text.trim_start_matches('\u{feff}').as_bytes()) {
        // The parser's error repeats the line, and with it perhaps a key.
        let (name, value) = pair.map_err(|error| {
            let line = match &error {
                dotenvy::Error::LineParse(bad, _) => text.lines().position(|line| line.trim_end() == bad.trim_end()),
                _ => None,
            };
            let place = line.map_or_else(String::new, |at| format!(" line {}", at + 1));
            ConfigError::new(
                "dot_env",
                format!(".env{place} does not read"),
                "a line is NAME=VALUE; a value with blanks or `#` stands in quotes",
            )
        })?;
        // The first one counts, as where a file is loaded into the environment.
        out.entry(name).or_insert(value);
    }
    Ok(out)
}

/// Why a model is one that does more than answer, by its name.
fn has_tools(model: &str) -> Option<&'static str> {
    let name = model.to_lowercase();
    let has = |part: &str| name.contains(part);
    if has("compound") {
        Some("searches and runs code on the provider's side")
    } else if has("search") || has("sonar") || has("deep-research") {
        Some("searches on the provider's side")
    } else if has("computer-use") {
        Some("drives a computer by itself")
    } else {
        None
    }
}

fn usable(text: &str) -> Result<Url, ConfigError> {
    // The address itself is not repeated: it may carry a secret.
    let bad = |why: &str| {
        let hint = "an http or https address up to the version, such as http://127.0.0.1:8080/v1";
        ConfigError::new("address_unusable", format!("the provider's address {why}"), hint)
    };
    let url = Url::parse(text).map_err(|_| bad("is none"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(bad("is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("carries a user name or password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("has a query or fragment"));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()),
        None => false,
    }
}

fn unknown(word: &str) -> ConfigError {
    let hint =
        "the providers are anthropic, openai and groq, and jev for the selector; scripted takes a file and no network";
    ConfigError::new("provider_unknown", format!("there is no provider `{}`", shown(word)), hint)
}

fn no_provider(words: &Words) -> ConfigError {
    let keys: Vec<&str> = Provider::ALL.into_iter().map(Provider::key_variable).collect();
    let hint = format!(
        "set {} or one of {}, say {} of a server of your own, or take {}provider scripted",
        words.provider,
        keys.join(", "),
        words.url,
        words.option
    );
    ConfigError::new("no_provider", "no provider of models is named, and no key says which", hint)
}

fn key_missing(provider: Provider, words: &Words) -> ConfigError {
    let variable = provider.key_variable();
    let own = words.key.map(|own| format!("{own} or ")).unwrap_or_default();
    let (address, url) = (words.address, words.url);
    let hint = format!(
        "export {own}{variable}, or write it into .env; a server of your own needs {url} (or {address}) and no key"
    );
    ConfigError::new("key_missing", format!("{variable} is not set"), hint)
}

#[cfg(test)]
mod tests;
