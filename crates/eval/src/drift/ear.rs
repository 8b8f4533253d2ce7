//! The guest in the pages of one run: gives each document its script, and keeps what they report.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use waymark_fixture_apps::Guest;

/// The script, but for what it is ordered to do.
const PAGE: &str = include_str!("page.js");

/// Which document: its path, and the how manieth that was served there in this run, from 1.
pub(crate) type Page = (String, u32);

/// What is to be changed, and where.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) page: Page,
    /// How often that path is loaded on untouched pages: what is loaded more often is loaded again, and is changed too.
    pub(crate) loads: u32,
    pub(crate) change: &'static str,
    pub(crate) seed: u32,
    /// The target by the way to it, and how it looks untouched.
    pub(crate) target: Option<(String, String)>,
    /// Or by what is read there.
    pub(crate) values: Vec<String>,
    pub(crate) table: bool,
    /// Texts that are data.
    pub(crate) keep: Vec<String>,
    /// Whether the page is wanted as text, before and after.
    pub(crate) copies: bool,
}

/// An element that got an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touched {
    /// The way to it on the untouched page; `added` where it was not there.
    pub(crate) way: String,
    pub(crate) looks: String,
    /// Whether it was clicked.
    pub(crate) clicked: bool,
    /// The number of the page's report.
    n: u64,
}

/// One document of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub(crate) page: Page,
    /// All that stood there last, without markup.
    pub(crate) text: String,
    pub(crate) touched: Vec<Touched>,
    /// What was done to it: empty until it was, `None` within where it could not be.
    pub(crate) struck: Option<Option<String>>,
    pub(crate) pristine: String,
    pub(crate) mutated: String,
    /// What went wrong in the change itself.
    pub(crate) fault: Option<String>,
}

impl Document {
    /// The ways of those that were touched, in order; one after the other only once.
    pub(crate) fn ways(&self) -> Vec<String> {
        let mut ways: Vec<String> = self.touched.iter().map(|touched| touched.way.clone()).collect();
        ways.dedup();
        ways
    }
}

#[derive(Debug, Default)]
pub(crate) struct Ear {
    order: Option<Order>,
    /// Whether pages tell what stands on them.
    tells: bool,
    documents: Mutex<Vec<Document>>,
    served: Mutex<BTreeMap<String, u32>>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Report {
    Event {
        way: String,
        looks: String,
        n: u64,
        #[serde(rename = "type")]
        event: String,
    },
    Text {
        text: String,
    },
    Struck {
        note: Option<String>,
        pristine: String,
    },
    Mutated {
        mutated: String,
    },
    Fault {
        text: String,
    },
}

impl Ear {
    /// For a run on untouched pages.
    pub(crate) fn untouched() -> Self {
        Ear { tells: true, ..Ear::default() }
    }

    pub(crate) fn with(order: Order) -> Self {
        Ear { order: Some(order), ..Ear::default() }
    }

    /// All that was served until now.
    pub(crate) fn documents(&self) -> Vec<Document> {
        self.lock().clone()
    }

    /// How many reports of events there are.
    pub(crate) fn events(&self) -> usize {
        self.lock().iter().map(|document| document.touched.len()).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Document>> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guest for Ear {
    fn script(&self, path: &str) -> Option<String> {
        let nth = {
            let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
            let count = served.entry(path.to_owned()).or_default();
            *count += 1;
            *count
        };
        let page = (path.to_owned(), nth);
        let meant = |order: &&Order| order.page == page || (order.page.0 == page.0 && nth > order.loads);
        let order = self.order.as_ref().filter(meant);
        let mut documents = self.lock();
        let doc = documents.len();
        documents.push(Document { page, ..Document::default() });
        let told = order.map_or_else(
            || json!({"doc": doc, "tells": self.tells}),
            |order| {
                let (way, looks) = order.target.clone().unzip();
                json!({
                    "doc": doc, "tells": self.tells, "change": order.change, "seed": order.seed, "way": way, "looks": looks,
                    "values": order.values, "table": order.table, "keep": order.keep, "copies": order.copies,
                })
            },
        );
        // A `<` could end the script's own element.
        Some(PAGE.replace("/* order */", &told.to_string().replace('<', "\\u003c")))
    }

    fn told(&self, report: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(report) else { return };
        let doc = value["doc"].as_u64().and_then(|doc| usize::try_from(doc).ok());
        let mut documents = self.lock();
        let Some(document) = doc.and_then(|doc| documents.get_mut(doc)) else { return };
        match serde_json::from_value(value) {
            Ok(Report::Event { way, looks, n, event }) => {
                // Reports overtake each other on their way.
                let place = document.touched.partition_point(|touched| touched.n < n);
                document.touched.insert(place, Touched { way, looks, clicked: event == "click", n });
            }
            Ok(Report::Text { text }) => document.text = text,
            Ok(Report::Struck { note, pristine }) => {
                document.struck = Some(note);
                document.pristine = pristine;
            }
            Ok(Report::Mutated { mutated }) => document.mutated = mutated,
            Ok(Report::Fault { text }) => document.fault = Some(text),
            Err(error) => document.fault = Some(error.to_string()),
        }
    }
}
