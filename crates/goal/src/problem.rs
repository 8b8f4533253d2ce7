//! What is wrong with a goal, and where.

use std::fmt;

/// Every code of a [`GoalError`], with what it means.
pub const GOAL_CODES: &[(&str, &str)] = &[
    ("too_large", "the text is longer than what is read"),
    ("front_matter", "the lines between `---` and `---` are not what belongs there"),
    ("not_json", "the text is not JSON, or JSON that readers disagree about"),
    ("shape", "the document is not as the published schema says"),
    ("schema_unknown", "the document has another schema than the one that is read"),
    ("unknown_section", "a heading is none of those that are read"),
    ("twice", "something that stands once stands twice"),
    ("stray_text", "text stands where nothing is read"),
    ("missing", "something that is needed is missing"),
    ("not_an_id", "a name does not look like one"),
    ("bounds_misfit", "a length or a pattern is said of what has none, or nothing could keep to it"),
    ("pattern_unusable", "a pattern is no regular expression"),
    ("start_unusable", "the start address can be read in more than one way, or is none"),
    ("secret_in_address", "the start address carries what should be secret"),
    ("too_long", "a text is longer than what it is for"),
    ("free_form_success", "a claim of success that no program can check"),
    ("visual_not_yet", "a picture as condition of success"),
    ("empty_condition", "a condition that everything meets"),
    ("data_line", "a line of data does not read as one"),
    ("type_unknown", "a type is none of those that are known, or cannot stand here"),
    ("value_misfit", "a value does not fit its type"),
    ("secret_in_document", "a sensitive value stands in the document"),
    ("source_unknown", "a source of a value is none of those that are known"),
    ("outcome_line", "a line of outcomes does not read as one"),
    ("output_line", "a line of outputs does not read as one"),
    ("unknown_name", "a name that is no data of this goal"),
    ("limit_line", "a line of limits does not read as one"),
    ("limit_out_of_range", "a limit is nothing, or beyond what is sensible"),
    ("value_missing", "the source of a value holds none"),
    ("value_twice", "a value is given by two sources"),
    ("secret_in_words", "a sensitive value stands in the words that a model would see"),
];

/// Every code of a [`GoalWarning`], with what it means.
pub const WARNING_CODES: &[(&str, &str)] = &[
    ("no_condition", "nothing says what success looks like"),
    ("lone_negative", "only what must be absent is said"),
    ("condition_holds_value", "a condition holds a value that another run will not have"),
];

/// Where in a goal something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// A line of a Markdown text, from 1.
    Line {
        /// The label of the text.
        file: Box<str>,
        /// The line.
        line: usize,
    },
    /// A flag, and which one of several, from 1.
    Flag {
        /// With its dashes.
        flag: &'static str,
        /// Which one.
        number: Option<usize>,
    },
    /// A JSON pointer.
    Pointer(Box<str>),
    /// A name of data.
    Data(Box<str>),
    /// The goal as a whole.
    Whole,
}

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Where::Line { file, line } => write!(f, "{file} line {line}: "),
            Where::Flag { flag, number: None } => write!(f, "{flag}: "),
            Where::Flag { flag, number: Some(number) } => write!(f, "{flag} (the {number}.): "),
            Where::Pointer(pointer) => write!(f, "{pointer}: "),
            Where::Data(name) => write!(f, "`{name}`: "),
            Where::Whole => Ok(()),
        }
    }
}

/// One thing that is wrong with a goal. No value of sensitive data is in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{message}\n  hint: {hint}")]
pub struct GoalError {
    /// Stable code, one of [`GOAL_CODES`].
    pub code: &'static str,
    /// Where.
    pub place: Where,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hint: String,
}

/// Everything that is wrong with a goal, in the order of its parts; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalErrors(pub Vec<GoalError>);

impl GoalErrors {
    /// The code of the first one.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.first().map_or("shape", |error| error.code)
    }
}

impl fmt::Display for GoalErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if at > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for GoalErrors {}

/// What is allowed and seldom meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalWarning {
    /// Stable code, one of [`WARNING_CODES`].
    pub code: &'static str,
    /// Where.
    pub place: Where,
    /// A sentence.
    pub message: String,
}

impl fmt::Display for GoalWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.place, self.message)
    }
}

/// A part of a goal; every face knows where its parts stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Title,
    Start,
    Task,
    AllSuccess,
    Success(usize),
    Data(usize),
    Outcome(usize),
    Output(usize),
    Limit(&'static str),
}

/// What is wrong with a part, before a face says where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Wrong {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Wrong { code, message: message.into(), hint: hint.into() }
    }

    pub(crate) fn at(self, place: Where) -> GoalError {
        GoalError { code: self.code, place, message: self.message, hint: self.hint }
    }
}

/// Words that somebody else wrote, as they may stand in a message: one line, of bounded length.
pub(crate) fn shown(text: &str) -> String {
    let mut out: String = text.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(80).is_some() {
        out.push('…');
    }
    out
}
