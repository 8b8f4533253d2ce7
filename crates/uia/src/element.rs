//! What the accessibility interface publishes of one element, and what becomes of it in a snapshot.

use waymark_snapshot::{Rect, Role, State, States};

use crate::ControlType;

/// Control patterns that the mapping reads or acts by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    /// Can be pressed.
    Invoke,
    /// On, off or in between.
    Toggle,
    /// Opens and closes.
    ExpandCollapse,
    /// Holds a text.
    Value,
    /// Holds a number between bounds.
    RangeValue,
    /// Holds a choice among items.
    Selection,
    /// Is an item of a choice.
    SelectionItem,
    /// Has rows and columns.
    Grid,
    /// Lies in a row and column.
    GridItem,
    /// Can be scrolled.
    Scroll,
    /// Is a window: closed by it, and known to be modal.
    Window,
}

impl Pattern {
    /// All of them.
    pub const ALL: &'static [Pattern] = &[
        Pattern::Invoke,
        Pattern::Toggle,
        Pattern::ExpandCollapse,
        Pattern::Value,
        Pattern::RangeValue,
        Pattern::Selection,
        Pattern::SelectionItem,
        Pattern::Grid,
        Pattern::GridItem,
        Pattern::Scroll,
        Pattern::Window,
    ];
}

/// The state of a toggle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToggleState {
    /// Off.
    Off,
    /// On.
    On,
    /// In between.
    Indeterminate,
}

/// Whether something that opens is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpandCollapseState {
    /// Closed.
    Collapsed,
    /// Open.
    Expanded,
    /// Open in part.
    PartiallyExpanded,
    /// Opens nothing.
    LeafNode,
}

/// Where an element lies in a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridPlace {
    /// Row, from 0.
    pub row: u32,
    /// Column, from 0.
    pub column: u32,
    /// Rows covered.
    pub row_span: u32,
    /// Columns covered.
    pub column_span: u32,
}

/// What the interface publishes of one element, with the elements in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// `RuntimeId`, joined by dots. Valid while the session lives.
    pub runtime_id: String,
    /// `ControlType`; `None` where it is not published.
    pub control_type: Option<ControlType>,
    /// `Name`.
    pub name: String,
    /// `LabeledBy` leads to another element: the name was explicitly given.
    pub labelled: bool,
    /// `HelpText` or `FullDescription`.
    pub help_text: String,
    /// `BoundingRectangle` in pixels of the screen; `None` where it is empty.
    pub bounds: Option<Rect>,
    /// `IsEnabled`.
    pub is_enabled: bool,
    /// `IsOffscreen`.
    pub is_offscreen: bool,
    /// `IsKeyboardFocusable`.
    pub is_keyboard_focusable: bool,
    /// `HasKeyboardFocus`.
    pub has_keyboard_focus: bool,
    /// `IsPassword`.
    pub is_password: bool,
    /// `IsRequiredForForm`.
    pub is_required_for_form: bool,
    /// Not `IsDataValidForForm`.
    pub is_data_invalid: bool,
    /// `IsDialog`, or a modal window by the `Window` pattern.
    pub is_dialog: bool,
    /// `Level`, from 1; 0 where there is none.
    pub level: u32,
    /// `HeadingLevel`, from 1; 0 where it is no heading.
    pub heading_level: u32,
    /// Patterns it offers.
    pub patterns: Vec<Pattern>,
    /// `Value.Value`, or `RangeValue.Value` as it is displayed.
    pub value: Option<String>,
    /// `Value.IsReadOnly` or `RangeValue.IsReadOnly`.
    pub is_read_only: bool,
    /// `Toggle.ToggleState`.
    pub toggle: Option<ToggleState>,
    /// `ExpandCollapse.ExpandCollapseState`.
    pub expand: Option<ExpandCollapseState>,
    /// `SelectionItem.IsSelected`.
    pub is_selected: bool,
    /// `Selection.CanSelectMultiple`.
    pub can_select_multiple: bool,
    /// `GridItem`.
    pub place: Option<GridPlace>,
    /// Elements in it, in order of the control view.
    pub children: Vec<Element>,
}

impl Element {
    /// Whether it offers a pattern.
    #[must_use]
    pub fn offers(&self, pattern: Pattern) -> bool {
        self.patterns.contains(&pattern)
    }
}

/// What an element is: its control type, refined by what it offers.
#[must_use]
pub fn role_of(element: &Element) -> Role {
    let Some(kind) = element.control_type else { return Role::Generic };
    if element.heading_level > 0 && kind == ControlType::Text {
        return Role::Heading;
    }
    match kind {
        ControlType::Button if element.offers(Pattern::Toggle) => Role::Switch,
        ControlType::MenuItem if element.offers(Pattern::Toggle) => Role::MenuItemCheckBox,
        ControlType::MenuItem if element.offers(Pattern::SelectionItem) => Role::MenuItemRadio,
        ControlType::List if element.offers(Pattern::Grid) => Role::Grid,
        ControlType::List if element.offers(Pattern::Selection) => Role::ListBox,
        ControlType::ListItem if element.place.is_some() => Role::GridCell,
        ControlType::ListItem if element.offers(Pattern::SelectionItem) => Role::Option,
        ControlType::Tree if element.offers(Pattern::Grid) => Role::TreeGrid,
        ControlType::Window if !element.is_dialog => Role::Group,
        // Cells have no control type of their own: an edit or text in a grid is a cell.
        ControlType::Text | ControlType::Edit | ControlType::Custom if element.place.is_some() => Role::GridCell,
        kind => kind.role(),
    }
}

/// In which states an element is.
#[must_use]
pub fn states_of(element: &Element) -> States {
    let acts = [Pattern::Invoke, Pattern::Toggle, Pattern::SelectionItem, Pattern::ExpandCollapse];
    let editable = matches!(element.control_type, Some(ControlType::Edit | ControlType::Document));
    let pairs = [
        (!element.is_enabled, State::Disabled),
        (element.toggle == Some(ToggleState::On), State::Checked),
        (element.toggle == Some(ToggleState::Indeterminate), State::Mixed),
        (element.control_type == Some(ControlType::RadioButton) && element.is_selected, State::Checked),
        (
            matches!(element.expand, Some(ExpandCollapseState::Expanded | ExpandCollapseState::PartiallyExpanded)),
            State::Expanded,
        ),
        (element.expand == Some(ExpandCollapseState::Collapsed), State::Collapsed),
        (element.is_selected, State::Selected),
        (element.has_keyboard_focus, State::Focused),
        (element.is_keyboard_focusable, State::Focusable),
        (element.is_read_only && (editable || element.offers(Pattern::Value)), State::ReadOnly),
        (element.is_required_for_form, State::Required),
        (element.is_data_invalid, State::Invalid),
        (element.is_password, State::Protected),
        (element.can_select_multiple, State::MultiSelectable),
        (element.control_type == Some(ControlType::SplitButton), State::HasPopup),
        (element.is_dialog, State::Modal),
        (element.is_keyboard_focusable || acts.iter().any(|p| element.offers(*p)), State::Interactive),
    ];
    pairs.into_iter().filter(|(set, _)| *set).fold(States::default(), |states, (_, state)| states.with(state))
}

/// What an element holds; never of a field that hides it.
#[must_use]
pub fn value_of(element: &Element) -> Option<String> {
    if element.is_password { None } else { element.value.clone() }
}
