//! What reached a served application: HTTP requests and DOM events, in order of arrival, and which
//! faults struck them.
//!
//! Only tests read it. It holds values in the clear, since everything served here is fictional.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::faults::{Mode, Place};

/// One HTTP request, without those for the log itself (`/__oracle/...`)
/// and for faults (`/waymark-fixture/...`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Position among all requests since the start (not reset by [`Log::clear`]).
    pub number: u64,
    pub method: String,
    /// Path without path parameters: `/parabank/login.htm`.
    pub path: String,
    /// Path as it was sent: `/parabank/login.htm;jsessionid=...`.
    pub raw_path: String,
    /// Query without the question mark, empty where there is none.
    pub query: String,
    /// Fields of a form body, decoded; a JSON or other body is one field named `body`.
    pub fields: Vec<(String, String)>,
    /// `None` while the answer is outstanding, or if the client went away before it.
    pub status: Option<u16>,
}

/// One DOM event that reached a served page, seen in the capture phase before the page's own code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// `click`, `dblclick`, `input`, `change`, `submit` or `keydown`.
    #[serde(rename = "type")]
    pub kind: String,
    /// False for an event made by a script.
    pub trusted: bool,
    /// Path (without path parameters) and query of the document the event happened in;
    /// `about:srcdoc` for a frame written in place.
    pub path: String,
    /// `window.name` of that document: the frame's or popup's name, else empty.
    #[serde(default)]
    pub frame: String,
    /// Short description of the element: `input[type=submit] "Log In"`.
    pub element: String,
    /// Name that this log gives the intended elements, such as `login.submit`; the page does not
    /// carry it.
    #[serde(default)]
    pub mark: Option<String>,
    /// Key of a `keydown` where it is a named key (`Enter`), never a character.
    #[serde(default)]
    pub key: Option<String>,
    /// Value after `input` and `change`; none for password fields.
    #[serde(default)]
    pub value: Option<String>,
}

/// One fault that struck one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Strike {
    pub mode: Mode,
    pub place: Place,
    /// [`Request::number`] of the request it struck.
    pub request: u64,
    /// [`Request::path`] of it.
    pub path: String,
}

/// Shared view of one running application's log; clones see the same entries.
#[derive(Debug, Clone)]
pub struct Log {
    inner: Arc<Inner>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self { inner: Arc::new(Inner { entries: Mutex::new(Entries::default()), changed: watch::Sender::new(()) }) }
    }

    /// All requests since the start or the last [`Log::clear`].
    pub fn requests(&self) -> Vec<Request> {
        self.entries().requests.clone()
    }

    /// All events since the start or the last [`Log::clear`].
    ///
    /// Pages deliver them by beacon, so they may come a moment after the act; see
    /// [`Log::wait_for`].
    pub fn events(&self) -> Vec<Event> {
        self.entries().events.clone()
    }

    /// Number of events for which `wanted` is true.
    pub fn count(&self, wanted: impl Fn(&Event) -> bool) -> usize {
        self.entries().events.iter().filter(|e| wanted(e)).count()
    }

    /// Number of requests for which `wanted` is true.
    pub fn count_requests(&self, wanted: impl Fn(&Request) -> bool) -> usize {
        self.entries().requests.iter().filter(|r| wanted(r)).count()
    }

    /// Faults that struck since the start or the last [`Log::clear`], in order.
    ///
    /// A dialog that waits for a press is counted when its page is served.
    pub fn strikes(&self) -> Vec<Strike> {
        self.entries().strikes.clone()
    }

    /// Number of times that a fault struck.
    pub fn count_strikes(&self, mode: Mode) -> usize {
        self.entries().strikes.iter().filter(|strike| strike.mode == mode).count()
    }

    /// Number of requests for an address below this one, or for it.
    pub fn count_below(&self, path: &str) -> usize {
        let below = |asked: &str| asked.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.count_requests(|request| below(&request.path))
    }

    /// Number of calls that changed something in the application, whatever the caller was answered.
    pub fn booked(&self) -> usize {
        self.entries().booked
    }

    /// Number of requests below `/waymark-fixture` since the start or the last [`Log::clear`].
    pub fn hook_calls(&self) -> usize {
        self.entries().hook_calls
    }

    /// Forgets all entries. A request still open is then never listed.
    pub fn clear(&self) {
        let mut entries = self.entries();
        entries.requests.clear();
        entries.events.clear();
        entries.strikes.clear();
        entries.hook_calls = 0;
        entries.booked = 0;
    }

    /// Waits until `holds` is true of this log, at most `within`; says whether it came true.
    pub async fn wait_for(&self, within: Duration, holds: impl Fn(&Log) -> bool) -> bool {
        let mut changes = self.inner.changed.subscribe();
        let came_true = async {
            while !holds(self) {
                if changes.changed().await.is_err() {
                    break;
                }
            }
        };
        tokio::time::timeout(within, came_true).await.is_ok()
    }

    pub(crate) fn request_arrived(&self, mut request: Request) -> u64 {
        let number = {
            let mut entries = self.entries();
            request.number = entries.next_number;
            entries.next_number += 1;
            entries.requests.push(request);
            entries.next_number - 1
        };
        self.inner.changed.send_replace(());
        number
    }

    pub(crate) fn request_answered(&self, number: u64, status: u16) {
        if let Some(request) = self.entries().requests.iter_mut().find(|r| r.number == number) {
            request.status = Some(status);
        }
        self.inner.changed.send_replace(());
    }

    pub(crate) fn event_arrived(&self, event: Event) {
        self.entries().events.push(event);
        self.inner.changed.send_replace(());
    }

    pub(crate) fn fault_struck(&self, strike: Strike) {
        self.entries().strikes.push(strike);
        self.inner.changed.send_replace(());
    }

    pub(crate) fn change_booked(&self) {
        self.entries().booked += 1;
        self.inner.changed.send_replace(());
    }

    pub(crate) fn hook_called(&self) {
        self.entries().hook_calls += 1;
        self.inner.changed.send_replace(());
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // A panic elsewhere leaves the lists whole: every change is one push or one assignment.
        self.inner.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Inner {
    entries: Mutex<Entries>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Entries {
    next_number: u64,
    requests: Vec<Request>,
    events: Vec<Event>,
    strikes: Vec<Strike>,
    hook_calls: usize,
    booked: usize,
}
