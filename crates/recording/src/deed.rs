//! What was done, and the screens before and after.

use waymark_artifact::{
    DialogOpens, KeyName, Name, OptionRule, Output, ReadPart, Risk, RowKey, RowLimit, TableColumn, Typing,
};
use waymark_snapshot::{Ix, UiSnapshot};

/// One thing that was done, complete: it was delivered, and the screen came to rest after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    /// What.
    pub did: Did,
    /// The screen on which it was decided.
    pub before: UiSnapshot,
    /// The screen at rest afterwards.
    pub after: UiSnapshot,
    /// The risk that the policy found.
    pub risk: Risk,
    /// What the driver calls the element that was acted on, in its own language; its use is drift.
    pub hint: Option<String>,
    /// The name under which a window was opened by it.
    pub opened: Option<String>,
    /// The dialogs that it opened, as they were answered.
    pub dialogs: Vec<DialogOpens>,
    /// The words of whoever decided it.
    pub why: String,
}

/// What was done. Nodes are those of the screen before.
#[derive(Clone, Debug, PartialEq)]
pub enum Did {
    /// An address was loaded.
    Open {
        /// The address.
        location: String,
    },
    /// A thing was pressed.
    Click {
        /// The thing.
        node: Ix,
    },
    /// A text was put into a field.
    Type {
        /// The field.
        node: Ix,
        /// The text.
        value: Given,
        /// As a whole or key by key.
        typing: Typing,
    },
    /// An option was chosen.
    Choose {
        /// The control.
        node: Ix,
        /// The option.
        value: Given,
        /// How much of the option's text it is.
        rule: OptionRule,
    },
    /// A toggle was brought into a state.
    SetChecked {
        /// The toggle.
        node: Ix,
        /// The state.
        checked: bool,
    },
    /// A key was pressed.
    PressKey {
        /// Where.
        node: Option<Ix>,
        /// Which.
        key: KeyName,
    },
    /// Something was read.
    Read {
        /// From where.
        node: Ix,
        /// What.
        reading: Reading,
    },
}

/// A text that was put in, by where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A parameter's value.
    Parameter(Name),
    /// A credential's.
    Credential(Name),
    /// The same in every run.
    Literal(String),
}

/// What was read, and the output that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// One value.
    One {
        /// The output.
        output: Output,
        /// Which part of the thing.
        part: ReadPart,
        /// The cell by which whoever decided it named the row, where it is a cell of a table.
        row: Option<Ix>,
    },
    /// Rows of a table.
    Rows {
        /// The output.
        output: Output,
        /// Where its columns stand.
        columns: Vec<TableColumn>,
        /// How many rows.
        rows: RowLimit,
        /// Rows that are no data.
        except: Vec<RowKey>,
    },
}

impl Did {
    /// The thing that it was done to.
    #[must_use]
    pub fn node(&self) -> Option<Ix> {
        match self {
            Did::Open { .. } => None,
            Did::Click { node }
            | Did::Type { node, .. }
            | Did::Choose { node, .. }
            | Did::SetChecked { node, .. }
            | Did::Read { node, .. } => Some(*node),
            Did::PressKey { node, .. } => *node,
        }
    }
}

impl Reading {
    /// The output.
    #[must_use]
    pub fn output(&self) -> &Output {
        match self {
            Reading::One { output, .. } | Reading::Rows { output, .. } => output,
        }
    }
}

/// The first press at or after the first deed that is of a kind.
pub(crate) fn pressed_after(deeds: &[Deed], kind: impl Fn(&Deed) -> bool) -> Option<usize> {
    let first = deeds.iter().position(kind)?;
    let pressed = |deed: &Deed| matches!(deed.did, Did::Click { .. } | Did::PressKey { .. });
    deeds[first..].iter().position(pressed).map(|after| first + after)
}
