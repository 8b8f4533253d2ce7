//! Calls and their answers: one task reads the wire, every call has a deadline and ends early when what it
//! was sent to is gone. Does not know what calls mean.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::wire::{Call, Incoming, RawEvent, Transport};

/// Why a call was not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The browser ended or the connection closed.
    #[error("the browser is gone: {0}")]
    Gone(String),
    /// The window or frame it was sent to is closed.
    #[error("the target is closed")]
    Detached,
    /// The process of the window or frame died.
    #[error("the target crashed")]
    Crashed,
    /// A dialog holds the answer back.
    #[error("a dialog is open")]
    Dialog,
    /// No answer in time.
    #[error("no answer to {method} in time")]
    Timeout {
        /// What was asked.
        method: &'static str,
    },
    /// The browser refused, or answered something else.
    #[error("{method}: {message}")]
    Refused {
        /// What was asked.
        method: &'static str,
        /// What it said.
        message: String,
    },
}

/// Takes events in the order in which they happened. Called by the reading task: must not block.
pub(crate) trait Sink: Send + Sync + 'static {
    /// Something happened.
    fn event(&self, event: &RawEvent);
    /// The connection ended; nothing comes any more.
    fn closed(&self, why: &str);
}

/// The caller's side of one connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Router {
    orders: mpsc::UnboundedSender<Order>,
    calls: Arc<AtomicU64>,
}

/// An answer that is awaited later than its call was sent.
pub(crate) struct Awaited {
    method: &'static str,
    reply: oneshot::Receiver<Result<Box<RawValue>, CallError>>,
}

enum Order {
    Call {
        call: Call,
        held_by_dialog: bool,
        reply: Option<oneshot::Sender<Result<Box<RawValue>, CallError>>>,
    },
    /// Ends all waiting calls of a session, and later ones at once.
    Fail {
        session: Arc<str>,
        error: CallError,
    },
    /// Calls of the session are sent again.
    Revive {
        session: Arc<str>,
    },
    /// Ends those waiting calls of the sessions that an open dialog holds back.
    Hold {
        sessions: Vec<Arc<str>>,
    },
    Stop,
}

impl Router {
    /// Starts the reading task.
    pub(crate) fn start(transport: impl Transport, sink: Arc<dyn Sink>) -> Self {
        let (orders, inbox) = mpsc::unbounded_channel();
        let calls = Arc::new(AtomicU64::new(0));
        let task = Task { transport, sink, waiting: HashMap::new(), dead: HashMap::new(), calls: calls.clone() };
        tokio::spawn(task.run(inbox));
        Router { orders, calls }
    }

    /// How many calls were sent so far.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Sends a call; nobody waits for the answer.
    pub(crate) fn post(&self, session: Option<&Arc<str>>, method: &'static str, params: impl Serialize) {
        self.order(session, method, &params, false, None);
    }

    /// Sends a call whose answer is awaited later.
    pub(crate) fn send(&self, session: Option<&Arc<str>>, method: &'static str, params: impl Serialize) -> Awaited {
        self.send_as(session, method, &params, true)
    }

    /// Like [`Router::send`], for calls that are answered even while a dialog is open.
    pub(crate) fn send_through(
        &self,
        session: Option<&Arc<str>>,
        method: &'static str,
        params: impl Serialize,
    ) -> Awaited {
        self.send_as(session, method, &params, false)
    }

    /// Sends a call and waits for its answer.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        session: Option<&Arc<str>>,
        method: &'static str,
        params: impl Serialize,
        deadline: Instant,
    ) -> Result<R, CallError> {
        self.send(session, method, params).within(deadline).await
    }

    /// Ends all calls of a session with an error, until it is revived.
    pub(crate) fn fail(&self, session: Arc<str>, error: CallError) {
        let _ = self.orders.send(Order::Fail { session, error });
    }

    /// The session takes calls again.
    pub(crate) fn revive(&self, session: Arc<str>) {
        let _ = self.orders.send(Order::Revive { session });
    }

    /// A dialog opened over these sessions.
    pub(crate) fn hold(&self, sessions: Vec<Arc<str>>) {
        let _ = self.orders.send(Order::Hold { sessions });
    }

    /// Closes the connection.
    pub(crate) fn stop(&self) {
        let _ = self.orders.send(Order::Stop);
    }

    fn send_as(
        &self,
        session: Option<&Arc<str>>,
        method: &'static str,
        params: &impl Serialize,
        held_by_dialog: bool,
    ) -> Awaited {
        let (reply, answer) = oneshot::channel();
        self.order(session, method, params, held_by_dialog, Some(reply));
        Awaited { method, reply: answer }
    }

    fn order(
        &self,
        session: Option<&Arc<str>>,
        method: &'static str,
        params: &impl Serialize,
        held_by_dialog: bool,
        reply: Option<oneshot::Sender<Result<Box<RawValue>, CallError>>>,
    ) {
        match to_raw_value(params) {
            Ok(params) => {
                let call = Call { session: session.cloned(), method, params };
                // A closed channel drops `reply`, which the waiting side takes for the end of the connection.
                let _ = self.orders.send(Order::Call { call, held_by_dialog, reply });
            }
            Err(error) => {
                if let Some(reply) = reply {
                    let _ = reply.send(Err(CallError::Refused { method, message: error.to_string() }));
                }
            }
        }
    }
}

impl Awaited {
    /// The answer, or why there is none.
    pub(crate) async fn within<R: DeserializeOwned>(mut self, deadline: Instant) -> Result<R, CallError> {
        self.answer(deadline).await
    }

    /// Like [`Awaited::within`]; where the deadline passes, the answer can be awaited once more.
    pub(crate) async fn answer<R: DeserializeOwned>(&mut self, deadline: Instant) -> Result<R, CallError> {
        let method = self.method;
        match timeout_at(deadline, &mut self.reply).await {
            Err(_) => Err(CallError::Timeout { method }),
            Ok(Err(_)) => Err(CallError::Gone("the connection closed".into())),
            Ok(Ok(Err(error))) => Err(error),
            Ok(Ok(Ok(reply))) => serde_json::from_str(reply.get())
                .map_err(|error| CallError::Refused { method, message: error.to_string() }),
        }
    }
}

struct Waiting {
    method: &'static str,
    session: Option<Arc<str>>,
    held_by_dialog: bool,
    reply: oneshot::Sender<Result<Box<RawValue>, CallError>>,
}

struct Task<T> {
    transport: T,
    sink: Arc<dyn Sink>,
    waiting: HashMap<u64, Waiting>,
    dead: HashMap<Arc<str>, CallError>,
    calls: Arc<AtomicU64>,
}

/// What a crashed target still answers: a navigation starts a new process for it.
const ANSWERED_AFTER_CRASH: &[&str] = &["Page.navigate", "Page.close", "Page.reload"];

impl<T: Transport> Task<T> {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Order>) {
        let why = loop {
            tokio::select! {
                biased;
                order = inbox.recv() => match order {
                    None | Some(Order::Stop) => break "closed by this side".to_owned(),
                    Some(order) => if let Err(why) = self.order(order) { break why },
                },
                message = self.transport.next() => match message {
                    Ok(Incoming::Reply { id, result }) => self.reply(id, result),
                    Ok(Incoming::Event(event)) => self.sink.event(&event),
                    Err(why) => break why,
                },
            }
        };
        for (_, waiting) in self.waiting.drain() {
            let _ = waiting.reply.send(Err(CallError::Gone(why.clone())));
        }
        self.sink.closed(&why);
        // What hears of events may itself hold a handle on this task, which would keep both for ever.
        drop((self.transport, self.sink));
        // Calls that were queued or come later are told why, as long as somebody may send one.
        while let Some(order) = inbox.recv().await {
            if let Order::Call { reply: Some(reply), .. } = order {
                let _ = reply.send(Err(CallError::Gone(why.clone())));
            }
        }
    }

    fn order(&mut self, order: Order) -> Result<(), String> {
        match order {
            Order::Call { call, held_by_dialog, reply } => {
                if let Some(error) = call.session.as_ref().and_then(|session| self.dead.get(session))
                    && !(*error == CallError::Crashed && ANSWERED_AFTER_CRASH.contains(&call.method))
                {
                    if let Some(reply) = reply {
                        let _ = reply.send(Err(error.clone()));
                    }
                    return Ok(());
                }
                self.calls.fetch_add(1, Ordering::Relaxed);
                let session = call.session.clone();
                let method = call.method;
                tracing::trace!(method, session = session.as_deref(), "call");
                let id = self.transport.submit(call)?;
                if let Some(reply) = reply {
                    self.waiting.insert(id, Waiting { method, session, held_by_dialog, reply });
                }
            }
            Order::Fail { session, error } => {
                self.end(&error, |waiting| waiting.session.as_ref() == Some(&session));
                self.dead.insert(session, error);
            }
            Order::Revive { session } => {
                self.dead.remove(&session);
            }
            Order::Hold { sessions } => {
                let sessions: HashSet<_> = sessions.into_iter().collect();
                self.end(&CallError::Dialog, |waiting| {
                    waiting.held_by_dialog && waiting.session.as_ref().is_some_and(|s| sessions.contains(s))
                });
            }
            Order::Stop => {}
        }
        Ok(())
    }

    fn reply(&mut self, id: u64, result: Result<Box<RawValue>, String>) {
        if let Some(waiting) = self.waiting.remove(&id) {
            let method = waiting.method;
            let _ = waiting.reply.send(result.map_err(|message| refused(method, message)));
        }
    }

    fn end(&mut self, error: &CallError, which: impl Fn(&Waiting) -> bool) {
        for (_, waiting) in self.waiting.extract_if(|_, waiting| which(waiting)) {
            let _ = waiting.reply.send(Err(error.clone()));
        }
    }
}

/// A call that is on its way while its session goes is refused with one of these sentences.
fn refused(method: &'static str, message: String) -> CallError {
    // A document that another has taken the place of: "uniqueContextId not found", "Cannot find context with specified
    // id", "Execution context was destroyed.", "Inspected target navigated or closed".
    let left = method == "Runtime.evaluate"
        && (message.to_lowercase().contains("context") || message.contains("navigated or closed"));
    let lost = ["Session with given id not found", "Not attached to the target"];
    if left || lost.iter().any(|words| message.starts_with(words)) {
        CallError::Detached
    } else if message.starts_with("Target crashed") {
        CallError::Crashed
    } else {
        CallError::Refused { method, message }
    }
}
