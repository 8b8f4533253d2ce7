//! One session's side of the event stream: it sets up what is attached, keeps the state current, answers what
//! must be answered at once (paused requests, sign-in prompts), and wakes whoever waits for a change.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;
use waymark_snapshot::WindowKey;
use waymark_surface::{Fact, RouteGuard};

use crate::cdp::{Attached, Done, TargetInfo};
use crate::inpage::{BINDING, SOURCE, WORLD};
use crate::router::{Awaited, CallError, Router};
use crate::settle::Event as Settle;
use crate::state::{Frame, State, Window};
use crate::walk::Walk;

/// What events and the driver share.
pub(crate) struct Core {
    pub(crate) router: Router,
    /// The browser context that is this session's alone.
    pub(crate) context: String,
    pub(crate) guard: Arc<dyn RouteGuard>,
    pub(crate) downloads: Option<PathBuf>,
    state: Mutex<State>,
    changes: watch::Sender<u64>,
    started: Instant,
    this: Weak<Core>,
    /// Replies to the last calls of setting a window up, by window, until somebody waits for them.
    ready: Mutex<Vec<(WindowKey, Awaited)>>,
}

impl Core {
    pub(crate) fn new(
        router: Router,
        context: String,
        guard: Arc<dyn RouteGuard>,
        downloads: Option<PathBuf>,
    ) -> Arc<Self> {
        let (changes, _) = watch::channel(0);
        Arc::new_cyclic(|this| Core {
            router,
            context,
            guard,
            downloads,
            state: Mutex::default(),
            changes,
            started: Instant::now(),
            this: this.clone(),
            ready: Mutex::default(),
        })
    }

    /// A handle on itself for work that goes on.
    pub(crate) fn this(&self) -> Option<Arc<Self>> {
        self.this.upgrade()
    }

    /// The state; held for moments only, never across an await.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Time since the session began, as the settling rule counts it.
    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// The moment at which the session will be so old.
    pub(crate) fn instant(&self, at: Duration) -> Instant {
        self.started + at
    }

    /// Told of every change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Wakes whoever waits for a change.
    pub(crate) fn wake(&self) {
        self.changes.send_modify(|number| *number += 1);
    }

    /// Waits until a window is set up.
    pub(crate) async fn ready(&self, window: &WindowKey, deadline: Instant) -> Result<(), CallError> {
        let waiting = {
            let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
            ready.iter().position(|(key, _)| key == window).map(|at| ready.swap_remove(at).1)
        };
        match waiting {
            Some(reply) => reply.within::<Done>(deadline).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// The session's own window is set up and shows an empty document: what that shows is known without asking.
    pub(crate) fn begins_blank(&self) {
        for frame in self.state().frames.values_mut().filter(|f| f.loader.is_empty() && f.location == "about:blank") {
            frame.walked = Some(Arc::new(Walk { ready: "complete".into(), ..Walk::default() }));
            frame.dirty = false;
            frame.blank = true;
        }
    }

    /// A window of this session was opened.
    pub(crate) fn window_attached(&self, attached: &Attached) {
        let session: Arc<str> = attached.session_id.as_str().into();
        let target = &attached.target_info;
        let key = {
            let mut state = self.state();
            let (key, name, location, opener) = naming(&mut state, target);
            let fresh = Window {
                key: key.clone(),
                target: target.target_id.clone(),
                session: session.clone(),
                opener,
                name,
                crashed: false,
            };
            let mut frame = Frame::new(key.clone(), None, session.clone());
            frame.location = location;
            state.frames.insert(target.target_id.clone(), frame);
            state.sessions.insert(attached.session_id.clone(), session.clone());
            let fact = (!state.windows.is_empty()).then(|| state.window_fact(&fresh));
            state.windows.push(fresh);
            // The location is known by its frame only once the window is listed.
            state.facts.extend(fact.map(Fact::WindowOpened));
            key
        };
        let last = self.set_up(&session, true);
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).push((key, last));
        self.wake();
    }

    /// A frame of this session moved into a process of its own.
    pub(crate) fn frame_attached(&self, attached: &Attached, parent: &str) {
        let session: Arc<str> = attached.session_id.as_str().into();
        {
            let mut state = self.state();
            let id = &attached.target_info.target_id;
            if let Some(frame) = state.frames.get_mut(id) {
                frame.session = session.clone();
                frame.world = None;
                frame.crashed = false;
                frame.dirty = true;
            } else if let Some(window) = state.frames.values().find(|f| *f.session == *parent).map(|f| f.window.clone())
            {
                // Its place among the frames is told by its own frame tree.
                state.frames.insert(id.clone(), Frame::new(window, None, session.clone()));
            }
            state.sessions.insert(attached.session_id.clone(), session.clone());
        }
        self.set_up(&session, false);
        self.wake();
    }

    /// A worker of this session started: its requests are held to the same deny rules. Nothing else is asked of it.
    pub(crate) fn worker_attached(&self, attached: &Attached) {
        let session: Arc<str> = attached.session_id.as_str().into();
        self.state().sessions.insert(attached.session_id.clone(), session.clone());
        let denied: Vec<_> = self.guard.denied_patterns().into_iter().map(|p| json!({"urlPattern": p})).collect();
        if !denied.is_empty() {
            self.router.post(Some(&session), "Fetch.enable", json!({"patterns": denied}));
        }
        self.router.post(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
    }

    /// Everything a new session needs, sent in one go: what it may load is decided before it runs.
    fn set_up(&self, session: &Arc<str>, window: bool) -> Awaited {
        let on = Some(session);
        let post = |method, params| self.router.post(on, method, params);
        let mut patterns = vec![json!({"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"})];
        patterns.extend(self.guard.denied_patterns().into_iter().map(|p| json!({"urlPattern": p})));
        post("Fetch.enable", json!({"patterns": patterns, "handleAuthRequests": true}));
        post("Page.enable", json!({}));
        post("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
        post("Network.enable", json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0}));
        post("Inspector.enable", json!({}));
        post("Runtime.addBinding", json!({"name": BINDING, "executionContextName": WORLD}));
        post("Runtime.enable", json!({}));
        post(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({"source": SOURCE, "worldName": WORLD, "runImmediately": true}),
        );
        if window {
            post("Page.setInterceptFileChooserDialog", json!({"enabled": true}));
        }
        let frames = json!([{"type": "iframe"}, {"type": "worker"}, {"exclude": true}]);
        let attach = json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": frames});
        post("Target.setAutoAttach", attach);
        self.router.send_through(on, "Runtime.runIfWaitingForDebugger", json!({}))
    }

    /// A session ended: its window was closed, or its frame went back into its parent's process.
    pub(crate) fn detached(&self, session: &str) {
        let Some(session) = self.state().sessions.remove(session) else { return };
        self.router.fail(session.clone(), CallError::Detached);
        let mut state = self.state();
        if let Some(at) = state.windows.iter().position(|window| window.session == session) {
            let window = state.windows.remove(at);
            let frames: Vec<String> =
                state.frames.iter().filter(|(_, f)| f.window == window.key).map(|(id, _)| id.clone()).collect();
            self.drop_frames(&mut state, &frames);
            if state.dialog.as_ref().is_some_and(|dialog| dialog.fact.window == window.key) {
                state.dialog = None;
                state.facts.push(Fact::DialogClosed { window: window.key.clone() });
            }
            state.facts.push(Fact::WindowClosed { window: window.key });
        } else {
            // Frames of this session that did not move elsewhere are gone with it.
            let frames: Vec<String> =
                state.frames.iter().filter(|(_, f)| f.session == session).map(|(id, _)| id.clone()).collect();
            self.drop_frames(&mut state, &frames);
        }
        drop(state);
        self.wake();
    }

    /// The connection ended.
    pub(crate) fn closed(&self, why: &str) {
        self.state().gone = Some(why.to_owned());
        self.wake();
    }

    /// Takes frames out, with what is known of them.
    pub(crate) fn drop_frames(&self, state: &mut State, frames: &[String]) {
        let now = self.now();
        for id in frames {
            state.frames.remove(id);
            state.settle.note(now, Settle::FrameGone { frame: id });
        }
    }
}

/// Key, name, address and opener of a window that opens.
fn naming(state: &mut State, target: &TargetInfo) -> (WindowKey, String, String, Option<WindowKey>) {
    state.opened += 1;
    if state.opened == 1 {
        return (WindowKey::main(), String::new(), target.url.clone(), None);
    }
    let by_target = |id: &String| state.windows.iter().find(|window| window.target == *id).map(|w| w.key.clone());
    let opener = target.opener_id.as_ref().and_then(by_target);
    let announced = state.opening.iter().position(|(by, _, _)| opener.as_ref().is_none_or(|opener| opener == by));
    let (by, name, location) = match announced {
        Some(at) => {
            let (by, name, location) = state.opening.remove(at);
            (Some(by), name, location)
        }
        None => (None, String::new(), target.url.clone()),
    };
    let name = if name.starts_with('_') { String::new() } else { name };
    let named = WindowKey(name.clone());
    let key = if name.is_empty() || state.window(&named).is_some() {
        WindowKey(format!("window-{}", state.opened))
    } else {
        named
    };
    (key, name, location, opener.or(by))
}
