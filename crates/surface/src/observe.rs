//! What is asked when looking, and what is seen.

use serde::{Deserialize, Serialize};
use waymark_snapshot::{NodeId, UiSnapshot, WindowKey};

/// A look at the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observe {
    /// The frames over which settling is judged; empty means all. Whatever is decided by what a frame shows, it has to be
    /// among them: others are looked at anew only where a change of theirs was noticed, which a value that a script sets
    /// is not.
    pub watch: Vec<FrameQuery>,
    /// Opaque hints to look up along with the snapshot.
    pub hints: Vec<HintQuery>,
    /// When to answer.
    pub until: Until,
}

/// When a look is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// At once, with what is there.
    #[default]
    Now,
    /// As soon as the content differs from the observation with number `after`, the settling changed, a fact
    /// came, or the session ended.
    Change {
        /// Number of the last observation the caller has.
        after: u64,
    },
}

/// A frame by the names on its path from the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FrameQuery {
    /// The window; `None` is the main one.
    pub window: Option<WindowKey>,
    /// Names (or titles) of the frames down from the window; empty is the window's own content.
    pub path: Vec<String>,
}

/// An opaque hint and the frame to look it up in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintQuery {
    /// The frame.
    pub frame: FrameQuery,
    /// The hint, in the driver's own language.
    pub hint: String,
}

/// The visible nodes that each hint of the request found, in document order, in the order of the request.
pub type HintMatches = Vec<Vec<NodeId>>;

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Number of this observation, growing by one within a session.
    pub number: u64,
    /// The visible tree. While a dialog holds the application back, the last one that could be taken.
    pub snapshot: UiSnapshot,
    /// What the hints found.
    pub hints: HintMatches,
    /// Whether the watched frames have come to rest.
    pub settling: Settling,
    /// What the last action set in motion in the watched frames.
    pub reaction: Reaction,
    /// How many requests (document, XHR, fetch) of the watched frames that began at or after the last action have
    /// been answered.
    pub answered: u32,
    /// What happened since the observation before this one, in order.
    pub facts: Vec<Fact>,
    /// Windows open now, in order of opening.
    pub windows: Vec<WindowFact>,
    /// The dialog that is open now.
    pub dialog: Option<DialogFact>,
}

/// Whether the watched frames have come to rest, by the settling rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settling {
    /// At rest: negative answers may be believed.
    Settled,
    /// At rest but for requests that were open already when the action began. What is there may be believed; that
    /// something is not there may not: a slow answer is not known from one that never comes.
    Waiting,
    /// A navigation is under way.
    Navigating,
    /// A request that began at or after the action is open.
    Requesting,
    /// The content changed too short a time ago.
    Changing,
    /// A dialog holds the application back.
    Held,
    /// A watched frame cannot be read (crashed or hanging).
    Unreadable,
}

/// What the last action set in motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reaction {
    /// Nothing at all was noticed.
    #[default]
    None,
    /// A request was made, the content is as before.
    Request,
    /// The content changed or a navigation happened.
    Content,
}

/// Something that happened between two observations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fact")]
pub enum Fact {
    /// A dialog opened.
    DialogOpened(DialogFact),
    /// A dialog was answered or went away.
    DialogClosed {
        /// The window.
        window: WindowKey,
    },
    /// A window opened.
    WindowOpened(WindowFact),
    /// A window closed.
    WindowClosed {
        /// The window.
        window: WindowKey,
    },
    /// A document came in a window or frame.
    Document {
        /// The window.
        window: WindowKey,
        /// Frame names from the window down.
        path: Vec<String>,
        /// Where it came from.
        location: String,
        /// Status of the answer, where the surface has one (HTTP: 200, 500, …).
        status: Option<u16>,
        /// Why it did not come.
        error: Option<String>,
    },
    /// A navigation or request was stopped by the route guard.
    RouteRefused {
        /// The window.
        window: WindowKey,
        /// Where it wanted to go, without user-info and query values.
        location: String,
        /// The rule that stopped it.
        rule: String,
    },
    /// The application asks for a sign-in outside of its screens.
    SignInAsked {
        /// Who asks: scheme, host and port.
        origin: String,
        /// What it calls the protected area.
        realm: String,
    },
    /// A download began or ended.
    Download(DownloadFact),
    /// A file chooser was asked for outside of an upload step; it was not opened.
    ChooserRefused {
        /// The window.
        window: WindowKey,
    },
    /// A window's content process died; the window may be opened anew.
    Crashed {
        /// The window.
        window: WindowKey,
    },
}

/// A window of the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowFact {
    /// Its stable name within the session.
    pub window: WindowKey,
    /// The window that opened it.
    pub opener: Option<WindowKey>,
    /// The name under which it was opened, where it has one.
    pub name: String,
    /// Where it is.
    pub location: String,
}

/// A native dialog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DialogFact {
    /// The window it belongs to.
    pub window: WindowKey,
    /// Its kind.
    pub kind: DialogKind,
    /// What it says.
    pub text: String,
    /// The text a prompt offers.
    pub offered: String,
}

/// Kinds of native dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogKind {
    /// Says something.
    Alert,
    /// Asks yes or no.
    Confirm,
    /// Asks for a text.
    Prompt,
    /// Asks whether to leave.
    Leave,
}

/// A download.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DownloadFact {
    /// The window that started it.
    pub window: WindowKey,
    /// The name the application gave it.
    pub name: String,
    /// Where it lies once it is complete, absolute.
    pub path: Option<String>,
    /// Bytes received.
    pub bytes: u64,
    /// Whether it is complete; `false` with no path while it runs, or where it failed.
    pub complete: bool,
    /// Whether it was cancelled or failed.
    pub failed: bool,
}
