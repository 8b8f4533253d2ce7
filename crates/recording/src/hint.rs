//! Whether a driver's own way to a thing may stand in a document.

use std::collections::BTreeSet;

use waymark_artifact::{Target, Template};
use waymark_snapshot::{Fold, Ix, UiSnapshot, fold};

use crate::Values;
use crate::ladder::names_row;
use crate::table::is_record;

/// Shorter words say nothing of anybody.
const WORD: usize = 3;

/// Whether a hint may be the last rung of a target. It has to be told from look-alikes by what it is called, must not stand for
/// a place among records, and must say nothing of the record or the caller.
pub(crate) fn may_stand(hint: &str, screen: &UiSnapshot, node: Ix, target: &Target, values: &Values) -> bool {
    let Some(print) = &target.fingerprint else { return false };
    let named = print.name != Template::literal("") || print.caption.is_some();
    let among_records = in_data_row(screen, node) || target.candidates.iter().any(names_row);
    named && !among_records && !tells(hint, screen, values)
}

/// Whether a thing stands in a row of a table whose rows are records: the place of one is another's in the next run.
fn in_data_row(screen: &UiSnapshot, node: Ix) -> bool {
    let around = std::iter::once(node).chain(screen.ancestors(node).map(|(ix, _)| ix));
    around.filter_map(|ix| screen.node(ix).cell).any(|cell| is_record(screen, cell))
}

/// Whether a hint says something of the caller, or a word that a record or a field of the screen holds.
fn tells(hint: &str, screen: &UiSnapshot, values: &Values) -> bool {
    let held = || {
        screen.iter().flat_map(|(ix, n)| {
            let cell = in_data_row(screen, ix).then(|| n.name.clone());
            cell.into_iter().chain(n.value.clone())
        })
    };
    // In an id a value may be part of a longer word.
    let lower = hint.to_lowercase();
    let given = |value: &str| {
        let value = value.to_lowercase();
        let whole = || lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == value);
        if value.chars().count() >= WORD { lower.contains(&value) } else { whole() }
    };
    values.left_in(hint).is_some() || values.all().any(|(_, value)| given(value)) || {
        let said = words(hint);
        held().any(|text| words(&text).intersection(&said).next().is_some())
    }
}

/// The words of a text, and the parts of those that are joined as `customerSmith` is.
fn words(text: &str) -> BTreeSet<String> {
    let mut apart = String::new();
    let mut lower = false;
    for c in text.chars() {
        if lower && c.is_uppercase() {
            apart.push(' ');
        }
        lower = c.is_lowercase();
        apart.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    let whole = text.split(|c: char| !c.is_alphanumeric());
    whole.chain(apart.split(' ')).filter(|w| w.chars().count() >= WORD).map(|w| fold(w, Fold::Folded)).collect()
}

#[cfg(test)]
mod tests;
