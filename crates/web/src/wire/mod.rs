//! The wire to a browser: protocol calls out, replies and events in. Knows nothing of what they mean.

mod pipe;
mod socket;

use std::future::Future;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

pub(crate) use pipe::Pipe;
pub(crate) use socket::Socket;

/// A call on its way out.
pub(crate) struct Call {
    /// The session it belongs to; `None` is the browser itself.
    pub(crate) session: Option<Arc<str>>,
    /// Domain and name.
    pub(crate) method: &'static str,
    /// Its parameters as JSON.
    pub(crate) params: Box<RawValue>,
}

/// What comes in.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// The answer to a call.
    Reply {
        /// The number that [`Transport::submit`] gave the call.
        id: u64,
        /// The result, or what the browser says is wrong.
        result: Result<Box<RawValue>, String>,
    },
    /// Something happened.
    Event(RawEvent),
}

/// An event whose content was not looked at yet.
#[derive(Debug)]
pub(crate) struct RawEvent {
    /// Domain and name.
    pub(crate) method: String,
    /// The session it happened in; `None` is the browser itself.
    pub(crate) session: Option<String>,
    /// Its parameters.
    pub(crate) params: Box<RawValue>,
}

impl RawEvent {
    /// Reads the parameters; an event that is not understood is `None`, never an error.
    pub(crate) fn read<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        match serde_json::from_str(self.params.get()) {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::debug!(method = self.method, %error, "an event is not understood");
                None
            }
        }
    }
}

/// A two-way connection to one browser.
pub(crate) trait Transport: Send + 'static {
    /// Queues a call and numbers it. It leaves while [`Transport::next`] is awaited.
    fn submit(&mut self, call: Call) -> Result<u64, String>;

    /// The next message, sending queued calls meanwhile. May be dropped at any await and called again.
    /// `Err` says why the connection ended.
    fn next(&mut self) -> impl Future<Output = Result<Incoming, String>> + Send;
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    session_id: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<ErrorBody>,
}

#[derive(Deserialize)]
struct ErrorBody {
    #[serde(default)]
    message: String,
    data: Option<String>,
}

impl ErrorBody {
    fn text(self) -> String {
        match self.data {
            Some(data) => format!("{}: {data}", self.message),
            None => self.message,
        }
    }
}

/// Reads one message; one that is not understood is `None`.
fn read(bytes: &[u8]) -> Option<Incoming> {
    let message: Message = serde_json::from_slice(bytes)
        .inspect_err(|error| tracing::debug!(%error, "a message is not understood"))
        .ok()?;
    if let Some(id) = message.id {
        let result = match (message.result, message.error) {
            (_, Some(error)) => Err(error.text()),
            (Some(result), None) => Ok(result),
            (None, None) => Ok(empty()),
        };
        return Some(Incoming::Reply { id, result });
    }
    Some(Incoming::Event(RawEvent {
        method: message.method?,
        session: message.session_id,
        params: message.params.unwrap_or_else(empty),
    }))
}

fn empty() -> Box<RawValue> {
    RawValue::from_string("{}".into()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
