//! Checkpoints: what a deed brought to the screen that was not there before.

use std::collections::BTreeSet;

use waymark_artifact::{
    Checkpoint, Condition, ElementQuery, FrameRef, Name, Piece, Place, Relation, Rung, Side, Template, TextMatch,
    TextRule,
};
use waymark_perception::{Facts, grid, holds, label_of, screen_ids};
use waymark_snapshot::{Ix, Node, Role, RoleClass, Scope, ScopeId, UiSnapshot, WindowKey, squash};

use crate::table::is_record;
use crate::values::called;
use crate::{Deed, Values};

/// Texts longer than this change with every wording.
const LINE: usize = 90;

// What a proof is made of, in the order of preference: what has the same tens is of one kind. A record's own data (a name,
// an amount, a date) is none of it; a text of which nobody knows whether it is data stands at the end.
const SCREEN_ID: u32 = 0;
const HEADING: u32 = 10;
/// A value of the caller that is the whole of a cell or text.
const OF_CALLER: u32 = 20;
const COLUMN: u32 = 30;
const CONTROL: u32 = 40;
const WINDOW: u32 = 50;
/// From here on a proof stands for itself alone, where there is no other.
const LONE: u32 = 60;
const TITLE: u32 = 60;
const ADDRESS: u32 = 70;
const TEXT: u32 = 80;

/// Something that was not so before and is so now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The condition.
    pub condition: Condition,
    /// In words.
    pub words: String,
    /// How much it says: smaller is more.
    weight: u32,
    /// The parameters that it is about, where it is about nothing else.
    of_caller: Vec<Name>,
    /// Whether words stand in it of which nobody knows whether they are the application's or the record's.
    wordy: bool,
}

impl Proof {
    /// Whether a step that may be done again, or that nothing looks up, can be proven by it: a sentence around values of the
    /// caller may hold a name. Where a record is looked up when it does not come, it says more than a heading.
    pub(crate) fn is_plain(&self) -> bool {
        !self.wordy
    }
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

/// The checkpoint of the best two proofs of different kinds, and of every value of the caller that stands there: that it is
/// the right record. `None` where nothing appeared.
pub(crate) fn checkpoint(proofs: &[Proof]) -> Option<Checkpoint> {
    let first = proofs.first()?;
    let second = proofs.iter().find(|proof| proof.weight / 10 != first.weight / 10 && proof.weight < LONE);
    let mut of: Vec<&Proof> = std::iter::once(first).chain(second).collect();
    let said = of.iter().flat_map(|proof| &proof.of_caller).collect();
    of.extend(each_value_once(proofs.iter(), said));
    Some(joined(&of))
}

/// What a screen shows of the caller's values, each as the whole of a cell or text; `None` where it shows none.
pub(crate) fn values_shown(screen: &UiSnapshot, values: &Values) -> Option<Checkpoint> {
    let found = shows(screen, values);
    let of = each_value_once(found.iter().filter(|proof| proof.is_plain()), BTreeSet::new());
    (!of.is_empty()).then(|| joined(&of))
}

/// The proofs that are about values of the caller, the first one for each, without those that are `said` already.
fn each_value_once<'a>(proofs: impl Iterator<Item = &'a Proof>, mut said: BTreeSet<&'a Name>) -> Vec<&'a Proof> {
    let mut out = Vec::new();
    for proof in proofs {
        if !proof.of_caller.is_empty() && proof.of_caller.iter().all(|name| !said.contains(name)) {
            said.extend(&proof.of_caller);
            out.push(proof);
        }
    }
    out
}

fn joined(of: &[&Proof]) -> Checkpoint {
    let words = of.iter().map(|p| p.words.as_str()).collect::<Vec<_>>().join(", and ");
    let mut parts: Vec<Condition> = of.iter().map(|p| p.condition.clone()).collect();
    let condition = if parts.len() == 1 { parts.remove(0) } else { Condition::All { of: parts } };
    Checkpoint { description: format!("{}.", capital(&words)), condition, read_back: false }
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
    let facts = Facts { dialog: None, windows: &windows, outputs: &outputs, screen_id: values.screen_id() };
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

/// What the application calls things on these screens: fields, columns and controls. By these words a text is known to be
/// its own and no record's.
pub(crate) fn captions_of<'a>(screens: impl Iterator<Item = &'a UiSnapshot>) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for screen in screens {
        for (ix, node) in screen.iter() {
            let said = match node.role {
                Role::ColumnHeader | Role::Button | Role::Tab => Some(squash(&node.name)),
                _ if matches!(node.role.class(), RoleClass::TextEntry | RoleClass::Choice | RoleClass::Toggle) => {
                    label_of(screen, ix)
                }
                _ => None,
            };
            out.extend(said.map(|text| called(&text).to_owned()).filter(|text| !text.is_empty()));
        }
    }
    out
}

fn proposals(screen: &UiSnapshot, values: &Values) -> Vec<Proof> {
    let mut out = Vec::new();
    for (at, scope) in (0u32..).map(ScopeId).zip(screen.scopes()).filter(|(_, s)| s.readable) {
        let Some(place) = place_of(screen, at, values) else { continue };
        let within = if place.frame.is_empty() { String::new() } else { " in its frame".to_owned() };
        for id in values.screen_id().map(|pattern| screen_ids(screen, at, pattern)).unwrap_or_default() {
            let Some(equals) = values.reference(&id).filter(|id| id.parameters().next().is_none()) else { continue };
            let words = format!("the screen is {id}{within}");
            let condition = Condition::ScreenId { place: place.clone(), equals };
            out.push(Proof { condition, words, weight: SCREEN_ID, of_caller: Vec::new(), wordy: false });
        }
        for (ix, node) in screen.nodes_in(at) {
            out.extend(by_name(screen, ix, node, &place, &within, scope, values));
        }
        out.extend(values_beside_captions(screen, at, &place, values));
        out.extend(by_text(screen, at, &place, &within, values));
        if let Some(title) = steady(&squash(&scope.title), values) {
            let words = format!("the title is \"{}\"{within}", values.veiled(&squash(&scope.title)));
            let text = TextMatch { text: title, rule: TextRule::Equals };
            out.push(Proof {
                condition: Condition::TitleMatches { place: place.clone(), text },
                words,
                weight: TITLE,
                of_caller: Vec::new(),
                wordy: false,
            });
        }
        let address = scope.location.split(['?', '#', ';']).next().unwrap_or_default();
        if let Some(pattern) = steady_address(address, values) {
            let condition = Condition::LocationMatches { place: place.clone(), pattern };
            out.push(Proof {
                condition,
                words: format!("its address is reached{within}"),
                weight: ADDRESS,
                of_caller: Vec::new(),
                wordy: false,
            });
        }
        if place.frame.is_empty()
            && let Some(name) = &place.window
        {
            let condition = Condition::WindowOpened { name: name.clone() };
            out.push(Proof {
                condition,
                words: "the window is open".into(),
                weight: WINDOW,
                of_caller: Vec::new(),
                wordy: false,
            });
        }
    }
    out.sort_by_key(|proof| proof.weight);
    let mut seen: Vec<Condition> = Vec::new();
    out.retain(|proof| {
        let new = !seen.contains(&proof.condition) && !values.is_data(&proof.condition);
        seen.push(proof.condition.clone());
        new
    });
    out
}

/// That a line of text is there.
fn by_text(screen: &UiSnapshot, at: ScopeId, place: &Place, within: &str, values: &Values) -> Vec<Proof> {
    let lines = screen.lines(at);
    let before = |n: usize| n.checked_sub(1).and_then(|n| lines.get(n)).map(|(_, line)| line.as_str());
    let proof = |(n, (ix, line)): (usize, &(Ix, String))| {
        let said = values.reference(line)?;
        let of_caller: Vec<Name> = said.parameters().cloned().collect::<BTreeSet<_>>().into_iter().collect();
        let in_rows = in_headed_rows(screen, *ix);
        let (text, weight, wordy) = if is_one_value(&said) {
            // Behind its caption it says what the screen is about; among rows of records it says nothing.
            let about = !in_rows && line.chars().count() >= 4 && before(n).is_some_and(|line| values.is_caption(line));
            (about.then_some(said)?, OF_CALLER + 5, false)
        } else if is_in_data(screen, *ix) {
            return None;
        } else if let Some(text) = steady(line, values) {
            (text, if of_caller.is_empty() { TEXT } else { OF_CALLER + 3 }, false)
        } else {
            let sentence = of_caller.len() > 1 && line.chars().count() <= LINE && no_figures(&said);
            (sentence.then_some(said)?, OF_CALLER + 7, true)
        };
        let words = format!("it says \"{}\"{within}", values.veiled(line));
        let condition =
            Condition::TextPresent { place: place.clone(), text: TextMatch { text, rule: TextRule::Equals } };
        Some(Proof { condition, words, weight, of_caller, wordy })
    };
    lines.iter().enumerate().filter_map(proof).collect()
}

/// That a thing is there, by its own name or caption.
fn by_name(
    screen: &UiSnapshot,
    ix: Ix,
    node: &Node,
    place: &Place,
    within: &str,
    scope: &Scope,
    values: &Values,
) -> Option<Proof> {
    let name = squash(&node.name);
    let field = matches!(node.role.class(), RoleClass::TextEntry | RoleClass::Choice);
    let (said, weight, called_so) = match node.role {
        Role::Heading => {
            let titled = scope.title.contains(&name);
            let level = node.detail.level.unwrap_or(6).clamp(1, 6);
            (format!("the heading \"{}\"", values.veiled(&name)), HEADING + if titled { 0 } else { level }, name)
        }
        Role::ColumnHeader => (format!("the column \"{}\"", values.veiled(&name)), COLUMN, name),
        // A link among the rows of a table is a record's.
        Role::Button | Role::Link | Role::Tab | Role::MenuItem if !is_in_data(screen, ix) => {
            let weight = if node.role == Role::Button { CONTROL } else { CONTROL + 4 };
            (format!("the {} \"{}\"", node.role, values.veiled(&name)), weight, name)
        }
        _ if field => {
            let label = called(&label_of(screen, ix)?).to_owned();
            (format!("the field \"{}\"", values.veiled(&label)), CONTROL + 1, label)
        }
        _ => return None,
    };
    let name = steady(&called_so, values)?;
    let role = node.role.clone();
    let find = if field { Rung::Label { role, label: name } } else { Rung::RoleName { role, name } };
    let element = ElementQuery { place: place.clone(), find, within: Vec::new() };
    let words = format!("{said} is there{within}");
    Some(Proof { condition: Condition::ElementPresent { element }, words, weight, of_caller: Vec::new(), wordy: false })
}

/// Whether a thing stands in a row of a table with headers.
fn in_headed_rows(screen: &UiSnapshot, ix: Ix) -> bool {
    let cell = screen.closest(ix, |n| n.cell.is_some()).and_then(|ix| screen.node(ix).cell);
    cell.is_some_and(|cell| is_record(screen, cell))
}

/// Whether a thing stands where records do: in a row of a table with headers, or beside a caption.
fn is_in_data(screen: &UiSnapshot, ix: Ix) -> bool {
    let Some(cell) = screen.closest(ix, |n| n.cell.is_some()).and_then(|ix| screen.node(ix).cell) else { return false };
    let grid = grid(screen, cell.table);
    if grid.has_declared_headers() {
        return in_headed_rows(screen, ix);
    }
    // In a table that arranges the screen a text beside another is what it calls something, or the thing itself.
    let filled = |col: u32| grid.text(cell.row, col).is_some_and(|text| !text.is_empty());
    screen.node(ix).role == Role::Text && (0..grid.columns()).filter(|col| filled(*col)).count() > 1
}

/// Texts that are a value of the caller, beside the caption that says which one: that the screen is about it. Where it is
/// a text of its own, it is told as that and not as the cell around it: another skin puts it into other markup.
fn values_beside_captions(screen: &UiSnapshot, at: ScopeId, place: &Place, values: &Values) -> Vec<Proof> {
    let proof = |(ix, node): (Ix, &Node)| {
        let text = squash(&screen.text_of(ix));
        let caption = caption_of(screen, ix)?;
        let name = values.reference(&text)?;
        let whole = is_one_value(&name) && text.chars().count() >= 4;
        let said = steady(&caption, values).filter(|_| whole && values.is_caption(&caption))?;
        let relation = Relation::Adjacent { text: said, side: Side::Before };
        let of_caller = name.parameters().cloned().collect();
        let leaf = screen.subtree(ix).any(|(_, n)| n.role == Role::Text && squash(&n.name) == text);
        let role = if leaf { Role::Text } else { node.role.clone() };
        let find = Rung::Anchor { role, name: Some(name.clone()), relation };
        let element = ElementQuery { place: place.clone(), find, within: Vec::new() };
        let condition = Condition::ElementPresent { element };
        Some(Proof {
            condition,
            words: format!("\"{}\" is {}", squash(&caption), name_in_words(&name)),
            weight: OF_CALLER,
            of_caller,
            wordy: false,
        })
    };
    screen.nodes_in(at).filter_map(proof).collect()
}

/// What stands beside the cell, in a table that only arranges the screen, or before the definition of a term.
fn caption_of(screen: &UiSnapshot, ix: Ix) -> Option<String> {
    let node = screen.node(ix);
    match (&node.role, node.cell) {
        (Role::Cell | Role::GridCell, Some(cell)) => {
            let grid = grid(screen, cell.table);
            let left = cell.col.checked_sub(1).filter(|_| !grid.has_declared_headers())?;
            grid.text(cell.row, left)
        }
        (Role::Definition, _) => {
            let before = screen.nodes_in(node.scope).take_while(|(other, _)| *other < ix);
            let (term, last) = before.filter(|(_, n)| matches!(n.role, Role::Term | Role::Definition)).last()?;
            (last.role == Role::Term).then(|| screen.text_of(term))
        }
        _ => None,
    }
}

fn name_in_words(name: &Template) -> String {
    name.parameters().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Whether it is a value of the caller and nothing else.
fn is_one_value(text: &Template) -> bool {
    matches!(text.pieces(), [Piece::Parameter(_)])
}

/// The text as a reference, where it will be the same in every run: it holds no figure that is not the caller's, and beside
/// a value of the caller only what the application calls something. Other words beside it may be a name of this record.
fn steady(text: &str, values: &Values) -> Option<Template> {
    let length = text.chars().count();
    if !(2..=LINE).contains(&length) || !text.chars().any(char::is_alphabetic) {
        return None;
    }
    let reference = values.reference(text)?;
    let mixed = reference.parameters().next().is_some();
    let own = |piece: &Piece| match piece {
        Piece::Text(text) => !mixed || !text.chars().any(char::is_alphabetic) || values.is_caption(text),
        Piece::Parameter(_) | Piece::Variable(_) => true,
    };
    (no_figures(&reference) && reference.pieces().iter().all(own)).then_some(reference)
}

/// A figure that stands in no value of the caller is this run's, or this day's.
fn no_figures(text: &Template) -> bool {
    let figure = |piece: &Piece| matches!(piece, Piece::Text(text) if text.chars().any(|c| c.is_ascii_digit()));
    !text.pieces().iter().any(figure)
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

#[cfg(test)]
mod tests;
