//! Actions and controls in the words of the policy.

use std::fmt;

use serde::Deserialize;
use waymark_snapshot::Role;

/// What is about to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionWord {
    /// Loads a location.
    Open,
    /// Clicks.
    Click,
    /// Types a text.
    Type,
    /// Chooses an option.
    Choose,
    /// Brings a toggle into a state.
    SetChecked,
    /// Presses a key.
    PressKey,
    /// Gives files.
    Upload,
    /// Scrolls.
    Scroll,
    /// Answers a dialog.
    AnswerDialog,
    /// Closes a window.
    CloseWindow,
}

impl ActionWord {
    /// Every action.
    pub const ALL: [ActionWord; 10] = [
        ActionWord::Open,
        ActionWord::Click,
        ActionWord::Type,
        ActionWord::Choose,
        ActionWord::SetChecked,
        ActionWord::PressKey,
        ActionWord::Upload,
        ActionWord::Scroll,
        ActionWord::AnswerDialog,
        ActionWord::CloseWindow,
    ];

    /// The word as it is written in configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ActionWord::Open => "open",
            ActionWord::Click => "click",
            ActionWord::Type => "type",
            ActionWord::Choose => "choose",
            ActionWord::SetChecked => "set_checked",
            ActionWord::PressKey => "press_key",
            ActionWord::Upload => "upload",
            ActionWord::Scroll => "scroll",
            ActionWord::AnswerDialog => "answer_dialog",
            ActionWord::CloseWindow => "close_window",
        }
    }
}

impl fmt::Display for ActionWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The control that is acted on, as a person sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control<'a> {
    /// Its role.
    pub role: &'a Role,
    /// Its visible name.
    pub name: &'a str,
    /// Its native kind, such as `input:submit`.
    pub native: &'a str,
}

impl Control<'_> {
    /// Whether a press of it can carry something out rather than lead somewhere, mark something or place a
    /// cursor. Whatever is not known to do one of these counts as committing.
    pub(crate) fn commits(&self) -> bool {
        match self.role {
            // A link leads somewhere, unless it is a button that calls itself a link.
            Role::Link | Role::Tab | Role::TreeItem => {
                self.native.starts_with("input:") || self.native.starts_with("button:")
            }
            Role::CheckBox | Role::Radio | Role::Option | Role::ComboBox | Role::ListBox => false,
            Role::TextBox | Role::SearchBox | Role::SpinButton | Role::Date | Role::DateTime | Role::Time => false,
            _ => true,
        }
    }
}

/// Whether a press of the control sends a form: submit and image inputs, submit buttons, and any button in a form.
#[must_use]
pub fn submit_like(role: &Role, native: &str, in_form: bool) -> bool {
    match native {
        "input:submit" | "input:image" | "button:submit" => true,
        "input:reset" | "button:reset" => false,
        _ => in_form && (*role == Role::Button || matches!(native, "input:button" | "button:button")),
    }
}

/// Whether a key pressed on the control sends a form: Enter in a field of a form, Enter or Space on what is
/// [`submit_like`] itself. `key` is written as in `Enter`, `Control+Enter`, `Space`.
#[must_use]
pub fn key_submits(key: &str, role: &Role, native: &str, in_form: bool) -> bool {
    match bare(key) {
        "Enter" | "NumpadEnter" => submit_like(role, native, in_form) || in_form,
        "Space" | " " => submit_like(role, native, in_form),
        _ => false,
    }
}

/// The key without its modifiers.
fn bare(key: &str) -> &str {
    match key.rsplit_once('+') {
        Some((_, "")) | None => key,
        Some((_, last)) => last,
    }
}
