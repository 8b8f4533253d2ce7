//! Desktop applications through the accessibility interface of their system (UI Automation): the mapping to
//! snapshots, and the shape of a driver.
//!
//! **Interface only.** [`UiaDriver`] implements the driver contract and answers every request with
//! [`NotOnThisPlatform`]; nothing here talks to an operating system. What is real is the mapping, plain functions over
//! plain data, so that it is compiled and tested everywhere and shows that the contract fits a surface that is no web page.
//!
//! # Control types to roles
//!
//! [`ControlType::role`] names the role of each control type, and [`role_of`] refines it by what the element offers:
//!
//! | element | role |
//! |---|---|
//! | `Button` with `Toggle` | switch |
//! | `MenuItem` with `Toggle`, with `SelectionItem` | menuitemcheckbox, menuitemradio |
//! | `List` with `Grid`, with `Selection` | grid, listbox |
//! | `ListItem` in a grid, with `SelectionItem` | gridcell, option |
//! | `Tree` with `Grid` | treegrid |
//! | `Text`, `Edit`, `Custom` in a grid | gridcell |
//! | `Text` with `HeadingLevel` | heading |
//! | `Window` that is a dialog, any other inside a window | dialog, group |
//! | no control type | generic |
//!
//! # Properties to name, value, states and box
//!
//! | property | in the snapshot |
//! |---|---|
//! | `Name` (`LabeledBy`) | name (labelled) |
//! | `Value.Value`, `RangeValue.Value` | value; never where `IsPassword` |
//! | `BoundingRectangle` | bounds, from the window's corner |
//! | `RuntimeId` | handle, opaque, valid for the session |
//! | `ControlType` | native, compared and never interpreted |
//! | `HelpText` | description |
//! | `Level`, `HeadingLevel` | level |
//! | `GridItem` | row and column of a cell |
//! | not `IsEnabled` | disabled |
//! | `IsOffscreen` | left out |
//! | `IsPassword` | protected |
//! | `IsKeyboardFocusable`, `HasKeyboardFocus` | focusable and interactive, focused |
//! | `IsRequiredForForm`, not `IsDataValidForForm` | required, invalid |
//! | `Toggle.ToggleState` | checked, mixed |
//! | `SelectionItem.IsSelected` | selected; checked for a radio button |
//! | `ExpandCollapse.ExpandCollapseState` | expanded, collapsed |
//! | `Value.IsReadOnly` | readonly |
//! | `Selection.CanSelectMultiple` | multiselectable |
//! | `IsDialog`, `Window.IsModal` | modal |
//!
//! # Patterns to acts
//!
//! | act | delivered by ([`means_of`]) |
//! |---|---|
//! | click | mouse input after a hit test, never `Invoke` |
//! | type | `Value`, else keys |
//! | choose | `Selection`, else `ExpandCollapse` and its items |
//! | set checked | `Toggle`, else `SelectionItem` |
//! | press key | keys |
//! | scroll | `Scroll` |
//! | open, answer a dialog, close a window, upload | the session |
//!
//! A top-level window is a window of the snapshot; there are no frames.

mod acts;
mod control_type;
mod driver;
mod element;
mod tree;

pub use acts::{Means, means_of};
pub use control_type::ControlType;
pub use driver::{NotOnThisPlatform, UiaDriver};
pub use element::{Element, ExpandCollapseState, GridPlace, Pattern, ToggleState, role_of, states_of, value_of};
pub use tree::{TopWindow, snapshot_of};
