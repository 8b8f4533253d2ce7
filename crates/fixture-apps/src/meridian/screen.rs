//! A screen before it has any markup: what stands on it, in which order, and what can be done there.

use super::words::{Slot, Word};
use crate::faults::Place;

/// One screen of the main frame.
#[derive(Debug)]
pub(super) struct Screen {
    /// What it bears at its top: `MI0200`.
    pub(super) id: &'static str,
    /// Where faults find it; none for a message of the host.
    pub(super) place: Option<Place>,
    pub(super) title: Word,
    /// Number and name of the member that is looked at.
    pub(super) member: Option<(String, String)>,
    pub(super) parts: Vec<Part>,
    /// The line at the bottom, with its code.
    pub(super) message: Option<String>,
    /// Markup behind everything else.
    pub(super) tail: String,
}

#[derive(Debug)]
pub(super) enum Part {
    /// Captions and what stands beside them.
    Facts(Vec<(Word, String)>),
    Form(Form),
    Table(Table),
    /// Words and addresses.
    Links(Vec<Link>),
    /// A sentence that is meant to be read.
    Line(&'static str),
    /// Free text of tellers, each under its date and author.
    Notes(Vec<(String, String)>),
}

#[derive(Debug)]
pub(super) struct Form {
    /// What it is called in the markup of the vendor and of the other tenant.
    pub(super) names: (&'static str, &'static str),
    pub(super) action: &'static str,
    pub(super) fields: Vec<Field>,
    pub(super) hidden: Vec<(Slot, String)>,
    pub(super) buttons: Vec<Button>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) caption: Word,
    pub(super) slot: Slot,
    pub(super) kind: FieldKind,
}

#[derive(Debug)]
pub(super) enum FieldKind {
    /// Width in characters, and what is in it.
    Text(u8, String),
    Secret,
    /// Values and what is shown for each, and the chosen value.
    Choice(Vec<(String, String)>, String),
    Area,
}

#[derive(Debug, Clone)]
pub(super) struct Button {
    pub(super) word: Word,
    /// The press is asked about first.
    pub(super) asks: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) word: Word,
    pub(super) to: &'static str,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) title: Word,
    pub(super) columns: Vec<Word>,
    /// As many cells as columns.
    pub(super) rows: Vec<Vec<String>>,
}

impl Screen {
    pub(super) fn new(place: Place, title: Word) -> Self {
        let (member, parts, message, tail) = (None, Vec::new(), None, String::new());
        Self { id: place.name(), place: Some(place), title, member, parts, message, tail }
    }

    /// What the host says of itself.
    pub(super) fn of_host(message: &str) -> Self {
        Self {
            id: "ER0900",
            place: None,
            title: Word::Failure,
            member: None,
            parts: Vec::new(),
            message: Some(message.to_owned()),
            tail: String::new(),
        }
    }

    pub(super) fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    pub(super) fn say(mut self, message: Option<String>) -> Self {
        self.message = message;
        self
    }

    /// What faults change: the buttons of the form, else the links, else the first table.
    pub(super) fn main_control(&mut self) -> Option<&mut Part> {
        let rank = |part: &Part| match part {
            Part::Form(_) => 0,
            Part::Links(_) => 1,
            Part::Table(_) => 2,
            _ => 3,
        };
        self.parts.iter_mut().min_by_key(|part| rank(part)).filter(|part| rank(part) < 3)
    }
}

impl Form {
    pub(super) fn new(names: (&'static str, &'static str), action: &'static str, word: Word) -> Self {
        let buttons = vec![Button { word, asks: false }];
        Self { names, action, fields: Vec::new(), hidden: Vec::new(), buttons }
    }

    pub(super) fn field(mut self, caption: Word, slot: Slot, kind: FieldKind) -> Self {
        self.fields.push(Field { caption, slot, kind });
        self
    }

    pub(super) fn carry(mut self, slot: Slot, value: &str) -> Self {
        self.hidden.push((slot, value.to_owned()));
        self
    }
}
