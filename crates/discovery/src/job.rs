//! The job: what the analyst fixed before anything was done.

use std::time::Duration;

use waymark_artifact::{Name, Output};
use waymark_recording::{Values, Wish};

/// A job, complete. Nothing that a model says changes it.
#[derive(Clone, Debug)]
pub struct Job {
    /// What is to be done, in the analyst's words.
    pub goal: String,
    /// The address at which it begins.
    pub start: String,
    /// What must hold at the end; checked, whatever the model says.
    pub success: Vec<Fixed>,
    /// The values that a model may name.
    pub names: Vec<Named>,
    /// The outputs that the analyst asks for.
    pub outputs: Vec<Output>,
    /// This run's values.
    pub values: Values,
    /// The bounds.
    pub limits: Bounds,
}

/// A condition, and the words in which it was fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// As the analyst wrote it.
    pub words: String,
    /// As it is checked.
    pub wish: Wish,
}

/// A value that a model knows by name only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub about: String,
    /// Whether it goes into fields only that hide what they hold.
    pub secret: bool,
    /// Whether it is a credential, resolved at the moment it is typed.
    pub credential: bool,
    /// What fields are called that show what is typed and may hold this secret all the same: a user name's.
    pub fields: Vec<String>,
}

/// The bounds of a discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Turns, refused ones included.
    pub turns: u32,
    /// Calls of models, of both roles together, retries and repairs included.
    pub calls: u32,
    /// Time for everything.
    pub time: Duration,
    /// Time for one question.
    pub call_time: Duration,
    /// Elements that are put to a selector at once.
    pub candidates: usize,
    /// Money, in millionths of a US dollar. Counts only what is priced.
    pub money_micros: Option<u64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            turns: 40,
            calls: 60,
            time: Duration::from_secs(900),
            call_time: Duration::from_secs(60),
            candidates: 40,
            money_micros: None,
        }
    }
}
