//! What can be done to an application, and what is known about its delivery afterwards.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use waymark_artifact::OptionRule;
use waymark_redact::Secret;
use waymark_snapshot::{NodeId, WindowKey};

use crate::DriverError;

/// One action, bound to a node of the latest snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Loads a location in a window.
    Open {
        /// The window.
        window: WindowKey,
        /// The full address.
        location: String,
    },
    /// Presses and releases the primary button on a node.
    Click {
        /// The node.
        node: NodeId,
    },
    /// Replaces the content of a field by a text.
    Type {
        /// The field.
        node: NodeId,
        /// The text.
        text: TypedText,
        /// Whole text at once or key by key.
        mode: TypingMode,
    },
    /// Chooses the one option of a choice control whose visible text is `option`.
    Choose {
        /// The control.
        node: NodeId,
        /// The visible text of the option, compared with white space squashed.
        option: TypedText,
        /// How much of the option's text it is.
        rule: OptionRule,
    },
    /// Brings a toggle into a state; pressing only where it is not in it yet.
    SetChecked {
        /// The toggle.
        node: NodeId,
        /// The wanted state.
        checked: bool,
    },
    /// Presses one key, with the focus where it is or on a node.
    PressKey {
        /// Where to put the focus first.
        node: Option<NodeId>,
        /// The key.
        key: Key,
    },
    /// Gives files to a file field or to the chooser that a click on the node opens.
    Upload {
        /// The field or the button that opens a chooser.
        node: NodeId,
        /// Absolute paths; the path policy was asked before.
        files: Vec<PathBuf>,
    },
    /// Scrolls a scrollable node (or the window) down by one page of it.
    Scroll {
        /// The scrollable node; `None` for the window itself.
        node: Option<NodeId>,
    },
    /// Answers the open dialog of a window.
    AnswerDialog {
        /// The window whose dialog is open.
        window: WindowKey,
        /// Accept or dismiss.
        accept: bool,
        /// The text of a prompt.
        text: Option<TypedText>,
    },
    /// Closes a window.
    CloseWindow {
        /// The window.
        window: WindowKey,
    },
}

impl Act {
    /// The node that is acted on, where there is one.
    #[must_use]
    pub fn node(&self) -> Option<&NodeId> {
        match self {
            Act::Click { node }
            | Act::Type { node, .. }
            | Act::Choose { node, .. }
            | Act::SetChecked { node, .. }
            | Act::Upload { node, .. } => Some(node),
            Act::PressKey { node, .. } | Act::Scroll { node } => node.as_ref(),
            Act::Open { .. } | Act::AnswerDialog { .. } | Act::CloseWindow { .. } => None,
        }
    }
}

/// A text that is typed; sensitive ones never show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedText {
    /// May be logged.
    Plain(String),
    /// Must not be.
    Secret(Secret<String>),
}

impl TypedText {
    /// The text itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        match self {
            TypedText::Plain(text) => text,
            TypedText::Secret(secret) => secret.expose(),
        }
    }
}

/// How a text gets into a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypingMode {
    /// The whole text as one input.
    #[default]
    Insert,
    /// One key event after the other, for fields that listen to keys.
    Keys,
}

/// A key, with modifiers, in the notation of the field: `Enter`, `Tab`, `Escape`, `ArrowDown`, `F3`, `Control+s`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(pub String);

/// What is known about an action after it was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// The application got it.
    Delivered {
        /// What the control holds now, where it holds something.
        read_back: Option<ReadBack>,
    },
    /// Proven that nothing of it reached the application.
    NotDelivered(NotDelivered),
    /// Something of it may have reached the application; it must not be repeated blindly.
    Unknown(DriverError),
}

/// Why nothing was delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotDelivered {
    /// The node is no longer part of the application.
    Stale,
    /// The node is there but not visible.
    Hidden,
    /// The node is disabled or, for typing, read-only.
    Disabled,
    /// Something else lies over the node.
    Covered {
        /// What lies there, as a person would call it.
        by: String,
    },
    /// A choice control has no such option.
    OptionAbsent {
        /// What it offers.
        options: Vec<String>,
    },
    /// More than one option has this text.
    OptionAmbiguous {
        /// The text.
        option: String,
    },
    /// The node does not take this kind of action.
    Unsupported {
        /// Why.
        why: String,
    },
    /// A dialog is open and holds everything back.
    DialogOpen,
    /// The driver failed before anything left.
    Failed(DriverError),
}

/// What a control holds after it was typed into, chosen from, or toggled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadBack {
    /// The content, as the control shows it.
    Value(String),
    /// A sensitive content, compared where it lies; it was not read.
    Compared {
        /// Whether it equals what was typed.
        equal: bool,
    },
    /// The state of a toggle.
    Checked(bool),
    /// Names and sizes in bytes of the files a file field holds.
    Files(Vec<(String, u64)>),
}
