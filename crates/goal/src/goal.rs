//! A goal that was checked.

use std::collections::BTreeMap;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde::{Serialize, Serializer};
use waymark_artifact::{CapabilityId, Digest, Name, Parameter};

use crate::check::{check, parameter};
use crate::document::{Condition, DataKey, DeclaredOutcome, Document, Limits, WantedOutput};
use crate::problem::{GoalError, GoalErrors, GoalWarning, Part, Where};

/// Words that say nothing about a job.
const EMPTY_WORDS: [&str; 28] = [
    "a", "an", "and", "as", "at", "by", "first", "for", "from", "in", "into", "is", "it", "its", "of", "on", "or",
    "please", "that", "the", "then", "there", "this", "to", "up", "user", "with", "member",
];

/// What the analyst wants, checked. It cannot be changed: conditions are fixed before a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal(pub(crate) Document);

/// A goal, and what is doubtful about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The goal.
    pub goal: Goal,
    /// What is allowed and seldom meant.
    pub warnings: Vec<GoalWarning>,
}

impl Goal {
    /// The capability's name, where the analyst gave one.
    #[must_use]
    pub fn capability(&self) -> Option<&CapabilityId> {
        self.0.capability.as_ref()
    }

    /// The capability's name: as given, else the application's and the first words of the task that say something.
    #[must_use]
    pub fn capability_or_suggested(&self, application: &Name) -> CapabilityId {
        let suggested = || {
            let word = suggested_word(&self.0.task);
            [word.as_str(), "job"].iter().find_map(|word| CapabilityId::new(&format!("{application}.{word}")).ok())
        };
        match self.0.capability.clone().or_else(suggested) {
            Some(id) => id,
            // A name and `job` are an id by the rules of both.
            None => unreachable!("`{application}.job` is an id"),
        }
    }

    /// The title: as given, else the first sentence of the task.
    #[must_use]
    pub fn title(&self) -> String {
        self.0.title.clone().unwrap_or_else(|| {
            let line = self.0.task.lines().next().unwrap_or_default();
            let sentence = line.split_inclusive(['.', '!', '?']).next().unwrap_or(line);
            let sentence = sentence.trim().trim_end_matches('.');
            let cut: String = sentence.chars().take(80).collect();
            if cut.len() < sentence.len() { format!("{}…", cut.trim_end()) } else { cut }
        })
    }

    /// The address at which the job begins.
    #[must_use]
    pub fn start(&self) -> &str {
        &self.0.url
    }

    /// The job in words; several lines.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.0.task
    }

    /// What must hold at the end, all of it.
    #[must_use]
    pub fn conditions(&self) -> &[Condition] {
        &self.0.success
    }

    /// The values that the job needs, by name.
    #[must_use]
    pub fn data(&self) -> &[DataKey] {
        &self.0.data
    }

    /// The answers that the application may give instead.
    #[must_use]
    pub fn outcomes(&self) -> &[DeclaredOutcome] {
        &self.0.outcomes
    }

    /// What the job is to read, where the analyst names it.
    #[must_use]
    pub fn outputs(&self) -> &[WantedOutput] {
        &self.0.outputs
    }

    /// When discovery gives up.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// The data as parameters of the artifact.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        self.0.data.iter().map(parameter).collect()
    }

    /// The same goal at another start address: another installation of the same application.
    ///
    /// # Errors
    /// The address cannot be used.
    pub fn at(&self, url: &str) -> Result<Self, GoalErrors> {
        let document = Document { url: url.to_owned(), ..self.0.clone() };
        finish(document, |_| Where::Flag { flag: "--url", number: None }, Vec::new()).map(|checked| checked.goal)
    }

    /// The same goal with other limits.
    ///
    /// # Errors
    /// A limit is out of range.
    pub fn within(&self, limits: Limits) -> Result<Self, GoalErrors> {
        let document = Document { limits, ..self.0.clone() };
        finish(document, |_| Where::Whole, Vec::new()).map(|checked| checked.goal)
    }

    /// The digest of the whole goal, by which evidence says what was asked for.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_json().as_bytes())
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The JSON Schema (draft 2020-12) of version 1.
#[must_use]
pub fn goal_schema() -> Schema {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Document>();
    schema.insert("$id".into(), "urn:waymark:goal:1".into());
    schema.insert("title".into(), "Waymark goal, version 1".into());
    schema
}

/// Checks a document, with the places of its parts in the face that it came by and what that face found already.
pub(crate) fn finish(
    mut document: Document,
    place: impl Fn(Part) -> Where,
    errors: Vec<GoalError>,
) -> Result<Checked, GoalErrors> {
    // What was not read leaves gaps, and the parts behind a gap would be told at wrong places.
    if !errors.is_empty() {
        return Err(GoalErrors(errors));
    }
    let (wrongs, doubts) = check(&mut document);
    if !wrongs.is_empty() {
        return Err(GoalErrors(wrongs.into_iter().map(|(part, wrong)| wrong.at(place(part))).collect()));
    }
    let warning = |(part, code, message)| GoalWarning { code, place: place(part), message };
    Ok(Checked { goal: Goal(document), warnings: doubts.into_iter().map(warning).collect() })
}

/// The types of data by name.
pub(crate) fn kinds(data: &[DataKey]) -> BTreeMap<Name, waymark_artifact::Type> {
    data.iter().map(|key| (key.name.clone(), key.kind.clone())).collect()
}

fn suggested_word(task: &str) -> String {
    let words = task.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_lowercase);
    let words = words.filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(&word.as_str()));
    let mut out = String::new();
    for word in words.take(5) {
        if out.len() + word.len() >= 48 {
            break;
        }
        if !out.is_empty() {
            out.push('_');
        }
        out.push_str(&word);
    }
    out
}
