//! One perceived node.

use serde::{Deserialize, Serialize};

use crate::{Ix, Role, ScopeId};

/// A handle by which the driver that made the snapshot finds the node again. Opaque; never compared
/// between snapshots to decide anything, never stored in an artifact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub String);

impl NodeId {
    /// A handle from its text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        NodeId(text.into())
    }

    /// The text of the handle.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A box in units of the surface (for screens: pixels at scale 1), relative to the node's window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub w: i32,
    /// Height.
    pub h: i32,
}

impl Rect {
    /// The right edge.
    #[must_use]
    pub fn right(&self) -> i32 {
        self.x.saturating_add(self.w)
    }

    /// The bottom edge.
    #[must_use]
    pub fn bottom(&self) -> i32 {
        self.y.saturating_add(self.h)
    }

    /// Whether the two boxes share some height.
    #[must_use]
    pub fn overlaps_vertically(&self, other: &Rect) -> bool {
        self.y < other.bottom() && other.y < self.bottom()
    }

    /// Whether the two boxes share some width.
    #[must_use]
    pub fn overlaps_horizontally(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right()
    }
}

macro_rules! states {
    ($($variant:ident = $bit:literal $word:literal),+ $(,)?) => {
        /// One state of a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum State { $(#[doc = $word] $variant),+ }

        impl State {
            /// All states, in order of their bits.
            pub const ALL: &'static [State] = &[$(State::$variant),+];

            /// The word as it is written in fixtures.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(State::$variant => $word),+ }
            }

            /// Reads a state.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(State::$variant),)+ _ => None }
            }

            const fn bit(self) -> u32 {
                match self { $(State::$variant => 1 << $bit),+ }
            }
        }
    };
}

states! {
    Disabled = 0 "disabled",
    Checked = 1 "checked",
    Mixed = 2 "mixed",
    Expanded = 3 "expanded",
    Collapsed = 4 "collapsed",
    Selected = 5 "selected",
    Focused = 6 "focused",
    ReadOnly = 7 "readonly",
    Required = 8 "required",
    Invalid = 9 "invalid",
    Busy = 10 "busy",
    Protected = 11 "protected",
    Focusable = 12 "focusable",
    Multiline = 13 "multiline",
    MultiSelectable = 14 "multiselectable",
    HasPopup = 15 "haspopup",
    Pressed = 16 "pressed",
    Unexposed = 17 "unexposed",
    Modal = 18 "modal",
    Interactive = 19 "interactive",
}

/// A set of states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct States(pub u32);

impl States {
    /// Whether the state is set.
    #[must_use]
    pub fn has(self, state: State) -> bool {
        self.0 & state.bit() != 0
    }

    /// The set with one more state.
    #[must_use]
    pub fn with(self, state: State) -> Self {
        States(self.0 | state.bit())
    }

    /// The set without a state.
    #[must_use]
    pub fn without(self, state: State) -> Self {
        States(self.0 & !state.bit())
    }

    /// The states in order of their bits.
    pub fn iter(self) -> impl Iterator<Item = State> {
        State::ALL.iter().copied().filter(move |s| self.has(*s))
    }
}

/// Where a cell stands in its table, spans resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The table node.
    pub table: Ix,
    /// Row, from 0.
    pub row: u32,
    /// Column, from 0.
    pub col: u32,
    /// Rows covered, at least 1.
    pub row_span: u32,
    /// Columns covered, at least 1.
    pub col_span: u32,
    /// Whether the cell is declared a header.
    pub header: bool,
}

/// One option of a choice control.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionItem {
    /// What the person reads.
    pub text: String,
    /// Whether it is chosen.
    pub selected: bool,
    /// Whether it can be chosen.
    pub enabled: bool,
}

/// What only some nodes have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeDetail {
    /// Heading level, from 1.
    pub level: Option<u32>,
    /// The options of a choice control, also while it is closed.
    pub options: Vec<OptionItem>,
    /// A longer description.
    pub description: Option<String>,
    /// The hint shown in an empty field.
    pub placeholder: Option<String>,
    /// Where activating the node leads.
    pub location: Option<String>,
    /// Whether the name was explicitly associated by the application (a label), not taken from content.
    pub labelled: bool,
    /// For a frame node: the scope it holds.
    pub holds: Option<ScopeId>,
}

/// One perceived node. Only visible nodes are in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The driver's handle.
    pub id: NodeId,
    /// What it is.
    pub role: Role,
    /// Its accessible name as the application publishes it; for text leaves, the text.
    pub name: String,
    /// Current value of a control; `None` where there is none or where it is protected.
    pub value: Option<String>,
    /// Its states.
    pub states: States,
    /// Where it is; `None` where the surface cannot say.
    pub bounds: Option<Rect>,
    /// The frame or window it belongs to.
    pub scope: ScopeId,
    /// The nearest perceived ancestor.
    pub parent: Option<Ix>,
    /// The first index after this node's subtree.
    pub end: Ix,
    /// The surface's own word for the kind of element; compared, never interpreted.
    pub native: String,
    /// The line of text a leaf belongs to, unique within its scope.
    pub block: u32,
    /// Its place in a table.
    pub cell: Option<Cell>,
    /// What only some nodes have.
    pub detail: NodeDetail,
}

impl Node {
    /// A node of which nothing but its kind is known yet.
    #[must_use]
    pub fn bare(id: NodeId, role: Role, scope: ScopeId) -> Self {
        Node {
            id,
            role,
            name: String::new(),
            value: None,
            states: States::default(),
            bounds: None,
            scope,
            parent: None,
            end: Ix(0),
            native: String::new(),
            block: 0,
            cell: None,
            detail: NodeDetail::default(),
        }
    }

    /// Whether the state is set.
    #[must_use]
    pub fn is(&self, state: State) -> bool {
        self.states.has(state)
    }
}
