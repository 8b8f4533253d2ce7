//! Conditions: exact rungs, nothing empty, no value of this run.

use super::Findings;
use super::codes::*;
use super::sites::{Part, Sites, Use};
use crate::{Artifact, Condition, Piece, RungKind, Template};

/// So many digits in one word look like somebody's value.
const DIGITS: usize = 4;

pub(super) fn check(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    exact(sites, findings);
    empty(sites, findings);
    figures(sites, findings);
    screen_ids(artifact, sites, findings);
}

fn exact(sites: &Sites<'_>, findings: &mut Findings) {
    for site in &sites.queries {
        let kind = site.it.find.kind();
        if !matches!(kind, RungKind::RoleName | RungKind::Label | RungKind::Anchor) {
            let message = format!("a check does not find by {}", kind.as_str());
            findings.add(RUNG_NOT_EXACT, format!("{}/find", site.pointer), message);
        }
    }
}

fn empty(sites: &Sites<'_>, findings: &mut Findings) {
    for site in &sites.conditions {
        if let Condition::All { of } | Condition::Any { of } = site.it
            && of.is_empty()
        {
            findings.add(CONDITION_EMPTY, format!("{}/of", site.pointer), "there is nothing in it");
        }
    }
}

fn figures(sites: &Sites<'_>, findings: &mut Findings) {
    for (site, r#use) in &sites.templates {
        if site.part == Part::Proof
            && matches!(r#use, Use::Sought | Use::Value)
            && let Some(word) = figure(site.it)
        {
            let message = format!("`{}` may be a value of one run", crate::suggest::shown(word));
            findings.add(LOOKS_LIKE_A_VALUE, &site.pointer, message);
        }
    }
}

/// The first word with so many digits in the fixed part of a text.
fn figure(template: &Template) -> Option<&str> {
    template.pieces().iter().find_map(|piece| match piece {
        Piece::Text(text) => text.split_whitespace().find(|w| w.chars().filter(char::is_ascii_digit).count() >= DIGITS),
        Piece::Parameter(_) | Piece::Variable(_) => None,
    })
}

fn screen_ids(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    if artifact.application.screen_id.is_some() {
        return;
    }
    for site in &sites.conditions {
        if matches!(site.it, Condition::ScreenId { .. }) {
            findings.add(SCREEN_ID_UNDECLARED, &site.pointer, "nothing says how screens carry their identifier");
        }
    }
}
