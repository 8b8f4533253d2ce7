//! What a surface must be able to do.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waymark_snapshot::{NodeId, UiSnapshot, WindowKey};

use crate::{Act, Delivery, Observation, Observe, Permit};

/// One live session of an application.
///
/// Looking needs no permit and changes nothing. Acting needs one. Every call ends within its deadline,
/// whatever the application does.
pub trait Driver {
    /// Looks at the session; answers when `request.until` holds, at the latest after `deadline`, then with
    /// what is there.
    fn observe(
        &mut self,
        request: &Observe,
        deadline: Duration,
    ) -> impl Future<Output = Result<Observation, DriverError>> + Send;

    /// Does one action: finds the node again, hit-tests it, delivers trusted input, reads back.
    ///
    /// The permit is used up. Nothing is retried in here.
    fn act(&mut self, permit: Permit, act: &Act, deadline: Duration) -> impl Future<Output = Delivery> + Send;

    /// A short way to a thing that was seen, in the driver's own language, as a look may be asked to find it again
    /// ([`crate::HintQuery`]); `None` where the driver has none that finds that thing alone. Changes nothing.
    fn hint(&mut self, node: &NodeId, deadline: Duration) -> impl Future<Output = Option<String>> + Send {
        let _ = (node, deadline);
        std::future::ready(None)
    }

    /// Takes a picture of a window.
    fn picture(
        &mut self,
        request: &PictureRequest,
        deadline: Duration,
    ) -> impl Future<Output = Result<Picture, DriverError>> + Send;

    /// Resolves once the session is over: its process, or its main window. Costs nothing while it is not.
    fn gone(&mut self) -> impl Future<Output = DriverError> + Send {
        std::future::pending()
    }

    /// Ends the session and everything that belongs to it alone.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}

/// Which picture to take.
#[derive(Clone)]
pub struct PictureRequest {
    /// The window.
    pub window: WindowKey,
    /// What must not be seen in it. Asked of every frame of the window on its own, and of all that it shows while the
    /// picture is taken.
    pub hidden: Arc<dyn Hidden>,
}

impl std::fmt::Debug for PictureRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PictureRequest({})", self.window.0)
    }
}

/// Says what must not be seen.
pub trait Hidden: Send + Sync {
    /// The nodes of a screen that show something that must not be seen. Whether one does may rest on its own frame only.
    fn nodes(&self, screen: &UiSnapshot) -> Vec<NodeId>;

    /// Whether a text that a driver saw beside the nodes of the screen must not be seen.
    fn text(&self, text: &str) -> bool;

    /// Whether there is anything that must not be seen. If so, what a driver cannot read (an image, a film) may show it.
    fn any(&self) -> bool;
}

/// A picture of a window.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// PNG bytes. Not masked yet: they must not be written as they are.
    pub png: Vec<u8>,
    /// Pixels of the picture per unit of [`waymark_snapshot::Rect`], in thousandths; 0 where it is not known.
    pub scale_milli: u32,
    /// Boxes of everything that must not be seen, or that may show it, in all frames.
    pub boxes: Vec<waymark_snapshot::Rect>,
    /// Whether the picture shows the screen that `boxes` are of, and all of them are known. If not, it must be withheld.
    pub certain: Result<(), Uncertain>,
}

/// Why it is not known what a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncertain {
    /// A part of the screen could not be read, or where it lies is not known.
    Unread,
    /// The screen did not hold still while the picture was taken.
    Moved,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({} bytes)", self.png.len())
    }
}

/// Why a driver could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "error")]
pub enum DriverError {
    /// The process behind the session ended or its connection closed.
    #[error("the browser is gone: {why}")]
    Gone {
        /// What was noticed.
        why: String,
    },
    /// The window is closed.
    #[error("the window `{}` is closed", window.0)]
    WindowClosed {
        /// The window.
        window: WindowKey,
    },
    /// The window's content process died; the window may be opened anew.
    #[error("the content of window `{}` crashed", window.0)]
    Crashed {
        /// The window.
        window: WindowKey,
    },
    /// No answer within the deadline.
    #[error("no answer within {deadline_ms} ms: {what}")]
    Timeout {
        /// What was asked.
        what: String,
        /// The deadline in milliseconds.
        deadline_ms: u64,
    },
    /// A dialog holds the answer back.
    #[error("a dialog is open")]
    DialogOpen,
    /// The other side said something this driver does not understand, or refused.
    #[error("{what} failed: {message}")]
    Protocol {
        /// What was asked.
        what: String,
        /// What it answered.
        message: String,
    },
}

/// Decides which addresses a session may reach. Asked by the driver for every document, in whatever frame or
/// window and however it came about (link, redirect, script, form), and for every request that the guard
/// wants to see.
pub trait RouteGuard: Send + Sync {
    /// The verdict on a request.
    fn decide(&self, request: &RouteRequest) -> RouteVerdict;

    /// Address patterns of requests other than documents that must be asked about (deny rules); the driver's
    /// own glob notation with `*`.
    fn denied_patterns(&self) -> Vec<String>;
}

/// A request that the application is about to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteRequest {
    /// The full address.
    pub location: String,
    /// Request method.
    pub method: String,
    /// Whether it loads a document (in a window or frame).
    pub document: bool,
}

/// What the guard says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouteVerdict {
    /// Let it through.
    Allow,
    /// Stop it.
    Refuse {
        /// The rule that stops it.
        rule: String,
    },
}
