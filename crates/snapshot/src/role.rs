//! Roles: what kind of thing a node is to the person who uses it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! roles {
    ($($variant:ident = $word:literal),+ $(,)?) => {
        /// The kind of a node, in the vocabulary of assistive technology.
        ///
        /// Unknown words are kept as [`Role::Other`], so that a newer driver never loses a node.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role {
            $(#[doc = $word] $variant,)+
            /// A role this version has no name for.
            Other(Box<str>),
        }

        impl Role {
            /// Every role that has a name of its own, in declaration order.
            pub const KNOWN: &'static [Role] = &[$(Role::$variant),+];

            /// The word as it is written in artifacts and fixtures.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Role::$variant => $word,)+
                    Role::Other(word) => word,
                }
            }

            /// Reads a role; never fails.
            #[must_use]
            pub fn from_word(word: &str) -> Self {
                match word {
                    $($word => Role::$variant,)+
                    other => Role::Other(other.into()),
                }
            }
        }
    };
}

roles! {
    Alert = "alert",
    AlertDialog = "alertdialog",
    Article = "article",
    Banner = "banner",
    Blockquote = "blockquote",
    Button = "button",
    Caption = "caption",
    Cell = "cell",
    CheckBox = "checkbox",
    Code = "code",
    Color = "color",
    ColumnHeader = "columnheader",
    ComboBox = "combobox",
    Complementary = "complementary",
    ContentInfo = "contentinfo",
    Date = "date",
    DateTime = "datetime",
    Definition = "definition",
    Dialog = "dialog",
    Document = "document",
    Figure = "figure",
    File = "file",
    Form = "form",
    Frame = "frame",
    Generic = "generic",
    Grid = "grid",
    GridCell = "gridcell",
    Group = "group",
    Heading = "heading",
    Image = "img",
    Link = "link",
    List = "list",
    ListBox = "listbox",
    ListItem = "listitem",
    Log = "log",
    Main = "main",
    Menu = "menu",
    MenuBar = "menubar",
    MenuItem = "menuitem",
    MenuItemCheckBox = "menuitemcheckbox",
    MenuItemRadio = "menuitemradio",
    Meter = "meter",
    Navigation = "navigation",
    Note = "note",
    Option = "option",
    Paragraph = "paragraph",
    ProgressBar = "progressbar",
    Radio = "radio",
    RadioGroup = "radiogroup",
    Region = "region",
    Row = "row",
    RowGroup = "rowgroup",
    RowHeader = "rowheader",
    ScrollBar = "scrollbar",
    Search = "search",
    SearchBox = "searchbox",
    Separator = "separator",
    Slider = "slider",
    SpinButton = "spinbutton",
    Status = "status",
    Switch = "switch",
    Tab = "tab",
    TabList = "tablist",
    TabPanel = "tabpanel",
    Table = "table",
    Term = "term",
    Text = "text",
    TextBox = "textbox",
    Time = "time",
    Timer = "timer",
    Toolbar = "toolbar",
    Tooltip = "tooltip",
    Tree = "tree",
    TreeGrid = "treegrid",
    TreeItem = "treeitem",
    Window = "window",
}

/// Roles that stand in for one another between versions of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleClass {
    /// Reacts to a click: buttons, links, menu items, tabs.
    Clickable,
    /// Takes typed text.
    TextEntry,
    /// Offers a choice among options.
    Choice,
    /// On or off.
    Toggle,
    /// Holds or shows content.
    Container,
}

impl Role {
    /// The class within which `role_name_normalized` may match.
    #[must_use]
    pub fn class(&self) -> RoleClass {
        match self {
            Role::Button | Role::Link | Role::MenuItem | Role::Tab | Role::TreeItem | Role::Generic => {
                RoleClass::Clickable
            }
            Role::TextBox
            | Role::SearchBox
            | Role::SpinButton
            | Role::Date
            | Role::DateTime
            | Role::Time
            | Role::Color => RoleClass::TextEntry,
            Role::ComboBox | Role::ListBox | Role::RadioGroup => RoleClass::Choice,
            Role::CheckBox | Role::Radio | Role::Switch | Role::MenuItemCheckBox | Role::MenuItemRadio => {
                RoleClass::Toggle
            }
            _ => RoleClass::Container,
        }
    }

    /// Whether two roles may stand in for one another: the same role, or one class other than containers.
    #[must_use]
    pub fn same_class(&self, other: &Role) -> bool {
        self == other || (self.class() == other.class() && self.class() != RoleClass::Container)
    }

    /// Whether a person can act on nodes of this role.
    #[must_use]
    pub fn is_control(&self) -> bool {
        matches!(self, Role::Option | Role::Slider | Role::File)
            || (self.class() != RoleClass::Container && *self != Role::Generic)
    }

    /// Whether this is a cell of a table or grid.
    #[must_use]
    pub fn is_cell(&self) -> bool {
        matches!(self, Role::Cell | Role::GridCell | Role::ColumnHeader | Role::RowHeader)
    }

    /// Whether this is a table or grid.
    #[must_use]
    pub fn is_table(&self) -> bool {
        matches!(self, Role::Table | Role::Grid | Role::TreeGrid)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Role::from_word(&word))
    }
}
