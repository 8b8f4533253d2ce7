//! Where a session may go and which actions it may do there.

use serde::Deserialize;

use crate::address::{Address, AddressError, Origin, Pattern};
use crate::config::{Located, PolicyError, check_version, from_yaml, meaning};
use crate::control::ActionWord;

pub(crate) const FILE: &str = "allowlist.yaml";

/// The entries of `allowlist.yaml`, ready for asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allowlist {
    allow: Vec<Allow>,
    deny: Vec<Deny>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Allow {
    name: String,
    application: String,
    origins: Vec<Origin>,
    paths: Vec<Pattern>,
    methods: Vec<String>,
    actions: Vec<ActionWord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Deny {
    name: String,
    application: Option<String>,
    origins: Vec<Origin>,
    paths: Vec<Pattern>,
}

/// What the allowlist says: the entry that decided, or the reason why none allows.
pub(crate) type Answer = Result<String, (String, String)>;

/// What is asked of an address.
pub(crate) enum Ask<'a> {
    Action(ActionWord),
    Document(&'a str),
}

impl Allowlist {
    pub(crate) fn load(text: &str) -> Result<Self, PolicyError> {
        let raw: RawList = from_yaml(FILE, text)?;
        check_version(FILE, text, raw.version)?;
        raw.read().map_err(|error| error.in_text(text))
    }

    /// An address that acting or loading is asked for.
    pub(crate) fn ask(&self, application: &str, location: &str, ask: &Ask<'_>) -> Answer {
        let address = Address::parse(location).map_err(unreadable)?;
        if let Some(rule) = self.denied(application, &address) {
            return Err((rule, format!("`{}` is denied", address.path())));
        }
        let mine: Vec<&Allow> = self.allow.iter().filter(|a| a.application == application).collect();
        if mine.is_empty() {
            return no("application", format!("no entry allows anything for the application `{application}`"));
        }
        let here: Vec<&Allow> = mine.into_iter().filter(|a| a.origins.iter().any(|o| o.matches(&address))).collect();
        if here.is_empty() {
            return no("origin", "no entry allows this scheme, host and port".to_owned());
        }
        let on_path: Vec<&Allow> = here.into_iter().filter(|a| a.paths.iter().any(|p| p.matches(&address))).collect();
        if on_path.is_empty() {
            return no("path", format!("no entry allows the path `{}`", address.path()));
        }
        let grants = |a: &&Allow| match ask {
            Ask::Action(action) => a.actions.contains(action),
            Ask::Document(method) => a.methods.iter().any(|m| m == method),
        };
        match on_path.into_iter().find(grants) {
            Some(entry) => Ok(format!("allow:{}", entry.name)),
            None => match ask {
                Ask::Action(action) => no("action", format!("no entry allows `{action}` on `{}`", address.path())),
                Ask::Document(method) => no("method", format!("no entry allows {method} on `{}`", address.path())),
            },
        }
    }

    /// Acting in a document without an address of its own. Only a document that was allowed itself can have
    /// written it, so what is left to ask is the action.
    pub(crate) fn ask_blank(&self, application: &str, action: ActionWord) -> Answer {
        if self.allow.iter().any(|a| a.application == application && a.actions.contains(&action)) {
            return Ok("blank_document".to_owned());
        }
        no("action", format!("no entry of the application `{application}` allows `{action}`"))
    }

    /// A request other than for a document: only what is denied is stopped.
    pub(crate) fn ask_request(&self, application: &str, location: &str) -> Answer {
        let address = Address::parse(location).map_err(unreadable)?;
        match self.denied(application, &address) {
            Some(rule) => Err((rule, format!("`{}` is denied", address.path()))),
            None => Ok("not_denied".to_owned()),
        }
    }

    /// Globs over addresses that together cover everything denied, and more.
    pub(crate) fn deny_patterns(&self) -> Vec<String> {
        let mut globs: Vec<String> = Vec::new();
        for deny in &self.deny {
            let origins: Vec<String> = if deny.origins.is_empty() {
                vec!["*".to_owned()]
            } else {
                deny.origins.iter().map(Origin::as_glob).collect()
            };
            for origin in &origins {
                for path in &deny.paths {
                    globs.extend(spellings(path).iter().map(|path| path.as_glob(origin)));
                }
            }
        }
        globs.sort();
        globs.dedup();
        globs
    }

    fn denied(&self, application: &str, address: &Address) -> Option<String> {
        let stops = |d: &&Deny| {
            d.application.as_deref().is_none_or(|a| a == application)
                && (d.origins.is_empty() || d.origins.iter().any(|o| o.matches(address)))
                && d.paths.iter().any(|p| p.matches_folded(address))
        };
        self.deny.iter().find(stops).map(|d| format!("deny:{}", d.name))
    }
}

/// Names are what journals show, so they must be there, plain, and mean one entry.
pub(crate) fn check_names<'a>(file: &str, names: impl Iterator<Item = &'a Located<String>>) -> Result<(), PolicyError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let mut taken: Vec<&str> = Vec::new();
    for Located { value: name, place } in names {
        let refuse = |message: &str, hint: &str| Err(meaning(file, *place, format!("entry `{name}`"), message, hint));
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return refuse("the name is no plain word", "use lower case letters, digits, `-` and `_`, up to 64");
        }
        if taken.contains(&name.as_str()) {
            return refuse("the name stands twice", "give each entry its own name");
        }
        taken.push(name);
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawList {
    version: u32,
    allow: Vec<RawAllow>,
    deny: Vec<RawDeny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAllow {
    name: Located<String>,
    application: String,
    origins: Vec<Located<String>>,
    paths: Vec<Located<String>>,
    methods: Vec<Method>,
    actions: Vec<ActionWord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDeny {
    name: Located<String>,
    #[serde(default)]
    application: Option<String>,
    #[serde(default)]
    origins: Option<Vec<Located<String>>>,
    paths: Vec<Located<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
    Head,
}

impl Method {
    fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
            Method::Head => "HEAD",
        }
    }
}

impl RawList {
    fn read(&self) -> Result<Allowlist, PolicyError> {
        check_names(FILE, self.allow.iter().map(|a| &a.name).chain(self.deny.iter().map(|d| &d.name)))?;
        let allow = self.allow.iter().map(RawAllow::read).collect::<Result<_, _>>()?;
        let deny = self.deny.iter().map(RawDeny::read).collect::<Result<_, _>>()?;
        Ok(Allowlist { allow, deny })
    }
}

impl RawAllow {
    fn read(&self) -> Result<Allow, PolicyError> {
        let lists = [self.origins.len(), self.paths.len(), self.methods.len(), self.actions.len()];
        if lists.contains(&0) {
            let hint = "origins, paths, methods and actions each need at least one";
            return Err(empty(&self.name, "a list is empty, so the entry allows nothing", hint));
        }
        Ok(Allow {
            name: self.name.value.clone(),
            application: self.application.clone(),
            origins: origins(&self.name.value, &self.origins)?,
            paths: patterns(FILE, &self.name.value, &self.paths)?,
            methods: self.methods.iter().map(|m| m.as_str().to_owned()).collect(),
            actions: self.actions.clone(),
        })
    }
}

impl RawDeny {
    fn read(&self) -> Result<Deny, PolicyError> {
        // An empty list would deny nothing or everything, depending on who reads it.
        if self.paths.is_empty() || self.origins.as_ref().is_some_and(Vec::is_empty) {
            let hint = "list at least one path; leave `origins` out to deny it everywhere";
            return Err(empty(&self.name, "a list is empty", hint));
        }
        Ok(Deny {
            name: self.name.value.clone(),
            application: self.application.clone(),
            origins: origins(&self.name.value, self.origins.as_deref().unwrap_or_default())?,
            paths: patterns(FILE, &self.name.value, &self.paths)?,
        })
    }
}

pub(crate) fn patterns(file: &str, name: &str, texts: &[Located<String>]) -> Result<Vec<Pattern>, PolicyError> {
    let read = |Located { value, place }: &Located<String>| {
        Pattern::parse(value).map_err(|error| {
            let hint = "`*` stands for any part of one segment, a segment `**` for any number of segments";
            meaning(file, *place, format!("entry `{name}`"), format!("`{value}`: {error}"), hint)
        })
    };
    texts.iter().map(read).collect()
}

fn origins(name: &str, texts: &[Located<String>]) -> Result<Vec<Origin>, PolicyError> {
    let read = |Located { value, place }: &Located<String>| {
        Origin::parse(value).map_err(|error| {
            let hint = "for example `https://core.example`, `http://127.0.0.1:8080` or `http://127.0.0.1:*`";
            meaning(FILE, *place, format!("entry `{name}`"), format!("`{value}`: {error}"), hint)
        })
    };
    texts.iter().map(read).collect()
}

fn empty(name: &Located<String>, message: &str, hint: &str) -> PolicyError {
    meaning(FILE, name.place, format!("entry `{}`", name.value), message, hint)
}

/// The usual ways of writing a path; globs know case, servers often do not.
fn spellings(path: &Pattern) -> Vec<Pattern> {
    let text = path.to_string();
    let mut start = true;
    let capitalised: String = text
        .chars()
        .map(|c| {
            let shown = if start { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
            start = !c.is_ascii_alphanumeric();
            shown
        })
        .collect();
    let texts = [text.to_ascii_lowercase(), text.to_ascii_uppercase(), capitalised, text];
    texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect()
}

fn unreadable(error: AddressError) -> (String, String) {
    ("address".to_owned(), format!("the address is refused: {error}"))
}

fn no(part: &str, message: String) -> Answer {
    Err((format!("allowlist:{part}"), message))
}
