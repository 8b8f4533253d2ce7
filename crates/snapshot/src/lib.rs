//! What can be perceived of an application at one moment: a flat, pre-ordered tree of visible nodes.
//!
//! The snapshot is the only thing that the floors above see of a screen. It does not know which
//! technology drew the screen: drivers of different surfaces produce the same tree. It knows no time,
//! no files and no network; equal screens give equal snapshots.

mod content;
mod node;
mod role;
mod scope;
mod text;
mod tree;

pub use content::{Fold, fold, same, squash};
pub use node::{Cell, Node, NodeDetail, NodeId, OptionItem, Rect, State, States};
pub use role::{Role, RoleClass};
pub use scope::{FrameName, Scope, ScopeId, WindowKey};
pub use text::{ParseError, parse, print};
pub use tree::{Ix, SnapshotBuilder, UiSnapshot};
