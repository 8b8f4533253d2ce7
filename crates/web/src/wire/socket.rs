//! The web socket to a browser that somebody else runs.

use std::borrow::Cow;

use chromiumoxide::Connection;
use chromiumoxide::types::{EventMessage, Message, Method, MethodId};
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{Call, Incoming, RawEvent, Transport, empty};

/// A connected web socket.
pub(crate) struct Socket {
    connection: Connection<Event>,
}

#[derive(Debug, Deserialize)]
struct Event {
    method: String,
    #[serde(rename = "sessionId")]
    session_id: Option<String>,
    #[serde(default)]
    params: serde_json::Value,
}

impl Method for Event {
    fn identifier(&self) -> MethodId {
        Cow::Owned(self.method.clone())
    }
}

impl EventMessage for Event {
    fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }
}

impl Socket {
    /// Connects to the browser's own address, `ws://host:port/devtools/browser/…`.
    pub(crate) async fn connect(url: &str) -> Result<Self, String> {
        let connection = Connection::connect(url).await.map_err(|error| error.to_string())?;
        Ok(Socket { connection })
    }
}

impl Transport for Socket {
    fn submit(&mut self, call: Call) -> Result<u64, String> {
        let params = serde_json::from_str(call.params.get()).map_err(|error| error.to_string())?;
        let session = call.session.map(|session| session.to_string().into());
        let id = self
            .connection
            .submit_command(Cow::Borrowed(call.method), session, params)
            .map_err(|error| error.to_string())?;
        number(id).ok_or_else(|| "a call has no number".to_owned())
    }

    async fn next(&mut self) -> Result<Incoming, String> {
        loop {
            match self.connection.next().await {
                None => return Err("the browser closed the web socket".into()),
                Some(Err(chromiumoxide::error::CdpError::InvalidMessage(_, error))) => {
                    tracing::debug!(%error, "a message is not understood");
                }
                Some(Err(error)) => return Err(error.to_string()),
                Some(Ok(Message::Response(reply))) => {
                    let Some(id) = number(reply.id) else { continue };
                    let result = match (reply.result, reply.error) {
                        (_, Some(error)) => Err(error.message),
                        (Some(result), None) => Ok(raw(&result)),
                        (None, None) => Ok(empty()),
                    };
                    return Ok(Incoming::Reply { id, result });
                }
                Some(Ok(Message::Event(event))) => {
                    return Ok(Incoming::Event(RawEvent {
                        method: event.method,
                        session: event.session_id,
                        params: raw(&event.params),
                    }));
                }
            }
        }
    }
}

/// The library keeps the number of a call to itself, except in JSON.
fn number(id: chromiumoxide::types::CallId) -> Option<u64> {
    serde_json::to_value(id).ok()?.as_u64()
}

fn raw(value: &serde_json::Value) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| empty())
}
