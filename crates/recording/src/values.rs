//! The values of one run, and the references that take their place.

use std::collections::{BTreeMap, BTreeSet};

use waymark_artifact::{Bindings, Condition, Name, Piece, ScreenIdPattern, Template};
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
    /// Other forms of plain values than the one that the application writes: known, and no reference stands for them.
    others: BTreeMap<Name, Vec<String>>,
    /// Other forms of those that must not be seen.
    hidden: BTreeMap<Name, Vec<Secret<String>>>,
    /// How screens identify themselves.
    screen_id: Option<ScreenIdPattern>,
    /// What the application itself calls things, as seen on its screens.
    captions: BTreeSet<String>,
    /// What held of this run's record and does not of another's.
    data: Vec<Condition>,
}

impl Values {
    /// Of nothing.
    #[must_use]
    pub fn new() -> Self {
        Values::default()
    }

    /// Adds the form of a parameter in which the application writes it.
    pub fn parameter(&mut self, name: Name, text: String) {
        self.plain.insert(name, text);
    }

    /// Adds the form of a parameter that must not be seen.
    pub fn sensitive(&mut self, name: Name, text: Secret<String>) {
        self.sensitive.insert(name, text);
    }

    /// Adds another form of a parameter, in which it may show: it is a value of this run too, and since a replay would look
    /// for the application's own form, nothing refers to it.
    pub fn also(&mut self, name: Name, text: String) {
        self.others.entry(name).or_default().push(text);
    }

    /// Adds another form of a parameter that must not be seen.
    pub fn also_sensitive(&mut self, name: Name, text: Secret<String>) {
        self.hidden.entry(name).or_default().push(text);
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

    /// Adds how screens identify themselves, where they do.
    pub fn screens(&mut self, pattern: Option<ScreenIdPattern>) {
        self.screen_id = pattern;
    }

    /// Adds what the application calls things: by these words a text is known to be the application's own and no record's.
    /// `data` is what a replay with other values showed to be this record's alone.
    #[must_use]
    pub(crate) fn seen_with(mut self, captions: BTreeSet<String>, data: &[Condition]) -> Self {
        (self.captions, self.data) = (captions, data.to_vec());
        self
    }

    /// Whether this is known to hold of this run's record alone.
    pub(crate) fn is_data(&self, condition: &Condition) -> bool {
        self.data.contains(condition)
    }

    /// How screens identify themselves, where it is known.
    pub(crate) fn screen_id(&self) -> Option<&ScreenIdPattern> {
        self.screen_id.as_ref()
    }

    /// Whether the application calls something by this text: a caption as such, or what its other screens call a field, a
    /// column or a control.
    pub(crate) fn is_caption(&self, text: &str) -> bool {
        let text = text.trim();
        text.ends_with(':') && text.chars().any(char::is_alphabetic) || self.captions.contains(called(text))
    }

    /// The bindings under which references stand for this run's values. Nothing that is looked for is sensitive.
    #[must_use]
    pub fn bindings(&self) -> Bindings {
        Bindings { parameters: self.plain.clone(), variables: self.variables.clone() }
    }

    /// Every value that says something, sensitive ones too.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Name, &str)> {
        let secrets = self.sensitive.iter().chain(&self.credentials);
        let sensitive = secrets.map(|(name, secret)| (name, secret.expose().as_str()));
        let plain = self.plain.iter().map(|(name, text)| (name, text.as_str()));
        let others = self.others.iter().flat_map(|(name, texts)| texts.iter().map(move |text| (name, text.as_str())));
        let hidden =
            self.hidden.iter().flat_map(|(name, texts)| texts.iter().map(move |t| (name, t.expose().as_str())));
        plain.chain(sensitive).chain(others).chain(hidden).filter(|(_, value)| !value.is_empty())
    }

    /// The parameter or credential whose value this is.
    #[must_use]
    pub fn named(&self, text: &str) -> Option<&Name> {
        self.all().find(|(_, value)| *value == text).map(|(name, _)| name)
    }

    /// The text with references in place of values that must differ from run to run; `None` where it must stand in no
    /// document: a sensitive value stands in it, or a longer word of which a value is only a part, which is data of this
    /// run (`12345-30` is no value `12345` with something behind it).
    #[must_use]
    pub fn reference(&self, text: &str) -> Option<Template> {
        if self.shows_secret(text) {
            return None;
        }
        if let Some((name, _)) = self.plain.iter().find(|(_, value)| !value.is_empty() && value.as_str() == text) {
            return Some(template(vec![Piece::Parameter(name.clone())]));
        }
        if self.others.values().flatten().any(|other| stands_in(other, text)) {
            return None;
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
            if matches!(piece, Piece::Parameter(_)) && pieces.iter().any(|part| is_part_of_longer(part, value)) {
                return None;
            }
            pieces = pieces.into_iter().flat_map(|part| split(part, value, &piece)).collect();
        }
        Some(template(pieces))
    }

    /// Whether a sensitive value stands in the text.
    #[must_use]
    pub fn shows_secret(&self, text: &str) -> bool {
        let hidden = self.hidden.values().flatten();
        let mut secrets = self.sensitive.values().chain(self.credentials.values()).chain(hidden);
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

/// What a caption calls the thing, without the signs behind it.
pub(crate) fn called(caption: &str) -> &str {
    caption.trim_end_matches([':', '*', ' '])
}

/// Whether the value stands in a text as part of a longer word or number, joined to more of it.
fn is_part_of_longer(part: &Piece, value: &str) -> bool {
    let Piece::Text(text) = part else { return false };
    // In an address these signs part what they join in a number.
    let address = text.contains("://") || text.starts_with('/') || text.contains(['?', '&']);
    let joins = |sign: char, next: Option<char>| match sign {
        '-' | '_' | '\u{2010}'..='\u{2013}' => next.is_some_and(char::is_alphanumeric),
        '/' => !address && next.is_some_and(char::is_alphanumeric),
        '.' | ',' | '\'' | '\u{2019}' => next.is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    };
    places(text, value).any(|at| {
        let (mut before, mut after) = (text[..at].chars().rev(), text[at + value.len()..].chars());
        before.next().is_some_and(|sign| joins(sign, before.next()))
            || after.next().is_some_and(|sign| joins(sign, after.next()))
    })
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
    fn a_value_within_a_longer_number_or_word_is_data_and_no_reference() {
        for text in ["12345-30", "12345-30 HOLIDAY CLUB", "FROM A-12345", "1,12345", "12345.00", "12345/7", "12345_x"] {
            assert_eq!(values().reference(text).map(|t| t.to_string()), None, "{text:?}");
        }
        check("-12345", Some("-{param.account_id}"), "-{account_id}");
        check(
            "Account 12345, main - 12345.",
            Some("Account {param.account_id}, main - {param.account_id}."),
            "Account {account_id}, main - {account_id}.",
        );
        check("/accounts/12345/edit", Some("/accounts/{param.account_id}/edit"), "/accounts/{account_id}/edit");
    }

    #[test]
    fn a_value_that_is_the_whole_text_wins_over_one_that_is_a_part() {
        let mut values = values();
        values.parameter(Name::new("to_share").unwrap(), "12345-30".into());
        values.parameter(Name::new("from_share").unwrap(), "12345-00 SAVINGS".into());
        for (text, reference) in [
            ("12345-30", Some("{param.to_share}")),
            ("12345-00 SAVINGS", Some("{param.from_share}")),
            ("TO 12345-30 FOR 12345", Some("TO {param.to_share} FOR {param.account_id}")),
            ("12345-40", None),
            ("12345-00", None),
            ("TO 12345-30-1", None),
        ] {
            assert_eq!(values.reference(text).map(|t| t.to_string()).as_deref(), reference, "{text:?}");
        }
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
    fn an_amount_is_referred_to_as_the_application_writes_it_and_is_known_in_any_form() {
        let mut values = values();
        let amount = Name::new("amount").unwrap();
        values.parameter(amount.clone(), "1,000.00".into());
        values.also(amount.clone(), "1000.00".into());
        for (text, reference) in [
            ("1,000.00", Some("{param.amount}")),
            ("TRANSFERRED 1,000.00 TO 12345.", Some("TRANSFERRED {param.amount} TO {param.account_id}.")),
            ("$1,000.00", Some("${param.amount}")),
            // A replay would look for the other form.
            ("1000.00", None),
            ("amount=1000.00", None),
            ("-1000.00-", None),
            ("11,000.00", Some("11,000.00")),
            ("1,000.005", Some("1,000.005")),
            ("21000.00", Some("21000.00")),
        ] {
            assert_eq!(values.reference(text).map(|t| t.to_string()).as_deref(), reference, "{text:?}");
        }
        assert_eq!(values.veiled("1000.00 or 1,000.00"), "{amount} or {amount}");
        assert_eq!(values.left_in("amount=1000.00"), Some(&amount));
        let pin = Name::new("limit").unwrap();
        values.sensitive(pin.clone(), Secret::new("7,777.00".into()));
        values.also_sensitive(pin, Secret::new("7777.00".into()));
        assert!(values.shows_secret("7777.00") && values.shows_secret("7,777.00"));
        assert_eq!(values.reference("7777.00"), None);
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
