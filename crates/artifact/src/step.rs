//! One thing that is done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waymark_snapshot::squash;

use crate::{
    Checkpoint, Condition, DisplayFormat, Name, Reconcile, RowKey, StepId, Target, Template, TextMatch, ValueExpr,
};

/// How much harm an action can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Can be repeated without harm.
    #[default]
    Safe,
    /// Changes something; must not be repeated blindly.
    Risky,
    /// Cannot be taken back.
    Irreversible,
}

impl Risk {
    /// The word as it is written in artifacts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Risk::Safe => "safe",
            Risk::Risky => "risky",
            Risk::Irreversible => "irreversible",
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its name within the document.
    pub id: StepId,
    /// In words, for a reviewer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What is done.
    pub action: Action,
    /// How much harm it can do; the policy may find more, never less.
    #[serde(default, skip_serializing_if = "is_safe")]
    pub risk: Risk,
    /// Left out unless this holds of the parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<OnlyIf>,
    /// What must hold before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precondition: Option<Checkpoint>,
    /// What must become true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// What the action opens beside the screen.
    #[serde(default, skip_serializing_if = "Opens::is_empty")]
    pub opens: Opens,
    /// How to find out whether the action had its effect where the checkpoint does not come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconcile: Option<Reconcile>,
    /// Time for the step in milliseconds, people and recoveries not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u32>,
    /// Whether a walk may begin again here after signing on anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub safe_point: bool,
}

impl Step {
    /// Its risk, that of the answers to its dialogs included.
    #[must_use]
    pub fn harm(&self) -> Risk {
        self.opens.dialogs.iter().map(|dialog| dialog.risk).chain([self.risk]).max().unwrap_or_default()
    }
}

/// A condition on the parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnlyIf {
    /// The parameter that must be given.
    pub parameter: Name,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Clicks.
    Click {
        /// On what.
        target: Target,
    },
    /// Types a text in place of what a field holds.
    Type {
        /// The field.
        target: Target,
        /// The text.
        value: ValueExpr,
        /// As a whole or key by key.
        #[serde(default, skip_serializing_if = "is_insert")]
        typing: Typing,
        /// How a typed value is written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<DisplayFormat>,
    },
    /// Chooses an option by its text.
    Choose {
        /// The control.
        target: Target,
        /// The option.
        option: ValueExpr,
        /// How much of the option's text it is.
        #[serde(default, skip_serializing_if = "is_whole_option")]
        rule: OptionRule,
    },
    /// Brings a toggle into a state.
    SetChecked {
        /// The toggle.
        target: Target,
        /// The state: a boolean literal or parameter.
        checked: ValueExpr,
    },
    /// Presses a key.
    PressKey {
        /// Where the focus is put first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
        /// The key.
        key: KeyName,
    },
    /// Reads one value.
    Read {
        /// From what.
        target: Target,
        /// Which part of it.
        #[serde(default, skip_serializing_if = "is_text_part")]
        part: ReadPart,
        /// The output it becomes.
        into: Name,
    },
    /// Reads rows of a table.
    ReadTable {
        /// The table.
        target: Target,
        /// The output they become.
        into: Name,
        /// Where each column of the output stands.
        columns: Vec<TableColumn>,
        /// How many rows.
        rows: RowLimit,
        /// Rows that are no data (totals).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        except: Vec<RowKey>,
    },
    /// Waits until something holds.
    WaitFor {
        /// What.
        condition: Condition,
    },
    /// Loads a location.
    Open {
        /// The window; the main one if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        window: Option<Template>,
        /// The address.
        location: Template,
    },
    /// Gives a file to a field or chooser.
    Upload {
        /// The field or button.
        target: Target,
        /// The file.
        file: ValueExpr,
    },
    /// Scrolls until something holds or nothing more comes.
    ScrollToLoad {
        /// What is scrolled.
        target: Target,
        /// When it is enough.
        until: Condition,
        /// How often at most.
        limit: u32,
    },
    /// Does the steps of a sub-flow that is another capability.
    Run {
        /// Its name.
        subflow: Name,
    },
}

impl Action {
    /// The word for it, as it is written in artifacts.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Action::Click { .. } => "click",
            Action::Type { .. } => "type",
            Action::Choose { .. } => "choose",
            Action::SetChecked { .. } => "set_checked",
            Action::PressKey { .. } => "press_key",
            Action::Read { .. } => "read",
            Action::ReadTable { .. } => "read_table",
            Action::WaitFor { .. } => "wait_for",
            Action::Open { .. } => "open",
            Action::Upload { .. } => "upload",
            Action::ScrollToLoad { .. } => "scroll_to_load",
            Action::Run { .. } => "run",
        }
    }

    /// What it acts on or reads from.
    #[must_use]
    pub fn target(&self) -> Option<&Target> {
        match self {
            Action::Click { target }
            | Action::Type { target, .. }
            | Action::Choose { target, .. }
            | Action::SetChecked { target, .. }
            | Action::Read { target, .. }
            | Action::ReadTable { target, .. }
            | Action::Upload { target, .. }
            | Action::ScrollToLoad { target, .. } => Some(target),
            Action::PressKey { target, .. } => target.as_ref(),
            Action::WaitFor { .. } | Action::Open { .. } | Action::Run { .. } => None,
        }
    }

    /// As [`Action::target`], to change it.
    pub fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Action::Click { target }
            | Action::Type { target, .. }
            | Action::Choose { target, .. }
            | Action::SetChecked { target, .. }
            | Action::Read { target, .. }
            | Action::ReadTable { target, .. }
            | Action::Upload { target, .. }
            | Action::ScrollToLoad { target, .. } => Some(target),
            Action::PressKey { target, .. } => target.as_mut(),
            Action::WaitFor { .. } | Action::Open { .. } | Action::Run { .. } => None,
        }
    }

    /// Whether it can change the state of the application (as opposed to looking).
    #[must_use]
    pub fn changes_state(&self) -> bool {
        match self {
            Action::Click { .. }
            | Action::Type { .. }
            | Action::Choose { .. }
            | Action::SetChecked { .. }
            | Action::PressKey { .. }
            | Action::Open { .. }
            | Action::Upload { .. } => true,
            // What the steps of a sub-flow do is said there.
            Action::Read { .. }
            | Action::ReadTable { .. }
            | Action::WaitFor { .. }
            | Action::ScrollToLoad { .. }
            | Action::Run { .. } => false,
        }
    }

    /// Whether the engine's own read-back of the control is the checkpoint.
    #[must_use]
    pub fn reads_back(&self) -> bool {
        match self {
            Action::Type { .. } | Action::Choose { .. } | Action::SetChecked { .. } | Action::Upload { .. } => true,
            Action::Click { .. }
            | Action::PressKey { .. }
            | Action::Open { .. }
            | Action::Read { .. }
            | Action::ReadTable { .. }
            | Action::WaitFor { .. }
            | Action::ScrollToLoad { .. }
            | Action::Run { .. } => false,
        }
    }
}

/// How an option is known by a text. White space squashed, case kept. Where several options fit, none is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OptionRule {
    /// It is the option's whole text.
    #[default]
    Equals,
    /// It is the option's whole text or, where there is no such option, the option begins with it and with a blank or a
    /// bracket after it: `12345-00` is the option `12345-00 REGULAR SAVINGS`.
    StartsWith,
}

impl OptionRule {
    /// The places of the options that a text means; more than one is no choice.
    #[must_use]
    pub fn find(self, wanted: &str, options: &[&str]) -> Vec<usize> {
        let fitting = |fits: &dyn Fn(&str, &str) -> bool| {
            let wanted = squash(wanted);
            let places = options.iter().enumerate().filter(|(_, option)| fits(&squash(option), &wanted));
            places.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        let whole = fitting(&|option, wanted| option == wanted);
        match self {
            OptionRule::StartsWith if whole.is_empty() => fitting(&begins),
            OptionRule::Equals | OptionRule::StartsWith => whole,
        }
    }

    /// Whether a control that holds this option holds what was to be chosen.
    #[must_use]
    pub fn fits(self, wanted: &str, option: &str) -> bool {
        !self.find(wanted, &[option]).is_empty()
    }
}

/// Whether an option begins with a text and goes on with something else: a longer number is another number. Both squashed.
fn begins(option: &str, wanted: &str) -> bool {
    let rest = option.strip_prefix(wanted).filter(|_| !wanted.is_empty());
    rest.is_some_and(|rest| {
        let rest = rest.strip_prefix([',', ':', ';']).filter(|rest| rest.starts_with(' ')).unwrap_or(rest);
        rest.starts_with([' ', '(', '['])
    })
}

/// As a whole or key by key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Typing {
    /// The whole text as one input.
    #[default]
    Insert,
    /// One key after the other, for fields that listen to keys.
    Keys,
}

/// Which part of a thing is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadPart {
    /// Its visible text.
    #[default]
    Text,
    /// The value it holds.
    Value,
    /// Its accessible name.
    Name,
}

/// The name of a key, with modifiers: `Enter`, `Tab`, `Control+s`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct KeyName(pub String);

/// A column of a table that is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableColumn {
    /// The column of the output.
    pub column: Name,
    /// The header under which it stands.
    pub header: Template,
}

/// How many rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RowLimit {
    /// All.
    All,
    /// The first so many.
    First(u32),
}

/// What an action opens beside the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Opens {
    /// A window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowOpens>,
    /// A download.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub download: Option<DownloadOpens>,
    /// Native dialogs, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dialogs: Vec<DialogOpens>,
}

impl Opens {
    /// Whether nothing is opened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Opens::default()
    }
}

/// A window that an action opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowOpens {
    /// The name by which later steps refer to it; the name under which the application opens it.
    pub name: Template,
}

/// A download that an action starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DownloadOpens {
    /// The output of type file that it becomes.
    pub into: Name,
}

/// A native dialog that an action opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialogOpens {
    /// Its kind.
    pub kind: DialogKindName,
    /// What it must say.
    pub text: TextMatch,
    /// The answer.
    pub answer: DialogAnswer,
    /// How much harm the answer can do.
    #[serde(default, skip_serializing_if = "is_safe")]
    pub risk: Risk,
}

/// Kinds of native dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialogKindName {
    /// Says something.
    Alert,
    /// Asks yes or no.
    Confirm,
    /// Asks for a text.
    Prompt,
    /// Asks whether to leave.
    Leave,
}

/// The answer to a dialog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DialogAnswer {
    /// Yes, or the only button there is.
    Accept,
    /// No.
    Dismiss,
    /// This text, and yes.
    Text(ValueExpr),
}

fn is_safe(risk: &Risk) -> bool {
    *risk == Risk::Safe
}

fn is_whole_option(rule: &OptionRule) -> bool {
    *rule == OptionRule::Equals
}

fn is_insert(typing: &Typing) -> bool {
    *typing == Typing::Insert
}

fn is_text_part(part: &ReadPart) -> bool {
    *part == ReadPart::Text
}

#[cfg(test)]
mod tests {
    use super::OptionRule;

    #[track_caller]
    fn check(rule: OptionRule, wanted: &str, expected: &[&str]) {
        const OPTIONS: [&str; 7] =
            ["12345-00  REGULAR SAVINGS", "12345-20 CHECKING", "12345-20(old)", "A: all", "1,000", "A", "NEW-B loan"];
        let found: Vec<&str> = rule.find(wanted, &OPTIONS).into_iter().map(|at| OPTIONS[at]).collect();
        assert_eq!(found, expected, "{wanted:?}");
    }

    #[test]
    fn an_option_is_known_by_its_whole_text() {
        check(OptionRule::Equals, "12345-00 REGULAR SAVINGS", &["12345-00  REGULAR SAVINGS"]);
        check(OptionRule::Equals, "12345-00", &[]);
    }

    #[test]
    fn an_option_may_be_known_by_what_it_begins_with_where_none_is_the_text() {
        check(OptionRule::StartsWith, "12345-00", &["12345-00  REGULAR SAVINGS"]);
        check(OptionRule::StartsWith, "12345-20", &["12345-20 CHECKING", "12345-20(old)"]);
        check(OptionRule::StartsWith, "A", &["A"]);
    }

    #[test]
    fn what_goes_on_without_a_break_is_something_else() {
        for wanted in ["12345", "12345-0", "1", "NEW", ""] {
            check(OptionRule::StartsWith, wanted, &[]);
        }
        assert!(!OptionRule::StartsWith.fits("12345-0", "12345-00 REGULAR SAVINGS"));
        assert!(OptionRule::StartsWith.fits("A", "A: all") && !OptionRule::Equals.fits("A", "A: all"));
    }
}
