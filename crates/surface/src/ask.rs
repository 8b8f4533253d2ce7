//! What the gate has to know about an act, from the screen on which it is decided.

use waymark_artifact::Risk;
use waymark_perception::label_of;
use waymark_policy::{key_submits, submit_like};
use waymark_snapshot::{Ix, Role, ScopeId, UiSnapshot, WindowKey, squash};

use crate::{Act, Ask, ControlFacts, DialogFact, DialogKind, TypedText};

impl Ask {
    /// The question for an act on a node of a screen, or on the screen as a whole.
    #[must_use]
    pub fn about(screen: &UiSnapshot, node: Option<Ix>, act: Act, declared: Risk, screen_id: Option<String>) -> Self {
        let scope = node.map_or_else(|| screen.window(&WindowKey::main()), |ix| Some(screen.node(ix).scope));
        let location = match (&act, scope) {
            (Act::Open { location, .. }, _) => location.clone(),
            (_, Some(scope)) => location_of(screen, scope),
            (_, None) => String::new(),
        };
        let control = node.map(|ix| {
            let n = screen.node(ix);
            let name = label_of(screen, ix).unwrap_or_else(|| squash(&screen.text_of(ix)));
            ControlFacts { role: n.role.clone(), name, native: n.native.clone() }
        });
        // Whether a control belongs to a form is not part of what is seen: it is assumed.
        let submit_like = match (&act, &control) {
            (Act::Click { .. }, Some(c)) => submit_like(&c.role, &c.native, true),
            (Act::PressKey { key, .. }, Some(c)) => key_submits(&key.0, &c.role, &c.native, true),
            (Act::PressKey { key, .. }, None) => key_submits(&key.0, &Role::TextBox, "", true),
            _ => false,
        };
        Ask { act, location, screen: screen_id, control, declared, submit_like }
    }

    /// The question for the answer to a dialog, which is asked by what the dialog itself says.
    #[must_use]
    pub fn answering(
        screen: Option<&UiSnapshot>,
        dialog: &DialogFact,
        accept: bool,
        text: Option<TypedText>,
        declared: Risk,
    ) -> Self {
        let window = dialog.window.clone();
        let scope = screen.and_then(|s| Some((s, s.window(&window)?)));
        let asks = matches!(dialog.kind, DialogKind::Confirm | DialogKind::Prompt | DialogKind::Leave);
        Ask {
            act: Act::AnswerDialog { window, accept, text },
            location: scope.map(|(s, scope)| location_of(s, scope)).unwrap_or_default(),
            screen: None,
            control: Some(ControlFacts { role: Role::Dialog, name: dialog.text.clone(), native: String::new() }),
            declared,
            submit_like: accept && asks,
        }
    }
}

/// The address of a scope; content that has none of its own is where its holder is.
#[must_use]
pub fn location_of(screen: &UiSnapshot, scope: ScopeId) -> String {
    let mut at = screen.scope(scope);
    while at.location.is_empty() || at.location.starts_with("about:") {
        match at.parent {
            Some(parent) => at = screen.scope(parent),
            None => break,
        }
    }
    at.location.clone()
}
