//! What the in-page agent returns of one frame.

use serde::Deserialize;

/// One walk of a document.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Walk {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) name: String,
    pub(crate) ready: String,
    pub(crate) hash: String,
    /// The number of the walk within its document.
    pub(crate) number: u32,
    pub(crate) nodes: Vec<WalkNode>,
    pub(crate) hints: Vec<Option<Vec<u32>>>,
    pub(crate) closed_roots: u32,
}

/// `[id, parent, role, name, value, states, x, y, w, h, native, block, cell, extra]`
#[derive(Debug, Default, Deserialize, PartialEq)]
pub(crate) struct WalkNode(
    pub(crate) u32,
    pub(crate) i64,
    pub(crate) String,
    pub(crate) String,
    pub(crate) Option<String>,
    pub(crate) u32,
    pub(crate) f64,
    pub(crate) f64,
    pub(crate) f64,
    pub(crate) f64,
    pub(crate) String,
    pub(crate) u32,
    pub(crate) Option<(u32, u32, u32, u32, u32, Flag)>,
    pub(crate) Option<Extra>,
);

/// A truth value that may come as a number.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(from = "FlagForm")]
pub(crate) struct Flag(pub(crate) bool);

#[derive(Deserialize)]
#[serde(untagged)]
enum FlagForm {
    Bool(bool),
    Number(f64),
}

impl From<FlagForm> for Flag {
    fn from(form: FlagForm) -> Self {
        Flag(match form {
            FlagForm::Bool(value) => value,
            FlagForm::Number(value) => value != 0.0,
        })
    }
}

/// What only some nodes have.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Extra {
    pub(crate) level: Option<u32>,
    pub(crate) options: Vec<(String, Option<String>, Flag, Flag)>,
    pub(crate) desc: Option<String>,
    pub(crate) placeholder: Option<String>,
    pub(crate) label: Option<Flag>,
    pub(crate) frame_name: Option<String>,
    pub(crate) href: Option<String>,
}

/// `[id, name, title, src, x, y, w, h]` of a frame element: where its content begins, in its document's viewport.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(crate) struct FrameElement(
    pub(crate) u32,
    pub(crate) String,
    pub(crate) String,
    pub(crate) String,
    pub(crate) f64,
    pub(crate) f64,
    pub(crate) f64,
    pub(crate) f64,
);
