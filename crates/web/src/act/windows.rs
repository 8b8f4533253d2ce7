//! Opening addresses, answering dialogs, closing windows.

use serde_json::json;
use tokio::time::{Instant, timeout_at};
use waymark_snapshot::WindowKey;
use waymark_surface::{DriverError, NotDelivered, ReadBack, TypedText};

use super::{Miss, Tried, after};
use crate::cdp::{Done, Navigated};
use crate::core::Core;
use crate::router::CallError;

impl Core {
    pub(super) async fn open(&self, window: &WindowKey, location: &str, end: Instant) -> Tried<Option<ReadBack>> {
        let (session, target) = {
            let state = self.state();
            if state.dialog.is_some() {
                return Err(Miss::Not(NotDelivered::DialogOpen));
            }
            let Some(found) = state.window(window) else { return Err(closed(window)) };
            (found.session.clone(), found.target.clone())
        };
        // A script that loops keeps the next document out. It is left with its page; before that it is never ended by us,
        // since it may be in the middle of something.
        let looping: Vec<_> = {
            let state = self.state();
            state.frames.values().filter(|f| f.hung && f.window == *window).map(|f| f.session.clone()).collect()
        };
        for session in &looping {
            self.router.post(Some(session), "Runtime.terminateExecution", json!({}));
        }
        self.begin();
        self.state().front = Some(window.clone());
        let reply: Result<Navigated, _> =
            self.router.call(Some(&session), "Page.navigate", json!({"url": location}), end).await;
        match reply {
            Ok(Navigated { error_text: Some(error), is_download: false }) => {
                if error != "net::ERR_BLOCKED_BY_CLIENT" && error != "net::ERR_ABORTED" {
                    self.state().document_failed(&target, location, &error);
                }
                Ok(None)
            }
            Ok(_) => Ok(None),
            Err(error @ CallError::Refused { .. }) => Err(Miss::Not(NotDelivered::Failed(super::told(error, window)))),
            Err(error) => Err(after(error, window)),
        }
    }

    pub(super) async fn answer_dialog(
        &self,
        window: &WindowKey,
        accept: bool,
        text: Option<&TypedText>,
        end: Instant,
    ) -> Tried<Option<ReadBack>> {
        let dialog = self.state().dialog.clone().filter(|dialog| dialog.fact.window == *window);
        let Some(dialog) = dialog else {
            let why = format!("no dialog is open in window `{}`", window.0);
            return Err(Miss::Not(NotDelivered::Unsupported { why }));
        };
        self.begin();
        let mut changes = self.changes();
        let mut answer = json!({"accept": accept});
        if let Some(text) = text {
            answer["promptText"] = text.expose().into();
        }
        let sent = self.router.send_through(Some(&dialog.session), "Page.handleJavaScriptDialog", answer);
        sent.within::<Done>(end).await.map_err(|error| after(error, window))?;
        // The reply may overtake the event that tells that the dialog is gone; another one may follow at once.
        let gone = async {
            while self.state().dialog.as_ref().is_some_and(|d| d.fact == dialog.fact) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        let _ = timeout_at(end, gone).await;
        Ok(None)
    }

    pub(super) async fn close_window(&self, window: &WindowKey, end: Instant) -> Tried<Option<ReadBack>> {
        let (session, target, crashed) = {
            let state = self.state();
            if state.dialog.as_ref().is_some_and(|d| d.fact.window == *window) {
                return Err(Miss::Not(NotDelivered::DialogOpen));
            }
            let Some(found) = state.window(window) else { return Err(closed(window)) };
            (found.session.clone(), found.target.clone(), found.crashed)
        };
        self.begin();
        let mut changes = self.changes();
        // A page may ask whether to leave; one that crashed cannot.
        if crashed {
            self.router.post(None, "Target.closeTarget", json!({"targetId": target}));
        } else {
            self.router.post(Some(&session), "Page.close", json!({}));
        }
        let done = async {
            loop {
                {
                    let state = self.state();
                    if state.window(window).is_none() || state.dialog.is_some() || state.gone.is_some() {
                        return;
                    }
                }
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        match timeout_at(end, done).await {
            Ok(()) => Ok(None),
            Err(_) => Err(after(CallError::Timeout { method: "Page.close" }, window)),
        }
    }
}

fn closed(window: &WindowKey) -> Miss {
    Miss::Not(NotDelivered::Failed(DriverError::WindowClosed { window: window.clone() }))
}
