//! The course of a capability on untouched pages: which element each step touches, in which document, and what comes of it.
//!
//! It is what changed pages are compared with, so nothing is taken that the stand-in did not see itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::ear::{Document, Ear, Page};
use super::tried::Capability;
use crate::EvalError;
use crate::stage::Stage;
use crate::world::{Sent, World};

/// A capability's course.
#[derive(Debug)]
pub(crate) struct Course {
    pub(crate) capability: Capability,
    pub(crate) values: Map<String, Value>,
    pub(crate) places: Vec<Place>,
    /// Steps that have no place of their own on any page, such as an answer to a dialog.
    pub(crate) without: Vec<String>,
    /// The ways that are touched in each document, in order.
    pub(crate) ways: BTreeMap<Page, Vec<String>>,
    /// How often each path is loaded.
    pub(crate) loads: BTreeMap<String, u32>,
    pub(crate) outputs: Value,
    pub(crate) effect: String,
    pub(crate) booked: usize,
    pub(crate) sent: Vec<Sent>,
    /// Texts that are data: what was read and what was given.
    pub(crate) keep: Vec<String>,
}

/// Where a step happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) step: String,
    pub(crate) page: Page,
    /// The way to its element and how that looks, where it is touched.
    pub(crate) target: Option<(String, String)>,
    /// What is read there, as it stands on the page.
    pub(crate) values: Vec<String>,
    pub(crate) table: bool,
}

/// How long the reports of one step may be on their way.
const COMING: Duration = Duration::from_millis(1_500);
const QUIET: Duration = Duration::from_millis(80);

impl Course {
    /// Runs it once on untouched pages, with the first values with which it does its work.
    pub(crate) fn walk(world: &mut World, stage: &Stage, capability: &Capability) -> Result<Self, EvalError> {
        let mut why = String::new();
        for values in &capability.values {
            match Course::with(world, stage, capability, values)? {
                Ok(course) => return Ok(course),
                Err(ended) => why = ended,
            }
        }
        Err(EvalError::Untouched { capability: capability.name.clone(), why })
    }

    fn with(
        world: &mut World,
        stage: &Stage,
        capability: &Capability,
        values: &Map<String, Value>,
    ) -> Result<Result<Self, String>, EvalError> {
        let ear = Arc::new(Ear::untouched());
        let mut notes = Notes::default();
        let call = capability.call(values, Some(&ear));
        let ran = world.run(stage, &call, &mut |_, line| notes.take(line, &ear))?;
        notes.end(&ear);
        if ran.exit() != 0 {
            return Ok(Err(ran.result.to_string()));
        }
        let documents = ear.documents();
        let ways: BTreeMap<Page, Vec<String>> = documents
            .iter()
            .filter(|document| !document.touched.is_empty())
            .map(|document| (document.page.clone(), document.ways()))
            .collect();
        let mut loads = BTreeMap::new();
        for document in &documents {
            *loads.entry(document.page.0.clone()).or_default() += 1;
        }
        let mut keep: Vec<String> = values.values().filter_map(Value::as_str).map(str::to_owned).collect();
        keep.extend(notes.read);
        Ok(Ok(Course {
            capability: capability.clone(),
            values: values.clone(),
            places: notes.places,
            without: notes.without,
            ways,
            loads,
            outputs: ran.result["outputs"].clone(),
            effect: ran.effect().to_owned(),
            booked: ran.booked,
            sent: ran.sent(),
            keep,
        }))
    }
}

/// What is noted while it runs: the journal says which step it is, the pages what happened to them in that time.
#[derive(Default)]
struct Notes {
    step: Option<(String, String)>,
    /// Reports that belong to earlier steps, for each document.
    seen: Vec<usize>,
    /// What the step has read.
    value: Option<Value>,
    places: Vec<Place>,
    without: Vec<String>,
    read: Vec<String>,
}

impl Notes {
    fn take(&mut self, line: &Map<String, Value>, ear: &Ear) {
        match line.get("event").and_then(Value::as_str) {
            Some("step_started") => {
                self.end(ear);
                let word = |name: &str| line["step"][name].as_str().unwrap_or_default().to_owned();
                self.step = Some((word("id"), word("action")));
            }
            Some("read") => self.value = line.get("value").cloned(),
            Some("step_ended") => self.end(ear),
            _ => {}
        }
    }

    fn end(&mut self, ear: &Ear) {
        let Some((step, action)) = self.step.take() else { return };
        let touches = !matches!(action.as_str(), "open" | "read" | "read_table" | "wait" | "run");
        settle(ear, touches);
        let documents = ear.documents();
        let before = std::mem::replace(&mut self.seen, documents.iter().map(|d| d.touched.len()).collect());
        let table = action == "read_table";
        let place = if let Some(value) = self.value.take() {
            let values = printed(&value);
            self.read.extend(values.iter().cloned());
            let holds = |document: &&Document| {
                let text = document.text.replace(',', "");
                !values.is_empty() && values.iter().all(|value| text.contains(value.as_str()))
            };
            let found = documents.iter().rev().find(holds);
            found.map(|document| Place { step: step.clone(), page: document.page.clone(), target: None, values, table })
        } else if action == "open" {
            // The fullest of the documents that came with it.
            let fresh = documents.iter().skip(before.len()).max_by_key(|document| document.text.len());
            fresh.map(|document| Place {
                step: step.clone(),
                page: document.page.clone(),
                target: None,
                values: Vec::new(),
                table: false,
            })
        } else {
            // A field that is left reports its change while the next element is touched: the last one counts, and of a
            // click the click.
            let fresh = || {
                documents.iter().enumerate().flat_map(|(at, document)| {
                    let late = document.touched.get(before.get(at).copied().unwrap_or_default()..).unwrap_or_default();
                    late.iter().map(move |touched| (document, touched))
                })
            };
            let clicked = fresh().rfind(|(_, touched)| touched.clicked).filter(|_| action == "click");
            let touched = clicked.or_else(|| fresh().last());
            touched.map(|(document, touched)| Place {
                step: step.clone(),
                page: document.page.clone(),
                target: Some((touched.way.clone(), touched.looks.clone())),
                values: Vec::new(),
                table: false,
            })
        };
        match place {
            Some(place) if !self.places.iter().any(|known| known.step == step) => self.places.push(place),
            Some(_) => {}
            None => self.without.push(step),
        }
    }
}

/// Waits until no further report comes; where a touch is expected, for the first one longer.
fn settle(ear: &Ear, touches: bool) {
    let begun = Instant::now();
    let first = ear.events();
    let (mut known, mut since) = (first, Instant::now());
    while begun.elapsed() < COMING {
        std::thread::sleep(Duration::from_millis(5));
        let now = ear.events();
        if now != known {
            (known, since) = (now, Instant::now());
        }
        if since.elapsed() >= QUIET && (!touches || since.elapsed() >= QUIET * 3 || known > first) {
            break;
        }
    }
}

/// Values as the page prints them, without separators of thousands; dates are printed in too many ways and left out.
fn printed(value: &Value) -> Vec<String> {
    match value {
        Value::Object(object) => {
            if let Some(amount) = object.get("amount").and_then(Value::as_str) {
                return vec![amount.trim_start_matches('-').to_owned()];
            }
            if let Some(rows) = object.get("rows").and_then(Value::as_array) {
                return rows
                    .iter()
                    .flat_map(|row| row.as_object().into_iter().flatten())
                    .flat_map(|(_, cell)| printed(cell))
                    .collect();
            }
            Vec::new()
        }
        Value::String(text) if !is_date(text) => vec![text.replace(',', "")],
        Value::Array(values) => values.iter().flat_map(printed).collect(),
        _ => Vec::new(),
    }
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}
