//! Reading configuration texts: fails closed, and says where and why.
//!
//! [`from_yaml`] is the only place that knows the YAML library.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_saphyr::{DuplicateKeyPolicy, MergeKeyPolicy, Options, SnippetMode, budget, options, render_options};

/// The version of every configuration file this crate reads.
pub(crate) const VERSION: u32 = 1;

/// Bytes of one configuration text; far more than any real one has.
pub const MAX_BYTES: usize = 256 * 1024;

/// Expressions of one file; each takes memory far beyond its text.
const MAX_EXPRESSIONS: usize = 64;

/// Letters of a message that are shown.
const SHOWN: usize = 400;

/// Every code of a [`PolicyError`], with what it means.
pub const POLICY_CODES: &[(&str, &str)] = &[
    ("too_large", "the text is longer than what is read"),
    ("empty", "the text holds nothing"),
    ("not_yaml", "the text is not YAML, or not the kind of value that belongs at the place"),
    ("too_complex", "the text is nested, repeated or referenced beyond what a configuration needs"),
    ("duplicate_key", "a key stands twice"),
    ("unknown_field", "a field is not one that is read"),
    ("unknown_word", "a word is none of those that are known at the place"),
    ("missing_field", "a field is missing"),
    ("version_unknown", "the text is of another version than the one that is read"),
    ("meaning", "the text reads well but means nothing that could be followed"),
];

/// Where in a text something stands, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a configuration cannot be used. Nothing is allowed without a configuration that can.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// The text is no YAML of the expected shape.
    #[error("{file}{}: {message}\n  hint: {hint}\n{snippet}", at(*.place))]
    Shape {
        /// One of [`POLICY_CODES`].
        code: &'static str,
        /// The file's label.
        file: Box<str>,
        /// Where, if it is known.
        place: Option<Place>,
        /// What is wrong.
        message: Box<str>,
        /// The lines around it.
        snippet: Box<str>,
        /// What to do.
        hint: Box<str>,
    },
    /// The text reads well but means nothing that could be followed.
    #[error("{file}{}: {entry}: {message}\n  hint: {hint}\n{snippet}", at(*.place))]
    Meaning {
        /// One of [`POLICY_CODES`].
        code: &'static str,
        /// The file's label.
        file: Box<str>,
        /// Where, if it is known.
        place: Option<Place>,
        /// The lines around it.
        snippet: Box<str>,
        /// The entry it is about.
        entry: Box<str>,
        /// What is wrong.
        message: Box<str>,
        /// What to do.
        hint: Box<str>,
    },
}

impl PolicyError {
    /// Its stable code, one of [`POLICY_CODES`].
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            PolicyError::Shape { code, .. } | PolicyError::Meaning { code, .. } => code,
        }
    }

    /// The label of the file.
    #[must_use]
    pub fn file(&self) -> &str {
        match self {
            PolicyError::Shape { file, .. } | PolicyError::Meaning { file, .. } => file,
        }
    }

    /// The way out.
    #[must_use]
    pub fn hint(&self) -> &str {
        match self {
            PolicyError::Shape { hint, .. } | PolicyError::Meaning { hint, .. } => hint,
        }
    }

    /// Where it is, if that is known.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self {
            PolicyError::Shape { place, .. } | PolicyError::Meaning { place, .. } => *place,
        }
    }

    /// Without the lines around it, where they may hold what nobody should read.
    pub(crate) fn without_lines(mut self) -> Self {
        match &mut self {
            PolicyError::Shape { snippet, .. } | PolicyError::Meaning { snippet, .. } => *snippet = Box::default(),
        }
        self
    }

    /// With the lines of the text it was found in. What has no place of its own, something missing say, is told of the
    /// field it belongs to.
    pub(crate) fn in_text(mut self, text: &str) -> Self {
        if let PolicyError::Meaning { place, snippet, entry, .. } = &mut self {
            let found = place.or_else(|| line_of(text, entry.split(' ').next().unwrap_or_default()));
            *place = found;
            *snippet = found.map(|place| excerpt(text, place)).unwrap_or_default().into();
        }
        self
    }
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) place: Option<Place>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_saphyr::Spanned::<T>::deserialize(deserializer)?;
        let (line, column) = (spanned.referenced.line(), spanned.referenced.column());
        Ok(Located { value: spanned.value, place: (line > 0).then_some(Place { line, column }) })
    }
}

/// Reads one text. `file` is the label that errors carry. Refuses duplicate and unknown keys, more than one document,
/// merge keys, alias bombs, guessed booleans, empty and oversized texts.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn from_yaml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, PolicyError> {
    if text.len() > MAX_BYTES {
        return Err(shape("too_large", file, "the text is too long", "a configuration has at most 256 KiB"));
    }
    // An empty text would read as null, and null as a default where one exists.
    if text.lines().all(|line| matches!(line.trim(), "" | "---" | "...") || line.trim_start().starts_with('#')) {
        return Err(shape("empty", file, "the text is empty", "start from the file that ships"));
    }
    serde_saphyr::from_str_with_options(text, strict()).map_err(|error| {
        let place = error.location().map(|l| Place { line: l.line(), column: l.column() });
        let formatter = serde_saphyr::DefaultMessageFormatter;
        let message = error.render_with_options(render_options! { formatter: &formatter, snippets: SnippetMode::Off });
        let message = shown(&message);
        let (code, hint) = advice(&message);
        let snippet = place.map(|place| excerpt(text, place)).unwrap_or_default();
        PolicyError::Shape {
            code,
            file: file.into(),
            place,
            message: message.into(),
            snippet: snippet.into(),
            hint: hint.into(),
        }
    })
}

/// Checks the version that stands in a text.
pub(crate) fn check_version(file: &str, text: &str, version: u32) -> Result<(), PolicyError> {
    if version == VERSION {
        return Ok(());
    }
    let place = line_of(text, "version");
    let hint = format!("this program reads version {VERSION}");
    let mut error = meaning(file, place, "version", format!("version {version} is not known"), hint);
    if let PolicyError::Meaning { code, .. } = &mut error {
        *code = "version_unknown";
    }
    Err(error.in_text(text))
}

/// Reads the text of `redaction.yaml`.
///
/// # Errors
/// It is not of the expected shape or version.
pub fn redaction_rules(text: &str) -> Result<waymark_redact::Rules, PolicyError> {
    let file = "redaction.yaml";
    let rules: waymark_redact::Rules = from_yaml(file, text)?;
    check_version(file, text, rules.version)?;
    if rules.custom.len() > MAX_EXPRESSIONS {
        let message = format!("there are {} expressions", rules.custom.len());
        let hint = format!("at most {MAX_EXPRESSIONS} are read; join those that mask the same");
        let mut error = meaning(file, line_of(text, "custom"), "custom", message, hint);
        if let PolicyError::Meaning { code, .. } = &mut error {
            *code = "too_complex";
        }
        return Err(error.in_text(text));
    }
    Ok(rules)
}

/// The first line that begins with a field's name, else the whole text.
fn line_of(text: &str, field: &str) -> Option<Place> {
    let line = (1u64..).zip(text.lines()).find(|(_, line)| line.starts_with(field)).map(|(number, _)| number);
    Some(Place { line: line.unwrap_or(1), column: 1 })
}

pub(crate) fn meaning(
    file: &str,
    place: Option<Place>,
    entry: impl Into<Box<str>>,
    message: impl Into<Box<str>>,
    hint: impl Into<Box<str>>,
) -> PolicyError {
    PolicyError::Meaning {
        code: "meaning",
        file: file.into(),
        place,
        snippet: Box::default(),
        // Both repeat what stands in the text.
        entry: shown(&entry.into()).into(),
        message: shown(&message.into()).into(),
        hint: hint.into(),
    }
}

fn strict() -> Options {
    let mut strict = options! {
        budget: budget! {
            max_events: 40_000,
            max_aliases: 64,
            max_anchors: 32,
            max_recorded_anchor_events: 2_000,
            max_recorded_anchor_bytes: MAX_BYTES,
            max_depth: 12,
            max_documents: 1,
            max_nodes: 20_000,
            max_total_scalar_bytes: MAX_BYTES,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
    };
    strict.alias_limits.max_total_replayed_events = 2_000;
    strict.alias_limits.max_replay_stack_depth = 4;
    strict.alias_limits.max_alias_expansions_per_anchor = 32;
    strict
}

/// What is wrong with a text as a whole.
fn shape(code: &'static str, file: &str, message: &str, hint: &str) -> PolicyError {
    PolicyError::Shape {
        code,
        file: file.into(),
        place: None,
        message: message.into(),
        snippet: Box::default(),
        hint: hint.into(),
    }
}

/// Words that repeat what stands in the text: on one line, and of bounded length.
fn shown(message: &str) -> String {
    let mut out: String = message.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if message.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}

fn at(place: Option<Place>) -> String {
    place.map(|place| format!(" at {place}")).unwrap_or_default()
}

/// The line with one before and one after, and a mark under the column.
fn excerpt(text: &str, place: Place) -> String {
    let first = place.line.saturating_sub(1).max(1);
    let mut out = String::new();
    for (number, line) in (1u64..).zip(text.lines()) {
        if number < first || number > place.line + 1 {
            continue;
        }
        let shown: String = line.chars().take(160).map(|c| if c.is_control() { ' ' } else { c }).collect();
        out.push_str(&format!("{number:>5} | {shown}\n"));
        if number == place.line {
            let blanks = usize::try_from(place.column.saturating_sub(1)).unwrap_or_default().min(160);
            out.push_str(&format!("      | {}^\n", " ".repeat(blanks)));
        }
    }
    out
}

/// The code and the way out, by the parser's words.
fn advice(message: &str) -> (&'static str, &'static str) {
    let message = message.to_lowercase();
    let says = |word: &str| message.contains(word);
    if says("duplicate") {
        ("duplicate_key", "each key may stand once; merge the two entries")
    } else if says("unknown field") {
        ("unknown_field", "only the fields listed in the message are read; a misspelt one would silently do nothing")
    } else if says("unknown variant") || says("did not match any variant") {
        ("unknown_word", "use one of the words listed in the message")
    } else if says("missing field") {
        ("missing_field", "add the field; nothing is assumed where it is left out")
    } else if says("budget") || says("alias") || says("anchor") || says("nesting") || says("merge") {
        ("too_complex", "write the values out; anchors and aliases are for a few repetitions only")
    } else {
        ("not_yaml", "check indentation, quotes and the kind of value at this place")
    }
}
