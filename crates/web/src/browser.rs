//! A browser and its sessions: which event belongs to which session.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use waymark_snapshot::WindowKey;
use waymark_surface::RouteGuard;

use crate::cdp::{self, Done};
use crate::core::Core;
use crate::driver::WebDriver;
use crate::launch::{self, BrowserKind, LaunchError, LaunchOptions, Process};
use crate::router::{CallError, Router, Sink};
use crate::wire::{RawEvent, Socket, Transport};

/// A running browser with nothing but this program on its wire.
pub struct Browser {
    router: Router,
    hub: Arc<Hub>,
    version: String,
    process: Option<Process>,
}

/// What a session is given.
pub struct SessionOptions {
    /// Asked for every document and every denied address.
    pub guard: Arc<dyn RouteGuard>,
    /// Where downloads go; `None` refuses them.
    pub downloads: Option<PathBuf>,
}

/// How long a browser may take to start, and to answer what needs no page.
const START: Duration = Duration::from_secs(30);
const SET_UP: Duration = Duration::from_secs(20);

impl Browser {
    /// Starts a browser of our own: a process group and a profile of its own, driven through a pipe, with no
    /// port open. Clears away first what dead owners left.
    ///
    /// # Errors
    /// Where none is installed, or it does not start.
    pub async fn launch(options: &LaunchOptions) -> Result<Self, LaunchError> {
        launch::sweep();
        let (process, pipe) = launch::start(options)?;
        let executable = process.executable().to_owned();
        match Self::over(pipe, Some(process), true).await {
            Ok(browser) => Ok(browser),
            Err((error, process)) => {
                let said = process.as_ref().map(Process::last_words).unwrap_or_default();
                let hint = if options.headed { " (a headed run needs a display)" } else { "" };
                Err(LaunchError::Start { path: executable, why: format!("{error}{hint} {said}").trim().to_owned() })
            }
        }
    }

    /// Connects to a browser that somebody else runs, by its own address `ws://host:port/devtools/browser/…`.
    /// It is left running when this is dropped; its other pages are left alone.
    ///
    /// # Errors
    /// Where nothing answers there.
    pub async fn connect(url: &str) -> Result<Self, LaunchError> {
        let fail = |why| LaunchError::Connect { url: url.to_owned(), why };
        let socket = tokio::time::timeout(START, Socket::connect(url))
            .await
            .map_err(|_| fail("no answer".into()))?
            .map_err(fail)?;
        Self::over(socket, None, false).await.map_err(|(error, _)| fail(error.to_string()))
    }

    async fn over(
        transport: impl Transport,
        process: Option<Process>,
        own: bool,
    ) -> Result<Self, (CallError, Option<Process>)> {
        let hub = Arc::new(Hub { own, router: OnceLock::new(), inner: Mutex::default() });
        let router = Router::start(transport, hub.clone());
        let _ = hub.router.set(router.clone());
        let deadline = Instant::now() + START;
        let attach = json!({
            "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": [{"type": "page"}, {"type": "shared_worker"}, {"type": "service_worker"}],
        });
        let attached = router.send(None, "Target.setAutoAttach", attach);
        let version = router.call::<cdp::Version>(None, "Browser.getVersion", json!({}), deadline).await;
        match (version, attached.within::<Done>(deadline).await) {
            (Ok(version), Ok(_)) => Ok(Browser { router, hub, version: version.product, process }),
            (Err(error), _) | (_, Err(error)) => {
                router.stop();
                Err((error, process))
            }
        }
    }

    /// Name and version, as the browser tells them.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What was started; `None` for a browser of somebody else.
    #[must_use]
    pub fn kind(&self) -> Option<BrowserKind> {
        self.process.as_ref().map(Process::kind)
    }

    /// The process group of a browser that was started here, by the number of its first process.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Process::pid)
    }

    /// How many protocol calls were sent so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.router.calls()
    }

    /// Opens a session: a browser context of its own with one empty window.
    ///
    /// # Errors
    /// Where the browser is gone or refuses.
    pub async fn session(&self, options: SessionOptions) -> Result<WebDriver, CallError> {
        let deadline = Instant::now() + SET_UP;
        let context: cdp::ContextReply =
            self.router.call(None, "Target.createBrowserContext", json!({"disposeOnDetach": true}), deadline).await?;
        let context = context.browser_context_id;
        let core = Core::new(self.router.clone(), context.clone(), options.guard, options.downloads);
        self.hub.inner().contexts.insert(context.clone(), core.clone());
        // From here on the session is disposed of by its driver.
        let driver = WebDriver::new(core.clone(), self.hub.clone());
        let behavior = match &core.downloads {
            Some(dir) => json!({
                "behavior": "allowAndName", "browserContextId": context, "downloadPath": dir, "eventsEnabled": true,
            }),
            None => json!({"behavior": "deny", "browserContextId": context, "eventsEnabled": true}),
        };
        self.router.post(None, "Browser.setDownloadBehavior", behavior);
        let target = json!({"url": "about:blank", "browserContextId": context, "width": 1280, "height": 1024});
        let _: Done = self.router.call(None, "Target.createTarget", target, deadline).await?;
        core.ready(&WindowKey::main(), deadline).await?;
        core.begins_blank();
        Ok(driver)
    }

    /// Ends the browser where it was started here, and waits until it is gone; else only the connection.
    pub async fn close(mut self) {
        self.router.stop();
        if let Some(process) = self.process.take() {
            // Waiting for a process blocks.
            let _ = tokio::task::spawn_blocking(move || drop(process)).await;
        }
    }
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Browser({})", self.version)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.router.stop();
    }
}

/// Hands events to the sessions they belong to.
pub(crate) struct Hub {
    /// Whether all contexts of the browser are ours.
    own: bool,
    router: OnceLock<Router>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    contexts: HashMap<String, Arc<Core>>,
    sessions: HashMap<String, Arc<Core>>,
}

impl Hub {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session is over.
    pub(crate) fn forget(&self, context: &str) {
        let mut inner = self.inner();
        inner.contexts.remove(context);
        inner.sessions.retain(|_, core| core.context != context);
    }

    fn attached(&self, parent: Option<&str>, attached: &cdp::Attached) {
        let core = {
            let mut inner = self.inner();
            let core = match parent {
                Some(parent) => inner.sessions.get(parent).cloned(),
                None => attached
                    .target_info
                    .browser_context_id
                    .as_ref()
                    .and_then(|context| inner.contexts.get(context).cloned()),
            };
            if let Some(core) = &core {
                inner.sessions.insert(attached.session_id.clone(), core.clone());
            }
            core
        };
        let kind = attached.target_info.kind.as_str();
        match (core, parent) {
            (Some(core), _) if kind.ends_with("worker") => core.worker_attached(attached),
            (Some(core), None) if kind == "page" => core.window_attached(attached),
            (Some(core), Some(parent)) => core.frame_attached(attached, parent),
            _ => self.let_go(attached),
        }
    }

    /// Pages of somebody else go on as if nothing had been attached.
    fn let_go(&self, attached: &cdp::Attached) {
        let Some(router) = self.router.get() else { return };
        let session: Arc<str> = attached.session_id.as_str().into();
        router.post(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
        router.post(None, "Target.detachFromTarget", json!({"sessionId": attached.session_id}));
        if self.own {
            tracing::debug!(target = attached.target_info.url, "a page outside of any session");
        }
    }
}

impl Sink for Hub {
    fn event(&self, event: &RawEvent) {
        match event.method.as_str() {
            "Target.attachedToTarget" => {
                if let Some(attached) = event.read::<cdp::Attached>() {
                    self.attached(event.session.as_deref(), &attached);
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(detached) = event.read::<cdp::Detached>() {
                    let core = self.inner().sessions.remove(&detached.session_id);
                    if let Some(core) = core {
                        core.detached(&detached.session_id);
                    }
                }
            }
            "Browser.downloadWillBegin" => {
                if let Some(began) = event.read::<cdp::DownloadBegan>() {
                    let cores: Vec<_> = self.inner().contexts.values().cloned().collect();
                    let core = cores.into_iter().find(|core| core.state().frames.contains_key(&began.frame_id));
                    if let Some(core) = core {
                        core.download_began(began);
                    }
                }
            }
            "Browser.downloadProgress" => {
                if let Some(progress) = event.read::<cdp::DownloadProgress>() {
                    let cores: Vec<_> = self.inner().contexts.values().cloned().collect();
                    let _ = cores.into_iter().any(|core| core.download_went_on(&progress));
                }
            }
            _ => {
                let Some(session) = event.session.as_deref() else { return };
                let core = self.inner().sessions.get(session).cloned();
                if let Some(core) = core {
                    core.event(session, event);
                }
            }
        }
    }

    fn closed(&self, why: &str) {
        let cores: Vec<_> = self.inner().contexts.values().cloned().collect();
        for core in cores {
            core.closed(why);
        }
    }
}

/// The plain protocol of one window, for tests that compare the driver with the browser's own view.
#[derive(Clone)]
pub struct Probe {
    pub(crate) core: Arc<Core>,
    pub(crate) session: Arc<str>,
    pub(crate) target: String,
}

impl Probe {
    /// One protocol call of the window, with its raw reply.
    ///
    /// # Errors
    /// As any call.
    pub async fn call(&self, method: &'static str, params: Value) -> Result<Value, CallError> {
        self.core.router.call(Some(&self.session), method, params, Instant::now() + SET_UP).await
    }

    /// Evaluates an expression in the page's own world and gives its value.
    ///
    /// # Errors
    /// As any call; an exception is `Refused`.
    pub async fn evaluate(&self, expression: &str) -> Result<Value, CallError> {
        let reply: cdp::Evaluated<Value> = self
            .core
            .router
            .call(
                Some(&self.session),
                "Runtime.evaluate",
                json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
                Instant::now() + SET_UP,
            )
            .await?;
        reply.value()
    }

    /// Evaluates an expression in the agent's world of the window's top document, where `wm` is.
    ///
    /// # Errors
    /// As any call; an exception is `Refused`.
    pub async fn agent(&self, expression: &str) -> Result<Value, CallError> {
        self.core.evaluate(&self.target, expression, Instant::now() + SET_UP).await
    }

    /// Loads an address and waits until its document can be read.
    ///
    /// # Errors
    /// As any call.
    pub async fn open(&self, location: &str) -> Result<(), CallError> {
        let mut changes = self.core.changes();
        let reply = self.call("Page.navigate", json!({"url": location})).await?;
        // The reply may overtake the events of the new document.
        let loader = reply["loaderId"].as_str().unwrap_or_default();
        let there = |f: &crate::state::Frame| f.loader == loader && f.loaded && f.world.is_some();
        let loaded = async {
            while !self.core.state().frames.get(&self.target).is_some_and(there) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout(SET_UP, loaded).await.map_err(|_| CallError::Timeout { method: "Page.navigate" })
    }
}
