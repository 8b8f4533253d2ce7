//! The driver of one session.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use waymark_snapshot::{NodeId, WindowKey};
use waymark_surface::{Act, Delivery, Driver, DriverError, Observation, Observe, Permit, Picture, PictureRequest};

use crate::browser::{Hub, Probe};
use crate::cdp::Done;
use crate::core::Core;
use crate::look::Memory;
use crate::router::CallError;

/// One session in a browser context of its own; the context goes with it.
pub struct WebDriver {
    pub(crate) core: Arc<Core>,
    hub: Arc<Hub>,
    memory: Memory,
    disposed: bool,
}

/// How long a browser may take to show that it still answers.
const ANSWER: Duration = Duration::from_millis(500);

/// How long the end of a session may take.
const CLOSE: Duration = Duration::from_secs(5);

impl WebDriver {
    pub(crate) fn new(core: Arc<Core>, hub: Arc<Hub>) -> Self {
        WebDriver { core, hub, memory: Memory::default(), disposed: false }
    }

    /// The plain protocol of a window, for tests.
    #[must_use]
    pub fn probe(&self, window: &WindowKey) -> Option<Probe> {
        let state = self.core.state();
        let window = state.window(window)?;
        Some(Probe { core: self.core.clone(), session: window.session.clone(), target: window.target.clone() })
    }

    /// How many protocol calls the browser was sent so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.core.router.calls()
    }
}

impl Driver for WebDriver {
    async fn observe(&mut self, request: &Observe, deadline: Duration) -> Result<Observation, DriverError> {
        self.core.look(&mut self.memory, request, deadline).await
    }

    async fn act(&mut self, permit: Permit, act: &Act, deadline: Duration) -> Delivery {
        // Moved in here and gone at the end: one permit, one act.
        let _used = permit;
        self.core.perform(act, deadline).await
    }

    async fn hint(&mut self, node: &NodeId, deadline: Duration) -> Option<String> {
        self.core.hint(node, tokio::time::Instant::now() + deadline).await
    }

    async fn picture(&mut self, request: &PictureRequest, deadline: Duration) -> Result<Picture, DriverError> {
        self.core.take_picture(request, deadline).await
    }

    async fn gone(&mut self) -> DriverError {
        let mut changes = self.core.changes();
        let main = WindowKey::main();
        loop {
            {
                let state = self.core.state();
                match (&state.gone, state.window(&main)) {
                    (Some(why), _) => return DriverError::Gone { why: why.clone() },
                    (None, None) => return DriverError::WindowClosed { window: main },
                    (None, Some(window)) if window.crashed => return DriverError::Crashed { window: main },
                    (None, Some(_)) => {}
                }
            }
            if changes.changed().await.is_err() {
                return DriverError::Gone { why: "the connection ended".into() };
            }
        }
    }

    async fn close(&mut self) {
        self.hub.forget(&self.core.context);
        self.disposed = true;
        let context = json!({"browserContextId": self.core.context});
        let mut gone = self.core.router.send(None, "Target.disposeBrowserContext", context);
        let soon = || tokio::time::Instant::now() + ANSWER;
        if let Err(CallError::Timeout { .. }) = gone.answer::<Done>(soon()).await {
            // It is busy, or it does not answer at all: then it is not waited for.
            if self.core.router.call::<Done>(None, "Browser.getVersion", json!({}), soon()).await.is_err() {
                self.core.closed("the browser does not answer");
                return;
            }
            let _ = gone.within::<Done>(tokio::time::Instant::now() + CLOSE).await;
        }
        self.core.closed("the session was closed");
    }
}

impl std::fmt::Debug for WebDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WebDriver({})", self.core.context)
    }
}

impl Drop for WebDriver {
    fn drop(&mut self) {
        if !self.disposed {
            self.hub.forget(&self.core.context);
            let context = json!({"browserContextId": self.core.context});
            self.core.router.post(None, "Target.disposeBrowserContext", context);
        }
    }
}
