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
            Wish::Text(text) => scopes_with(screen, text).next().is_some(),
            Wish::NotText(text) => {
                screen.scopes().iter().all(|s| s.readable) && scopes_with(screen, text).next().is_none()
            }
            Wish::Url(part) => {
                let main = screen.window(&WindowKey::main()).map(|s| screen.scope(s).location.as_str());
                main.is_some_and(|location| location.contains(part.as_str()))
            }
        }
    }

    /// The conditions by which a replay can check it on this screen: one for each frame that shows it, as a heading where it
    /// is one, for a text that is a heading stands as a link on other pages too. None where it cannot be said without a secret.
    pub(crate) fn candidates(&self, screen: &UiSnapshot, values: &Values) -> Vec<Condition> {
        match self {
            Wish::Text(text) => scopes_with(screen, text).filter_map(|at| says(screen, at, text, values)).collect(),
            Wish::NotText(text) => {
                let Some(text) = values.reference(&squash(text)) else { return Vec::new() };
                let text = TextMatch { text, rule: TextRule::Contains };
                let mut of: Vec<Condition> = (0u32..)
                    .map(ScopeId)
                    .zip(screen.scopes())
                    .filter_map(|(scope, _)| place_of(screen, scope, values))
                    .map(|place: Place| Condition::TextAbsent { place, text: text.clone() })
                    .collect();
                if of.len() > 1 { vec![Condition::All { of }] } else { of.pop().into_iter().collect() }
            }
            Wish::Url(part) => {
                let main = screen.window(&WindowKey::main()).map(|main| screen.scope(main).location.as_str());
                let keep =
                    main.map(|at| if part.contains('?') { at } else { at.split(['?', '#']).next().unwrap_or(at) });
                let pattern = keep.and_then(|keep| values.reference(keep));
                pattern
                    .map(|pattern| Condition::LocationMatches { place: Place::default(), pattern })
                    .into_iter()
                    .collect()
            }
        }
    }
}

/// That a frame shows a text.
fn says(screen: &UiSnapshot, scope: ScopeId, text: &str, values: &Values) -> Option<Condition> {
    let place = place_of(screen, scope, values)?;
    let heads = screen.nodes_in(scope).any(|(_, n)| n.role == Role::Heading && squash(&n.name) == squash(text));
    let text = values.reference(&squash(text))?;
    Some(if heads {
        let find = Rung::RoleName { role: Role::Heading, name: text };
        Condition::ElementPresent { element: ElementQuery { place, find, within: Vec::new() } }
    } else {
        Condition::TextPresent { place, text: TextMatch { text, rule: TextRule::Contains } }
    })
}

/// The frames that show a text.
fn scopes_with<'a>(screen: &'a UiSnapshot, text: &str) -> impl Iterator<Item = ScopeId> + use<'a> {
    let text = squash(text);
    let scopes = (0u32..).map(ScopeId).zip(screen.scopes()).map(|(scope, _)| scope);
    scopes.filter(move |scope| !text.is_empty() && screen.lines(*scope).iter().any(|(_, line)| line.contains(&text)))
}
