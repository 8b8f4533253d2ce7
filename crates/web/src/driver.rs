//! The driver of one session.

use std::sync::Arc;

use serde_json::json;
use waymark_snapshot::WindowKey;

use crate::browser::{Hub, Probe};
use crate::core::Core;

/// One session in a browser context of its own.
pub struct WebDriver {
    pub(crate) core: Arc<Core>,
    hub: Arc<Hub>,
}

impl WebDriver {
    pub(crate) fn new(core: Arc<Core>, hub: Arc<Hub>) -> Self {
        WebDriver { core, hub }
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

impl std::fmt::Debug for WebDriver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WebDriver({})", self.core.context)
    }
}

impl Drop for WebDriver {
    fn drop(&mut self) {
        self.hub.forget(&self.core.context);
        self.core.router.post(
            None,
            "Target.disposeBrowserContext",
            json!({"browserContextId": self.core.context}),
        );
    }
}
