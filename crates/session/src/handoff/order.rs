//! What an operator may ask of a run that waits, and what is answered.

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use waymark_run::{Code, Resumption};

/// Something an operator asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case", deny_unknown_fields)]
pub enum OperatorAsk {
    /// How it stands.
    Status {},
    /// What a resume would do now, and why. Changes nothing.
    Check {},
    /// Takes control of the paused session; who has it already gets a new lease.
    Claim {},
    /// A new lease for who holds control.
    Extend {},
    /// Lets go of control.
    Release {},
    /// What can be acted on, by its handle.
    Elements {},
    /// Does something in the session.
    Act {
        /// The handle of an element; none for the session as a whole.
        #[serde(default)]
        on: Option<String>,
        /// What.
        act: PersonAct,
    },
    /// The run goes on.
    Resume {
        /// What the operator wants to be kept with it.
        #[serde(default)]
        note: String,
    },
    /// The step that waits for a yes is done, once.
    Approve {
        /// What the yes is bound to, as it was shown.
        digest: String,
        /// What the operator wants to be kept with it.
        #[serde(default)]
        note: String,
    },
    /// The step that waits for a yes is not done; the run ends.
    Refuse {
        /// Why.
        reason: String,
    },
    /// The run ends.
    Abort {
        /// Why.
        reason: String,
    },
}

/// What a person does in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum PersonAct {
    /// Presses an element.
    Click {},
    /// Replaces what a field holds.
    Type {
        /// The text. It is never written down where the field hides it.
        text: String,
    },
    /// Chooses an option by its text.
    Choose {
        /// The text.
        option: String,
    },
    /// Brings a toggle into a state.
    SetChecked {
        /// The state.
        checked: bool,
    },
    /// Presses a key, on an element or where the focus is.
    PressKey {
        /// The key, such as `Enter`.
        key: String,
    },
    /// Answers the open dialog.
    Answer {
        /// Yes or no.
        accept: bool,
        /// The text of a prompt.
        #[serde(default)]
        text: Option<String>,
    },
    /// Closes a window, not the main one.
    CloseWindow {
        /// Its name.
        window: String,
    },
    /// Loads an address in the main window.
    Open {
        /// The address.
        location: String,
    },
}

/// An order of an operator, and where its answer goes.
#[derive(Debug)]
pub struct Order {
    /// Who gives it.
    pub by: String,
    /// The epoch in which they hold control, where they know it; an order of an earlier one is `lease_lost`.
    pub epoch: Option<u64>,
    /// What.
    pub ask: OperatorAsk,
    /// Where its answer goes.
    pub reply: oneshot::Sender<Result<HandoffStanding, OperatorRefused>>,
}

/// How a run stands that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandoffStanding {
    /// The request, as it lies in the run folder.
    pub intervention: serde_json::Value,
    /// Who drives; `None` where nobody does.
    pub driver: Option<String>,
    /// Epoch of the control token.
    pub epoch: u64,
    /// Milliseconds that are left of the lease.
    pub lease_left_ms: Option<u64>,
    /// Milliseconds that the run will still wait.
    pub waits_left_ms: u64,
    /// What a resume would do, or did.
    pub resumption: Option<Box<Resumption>>,
    /// What can be acted on.
    #[serde(default)]
    pub elements: Vec<Element>,
    /// What came of an act: `delivered`, `not_delivered` with the reason, or `unknown`.
    pub delivery: Option<String>,
}

/// Something that can be acted on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Its handle.
    pub on: String,
    /// What a person would call it.
    pub words: String,
    /// What it holds.
    pub holds: Option<String>,
}

/// Why an order was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct OperatorRefused {
    /// Stable code.
    pub code: Code,
    /// In words.
    pub message: String,
    /// Where a resume was asked for: what it would do.
    #[serde(default)]
    pub resumption: Option<Box<Resumption>>,
}

impl OperatorRefused {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        OperatorRefused { code, message: message.into(), resumption: None }
    }
}
