//! The document in plain English, for a reviewer who reads no JSON.
//!
//! Every part of a document is said: two documents that are not the same never read the same. What the document says
//! in its own words stands in quotes, with characters that are not seen, or that would move what is, written out. How
//! the lines are laid out, and what is known about the document beside it, is not known here.

mod condition;
mod contract;
mod flow;
mod step;
mod target;
mod value;
mod words;

use serde::Serialize;

use crate::Artifact;
pub use words::visible;

/// A part of the account, with a heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Section {
    /// What it is about.
    pub heading: String,
    /// What is said, in order.
    pub lines: Vec<Line>,
}

/// A sentence, a piece of one, or a point of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// How deep it stands under the line before that it belongs to; 0 is the section's own level.
    pub depth: u8,
    /// What is said. One line, nothing in it that moves a cursor or turns the direction of writing.
    pub text: String,
}

/// Everything that a document says, in plain English. Its digest and the records beside it are not part of it.
#[must_use]
pub fn prose(artifact: &Artifact) -> Vec<Section> {
    vec![
        contract::head(artifact),
        contract::takes(artifact),
        contract::gives(artifact),
        step::risks(artifact),
        step::steps(artifact),
        step::end(artifact),
        flow::outcomes(artifact),
        flow::recoveries(artifact),
        flow::ways(artifact),
        flow::bounds(artifact),
        contract::provenance(artifact),
    ]
}

/// The lines of a section, while they are written.
#[derive(Default)]
struct Lines(Vec<Line>);

impl Lines {
    fn say(&mut self, depth: u8, text: impl Into<String>) {
        self.0.push(Line { depth, text: text.into() });
    }

    fn under(self, heading: &str) -> Section {
        Section { heading: heading.to_owned(), lines: self.0 }
    }
}
