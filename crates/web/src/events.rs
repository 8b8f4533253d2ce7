//! What each event means for a session's state.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::json;
use waymark_snapshot::WindowKey;
use waymark_surface::{DialogFact, DialogKind, DownloadFact, Fact, RouteRequest, RouteVerdict};

use crate::cdp;
use crate::core::Core;
use crate::inpage::{BINDING, WORLD};
use crate::router::CallError;
use crate::settle::Event as Settle;
use crate::state::{Dialog, Document, Frame, State, World};
use crate::wire::RawEvent;

impl Core {
    /// An event of one of this session's protocol sessions.
    pub(crate) fn event(&self, session: &str, event: &RawEvent) {
        let known = match event.method.split_once('.') {
            Some(("Page", name)) => self.page_event(session, name, event),
            Some(("Runtime", name)) => self.runtime_event(session, name, event),
            Some(("Network", name)) => self.network_event(name, event),
            Some(("Fetch", name)) => self.fetch_event(session, name, event),
            Some(("Inspector", name)) => self.inspector_event(session, name),
            _ => None,
        };
        if known.is_some() {
            self.wake();
        }
    }

    fn page_event(&self, session: &str, name: &str, event: &RawEvent) -> Option<()> {
        match name {
            "frameAttached" => {
                let cdp::FrameAttached { frame_id, parent_frame_id } = event.read()?;
                let mut state = self.state();
                let on = state.sessions.get(session)?.clone();
                let window = state.frames.get(&parent_frame_id)?.window.clone();
                let attached = || {
                    let frame = Frame::new(window, Some(parent_frame_id.clone()), on.clone());
                    Frame { committed_at: self.now(), ..frame }
                };
                let frame = state.frames.entry(frame_id).or_insert_with(attached);
                frame.parent = Some(parent_frame_id);
                // A frame that comes back from a process of its own is attached here anew.
                if frame.session != on {
                    frame.session = on;
                    frame.world = None;
                    frame.crashed = false;
                }
            }
            "frameDetached" => {
                let cdp::FrameDetached { frame_id, reason } = event.read()?;
                let mut state = self.state();
                if reason == "swap" {
                    return Some(());
                }
                let frames = state.with_descendants(&frame_id);
                self.drop_frames(&mut state, &frames);
            }
            "frameNavigated" => self.navigated(session, &event.read::<cdp::FrameNavigated>()?.frame)?,
            "navigatedWithinDocument" => {
                let cdp::WithinDocument { frame_id, url } = event.read()?;
                let mut state = self.state();
                let frame = state.frames.get_mut(&frame_id)?;
                frame.location = url;
                frame.dirty = true;
            }
            "frameStartedNavigating" => {
                let cdp::StartedNavigating { frame_id, navigation_type } = event.read()?;
                if navigation_type.to_ascii_lowercase().contains("samedocument") {
                    return None;
                }
                self.state().settle.note(self.now(), Settle::NavigationStarted { frame: &frame_id });
            }
            "frameStartedLoading" => {
                let cdp::FrameOnly { frame_id } = event.read()?;
                self.state().settle.note(self.now(), Settle::NavigationStarted { frame: &frame_id });
            }
            "frameStoppedLoading" => {
                let cdp::FrameOnly { frame_id } = event.read()?;
                self.loaded(&frame_id, true);
            }
            "lifecycleEvent" => {
                let cdp::Lifecycle { frame_id, loader_id, name } = event.read()?;
                if name != "DOMContentLoaded" {
                    return None;
                }
                let current =
                    self.state().frames.get(&frame_id).is_some_and(|f| f.loader == loader_id || f.loader.is_empty());
                if current {
                    self.loaded(&frame_id, false);
                }
            }
            "javascriptDialogOpening" => self.dialog_opened(session, event.read()?)?,
            "javascriptDialogClosed" => {
                let mut state = self.state();
                let dialog = state.dialog.take()?;
                state.facts.push(Fact::DialogClosed { window: dialog.fact.window });
                for frame in state.frames.values_mut() {
                    frame.dirty = true;
                }
            }
            "windowOpen" => {
                let cdp::WindowOpen { url, window_name } = event.read()?;
                let mut state = self.state();
                let opener = state.frames.values().find(|f| *f.session == *session)?.window.clone();
                state.opening.push((opener, window_name, url));
            }
            "fileChooserOpened" => {
                let cdp::ChooserOpened { backend_node_id } = event.read()?;
                let mut state = self.state();
                let on = state.sessions.get(session)?.clone();
                let window = state.frames.values().find(|f| *f.session == *session)?.window.clone();
                match (state.chooser.take(), backend_node_id) {
                    (Some(upload), Some(node)) => {
                        let _ = upload.send((on, node));
                    }
                    _ => state.facts.push(Fact::ChooserRefused { window }),
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn navigated(&self, session: &str, info: &cdp::FrameInfo) -> Option<()> {
        let now = self.now();
        let mut state = self.state();
        let on = state.sessions.get(session)?.clone();
        let window = match state.frames.get(&info.id) {
            Some(frame) => frame.window.clone(),
            None => state.frames.values().find(|f| *f.session == *session)?.window.clone(),
        };
        let inner: Vec<String> = state.with_descendants(&info.id).into_iter().skip(1).collect();
        let frame = state.frames.entry(info.id.clone()).or_insert_with(|| Frame::new(window.clone(), None, on.clone()));
        let replaced = frame.loader != info.loader_id;
        if info.parent_id.is_some() {
            frame.parent.clone_from(&info.parent_id);
        }
        // A frame in its own process reports itself without a name, which its parent gave it.
        if !info.name.is_empty() {
            frame.name.clone_from(&info.name);
        }
        let location = format!("{}{}", info.url, info.url_fragment.as_deref().unwrap_or_default());
        frame.location = info.unreachable_url.clone().unwrap_or_else(|| location.clone());
        frame.crashed = false;
        if replaced {
            frame.loader.clone_from(&info.loader_id);
            frame.loaded = false;
            frame.walked = None;
            frame.committed_at = now;
            frame.blank = false;
            frame.hung = false;
            frame.slow = 0;
        }
        frame.dirty = true;
        let location = frame.location.clone();
        let top = frame.parent.is_none();
        if replaced {
            self.drop_frames(&mut state, &inner);
        }
        state.settle.note(now, Settle::NavigationStarted { frame: &info.id });
        state.settle.note(now, Settle::Committed { frame: &info.id, document: &info.loader_id });
        if top && let Some(window) = state.windows.iter_mut().find(|w| w.target == info.id) {
            window.crashed = false;
        }
        if replaced && info.unreachable_url.is_none() {
            let path = state.path(&info.id);
            let document = Document { window, path, location };
            let served = document.location.starts_with("http:") || document.location.starts_with("https:");
            match state.statuses.remove(&info.loader_id) {
                None if served => {
                    state.documents.insert(info.loader_id.clone(), document);
                }
                status => state.facts.push(document.fact(status, None)),
            }
        }
        drop(state);
        self.router.revive(on);
        Some(())
    }

    /// The document of a frame can be read, or loading it stopped.
    fn loaded(&self, id: &str, stopped: bool) {
        let now = self.now();
        let mut state = self.state();
        let event = if stopped { Settle::NavigationEnded { frame: id } } else { Settle::Readable { frame: id } };
        state.settle.note(now, event);
        let Some(frame) = state.frames.get_mut(id) else { return };
        frame.loaded = true;
        frame.dirty = true;
        frame.came = true;
        let loader = frame.loader.clone();
        // A document whose status never came (served from a cache or a worker) is told without one.
        if let Some(document) = state.documents.remove(&loader) {
            let fact = document.fact(None, None);
            state.facts.push(fact);
        }
    }

    fn dialog_opened(&self, session: &str, opening: cdp::DialogOpening) -> Option<()> {
        let mut state = self.state();
        let on = state.sessions.get(session)?.clone();
        let window = state.frames.values().find(|f| *f.session == *session)?.window.clone();
        let kind = match opening.kind.as_str() {
            "confirm" => DialogKind::Confirm,
            "prompt" => DialogKind::Prompt,
            "beforeunload" => DialogKind::Leave,
            _ => DialogKind::Alert,
        };
        let fact = DialogFact { window, kind, text: opening.message, offered: opening.default_prompt };
        if state.dialog.as_ref().is_some_and(|dialog| dialog.fact == fact) {
            // Told by the window's session and by that of a frame in it.
            return Some(());
        }
        state.facts.push(Fact::DialogOpened(fact.clone()));
        state.dialog = Some(Dialog { fact, session: on });
        // A dialog holds its whole process back, and which windows share it is not told.
        let sessions = state.sessions.values().cloned().collect();
        drop(state);
        self.router.hold(sessions);
        Some(())
    }

    fn runtime_event(&self, session: &str, name: &str, event: &RawEvent) -> Option<()> {
        match name {
            "executionContextCreated" => {
                let cdp::ContextCreated { context } = event.read()?;
                if context.name != WORLD {
                    return None;
                }
                let mut state = self.state();
                state.serial += 1;
                let serial = state.serial;
                let on = state.sessions.get(session)?.clone();
                let frame = state.frames.get_mut(&context.aux_data.frame_id)?;
                frame.session = on;
                frame.world = Some(World { id: context.id, unique: context.unique_id, serial });
                frame.walked = None;
                frame.blank = false;
                frame.hung = false;
                frame.dirty = true;
                frame.came = true;
            }
            "executionContextDestroyed" => {
                let cdp::ContextDestroyed { execution_context_id } = event.read()?;
                let mut state = self.state();
                let frame = state.frames.values_mut().find(|f| {
                    *f.session == *session && f.world.as_ref().is_some_and(|w| w.id == execution_context_id)
                })?;
                frame.world = None;
            }
            "executionContextsCleared" => {
                for frame in self.state().frames.values_mut().filter(|f| *f.session == *session) {
                    frame.world = None;
                }
            }
            "bindingCalled" => {
                let cdp::BindingCalled { name, execution_context_id } = event.read()?;
                if name != BINDING {
                    return None;
                }
                let mut state = self.state();
                let frame = state.frames.values_mut().find(|f| {
                    *f.session == *session && f.world.as_ref().is_some_and(|w| w.id == execution_context_id)
                })?;
                frame.dirty = true;
                frame.blank = false;
            }
            _ => return None,
        }
        Some(())
    }

    fn network_event(&self, name: &str, event: &RawEvent) -> Option<()> {
        let now = self.now();
        match name {
            "requestWillBeSent" => {
                let sent: cdp::RequestSent = event.read()?;
                if !matches!(sent.kind.as_str(), "Document" | "XHR" | "Fetch") {
                    return None;
                }
                let key = format!("{} {}", sent.request.method, without_query(&sent.request.url));
                let mut state = self.state();
                if sent.kind == "Document" {
                    state.asked.insert(sent.request_id.clone(), (sent.frame_id.clone(), sent.request.url));
                }
                state.settle.note(
                    now,
                    Settle::RequestStarted {
                        id: &sent.request_id,
                        frame: &sent.frame_id,
                        document: &sent.loader_id,
                        key: &key,
                    },
                );
            }
            "responseReceived" => {
                let received: cdp::ResponseReceived = event.read()?;
                let mut state = self.state();
                state.settle.note(now, Settle::Answered { id: &received.request_id });
                if received.kind == "Document" {
                    let status = u16::try_from(received.response.status).ok();
                    match (state.documents.remove(&received.request_id), status) {
                        (Some(document), status) => {
                            let fact = document.fact(status, None);
                            state.facts.push(fact);
                        }
                        (None, Some(status)) => {
                            state.statuses.insert(received.request_id, status);
                        }
                        (None, None) => {}
                    }
                }
            }
            "loadingFinished" | "loadingFailed" => {
                let ended: cdp::RequestEnded = event.read()?;
                let mut state = self.state();
                state.settle.note(now, Settle::RequestEnded { id: &ended.request_id });
                if let Some((frame, location)) = state.asked.remove(&ended.request_id)
                    && !matches!(ended.error_text.as_str(), "" | "net::ERR_ABORTED" | "net::ERR_BLOCKED_BY_CLIENT")
                {
                    state.document_failed(&frame, &location, &ended.error_text);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn fetch_event(&self, session: &str, name: &str, event: &RawEvent) -> Option<()> {
        let on = self.state().sessions.get(session)?.clone();
        match name {
            "requestPaused" => {
                let paused: cdp::Paused = event.read()?;
                let request = RouteRequest {
                    location: paused.request.url,
                    method: paused.request.method,
                    document: paused.resource_type == "Document",
                };
                // A guard that cannot be asked refuses.
                let verdict = catch_unwind(AssertUnwindSafe(|| self.guard.decide(&request)))
                    .unwrap_or_else(|_| RouteVerdict::Refuse { rule: "the route guard failed".into() });
                match verdict {
                    RouteVerdict::Allow => {
                        self.router.post(Some(&on), "Fetch.continueRequest", json!({"requestId": paused.request_id}));
                        return None;
                    }
                    RouteVerdict::Refuse { rule } => {
                        self.router.post(
                            Some(&on),
                            "Fetch.failRequest",
                            json!({"requestId": paused.request_id, "errorReason": "BlockedByClient"}),
                        );
                        let mut state = self.state();
                        // A worker belongs to no window; then the main one stands for the session.
                        let window = state.frames.values().find(|f| f.session == on).map(|f| f.window.clone());
                        let window = window.unwrap_or_else(WindowKey::main);
                        let location = without_secrets(&request.location);
                        state.facts.push(Fact::RouteRefused { window, location, rule });
                    }
                }
            }
            "authRequired" => {
                let asked: cdp::AuthRequired = event.read()?;
                self.router.post(
                    Some(&on),
                    "Fetch.continueWithAuth",
                    json!({"requestId": asked.request_id, "authChallengeResponse": {"response": "CancelAuth"}}),
                );
                let cdp::Challenge { origin, realm } = asked.auth_challenge;
                self.state().facts.push(Fact::SignInAsked { origin, realm });
            }
            _ => return None,
        }
        Some(())
    }

    fn inspector_event(&self, session: &str, name: &str) -> Option<()> {
        match name {
            "targetCrashed" => {
                let mut state = self.state();
                let on = state.sessions.get(session)?.clone();
                let mut dead = Vec::new();
                for (id, frame) in state.frames.iter_mut().filter(|(_, f)| f.session == on) {
                    frame.crashed = true;
                    frame.world = None;
                    frame.hung = false;
                    dead.push(id.clone());
                }
                let now = self.now();
                for id in &dead {
                    state.settle.note(now, Settle::FrameGone { frame: id });
                }
                if let Some(window) = state.windows.iter_mut().find(|w| w.session == on) {
                    window.crashed = true;
                    let window = window.key.clone();
                    if state.dialog.as_ref().is_some_and(|dialog| dialog.fact.window == window) {
                        state.dialog = None;
                    }
                    state.facts.push(Fact::Crashed { window });
                }
                drop(state);
                self.router.fail(on, CallError::Crashed);
            }
            "targetReloadedAfterCrash" => {
                let on = self.state().sessions.get(session)?.clone();
                self.router.revive(on);
            }
            _ => return None,
        }
        Some(())
    }

    /// A download of one of this session's frames began.
    pub(crate) fn download_began(&self, began: cdp::DownloadBegan) {
        let mut state = self.state();
        let Some(window) = state.frames.get(&began.frame_id).map(|frame| frame.window.clone()) else { return };
        let fact = DownloadFact {
            window,
            name: began.suggested_filename,
            path: None,
            bytes: 0,
            complete: false,
            failed: false,
        };
        if self.downloads.is_some() {
            state.facts.push(Fact::Download(fact.clone()));
        }
        state.downloads.insert(began.guid, fact);
        drop(state);
        self.wake();
    }

    /// A download went on; says whether it is one of this session's.
    pub(crate) fn download_went_on(&self, progress: &cdp::DownloadProgress) -> bool {
        let mut state = self.state();
        let Some(fact) = state.downloads.get_mut(&progress.guid) else { return false };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bytes")]
        {
            fact.bytes = progress.received_bytes.max(0.0) as u64;
        }
        match progress.state.as_str() {
            "completed" => {
                fact.complete = true;
                fact.path = self.downloads.as_ref().map(|dir| dir.join(&progress.guid).display().to_string());
            }
            "canceled" => fact.failed = true,
            _ => return true,
        }
        if let Some(fact) = state.downloads.remove(&progress.guid) {
            state.facts.push(Fact::Download(fact));
        }
        drop(state);
        self.wake();
        true
    }
}

impl Document {
    pub(crate) fn fact(self, status: Option<u16>, error: Option<String>) -> Fact {
        Fact::Document { window: self.window, path: self.path, location: self.location, status, error }
    }
}

impl State {
    /// Documents that did not come, by the browser's word for why.
    pub(crate) fn document_failed(&mut self, frame: &str, location: &str, error: &str) {
        let Some(window) = self.frames.get(frame).map(|f| f.window.clone()) else { return };
        let document = Document { window, path: self.path(frame), location: location.to_owned() };
        let fact = document.fact(None, Some(error.to_owned()));
        // Told by the network and by the reply to a navigation.
        if !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
    }
}

fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

/// An address without user-info and with the values of its query left out.
pub(crate) fn without_secrets(url: &str) -> String {
    let (address, _) = url.split_once('#').unwrap_or((url, ""));
    let (address, query) = match address.split_once('?') {
        Some((address, query)) => (address, Some(query)),
        None => (address, None),
    };
    let bare = match address.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
            let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            format!("{scheme}://{host}{path}")
        }
        None => address.to_owned(),
    };
    match query {
        None => bare,
        Some(query) => {
            let names: Vec<String> = query
                .split('&')
                .map(|pair| pair.split_once('=').map_or("*".into(), |(name, _)| format!("{name}=")))
                .collect();
            format!("{bare}?{}", names.join("&"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn a_refused_address_is_told_without_user_info_and_query_values() {
        let check = |url: &str, expected: &str| assert_eq!(without_secrets(url), expected);
        check("http://a.test/x?pin=1234&b=2#top", "http://a.test/x?pin=&b=");
        check("https://ann:secret@a.test/x", "https://a.test/x");
        check("http://a.test", "http://a.test");
        check("about:blank", "about:blank");
        check("http://a.test/x?4711", "http://a.test/x?*");
    }
}
