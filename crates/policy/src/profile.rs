//! The facts of one product, by which artifacts are recorded. A profile never changes what a recorded artifact
//! does.

use serde::Deserialize;
use serde::de::Error as _;
use waymark_artifact::{CapabilityId, Condition, DisplayFormat, Name, Recovery, ScreenIdPattern, Type};

use crate::config::{PolicyError, check_version, from_yaml, meaning};

/// One product.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    version: u32,
    /// The application's word.
    pub application: Name,
    /// What people call it.
    pub title: String,
    /// Where a session begins.
    pub entry_point: EntryPoint,
    /// How its screens identify themselves and where, as artifacts write it; `null` where they do not.
    pub screen_id: Option<ScreenIdPattern>,
    /// How it writes values that are typed and shown.
    #[serde(default)]
    pub written: Written,
    /// Where credentials come from.
    #[serde(default)]
    pub credentials: Vec<CredentialBinding>,
    /// The capability that signs on. What is recorded is built on it where it begins with the same steps.
    #[serde(default)]
    pub sign_on: Option<CapabilityId>,
    /// The answers it is known to give.
    #[serde(default)]
    pub outcomes: Vec<ProfileOutcome>,
    /// What may come between at any time, and what is done about it.
    #[serde(default)]
    pub recoveries: Vec<Recovery>,
    /// What stands on the screen when a session has ended; the remedy is to sign on again.
    #[serde(default)]
    pub session_expired: Option<Condition>,
}

/// Where a session begins.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryPoint {
    /// The variable that holds the address of an installation.
    pub variable: Name,
    /// The path behind it, beginning with a slash.
    pub path: String,
    /// The address where nobody says otherwise.
    #[serde(default)]
    pub default: Option<String>,
}

/// How an application writes values of a type, as parameters of that type take it over; left out: in the plain form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// Amounts of money.
    #[serde(default)]
    pub money: Option<DisplayFormat>,
    /// Decimal numbers.
    #[serde(default)]
    pub decimal: Option<DisplayFormat>,
    /// Days.
    #[serde(default)]
    pub date: Option<DisplayFormat>,
}

impl Written {
    /// How a value of this type is written, where that is known.
    #[must_use]
    pub fn of(&self, kind: &Type) -> Option<&DisplayFormat> {
        match kind {
            Type::Money { .. } => self.money.as_ref(),
            Type::Decimal => self.decimal.as_ref(),
            Type::Date => self.date.as_ref(),
            _ => None,
        }
    }

    /// What is said of a type that its values do not have.
    fn unfit(&self) -> Option<&'static str> {
        let told = [
            (&self.money, Type::Money { currency: None }, "an amount has no pattern of a date"),
            (&self.decimal, Type::Decimal, "a decimal number has neither a pattern of a date nor a currency"),
            (&self.date, Type::Date, "a date has a pattern, and nothing else"),
        ];
        let unfit = |format: &Option<DisplayFormat>, kind| format.as_ref().is_some_and(|f| !f.unfit(kind).is_empty());
        if let Some((.., why)) = told.iter().find(|(format, kind, _)| unfit(format, kind)) {
            return Some(why);
        }
        let unsound = self.date.as_ref().is_some_and(|format| !format.is_sound());
        unsound.then_some("the pattern of a date is of `yyyy`, `MM`, `dd` (or `M`, `d`) once each, with separators")
    }
}

/// One credential and its source.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialBinding {
    /// What artifacts call it.
    pub name: Name,
    /// Where its value lies.
    pub source: Source,
    /// What fields are called that show what is typed and may hold it while a capability is recorded: those of a user
    /// name. It goes into no other field that shows what it holds.
    #[serde(default)]
    pub fields: Vec<String>,
}

/// Where the value of a credential lies. The value itself never stands here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An environment variable: `env NAME`.
    Env(String),
    /// A file: `file PATH`.
    File(String),
    /// An item of the system's key store: `keychain ITEM`.
    Keychain(String),
}

/// One answer of the product.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileOutcome {
    /// What a caller branches on.
    pub code: Name,
    /// In words.
    pub description: String,
    /// A text that shows it.
    pub shows: String,
    /// How it is recognised, where the text alone would not do; in the words of artifacts.
    #[serde(default)]
    pub seen: Option<Condition>,
    /// Whether it is about what is not there, so that it is believed of a settled screen only.
    #[serde(default)]
    pub negative: bool,
    /// The application's own code for it.
    #[serde(default)]
    pub application_code: Option<String>,
    /// Whether the application says by it that it failed itself.
    #[serde(default)]
    pub failure: bool,
    /// The screens that give this answer, by their identifiers; every one, if none is named. What was recorded on none of
    /// them does not declare it.
    #[serde(default)]
    pub screens: Vec<String>,
}

impl Profile {
    /// Reads `profiles/NAME.yaml`. `file` is the label that errors carry.
    ///
    /// # Errors
    /// It is not of the expected shape or version, or names something twice.
    pub fn load(file: &str, text: &str) -> Result<Self, PolicyError> {
        // A secret may stand where its source belongs: no error of a profile shows the lines around it.
        let checked = from_yaml(file, text).and_then(|profile: Profile| profile.checked(file, text));
        checked.map_err(|error| error.in_text(text).without_lines())
    }

    fn checked(self, file: &str, text: &str) -> Result<Self, PolicyError> {
        let profile = self;
        check_version(file, text, profile.version)?;
        let path = &profile.entry_point.path;
        if !path.starts_with('/') || path.starts_with("//") || path.contains("..") {
            let hint = "the path behind the address of an installation, such as `/parabank/index.htm`";
            return Err(meaning(file, None, "entry_point", "the path is none", hint));
        }
        if let Some(why) = profile.written.unfit() {
            return Err(meaning(file, None, "written", why, "say of each type what its values have, as artifacts do"));
        }
        let placed = profile.outcomes.iter().find(|outcome| !outcome.screens.is_empty());
        if let Some(outcome) = placed.filter(|_| profile.screen_id.is_none()) {
            let why = "it names screens, and the application's screens do not identify themselves";
            let hint = "say how they do in `screen_id`, or leave `screens` out";
            return Err(meaning(file, None, format!("outcome `{}`", outcome.code), why, hint));
        }
        twice(file, "credential", profile.credentials.iter().map(|c| &c.name))?;
        twice(file, "outcome", profile.outcomes.iter().map(|o| &o.code))?;
        Ok(profile)
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // The text may be a value that somebody wrote where its source belongs: no error repeats it.
        let bad = || D::Error::custom("a source is `env NAME`, `file PATH` or `keychain ITEM`");
        let (kind, rest) = text.split_once(' ').ok_or_else(bad)?;
        let rest = rest.trim();
        let variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        match kind {
            _ if rest.is_empty() => Err(bad()),
            "env" if rest.chars().all(variable) && !rest.starts_with(|c: char| c.is_ascii_digit()) => {
                Ok(Source::Env(rest.to_owned()))
            }
            "file" => Ok(Source::File(rest.to_owned())),
            "keychain" => Ok(Source::Keychain(rest.to_owned())),
            _ => Err(bad()),
        }
    }
}

fn twice<'a>(file: &str, what: &str, names: impl Iterator<Item = &'a Name>) -> Result<(), PolicyError> {
    let mut seen: Vec<&Name> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(meaning(file, None, format!("{what} `{name}`"), "it stands twice", "keep one of them"));
        }
        seen.push(name);
    }
    Ok(())
}
