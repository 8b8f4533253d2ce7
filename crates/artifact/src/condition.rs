//! What can be said of a screen: typed predicates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FrameRef, Name, Relation, Rung, Template};

/// What must become true, and why that proves the effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// In words.
    pub description: String,
    /// What must hold.
    pub condition: Condition,
    /// Whether this sees the record itself again by another way (list, detail, reopened form), rather than a
    /// message about it. A risky step needs one, or a reconcile check.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_back: bool,
}

/// A window and the frames in it. Left out: the main window's own content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The window, by the name under which a step opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Template>,
    /// The frames down from the window.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frame: Vec<FrameRef>,
}

/// A thing that is or is not on the screen. Exact rungs only: a check never heals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElementQuery {
    /// Where to look.
    #[serde(default, skip_serializing_if = "is_main")]
    pub place: Place,
    /// How it is found: `role_name`, `label` or `anchor`.
    pub find: Rung,
    /// Within all of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Relation>,
}

/// A text to compare with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextMatch {
    /// The text.
    pub text: Template,
    /// How much of a line it must be.
    #[serde(default, skip_serializing_if = "is_contains")]
    pub rule: TextRule,
}

/// How a text is compared; white space squashed, case kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextRule {
    /// It stands somewhere in a line.
    #[default]
    Contains,
    /// It is the whole line.
    Equals,
    /// The line begins with it.
    StartsWith,
}

/// A state an element may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ElementState {
    /// Cannot be acted on.
    Disabled,
    /// Can be acted on.
    Enabled,
    /// On.
    Checked,
    /// Off.
    Unchecked,
    /// Open.
    Expanded,
    /// Closed.
    Collapsed,
    /// Chosen.
    Selected,
}

/// A native dialog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialogPattern {
    /// Its text.
    pub text: TextMatch,
}

/// A typed predicate over what is visible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// The thing is there.
    ElementPresent {
        /// The thing.
        element: ElementQuery,
    },
    /// The thing is not there. Believed of a settled screen only.
    ElementAbsent {
        /// The thing.
        element: ElementQuery,
    },
    /// The thing is there, once, and holds this value.
    ElementHasValue {
        /// The thing.
        element: ElementQuery,
        /// The value, as it is displayed.
        value: Template,
    },
    /// The thing is there, once, and in this state.
    ElementHasState {
        /// The thing.
        element: ElementQuery,
        /// The state.
        state: ElementState,
    },
    /// The text is visible.
    TextPresent {
        /// Where to look.
        #[serde(default, skip_serializing_if = "is_main")]
        place: Place,
        /// The text.
        #[serde(rename = "match")]
        text: TextMatch,
    },
    /// The text is not visible. Believed of a settled screen only.
    TextAbsent {
        /// Where to look.
        #[serde(default, skip_serializing_if = "is_main")]
        place: Place,
        /// The text.
        #[serde(rename = "match")]
        text: TextMatch,
    },
    /// The address of the content fits a pattern: `*` stands for any part of one segment, a trailing `/**` for
    /// any rest; parameters behind `;` and, unless the pattern has a `?`, the query are left out.
    LocationMatches {
        /// Where to look.
        #[serde(default, skip_serializing_if = "is_main")]
        place: Place,
        /// The pattern.
        pattern: Template,
    },
    /// The title of the content fits a text: what a window's bar or a tab shows of it.
    TitleMatches {
        /// Where to look.
        #[serde(default, skip_serializing_if = "is_main")]
        place: Place,
        /// The text.
        #[serde(rename = "match")]
        text: TextMatch,
    },
    /// A window of this name is open.
    WindowOpened {
        /// Its name.
        name: Template,
    },
    /// No window of this name is open.
    WindowClosed {
        /// Its name.
        name: Template,
    },
    /// A native dialog is open.
    DialogOpened {
        /// Which.
        dialog: DialogPattern,
    },
    /// No native dialog is open.
    DialogClosed {},
    /// The screen carries this identifier, by the application's screen-id pattern.
    ScreenId {
        /// Where to look.
        #[serde(default, skip_serializing_if = "is_main")]
        place: Place,
        /// The identifier.
        equals: Template,
    },
    /// An output was read and holds something.
    OutputNotEmpty {
        /// The output.
        output: Name,
    },
    /// All of these hold.
    All {
        /// The conditions.
        of: Vec<Condition>,
    },
    /// At least one of these holds.
    Any {
        /// The conditions.
        of: Vec<Condition>,
    },
    /// This does not hold. Believed of a settled screen only.
    Not {
        /// The condition.
        of: Box<Condition>,
    },
}

impl Condition {
    /// The conditions directly inside this one.
    #[must_use]
    pub fn parts(&self) -> &[Condition] {
        match self {
            Condition::All { of } | Condition::Any { of } => of,
            Condition::Not { of } => std::slice::from_ref(of),
            _ => &[],
        }
    }

    /// The place a leaf looks at; `None` for conditions that look at no content.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Condition::ElementPresent { element }
            | Condition::ElementAbsent { element }
            | Condition::ElementHasValue { element, .. }
            | Condition::ElementHasState { element, .. } => Some(&element.place),
            Condition::TextPresent { place, .. }
            | Condition::TextAbsent { place, .. }
            | Condition::LocationMatches { place, .. }
            | Condition::TitleMatches { place, .. }
            | Condition::ScreenId { place, .. } => Some(place),
            Condition::WindowOpened { .. }
            | Condition::WindowClosed { .. }
            | Condition::DialogOpened { .. }
            | Condition::DialogClosed {}
            | Condition::OutputNotEmpty { .. }
            | Condition::All { .. }
            | Condition::Any { .. }
            | Condition::Not { .. } => None,
        }
    }

    /// Every place that this condition looks at.
    pub fn places(&self) -> Vec<&Place> {
        let mut out: Vec<&Place> = self.place().into_iter().collect();
        for part in self.parts() {
            out.extend(part.places());
        }
        out
    }

    /// Whether a settled screen is needed to believe it: it says that something is not there.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match self {
            Condition::ElementAbsent { .. }
            | Condition::TextAbsent { .. }
            | Condition::Not { .. }
            | Condition::WindowClosed { .. }
            | Condition::DialogClosed {} => true,
            Condition::All { of } => !of.is_empty() && of.iter().all(Condition::is_negative),
            Condition::Any { of } => of.iter().any(Condition::is_negative),
            _ => false,
        }
    }

    /// Whether any part of it says that something is not there.
    #[must_use]
    pub fn has_negative(&self) -> bool {
        match self {
            Condition::All { of } | Condition::Any { of } => of.iter().any(Condition::has_negative),
            other => other.is_negative(),
        }
    }
}

fn is_main(place: &Place) -> bool {
    *place == Place::default()
}

fn is_contains(rule: &TextRule) -> bool {
    *rule == TextRule::Contains
}
