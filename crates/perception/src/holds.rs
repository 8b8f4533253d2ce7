//! The one evaluation of predicates.

use std::collections::BTreeSet;

use regex::Regex;
use waymark_artifact::{
    BindError, Bindings, Condition, ElementQuery, ElementState, Name, Place, ScreenIdPattern, Template, TextMatch,
    TextRule, location_matches,
};
use waymark_snapshot::{Ix, Role, ScopeId, State, UiSnapshot, squash};

use crate::{find, place};

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
/// # Errors
/// A reference stands for nothing in this run.
pub fn holds(
    condition: &Condition,
    snapshot: &UiSnapshot,
    facts: &Facts<'_>,
    bindings: &Bindings,
) -> Result<Verdict, BindError> {
    let mut leaves = Vec::new();
    let holds = walk(condition, snapshot, facts, bindings, &mut leaves)?;
    Ok(Verdict { holds, leaves })
}

fn walk(
    condition: &Condition,
    snapshot: &UiSnapshot,
    facts: &Facts<'_>,
    bindings: &Bindings,
    leaves: &mut Vec<Leaf>,
) -> Result<bool, BindError> {
    match condition {
        Condition::All { of } => {
            let mut all = true;
            for part in of {
                all &= walk(part, snapshot, facts, bindings, leaves)?;
            }
            return Ok(all);
        }
        Condition::Any { of } => {
            let mut any = false;
            for part in of {
                any |= walk(part, snapshot, facts, bindings, leaves)?;
            }
            return Ok(any);
        }
        Condition::Not { of } => return Ok(!walk(of, snapshot, facts, bindings, leaves)?),
        _ => {}
    }
    let holds = leaf(condition, snapshot, facts, bindings)?;
    leaves.push(Leaf { words: words(condition), holds });
    Ok(holds)
}

fn leaf(
    condition: &Condition,
    snapshot: &UiSnapshot,
    facts: &Facts<'_>,
    bindings: &Bindings,
) -> Result<bool, BindError> {
    Ok(match condition {
        Condition::ElementPresent { element } => {
            elements(element, snapshot, bindings)?.is_some_and(|found| !found.is_empty())
        }
        Condition::ElementAbsent { element } => {
            elements(element, snapshot, bindings)?.is_some_and(|found| found.is_empty())
        }
        Condition::ElementHasValue { element, value } => {
            let value = squash(&bindings.text(value)?);
            the_one(element, snapshot, bindings)?.is_some_and(|ix| {
                let node = snapshot.node(ix);
                let shown = node.value.clone().unwrap_or_else(|| snapshot.text_of(ix));
                squash(&shown) == value
            })
        }
        Condition::ElementHasState { element, state } => the_one(element, snapshot, bindings)?.is_some_and(|ix| {
            let node = snapshot.node(ix);
            match state {
                ElementState::Disabled => node.is(State::Disabled),
                ElementState::Enabled => !node.is(State::Disabled),
                ElementState::Checked => node.is(State::Checked),
                ElementState::Unchecked => !node.is(State::Checked) && !node.is(State::Mixed),
                ElementState::Expanded => node.is(State::Expanded),
                ElementState::Collapsed => node.is(State::Collapsed),
                ElementState::Selected => node.is(State::Selected),
            }
        }),
        Condition::TextPresent { place, text } => match scope_of(place, snapshot, bindings)? {
            Some(scope) => has_text(snapshot, scope, text, bindings)?,
            None => false,
        },
        Condition::TextAbsent { place, text } => match scope_of(place, snapshot, bindings)? {
            Some(scope) => !has_text(snapshot, scope, text, bindings)?,
            // What cannot be looked at is not known to be absent.
            None => false,
        },
        Condition::LocationMatches { place, pattern } => {
            let pattern = bindings.text(pattern)?;
            scope_of(place, snapshot, bindings)?
                .is_some_and(|scope| location_matches(&pattern, &snapshot.scope(scope).location))
        }
        Condition::WindowOpened { name } => facts.windows.contains(&bindings.text(name)?),
        Condition::WindowClosed { name } => !facts.windows.contains(&bindings.text(name)?),
        Condition::DialogOpened { dialog } => match facts.dialog {
            Some(said) => text_fits(&dialog.text, said, bindings)?,
            None => false,
        },
        Condition::DialogClosed {} => facts.dialog.is_none(),
        Condition::ScreenId { place, equals } => {
            let equals = bindings.text(equals)?;
            match (facts.screen_id, scope_of(place, snapshot, bindings)?) {
                (Some(pattern), Some(scope)) => screen_ids(snapshot, scope, pattern).contains(&equals),
                _ => false,
            }
        }
        Condition::OutputNotEmpty { output } => facts.outputs.contains(output),
        Condition::All { .. } | Condition::Any { .. } | Condition::Not { .. } => false,
    })
}

/// The nodes a query finds; `None` where the place cannot be looked at.
fn elements(query: &ElementQuery, snapshot: &UiSnapshot, bindings: &Bindings) -> Result<Option<Vec<Ix>>, BindError> {
    let Some(scope) = scope_of(&query.place, snapshot, bindings)? else { return Ok(None) };
    match find::find(snapshot, scope, &query.find, &query.within, bindings) {
        Ok(found) => Ok(Some(found)),
        Err(find::FindError::Bind(error)) => Err(error),
        Err(find::FindError::Relation(crate::RelationMiss::Bind(error))) => Err(error),
        Err(find::FindError::Relation(_) | find::FindError::NotHere(_)) => Ok(Some(Vec::new())),
    }
}

fn the_one(query: &ElementQuery, snapshot: &UiSnapshot, bindings: &Bindings) -> Result<Option<Ix>, BindError> {
    Ok(match elements(query, snapshot, bindings)?.as_deref() {
        Some([one]) => Some(*one),
        _ => None,
    })
}

fn scope_of(wanted: &Place, snapshot: &UiSnapshot, bindings: &Bindings) -> Result<Option<ScopeId>, BindError> {
    match place::place(snapshot, wanted.window.as_ref(), &wanted.frame, bindings) {
        Ok(scope) => Ok(Some(scope)),
        Err(place::PlaceMiss::Bind(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

fn has_text(snapshot: &UiSnapshot, scope: ScopeId, text: &TextMatch, bindings: &Bindings) -> Result<bool, BindError> {
    for (_, line) in snapshot.lines(scope) {
        if text_fits(text, &line, bindings)? {
            return Ok(true);
        }
    }
    // Buttons drawn by the platform show their name without a text leaf.
    for (ix, node) in snapshot.nodes_in(scope).filter(|(_, n)| n.role == Role::Button) {
        if node.end.0 == ix.0 + 1 && text_fits(text, &node.name, bindings)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a line fits a text to compare with.
///
/// # Errors
/// A reference stands for nothing.
pub fn text_fits(wanted: &TextMatch, line: &str, bindings: &Bindings) -> Result<bool, BindError> {
    let text = squash(&bindings.text(&wanted.text)?);
    let line = squash(line);
    // An empty text is in every line: it proves nothing.
    Ok(!text.is_empty()
        && match wanted.rule {
            TextRule::Contains => line.contains(&text),
            TextRule::Equals => line == text,
            TextRule::StartsWith => line.starts_with(&text),
        })
}

/// The identifiers that a scope shows, by the application's pattern.
#[must_use]
pub fn screen_ids(snapshot: &UiSnapshot, scope: ScopeId, pattern: &ScreenIdPattern) -> Vec<String> {
    // The pattern was compiled by `validate`; one that does not compile identifies nothing.
    let Ok(regex) = Regex::new(&format!("^(?:{})$", pattern.pattern)) else { return Vec::new() };
    snapshot
        .lines(scope)
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
        waymark_artifact::Rung::RoleName { role, name } | waymark_artifact::Rung::RoleNameNormalized { role, name } => {
            format!("{role} \"{name}\"")
        }
        waymark_artifact::Rung::Label { role, label } => format!("{role} \"{label}\""),
        waymark_artifact::Rung::Anchor { role, name, .. } => {
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
        Condition::WindowOpened { name } => format!("window {name} is open"),
        Condition::WindowClosed { name } => format!("window {name} is closed"),
        Condition::DialogOpened { dialog } => format!("a dialog says {}", text(&dialog.text)),
        Condition::DialogClosed {} => "no dialog is open".into(),
        Condition::ScreenId { equals, .. } => format!("the screen is {equals}"),
        Condition::OutputNotEmpty { output } => format!("output {output} holds something"),
        Condition::All { .. } | Condition::Any { .. } | Condition::Not { .. } => String::new(),
    }
}
