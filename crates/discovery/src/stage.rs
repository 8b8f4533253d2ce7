//! The live session as discovery needs it: somebody else owns browser, gate, secrets, time and evidence.

use std::time::Duration;

use waymark_artifact::Risk;
use waymark_recording::Given;
use waymark_run::Code;
use waymark_surface::{Ask, DriverError, Observation};

use crate::{Call, Written};

/// A live session.
pub trait Stage {
    /// Looks until the screen has come to rest, or for a bounded time.
    fn look(&mut self) -> impl Future<Output = Result<Observation, DriverError>> + Send;

    /// Waits for a change, for a bounded time, and looks.
    fn wait(&mut self) -> impl Future<Output = Result<Observation, DriverError>> + Send;

    /// Asks the gate, writes that down, and acts. A text is put in from where `given` says; who asks never holds a secret.
    fn act(&mut self, ask: Ask, given: Option<Given>) -> impl Future<Output = Acted> + Send;

    /// The rule that forbids to load a document from an address; `None` where it may be.
    fn off_limits(&self, location: &str) -> Option<String>;

    /// Takes a picture of the screen.
    fn picture(&mut self, caption: &str) -> impl Future<Output = ()> + Send;

    /// Is told what happens, to write it down.
    fn tell(&mut self, said: Said);

    /// A text without what must not be seen.
    fn veil(&self, text: &str) -> String;

    /// The time since the beginning.
    fn elapsed(&self) -> Duration;

    /// Resolves when somebody ends the run.
    fn stopped(&mut self) -> impl Future<Output = ()> + Send;

    /// Whether somebody did.
    fn is_stopped(&self) -> bool;

    /// Why nothing can be written down any more, if so: then nothing is done either.
    fn failure(&self) -> Option<(Code, String)>;
}

/// What became of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acted {
    /// The application got it.
    Done {
        /// The risk that the policy found.
        risk: Risk,
        /// The driver's own way to what was acted on, taken directly before; `None` where it has none, or it says what must
        /// not be seen.
        hint: Option<String>,
    },
    /// Policy or control token are against it.
    Refused {
        /// `policy_blocked` or `risk_approval`.
        code: Code,
        /// What decided.
        rule: String,
        /// In words.
        message: String,
    },
    /// Nothing of it left, or the control does not hold what was put in and nothing more came of it.
    NotDelivered {
        /// In words.
        why: String,
    },
    /// Something of it may have left; it must not be done again.
    Unknown {
        /// The risk that the policy found.
        risk: Risk,
        /// In words.
        why: String,
    },
}

/// What is told while a discovery goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A turn begins with this question.
    Asked {
        /// Which turn.
        turn: u32,
        /// The prompt; the instructions are the same in every turn.
        prompt: String,
    },
    /// A call was made.
    Called {
        /// In which turn.
        turn: u32,
        /// The call.
        call: Call,
    },
    /// What the model wrote down.
    Decided {
        /// In which turn.
        turn: u32,
        /// Its answer.
        written: Written,
    },
    /// The selector is asked which element a label means.
    AskedWhich {
        /// In which turn.
        turn: u32,
        /// The label.
        label: String,
        /// The question.
        prompt: String,
    },
    /// Which element a label means.
    Grounded {
        /// In which turn.
        turn: u32,
        /// The label.
        label: String,
        /// Whether the selector says so; otherwise the screen alone decides.
        by_model: bool,
        /// The number that was answered, if any; not yet checked.
        element: Option<i64>,
    },
    /// What came of it, as the model is told.
    Came {
        /// In which turn.
        turn: u32,
        /// Whether it was done.
        done: bool,
        /// In words.
        result: String,
    },
}
