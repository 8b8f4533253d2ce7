//! The one evaluation of predicates.

use std::collections::BTreeSet;

use regex::Regex;
use waymark_artifact::{
    BindError, Bindings, Condition, ElementQuery, ElementState, Name, Place, Rung, ScreenIdPattern, Template,
    TextMatch, TextRule, location_matches,
};
use waymark_snapshot::{Fold, Ix, Node, Role, RoleClass, ScopeId, State, UiSnapshot, same, squash};

use crate::sight::Sight;
use crate::{FindError, PlaceMiss, RelationMiss, find, place};

/// What is known besides the snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// What an open dialog says.
    pub dialog: Option<&'a str>,
    /// The names of the windows that are open.
    pub windows: &'a [String],
    /// The outputs that were read and hold something.
    pub outputs: &'a BTreeSet<Name>,
    /// How screens identify themselves.
    pub screen_id: Option<&'a ScreenIdPattern>,
}

/// What came of one predicate without parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The predicate in words, references not replaced.
    pub words: String,
    /// Whether it holds.
    pub holds: bool,
}

/// What came of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// Its leaves in document order.
    pub leaves: Vec<Leaf>,
}

/// Evaluates a condition. Nothing is short-circuited: every leaf gets its verdict.
///
/// What cannot be looked at (a window, frame or screen identifier that is not there, a frame that cannot be read)
/// is not known: neither a predicate about it nor its opposite holds.
///
/// # Errors
/// A reference stands for nothing in this run.
pub fn holds(
    condition: &Condition,
    snapshot: &UiSnapshot,
    facts: &Facts<'_>,
    bindings: &Bindings,
) -> Result<Verdict, BindError> {
    let mut leaves = Vec::new();
    let holds = walk(condition, &Sight::new(snapshot), facts, bindings, &mut leaves)?;
    Ok(Verdict { holds: holds == Some(true), leaves })
}

/// `None` where it is not known.
fn walk(
    condition: &Condition,
    sight: &Sight<'_>,
    facts: &Facts<'_>,
    bindings: &Bindings,
    leaves: &mut Vec<Leaf>,
) -> Result<Option<bool>, BindError> {
    // One part of this verdict decides; without one, an unknown part leaves the whole unknown.
    let decisive = match condition {
        Condition::All { .. } => false,
        Condition::Any { .. } => true,
        Condition::Not { of } => return Ok(walk(of, sight, facts, bindings, leaves)?.map(|holds| !holds)),
        _ => {
            let holds = leaf(condition, sight, facts, bindings)?;
            leaves.push(Leaf { words: words(condition), holds: holds == Some(true) });
            return Ok(holds);
        }
    };
    let mut whole = Some(!decisive);
    for part in condition.parts() {
        let holds = walk(part, sight, facts, bindings, leaves)?;
        whole = match (whole, holds) {
            (Some(so_far), _) if so_far == decisive => whole,
            (_, Some(holds)) if holds == decisive => holds.into(),
            (Some(_), Some(_)) => whole,
            _ => None,
        };
    }
    Ok(whole)
}

fn leaf(
    condition: &Condition,
    sight: &Sight<'_>,
    facts: &Facts<'_>,
    bindings: &Bindings,
) -> Result<Option<bool>, BindError> {
    let snapshot = sight.snapshot;
    Ok(match condition {
        Condition::ElementPresent { element } => elements(element, sight, bindings)?.map(|found| !found.is_empty()),
        Condition::ElementAbsent { element } => elements(element, sight, bindings)?.map(|found| found.is_empty()),
        Condition::ElementHasValue { element, value } => {
            let value = squash(&bindings.text(value)?);
            the_one(element, sight, bindings)?.map(|one| one.is_some_and(|ix| shows(snapshot, ix, &value)))
        }
        Condition::ElementHasState { element, state } => {
            the_one(element, sight, bindings)?.map(|one| one.is_some_and(|ix| is_in_state(snapshot.node(ix), *state)))
        }
        Condition::TextPresent { place, text } => match scope_of(place, snapshot, bindings)? {
            Some(scope) => Some(has_text(sight, scope, text, bindings)?),
            None => None,
        },
        Condition::TextAbsent { place, text } => match scope_of(place, snapshot, bindings)? {
            Some(scope) => absent_text(sight, scope, text, bindings)?,
            None => None,
        },
        Condition::LocationMatches { place, pattern } => {
            let pattern = bindings.text(pattern)?;
            scope_of(place, snapshot, bindings)?
                .map(|scope| location_matches(&pattern, &snapshot.scope(scope).location))
        }
        Condition::TitleMatches { place, text } => match scope_of(place, snapshot, bindings)? {
            // Of content that cannot be read the title is not known either.
            Some(scope) => Some(text_fits(text, &snapshot.scope(scope).title, bindings)?),
            None => None,
        },
        Condition::WindowOpened { name } => Some(facts.windows.contains(&bindings.text(name)?)),
        Condition::WindowClosed { name } => Some(!facts.windows.contains(&bindings.text(name)?)),
        Condition::DialogOpened { dialog } => Some(match facts.dialog {
            Some(said) => text_fits(&dialog.text, said, bindings)?,
            None => false,
        }),
        Condition::DialogClosed {} => Some(facts.dialog.is_none()),
        Condition::ScreenId { place, equals } => {
            let equals = bindings.text(equals)?;
            match (facts.screen_id, scope_of(place, snapshot, bindings)?) {
                (Some(pattern), Some(scope)) => Some(ids_of(&sight.lines(scope), pattern).contains(&equals)),
                _ => None,
            }
        }
        Condition::OutputNotEmpty { output } => Some(facts.outputs.contains(output)),
        Condition::All { .. } | Condition::Any { .. } | Condition::Not { .. } => None,
    })
}

/// Whether a thing holds a value. What a field hides is not known to be anything.
fn shows(snapshot: &UiSnapshot, ix: Ix, value: &str) -> bool {
    let node = snapshot.node(ix);
    match &node.value {
        Some(shown) => same(shown, value, Fold::Exact),
        None => !node.is(State::Protected) && squash(&snapshot.text_of(ix)) == value,
    }
}

fn is_in_state(node: &Node, state: ElementState) -> bool {
    let toggle = node.role.class() == RoleClass::Toggle;
    match state {
        ElementState::Disabled => node.is(State::Disabled),
        ElementState::Enabled => !node.is(State::Disabled),
        ElementState::Checked => node.is(State::Checked),
        ElementState::Unchecked => toggle && !node.is(State::Checked) && !node.is(State::Mixed),
        ElementState::Expanded => node.is(State::Expanded),
        ElementState::Collapsed => node.is(State::Collapsed),
        ElementState::Selected => node.is(State::Selected),
    }
}

/// The nodes a query finds; `None` where the place cannot be looked at, or the query is none that a check may ask.
fn elements(query: &ElementQuery, sight: &Sight<'_>, bindings: &Bindings) -> Result<Option<Vec<Ix>>, BindError> {
    // A check never heals: by any other rung nothing can be said to be there or not.
    if !matches!(query.find, Rung::RoleName { .. } | Rung::Label { .. } | Rung::Anchor { .. }) {
        return Ok(None);
    }
    let Some(scope) = scope_of(&query.place, sight.snapshot, bindings)? else { return Ok(None) };
    match find::find_in(sight, scope, &query.find, &query.within, bindings) {
        Ok(found) => Ok(Some(found)),
        Err(FindError::Bind(error) | FindError::Relation(RelationMiss::Bind(error))) => Err(error),
        // Of a row that does not say its key nothing is known, neither that it is the one nor that there is none.
        Err(FindError::Relation(RelationMiss::RowUntold(_))) => Ok(None),
        // Nothing is in a region, table or row that is not there.
        Err(FindError::Relation(_)) => Ok(Some(Vec::new())),
        Err(FindError::NotHere(_)) => Ok(None),
    }
}

fn the_one(query: &ElementQuery, sight: &Sight<'_>, bindings: &Bindings) -> Result<Option<Option<Ix>>, BindError> {
    Ok(elements(query, sight, bindings)?.map(|found| match found.as_slice() {
        [one] => Some(*one),
        _ => None,
    }))
}

fn scope_of(wanted: &Place, snapshot: &UiSnapshot, bindings: &Bindings) -> Result<Option<ScopeId>, BindError> {
    match place::place(snapshot, wanted.window.as_ref(), &wanted.frame, bindings) {
        Ok(scope) => Ok(Some(scope)),
        Err(PlaceMiss::Bind(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Whether a text is not there; an empty one is neither there nor not.
fn absent_text(
    sight: &Sight<'_>,
    scope: ScopeId,
    text: &TextMatch,
    bindings: &Bindings,
) -> Result<Option<bool>, BindError> {
    let empty = squash(&bindings.text(&text.text)?).is_empty();
    Ok(if empty { None } else { Some(!has_text(sight, scope, text, bindings)?) })
}

fn has_text(sight: &Sight<'_>, scope: ScopeId, text: &TextMatch, bindings: &Bindings) -> Result<bool, BindError> {
    let wanted = squash(&bindings.text(&text.text)?);
    // Buttons drawn by the platform show their name without a text leaf.
    let drawn = |ix: Ix, node: &Node| node.role == Role::Button && node.end.0 == ix.0 + 1;
    Ok(sight.lines(scope).iter().any(|(_, line)| fits(&wanted, text.rule, line))
        || sight
            .snapshot
            .nodes_in(scope)
            .any(|(ix, node)| drawn(ix, node) && fits(&wanted, text.rule, &squash(&node.name))))
}

/// Whether a line fits a text to compare with.
///
/// # Errors
/// A reference stands for nothing.
pub fn text_fits(wanted: &TextMatch, line: &str, bindings: &Bindings) -> Result<bool, BindError> {
    Ok(fits(&squash(&bindings.text(&wanted.text)?), wanted.rule, &squash(line)))
}

/// As [`text_fits`], both squashed.
fn fits(text: &str, rule: TextRule, line: &str) -> bool {
    // An empty text is in every line: it proves nothing.
    !text.is_empty()
        && match rule {
            TextRule::Contains => line.contains(text),
            TextRule::Equals => line == text,
            TextRule::StartsWith => line.starts_with(text),
        }
}

/// The identifiers that a scope shows, by the application's pattern.
#[must_use]
pub fn screen_ids(snapshot: &UiSnapshot, scope: ScopeId, pattern: &ScreenIdPattern) -> Vec<String> {
    ids_of(&snapshot.lines(scope), pattern)
}

/// Whether a text alone on its line would be the identifier of a screen, by the application's pattern.
#[must_use]
pub fn is_screen_id(text: &str, pattern: &ScreenIdPattern) -> bool {
    ids_of(&[(Ix(0), text.to_owned())], pattern).iter().any(|id| id == text)
}

fn ids_of(lines: &[(Ix, String)], pattern: &ScreenIdPattern) -> Vec<String> {
    // The pattern was compiled by `validate`; one that does not compile identifies nothing.
    let Ok(regex) = Regex::new(&format!("^(?:{})$", pattern.pattern)) else { return Vec::new() };
    lines
        .iter()
        .filter_map(|(_, line)| {
            let found = regex.captures(line)?;
            found.get(1).or_else(|| found.get(0)).map(|m| m.as_str().to_owned())
        })
        .collect()
}

fn words(condition: &Condition) -> String {
    let text = |t: &TextMatch| format!("\"{}\"", t.text);
    let thing = |q: &ElementQuery| match &q.find {
        Rung::RoleName { role, name } | Rung::RoleNameNormalized { role, name } => {
            format!("{role} \"{name}\"")
        }
        Rung::Label { role, label } => format!("{role} \"{label}\""),
        Rung::Anchor { role, name, .. } => {
            let name = name.as_ref().map(Template::to_string).unwrap_or_default();
            format!("{role} \"{name}\" at its anchor")
        }
        other => other.kind().as_str().to_owned(),
    };
    match condition {
        Condition::ElementPresent { element } => format!("{} is there", thing(element)),
        Condition::ElementAbsent { element } => format!("{} is not there", thing(element)),
        Condition::ElementHasValue { element, value } => format!("{} holds \"{value}\"", thing(element)),
        Condition::ElementHasState { element, state } => format!("{} is {state:?}", thing(element)).to_lowercase(),
        Condition::TextPresent { text: t, .. } => format!("text {} is visible", text(t)),
        Condition::TextAbsent { text: t, .. } => format!("text {} is not visible", text(t)),
        Condition::LocationMatches { pattern, .. } => format!("the location fits {pattern}"),
        Condition::TitleMatches { text: t, .. } => format!("the title fits {}", text(t)),
        Condition::WindowOpened { name } => format!("window {name} is open"),
        Condition::WindowClosed { name } => format!("window {name} is closed"),
        Condition::DialogOpened { dialog } => format!("a dialog says {}", text(&dialog.text)),
        Condition::DialogClosed {} => "no dialog is open".into(),
        Condition::ScreenId { equals, .. } => format!("the screen is {equals}"),
        Condition::OutputNotEmpty { output } => format!("output {output} holds something"),
        Condition::All { .. } | Condition::Any { .. } | Condition::Not { .. } => String::new(),
    }
}
