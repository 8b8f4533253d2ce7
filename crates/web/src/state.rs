//! What is known of a session's windows and frames, kept up to date by events.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use waymark_snapshot::WindowKey;
use waymark_surface::{DialogFact, DownloadFact, Fact, WindowFact};

use crate::settle::Rule1;
use crate::walk::{FrameElement, Walk};

/// Everything that events change.
#[derive(Default)]
pub(crate) struct State {
    /// Windows in order of opening; closed ones are taken out.
    pub(crate) windows: Vec<Window>,
    /// Frames by the browser's id, those of closed windows taken out.
    pub(crate) frames: BTreeMap<String, Frame>,
    /// The window a protocol session belongs to.
    pub(crate) sessions: HashMap<String, Arc<str>>,
    /// What happened since the last observation.
    pub(crate) facts: Vec<Fact>,
    /// The open dialog.
    pub(crate) dialog: Option<Dialog>,
    /// The settling rule's memory.
    pub(crate) settle: Rule1,
    /// Documents whose status is not known yet, by loader.
    pub(crate) documents: HashMap<String, Document>,
    /// Statuses that came before their document, by loader.
    pub(crate) statuses: HashMap<String, u16>,
    /// Document requests that are open: frame and address, by request.
    pub(crate) asked: HashMap<String, (String, String)>,
    /// Downloads that run, by the browser's id.
    pub(crate) downloads: HashMap<String, DownloadFact>,
    /// Names under which windows are about to open: opener, name, address.
    pub(crate) opening: Vec<(WindowKey, String, String)>,
    /// The window that was acted in last.
    pub(crate) front: Option<WindowKey>,
    /// Windows opened so far.
    pub(crate) opened: usize,
    /// Whether something was delivered since the latest look.
    pub(crate) delivered: bool,
    /// The last number given to a document.
    pub(crate) serial: u32,
    /// An upload waits for the next chooser.
    pub(crate) chooser: Option<tokio::sync::oneshot::Sender<(Arc<str>, i64)>>,
    /// Why the session ended.
    pub(crate) gone: Option<String>,
}

/// A window.
pub(crate) struct Window {
    pub(crate) key: WindowKey,
    /// The browser's id of it, which is that of its top frame too.
    pub(crate) target: String,
    pub(crate) session: Arc<str>,
    pub(crate) opener: Option<WindowKey>,
    pub(crate) name: String,
    pub(crate) crashed: bool,
}

/// A frame, or the top content of a window.
pub(crate) struct Frame {
    pub(crate) window: WindowKey,
    pub(crate) parent: Option<String>,
    /// Where calls for it go; a session of its own where it runs in another process than its parent.
    pub(crate) session: Arc<str>,
    pub(crate) name: String,
    pub(crate) location: String,
    /// The browser's number of the document.
    pub(crate) loader: String,
    /// The agent's world in the present document.
    pub(crate) world: Option<World>,
    /// The frame's element, by the agent's number in the parent's document of that serial.
    pub(crate) holder: Option<(u32, u32)>,
    /// Its element as its parent describes it, and its place among the frames there.
    pub(crate) element: Option<(u32, FrameElement)>,
    /// The elements of the frames in it, as of the latest walk.
    pub(crate) elements: Vec<FrameElement>,
    /// What its agent calls itself, and the element around it by the agent that can reach that.
    pub(crate) word: String,
    pub(crate) outer: Option<(String, u32)>,
    /// The latest walk.
    pub(crate) walked: Option<Arc<Walk>>,
    /// The hints that the latest walk looked up, in the order of what it found.
    pub(crate) hinted: Vec<String>,
    /// Whether something changed since the latest walk.
    pub(crate) dirty: bool,
    /// Whether its document came, or became readable, since the latest walk: then it is walked at once.
    pub(crate) came: bool,
    /// When the latest walk was asked for, as the settling rule counts.
    pub(crate) walked_at: Duration,
    /// When the latest walk was answered.
    pub(crate) answered_at: Duration,
    /// When its document came; until one did, when the frame did.
    pub(crate) committed_at: Duration,
    /// Whether a walk was not answered in time; nothing new is asked before it is.
    pub(crate) hung: bool,
    /// How many walks of this document took longer than they were given: the next one is given twice as long.
    pub(crate) slow: u32,
    /// Whether it is the empty document that a session begins with, in which nothing was noticed yet.
    pub(crate) blank: bool,
    /// Whether its process died.
    pub(crate) crashed: bool,
    /// Whether the document can be read already.
    pub(crate) loaded: bool,
}

/// The agent's world in one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) id: i64,
    pub(crate) unique: String,
    /// Number of the document within the session; part of node handles, so that a handle never finds a node
    /// of another document.
    pub(crate) serial: u32,
}

/// A document that came, and waits for its status.
pub(crate) struct Document {
    pub(crate) window: WindowKey,
    pub(crate) path: Vec<String>,
    pub(crate) location: String,
}

/// A dialog and the protocol session that answers it.
#[derive(Clone)]
pub(crate) struct Dialog {
    pub(crate) fact: DialogFact,
    pub(crate) session: Arc<str>,
}

impl Frame {
    pub(crate) fn new(window: WindowKey, parent: Option<String>, session: Arc<str>) -> Self {
        Frame {
            window,
            parent,
            session,
            name: String::new(),
            location: String::new(),
            loader: String::new(),
            world: None,
            holder: None,
            element: None,
            elements: Vec::new(),
            word: String::new(),
            outer: None,
            walked: None,
            hinted: Vec::new(),
            walked_at: Duration::ZERO,
            answered_at: Duration::ZERO,
            committed_at: Duration::ZERO,
            dirty: true,
            came: false,
            hung: false,
            slow: 0,
            blank: false,
            crashed: false,
            loaded: false,
        }
    }
}

impl State {
    /// The window with a key.
    pub(crate) fn window(&self, key: &WindowKey) -> Option<&Window> {
        self.windows.iter().find(|window| window.key == *key)
    }

    /// The window of a frame.
    pub(crate) fn window_of(&self, frame: &str) -> Option<&Window> {
        self.window(&self.frames.get(frame)?.window)
    }

    /// The frame that shows the document with a serial number.
    pub(crate) fn by_serial(&self, serial: u32) -> Option<(&str, &Frame)> {
        self.frames
            .iter()
            .find(|(_, frame)| frame.world.as_ref().is_some_and(|world| world.serial == serial))
            .map(|(id, frame)| (id.as_str(), frame))
    }

    /// Whether a frame is better not walked yet: its first document is on the way, or has come and cannot be read, so that
    /// what is there now is nothing, or about to be another.
    pub(crate) fn is_early(&self, id: &str, now: Duration) -> bool {
        self.frames.get(id).is_some_and(|frame| {
            let fresh = now < frame.committed_at + crate::look::HALF;
            let empty = frame.loader.is_empty() && frame.parent.is_some();
            frame.walked.is_none()
                && (empty && (fresh || self.settle.is_navigating(id)) || fresh && self.settle.is_coming(id))
        })
    }

    /// Whether the element that holds a frame is known; a window's top content needs none.
    pub(crate) fn is_held(&self, id: &str) -> bool {
        let Some(frame) = self.frames.get(id) else { return true };
        let Some(above) = frame.parent.as_ref().and_then(|parent| self.frames.get(parent)) else { return true };
        frame.holder.is_some_and(|(serial, _)| above.world.as_ref().is_some_and(|world| world.serial == serial))
    }

    /// Frames directly inside a frame, in no particular order.
    pub(crate) fn children<'a>(&'a self, parent: &'a str) -> impl Iterator<Item = &'a str> {
        self.frames.iter().filter(move |(_, f)| f.parent.as_deref() == Some(parent)).map(|(id, _)| id.as_str())
    }

    /// A frame and all frames in it, inner ones last.
    pub(crate) fn with_descendants(&self, frame: &str) -> Vec<String> {
        let mut found = vec![frame.to_owned()];
        let mut at = 0;
        while at < found.len() {
            let inner: Vec<String> = self.children(&found[at]).map(str::to_owned).collect();
            found.extend(inner);
            at += 1;
        }
        found
    }

    /// The names of the frames from the window down to this one.
    pub(crate) fn path(&self, frame: &str) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = frame;
        while let Some(Frame { parent: Some(parent), name, .. }) = self.frames.get(at) {
            path.push(name.clone());
            at = parent;
        }
        path.reverse();
        path
    }

    /// The windows as they are told.
    pub(crate) fn window_facts(&self) -> Vec<WindowFact> {
        self.windows.iter().map(|window| self.window_fact(window)).collect()
    }

    pub(crate) fn window_fact(&self, window: &Window) -> WindowFact {
        WindowFact {
            window: window.key.clone(),
            opener: window.opener.clone(),
            name: window.name.clone(),
            location: self.frames.get(&window.target).map(|frame| frame.location.clone()).unwrap_or_default(),
        }
    }
}
