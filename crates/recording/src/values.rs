//! The values of one run, and the references that take their place.

use std::collections::BTreeMap;

use waymark_artifact::{Bindings, Name, Piece, Template};
use waymark_redact::Secret;

/// Shorter values than this stand for themselves only where they are the whole text.
const TOKEN: usize = 4;

/// What the caller gave for this run, and where the application is.
#[derive(Clone, Debug, Default)]
pub struct Values {
    plain: BTreeMap<Name, String>,
    sensitive: BTreeMap<Name, Secret<String>>,
    credentials: BTreeMap<Name, Secret<String>>,
    variables: BTreeMap<Name, String>,
}

impl Values {
    /// Of nothing.
    #[must_use]
    pub fn new() -> Self {
        Values::default()
    }

    /// Adds the display form of a parameter.
    pub fn parameter(&mut self, name: Name, text: String) {
        self.plain.insert(name, text);
    }

    /// Adds the display form of a parameter that must not be seen.
    pub fn sensitive(&mut self, name: Name, text: Secret<String>) {
        self.sensitive.insert(name, text);
    }

    /// Adds a credential: as a parameter that must not be seen, and referred to as a credential.
    pub fn credential(&mut self, name: Name, text: Secret<String>) {
        self.credentials.insert(name, text);
    }

    /// Whether this name is a credential's and no parameter's.
    #[must_use]
    pub fn is_credential(&self, name: &Name) -> bool {
        self.credentials.contains_key(name) && !self.plain.contains_key(name) && !self.sensitive.contains_key(name)
    }

    /// Adds a variable, such as the address of the installation.
    pub fn variable(&mut self, name: Name, text: String) {
        self.variables.insert(name, text);
    }

    /// The bindings under which references stand for this run's values. Nothing that is looked for is sensitive.
    #[must_use]
    pub fn bindings(&self) -> Bindings {
        Bindings { parameters: self.plain.clone(), variables: self.variables.clone() }
    }

    /// Every value that says something, sensitive ones too.
    fn all(&self) -> impl Iterator<Item = (&Name, &str)> {
        let secrets = self.sensitive.iter().chain(&self.credentials);
        let sensitive = secrets.map(|(name, secret)| (name, secret.expose().as_str()));
        let plain = self.plain.iter().map(|(name, text)| (name, text.as_str()));
        plain.chain(sensitive).filter(|(_, value)| !value.is_empty())
    }

    /// The parameter or credential whose value this is.
    #[must_use]
    pub fn named(&self, text: &str) -> Option<&Name> {
        self.all().find(|(_, value)| *value == text).map(|(name, _)| name)
    }

    /// The text with references in place of values that must differ from run to run; `None` where a sensitive value
    /// stands in it: it must stand in no document.
    #[must_use]
    pub fn reference(&self, text: &str) -> Option<Template> {
        if self.shows_secret(text) {
            return None;
        }
        if let Some((name, _)) = self.plain.iter().find(|(_, value)| !value.is_empty() && value.as_str() == text) {
            return Some(template(vec![Piece::Parameter(name.clone())]));
        }
        let mut pieces = vec![Piece::Text(text.to_owned())];
        // Longer values first: one may stand in another.
        let mut known: Vec<(&String, Piece)> = self
            .plain
            .iter()
            .filter(|(_, value)| value.chars().count() >= TOKEN)
            .map(|(name, value)| (value, Piece::Parameter(name.clone())))
            .chain(self.variables.iter().map(|(name, value)| (value, Piece::Variable(name.clone()))))
            .filter(|(value, _)| !value.is_empty())
            .collect();
        known.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        for (value, piece) in known {
            pieces = pieces.into_iter().flat_map(|part| split(part, value, &piece)).collect();
        }
        Some(template(pieces))
    }

    /// Whether a sensitive value stands in the text.
    #[must_use]
    pub fn shows_secret(&self, text: &str) -> bool {
        let mut secrets = self.sensitive.values().chain(self.credentials.values());
        secrets.any(|secret| stands_in(secret.expose(), text))
    }

    /// The parameter or credential whose value still stands in a text as a whole or as a token.
    #[must_use]
    pub fn left_in(&self, text: &str) -> Option<&Name> {
        self.all().find(|(_, value)| stands_in(value, text)).map(|(name, _)| name)
    }

    /// The text with `{name}` in place of every value: what a model may see of it.
    #[must_use]
    pub fn veiled(&self, text: &str) -> String {
        let mut known: Vec<(&Name, &str)> = self.all().collect();
        if let Some((name, _)) = known.iter().find(|(_, value)| *value == text) {
            return format!("{{{name}}}");
        }
        known.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        let mut out = text.to_owned();
        for (name, value) in known.into_iter().filter(|(_, value)| value.chars().count() >= TOKEN) {
            let mut veiled = String::with_capacity(out.len());
            let mut from = 0;
            for at in places(&out, value) {
                veiled.push_str(&out[from..at]);
                veiled.push_str(&format!("{{{name}}}"));
                from = at + value.len();
            }
            veiled.push_str(&out[from..]);
            out = veiled;
        }
        out
    }
}

/// A piece with a reference wherever the value stands in its text as a token.
fn split(part: Piece, value: &str, reference: &Piece) -> Vec<Piece> {
    let Piece::Text(text) = &part else { return vec![part] };
    let at: Vec<usize> = match reference {
        // An address is the beginning of longer ones.
        Piece::Variable(_) => text.match_indices(value).map(|(at, _)| at).collect(),
        Piece::Text(_) | Piece::Parameter(_) => places(text, value).collect(),
    };
    let mut out = Vec::new();
    let mut from = 0;
    for at in at {
        if at > from {
            out.push(Piece::Text(text[from..at].to_owned()));
        }
        out.push(reference.clone());
        from = at + value.len();
    }
    if from < text.len() {
        out.push(Piece::Text(text[from..].to_owned()));
    }
    out
}

/// Whether a value is the text, or stands in it as a token.
fn stands_in(value: &str, text: &str) -> bool {
    let token = || value.chars().count() >= TOKEN && places(text, value).next().is_some();
    !value.is_empty() && (text == value || token())
}

/// Where the value stands in the text as a whole token: with no letter or digit directly beside it.
fn places<'a>(text: &'a str, value: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(value).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back().is_some_and(char::is_alphanumeric);
        let after = text[at + value.len()..].chars().next().is_some_and(char::is_alphanumeric);
        !before && !after
    })
}

fn template(pieces: Vec<Piece>) -> Template {
    let written: String = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
            Piece::Parameter(name) => format!("{{param.{name}}}"),
            Piece::Variable(name) => format!("{{var.{name}}}"),
        })
        .collect();
    Template::parse(&written).unwrap_or_else(|_| Template::literal(&written))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "names are literals here")]

    use super::*;

    fn values() -> Values {
        let mut values = Values::new();
        values.parameter(Name::new("account_id").unwrap(), "12345".into());
        values.parameter(Name::new("month").unwrap(), "5".into());
        values.sensitive(Name::new("password").unwrap(), Secret::new("demo".into()));
        values.variable(Name::new("base_url").unwrap(), "http://127.0.0.1:8080/parabank".into());
        values
    }

    #[track_caller]
    fn check(text: &str, reference: Option<&str>, veiled: &str) {
        let values = values();
        assert_eq!(values.reference(text).map(|t| t.to_string()).as_deref(), reference, "reference of {text:?}");
        assert_eq!(values.veiled(text), veiled, "veiled {text:?}");
    }

    #[test]
    fn a_value_becomes_a_reference_as_a_whole_and_as_a_token() {
        check("12345", Some("{param.account_id}"), "{account_id}");
        check("Account 12345 (main)", Some("Account {param.account_id} (main)"), "Account {account_id} (main)");
        check("Account 123456", Some("Account 123456"), "Account 123456");
    }

    #[test]
    fn a_short_value_stands_for_itself_only_as_a_whole() {
        check("5", Some("{param.month}"), "{month}");
        check("page 5 of 7", Some("page 5 of 7"), "page 5 of 7");
    }

    #[test]
    fn a_sensitive_value_stands_in_no_reference() {
        check("demo", None, "{password}");
        check("the demo account", None, "the {password} account");
        check("demonstration", Some("demonstration"), "demonstration");
    }

    #[test]
    fn a_credential_is_hidden_like_a_secret_and_known_for_what_it_is() {
        let mut values = values();
        let pin = Name::new("pin").unwrap();
        values.credential(pin.clone(), Secret::new("canary-4711".into()));
        assert_eq!(values.reference("your pin is canary-4711"), None);
        assert_eq!(values.veiled("your pin is canary-4711"), "your pin is {pin}");
        assert_eq!((values.named("canary-4711"), values.left_in("canary-4711")), (Some(&pin), Some(&pin)));
        assert!(values.is_credential(&pin) && !values.is_credential(&Name::new("password").unwrap()));
    }

    #[test]
    fn the_address_of_the_installation_is_a_variable() {
        check(
            "http://127.0.0.1:8080/parabank/activity.htm?id=12345",
            Some("{var.base_url}/activity.htm?id={param.account_id}"),
            "http://127.0.0.1:8080/parabank/activity.htm?id={account_id}",
        );
    }

    #[test]
    fn a_sensitive_value_does_not_print_and_binds_nothing() {
        assert!(!format!("{:?}", values()).contains("demo"));
        assert_eq!(values().bindings().parameters.len(), 2);
    }

    #[test]
    fn braces_of_a_page_stay_braces() {
        check("{x} 12345", Some("{{x}} {param.account_id}"), "{x} {account_id}");
    }
}
