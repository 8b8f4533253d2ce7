//! What can be said of a document without opening the application.
//!
//! Each rule is a small function of one area; [`CODES`] lists them all. A document with an error is not replayed.

mod codes;
mod conditions;
mod declarations;
mod flow;
mod logic;
mod outputs;
mod references;
pub(crate) mod sites;
mod steps;
mod targets;
mod values;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::Artifact;
use crate::load::positions;
use codes::Rule;
use sites::Sites;

pub use codes::CODES;
pub use declarations::MOVABLE_CODES;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The document is not replayed.
    Error,
    /// A reviewer should know.
    Warning,
    /// For information.
    Note,
}

impl Severity {
    /// The word as it is written in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// The stable code of a finding.
pub type FindingCode = &'static str;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// Stable code, one of [`CODES`].
    pub code: FindingCode,
    /// JSON pointer to the place; where something is missing, to what lacks it.
    pub pointer: String,
    /// A sentence.
    pub message: String,
    /// The way out.
    pub hint: String,
}

/// Every finding, errors first, then in document order.
#[must_use]
pub fn validate(artifact: &Artifact) -> Vec<Finding> {
    let sites = Sites::of(artifact);
    let mut findings = Findings::default();
    declarations::check(artifact, &sites, &mut findings);
    references::check(artifact, &sites, &mut findings);
    outputs::check(artifact, &mut findings);
    values::check(artifact, &sites, &mut findings);
    steps::check(artifact, &sites, &mut findings);
    targets::check(artifact, &sites, &mut findings);
    conditions::check(artifact, &sites, &mut findings);
    flow::check(artifact, &mut findings);
    in_order(artifact, findings.0)
}

/// The findings so far.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, rule: Rule, pointer: impl Into<String>, message: impl Into<String>) {
        self.0.push(Finding {
            severity: rule.severity,
            code: rule.code,
            pointer: pointer.into(),
            message: message.into(),
            hint: rule.hint.to_owned(),
        });
    }
}

/// Sorted; a place that is not written (a default, or something missing) counts as its nearest written ancestor.
fn in_order(artifact: &Artifact, mut findings: Vec<Finding>) -> Vec<Finding> {
    let ancestors = |pointer: &str| -> Vec<String> {
        let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
        ends.map(|end| pointer[..end].to_owned()).rev().collect()
    };
    let wanted: BTreeSet<String> = findings.iter().flat_map(|f| ancestors(&f.pointer)).collect();
    let text = serde_json::to_string(artifact).unwrap_or_default();
    let found = positions(&text, &wanted);
    let place = |f: &Finding| ancestors(&f.pointer).iter().find_map(|p| found.get(p)).copied().unwrap_or_default();
    findings.sort_by_cached_key(|f| (f.severity, place(f), f.pointer.clone(), f.code));
    findings.dedup();
    findings
}
