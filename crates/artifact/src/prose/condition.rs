//! What can be said of a screen, in words.

use super::Lines;
use super::target::{place, rung, scopes};
use super::words::{quoted, said};
use crate::{Checkpoint, Condition, ElementQuery, ElementState, TextMatch, TextRule};

/// A condition, as a sentence or as a list of them. `lead` stands before it.
pub(super) fn condition(lines: &mut Lines, depth: u8, lead: &str, what: &Condition) {
    let deeper = depth.saturating_add(1);
    match what {
        Condition::All { of } => {
            lines.say(depth, format!("{lead}all of these hold:"));
            of.iter().for_each(|part| condition(lines, deeper, "- ", part));
        }
        Condition::Any { of } => {
            lines.say(depth, format!("{lead}at least one of these holds:"));
            of.iter().for_each(|part| condition(lines, deeper, "- ", part));
        }
        Condition::Not { of } => {
            lines.say(depth, format!("{lead}this does not hold, once the screen has come to rest:"));
            condition(lines, deeper, "- ", of);
        }
        leaf => lines.say(depth, format!("{lead}{}", sentence(leaf))),
    }
}

/// A checkpoint: what must hold, whether it sees the record, and the document's words for it.
pub(super) fn checkpoint(lines: &mut Lines, depth: u8, lead: &str, what: &Checkpoint) {
    condition(lines, depth, lead, &what.condition);
    let deeper = depth.saturating_add(1);
    let sees = match what.read_back {
        true => " This sees the record itself, by another way than a message about it.",
        false => "",
    };
    lines.say(deeper, format!("In the document's words: {}{sees}", quoted(&what.description)));
}

/// A part of a line of text.
pub(super) fn text(what: &TextMatch) -> String {
    let rule = match what.rule {
        TextRule::Contains => "that contains",
        TextRule::Equals => "that is exactly",
        TextRule::StartsWith => "that begins with",
    };
    format!("{rule} {}", said(&what.text))
}

fn sentence(what: &Condition) -> String {
    match what {
        Condition::ElementPresent { element } => format!("there is {}", thing(element)),
        Condition::ElementAbsent { element } => {
            format!("there is not, once the screen has come to rest, {}", thing(element))
        }
        Condition::ElementHasValue { element, value } => {
            format!("there is, exactly once, {}, and it holds {}", thing(element), said(value))
        }
        Condition::ElementHasState { element, state } => {
            format!("there is, exactly once, {}, and it is {}", thing(element), state_word(*state))
        }
        Condition::TextPresent { place: at, text: what } => {
            format!("a line {} is visible{}", text(what), place(at))
        }
        Condition::TextAbsent { place: at, text: what } => {
            format!("no line {} is visible{}, once the screen has come to rest", text(what), place(at))
        }
        Condition::LocationMatches { place: at, pattern } => {
            format!("the address of what is shown{} fits {}", place(at), said(pattern))
        }
        Condition::TitleMatches { place: at, text: what } => {
            format!("what is shown{} has a title {}", place(at), text(what))
        }
        Condition::WindowOpened { name } => format!("a window {} is open", said(name)),
        Condition::WindowClosed { name } => format!("no window {} is open", said(name)),
        Condition::DialogOpened { dialog } => format!("a native dialog with a text {} is open", text(&dialog.text)),
        Condition::DialogClosed {} => "no native dialog is open".to_owned(),
        Condition::ScreenId { place: at, equals } => {
            format!("the screen{} identifies itself as {}", place(at), said(equals))
        }
        Condition::OutputNotEmpty { output } => format!("the result {output} was read and holds something"),
        Condition::All { .. } | Condition::Any { .. } | Condition::Not { .. } => String::new(),
    }
}

fn thing(element: &ElementQuery) -> String {
    format!("{}{}{}", rung(&element.find), scopes(&element.within), place(&element.place))
}

fn state_word(state: ElementState) -> &'static str {
    match state {
        ElementState::Disabled => "disabled",
        ElementState::Enabled => "enabled",
        ElementState::Checked => "checked",
        ElementState::Unchecked => "not checked",
        ElementState::Expanded => "open",
        ElementState::Collapsed => "closed",
        ElementState::Selected => "chosen",
    }
}
