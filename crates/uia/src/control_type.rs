//! Control types of the accessibility interface, and what each is to a person.

use waymark_snapshot::Role;

macro_rules! control_types {
    ($($variant:ident = $id:literal => $role:ident),+ $(,)?) => {
        /// A control type, with its published number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum ControlType { $(#[doc = concat!("Number ", stringify!($id), ".")] $variant = $id),+ }

        impl ControlType {
            /// All control types, in order of their numbers.
            pub const ALL: &'static [ControlType] = &[$(ControlType::$variant),+];

            /// Its published number.
            #[must_use]
            pub fn id(self) -> u32 {
                self as u32
            }

            /// The control type of a number; `None` for one that is not published.
            #[must_use]
            pub fn from_id(id: u32) -> Option<Self> {
                match id { $($id => Some(ControlType::$variant),)+ _ => None }
            }

            /// Its name, as it is compared in fingerprints.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(ControlType::$variant => stringify!($variant)),+ }
            }

            /// What it is where no pattern of the element says more; see [`crate::role_of`].
            #[must_use]
            pub fn role(self) -> Role {
                match self { $(ControlType::$variant => Role::$role),+ }
            }
        }
    };
}

control_types! {
    Button = 50000 => Button,
    Calendar = 50001 => Grid,
    CheckBox = 50002 => CheckBox,
    ComboBox = 50003 => ComboBox,
    Edit = 50004 => TextBox,
    Hyperlink = 50005 => Link,
    Image = 50006 => Image,
    ListItem = 50007 => ListItem,
    List = 50008 => List,
    Menu = 50009 => Menu,
    MenuBar = 50010 => MenuBar,
    MenuItem = 50011 => MenuItem,
    ProgressBar = 50012 => ProgressBar,
    RadioButton = 50013 => Radio,
    ScrollBar = 50014 => ScrollBar,
    Slider = 50015 => Slider,
    Spinner = 50016 => SpinButton,
    StatusBar = 50017 => Status,
    Tab = 50018 => TabList,
    TabItem = 50019 => Tab,
    Text = 50020 => Text,
    ToolBar = 50021 => Toolbar,
    ToolTip = 50022 => Tooltip,
    Tree = 50023 => Tree,
    TreeItem = 50024 => TreeItem,
    Custom = 50025 => Generic,
    Group = 50026 => Group,
    Thumb = 50027 => Generic,
    DataGrid = 50028 => Grid,
    DataItem = 50029 => Row,
    Document = 50030 => Document,
    SplitButton = 50031 => Button,
    Window = 50032 => Dialog,
    Pane = 50033 => Generic,
    Header = 50034 => Row,
    HeaderItem = 50035 => ColumnHeader,
    Table = 50036 => Table,
    TitleBar = 50037 => Banner,
    Separator = 50038 => Separator,
    SemanticZoom = 50039 => Group,
    AppBar = 50040 => Toolbar,
}
