//! What the analyst wants to see at the end, said of the whole screen; and the condition it becomes once the screen is known.

use waymark_artifact::{Condition, ElementQuery, Place, Rung, TextMatch, TextRule};
use waymark_snapshot::{Role, ScopeId, UiSnapshot, WindowKey, squash};

use crate::Values;
use crate::proof::place_of;

/// What is to hold at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// This text is visible somewhere.
    Text(String),
    /// This text is visible nowhere.
    NotText(String),
    /// The address contains this.
    Url(String),
}

impl Wish {
    /// Whether it holds of a screen. Of a frame that cannot be read nothing is said to be absent.
    #[must_use]
    pub fn holds(&self, screen: &UiSnapshot) -> bool {
        match self {
            Wish::Text(text) => scope_with(screen, text).is_some(),
            Wish::NotText(text) => screen.scopes().iter().all(|s| s.readable) && scope_with(screen, text).is_none(),
            Wish::Url(part) => {
                let main = screen.window(&WindowKey::main()).map(|s| screen.scope(s).location.as_str());
                main.is_some_and(|location| location.contains(part.as_str()))
            }
        }
    }

    /// The condition by which a replay checks it: in the frame where it was seen, and as a heading where it is one, for a
    /// text that is a heading stands as a link on other pages too. `None` where it does not hold, or shows a secret.
    #[must_use]
    pub fn grounded(&self, screen: &UiSnapshot, values: &Values) -> Option<Condition> {
        match self {
            Wish::Text(text) => {
                let scope = scope_with(screen, text)?;
                let place = place_of(screen, scope, values)?;
                let heads =
                    screen.nodes_in(scope).any(|(_, n)| n.role == Role::Heading && squash(&n.name) == squash(text));
                let text = values.reference(&squash(text))?;
                Some(if heads {
                    let find = Rung::RoleName { role: Role::Heading, name: text };
                    Condition::ElementPresent { element: ElementQuery { place, find, within: Vec::new() } }
                } else {
                    Condition::TextPresent { place, text: TextMatch { text, rule: TextRule::Contains } }
                })
            }
            Wish::NotText(text) => {
                let text = TextMatch { text: values.reference(&squash(text))?, rule: TextRule::Contains };
                let mut of: Vec<Condition> = (0u32..)
                    .map(ScopeId)
                    .zip(screen.scopes())
                    .filter_map(|(scope, _)| place_of(screen, scope, values))
                    .map(|place: Place| Condition::TextAbsent { place, text: text.clone() })
                    .collect();
                if of.len() == 1 { of.pop() } else { Some(Condition::All { of }) }
            }
            Wish::Url(part) => {
                let main = screen.window(&WindowKey::main())?;
                let location = &screen.scope(main).location;
                let keep = if part.contains('?') { location.as_str() } else { location.split(['?', '#']).next()? };
                Some(Condition::LocationMatches { place: Place::default(), pattern: values.reference(keep)? })
            }
        }
    }
}

/// The first frame that shows a text.
fn scope_with(screen: &UiSnapshot, text: &str) -> Option<ScopeId> {
    let text = squash(text);
    let shows = |scope: ScopeId| screen.lines(scope).iter().any(|(_, line)| line.contains(&text));
    (0u32..).map(ScopeId).zip(screen.scopes()).map(|(scope, _)| scope).find(|scope| !text.is_empty() && shows(*scope))
}
