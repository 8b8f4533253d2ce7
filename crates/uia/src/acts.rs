//! By which pattern an action is done.

use waymark_surface::{Act, TypingMode};

use crate::{Element, Pattern};

/// How an action would be delivered to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// By a control pattern of the element.
    By(Pattern),
    /// By trusted mouse input at a point of the element, after a hit test.
    Pointer,
    /// By trusted key input, with the focus on the element.
    Keys,
    /// Not by an element: a matter of the session (opening, dialogs, windows, files).
    Session,
    /// The element does not take it.
    Refused,
}

/// How an action would be delivered.
///
/// A press is mouse input, as a person gives it: `Invoke` reaches controls that another window covers. Patterns are
/// used where a person's many small inputs stand for one intent (a text, a choice), and read back afterwards.
#[must_use]
pub fn means_of(act: &Act, element: &Element) -> Means {
    let by = |pattern| if element.offers(pattern) { Some(Means::By(pattern)) } else { None };
    match act {
        Act::Click { .. } => Means::Pointer,
        Act::Type { .. } if element.is_read_only => Means::Refused,
        Act::Type { mode: TypingMode::Insert, .. } if element.offers(Pattern::Value) => Means::By(Pattern::Value),
        Act::Type { .. } if element.is_keyboard_focusable => Means::Keys,
        Act::Type { .. } => Means::Refused,
        Act::Choose { .. } => by(Pattern::Selection).or_else(|| by(Pattern::ExpandCollapse)).unwrap_or(Means::Refused),
        Act::SetChecked { .. } => by(Pattern::Toggle).or_else(|| by(Pattern::SelectionItem)).unwrap_or(Means::Refused),
        Act::PressKey { .. } => Means::Keys,
        Act::Scroll { .. } => by(Pattern::Scroll).unwrap_or(Means::Refused),
        Act::Open { .. } | Act::AnswerDialog { .. } | Act::CloseWindow { .. } | Act::Upload { .. } => Means::Session,
    }
}
