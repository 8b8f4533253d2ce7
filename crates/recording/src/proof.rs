//! Checkpoints: what a deed brought to the screen that was not there before.

use std::collections::BTreeSet;

use waymark_artifact::{Checkpoint, Condition, ElementQuery, FrameRef, Place, Rung, Template, TextMatch, TextRule};
use waymark_perception::{Facts, holds, label_of};
use waymark_snapshot::{Role, RoleClass, Scope, ScopeId, UiSnapshot, WindowKey, squash};

use crate::{Deed, Values};

/// Texts longer than this change with every wording.
const LINE: usize = 90;

/// Something that was not so before and is so now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The condition.
    pub condition: Condition,
    /// In words.
    pub words: String,
    /// How much it says: smaller is more.
    weight: u32,
}

/// What a deed brought, best first. Nothing in it held before, nothing in it is a value of this run.
#[must_use]
pub fn appeared(before: &UiSnapshot, after: &UiSnapshot, values: &Values) -> Vec<Proof> {
    let mut found = proposals(after, values);
    found.retain(|proof| is_so(&proof.condition, after, values) && !is_so(&proof.condition, before, values));
    found
}

/// What a screen shows that others hardly do, best first: for the first screen, before which there was none.
#[must_use]
pub fn shows(screen: &UiSnapshot, values: &Values) -> Vec<Proof> {
    let mut found = proposals(screen, values);
    found.retain(|proof| is_so(&proof.condition, screen, values));
    found
}

/// The checkpoint of the best two proofs of different kinds; `None` where nothing appeared.
pub(crate) fn checkpoint(proofs: &[Proof]) -> Option<Checkpoint> {
    let first = proofs.first()?;
    let second = proofs.iter().find(|proof| proof.weight / 10 != first.weight / 10 && proof.weight < 60);
    let of: Vec<&Proof> = std::iter::once(first).chain(second).collect();
    let words = of.iter().map(|p| p.words.as_str()).collect::<Vec<_>>().join(", and ");
    let mut parts: Vec<Condition> = of.iter().map(|p| p.condition.clone()).collect();
    let condition = if parts.len() == 1 { parts.remove(0) } else { Condition::All { of: parts } };
    Some(Checkpoint { description: format!("{}.", capital(&words)), condition, read_back: false })
}

pub(crate) fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Whether a condition holds of a screen alone.
#[must_use]
pub fn is_so(condition: &Condition, screen: &UiSnapshot, values: &Values) -> bool {
    let windows: Vec<String> = screen
        .scopes()
        .iter()
        .filter(|s| s.path.is_empty() && s.window != WindowKey::main())
        .map(|s| s.window.0.clone())
        .collect();
    let outputs = BTreeSet::new();
    let facts = Facts { dialog: None, windows: &windows, outputs: &outputs, screen_id: None };
    holds(condition, screen, &facts, &values.bindings()).is_ok_and(|verdict| verdict.holds)
}

/// A window and the frames down from it as documents name them; `None` where nothing tells them apart.
pub(crate) fn place_of(screen: &UiSnapshot, scope: ScopeId, values: &Values) -> Option<Place> {
    let mut at = screen.scope(scope);
    let window = if at.window == WindowKey::main() { None } else { Some(values.reference(&at.window.0)?) };
    let mut frame = Vec::new();
    while let Some(parent) = at.parent {
        let here = at.path.last()?;
        let alone = |test: &dyn Fn(&Scope) -> bool| screen.frames(parent).filter(|(_, s)| test(s)).count() == 1;
        let by_name = |s: &Scope| s.path.last().is_some_and(|f| f.name == here.name);
        let by_title = |s: &Scope| s.path.last().is_some_and(|f| f.title == here.title);
        frame.push(if !here.name.is_empty() && alone(&by_name) {
            FrameRef { name: Some(values.reference(&here.name)?), ..FrameRef::default() }
        } else if !here.title.is_empty() && alone(&by_title) {
            FrameRef { title: Some(values.reference(&here.title)?), ..FrameRef::default() }
        } else if alone(&|_| true) {
            let location = at.location.split(['?', '#']).next().unwrap_or_default();
            FrameRef { location: Some(values.reference(location)?), ..FrameRef::default() }
        } else {
            return None;
        });
        at = screen.scope(parent);
    }
    frame.reverse();
    Some(Place { window, frame })
}

/// Every window and frame that was seen, as documents name them, in the order in which they were; those that nothing tells
/// apart are left out.
#[must_use]
pub fn places(deeds: &[Deed], values: &Values) -> Vec<Place> {
    let mut found = vec![Place::default()];
    for screen in deeds.iter().flat_map(|deed| [&deed.before, &deed.after]) {
        for at in (0u32..).map(ScopeId).take(screen.scopes().len()) {
            if let Some(place) = place_of(screen, at, values).filter(|place| !found.contains(place)) {
                found.push(place);
            }
        }
    }
    found
}

fn proposals(screen: &UiSnapshot, values: &Values) -> Vec<Proof> {
    let mut out = Vec::new();
    for (at, scope) in (0u32..).map(ScopeId).zip(screen.scopes()).filter(|(_, s)| s.readable) {
        let Some(place) = place_of(screen, at, values) else { continue };
        let within = if place.frame.is_empty() { String::new() } else { " in its frame".to_owned() };
        for (ix, node) in screen.nodes_in(at) {
            let name = squash(&node.name);
            let element = |find: Rung| Condition::ElementPresent {
                element: ElementQuery { place: place.clone(), find, within: Vec::new() },
            };
            let by_name = |name: &Template| Rung::RoleName { role: node.role.clone(), name: name.clone() };
            match node.role {
                Role::Heading => {
                    let Some(name) = steady(&name, values) else { continue };
                    let titled = scope.title.contains(&squash(&node.name));
                    let level = node.detail.level.unwrap_or(6).min(6);
                    let words = format!("the heading \"{}\" is there{within}", values.veiled(&squash(&node.name)));
                    out.push(Proof {
                        condition: element(by_name(&name)),
                        words,
                        weight: if titled { 0 } else { level.min(9) },
                    });
                }
                Role::ColumnHeader => {
                    let Some(name) = steady(&name, values) else { continue };
                    let words = format!("the column \"{}\" is there{within}", values.veiled(&squash(&node.name)));
                    out.push(Proof { condition: element(by_name(&name)), words, weight: 20 });
                }
                Role::Button | Role::Link | Role::Tab | Role::MenuItem => {
                    let Some(name) = steady(&name, values) else { continue };
                    let words =
                        format!("the {} \"{}\" is there{within}", node.role, values.veiled(&squash(&node.name)));
                    let weight = if node.role == Role::Button { 30 } else { 34 };
                    out.push(Proof { condition: element(by_name(&name)), words, weight });
                }
                _ if node.role.class() == RoleClass::TextEntry || node.role.class() == RoleClass::Choice => {
                    let Some(label) = label_of(screen, ix) else { continue };
                    let label = label.trim_end_matches([':', '*', ' ']).to_owned();
                    let Some(said) = steady(&label, values) else { continue };
                    let find = Rung::Label { role: node.role.clone(), label: said };
                    let words = format!("the field \"{}\" is there{within}", values.veiled(&label));
                    out.push(Proof { condition: element(find), words, weight: 31 });
                }
                _ => {}
            }
        }
        out.extend(values_beside_captions(screen, at, &place, values));
        for (_, line) in screen.lines(at) {
            let Some(text) = steady(&line, values) else { continue };
            let with_value = text.parameters().next().is_some();
            let words = format!("it says \"{}\"{within}", values.veiled(&line));
            let text = TextMatch { text, rule: TextRule::Equals };
            let condition = Condition::TextPresent { place: place.clone(), text };
            // What repeats the caller's own values says more than any heading.
            out.push(Proof { condition, words, weight: if with_value { 10 } else { 50 } });
        }
        if let Some(title) = steady(&squash(&scope.title), values) {
            let words = format!("the title is \"{}\"{within}", values.veiled(&squash(&scope.title)));
            let text = TextMatch { text: title, rule: TextRule::Equals };
            out.push(Proof { condition: Condition::TitleMatches { place: place.clone(), text }, words, weight: 40 });
        }
        let address = scope.location.split(['?', '#', ';']).next().unwrap_or_default();
        if let Some(pattern) = steady_address(address, values) {
            let condition = Condition::LocationMatches { place: place.clone(), pattern };
            out.push(Proof { condition, words: format!("its address is reached{within}"), weight: 60 });
        }
        if place.frame.is_empty()
            && let Some(name) = &place.window
        {
            let condition = Condition::WindowOpened { name: name.clone() };
            out.push(Proof { condition, words: "the window is open".into(), weight: 45 });
        }
    }
    out.sort_by_key(|proof| proof.weight);
    let mut seen: Vec<Condition> = Vec::new();
    out.retain(|proof| {
        let new = !seen.contains(&proof.condition);
        seen.push(proof.condition.clone());
        new
    });
    out
}

/// Cells that are a value of the caller, beside the caption that says which one: that the screen is about it.
fn values_beside_captions(screen: &UiSnapshot, at: ScopeId, place: &Place, values: &Values) -> Vec<Proof> {
    let cells = screen.nodes_in(at).filter(|(_, n)| matches!(n.role, Role::Cell | Role::GridCell));
    let proof = |(ix, node): (waymark_snapshot::Ix, &waymark_snapshot::Node)| {
        let cell = node.cell?;
        let grid = waymark_perception::grid(screen, cell.table);
        if grid.has_declared_headers() {
            return None;
        }
        let name = values.reference(&squash(&screen.text_of(ix)))?;
        let whole = matches!(name.pieces(), [waymark_artifact::Piece::Parameter(_)]);
        let caption = grid.text(cell.row, cell.col.checked_sub(1)?)?;
        let text = steady(&caption, values).filter(|_| whole && squash(&screen.text_of(ix)).chars().count() >= 4)?;
        let relation = waymark_artifact::Relation::Adjacent { text, side: waymark_artifact::Side::Before };
        let find = Rung::Anchor { role: node.role.clone(), name: Some(name.clone()), relation };
        let element = ElementQuery { place: place.clone(), find, within: Vec::new() };
        let condition = Condition::ElementPresent { element };
        Some(Proof { condition, words: format!("\"{}\" is {}", squash(&caption), name_in_words(&name)), weight: 11 })
    };
    cells.filter_map(proof).collect()
}

fn name_in_words(name: &Template) -> String {
    name.parameters().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The text as a reference, where it will be the same in every run: it holds no figure that is not the caller's.
fn steady(text: &str, values: &Values) -> Option<Template> {
    let length = text.chars().count();
    if !(2..=LINE).contains(&length) || !text.chars().any(char::is_alphabetic) {
        return None;
    }
    let reference = values.reference(text)?;
    let literal: String = reference
        .pieces()
        .iter()
        .filter_map(|piece| match piece {
            waymark_artifact::Piece::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    // A figure that stands in no value of the caller is this run's, or this day's.
    (!literal.chars().any(|c| c.is_ascii_digit())).then_some(reference)
}

fn steady_address(address: &str, values: &Values) -> Option<Template> {
    if address.is_empty() || address.starts_with("about:") {
        return None;
    }
    let reference = values.reference(address)?;
    // An address that names no variable is bound to this installation.
    let named = reference.variables().next().is_some();
    named.then_some(reference)
}
