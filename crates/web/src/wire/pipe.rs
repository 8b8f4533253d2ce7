//! The pipe: JSON messages ended by NUL on two file descriptors that only the browser's parent holds.

use std::io;
use std::os::fd::OwnedFd;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::net::unix::pipe::{Receiver, Sender};

use super::{Call, Incoming, Transport, read};

/// The parent's ends of the two pipes.
pub(crate) struct Pipe {
    input: Receiver,
    output: Sender,
    received: Vec<u8>,
    /// Start of the bytes of `received` that were not handed out yet.
    start: usize,
    /// How far `received` was searched for the end of a message.
    searched: usize,
    sending: Vec<u8>,
    sent: usize,
    last: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outgoing<'a> {
    id: u64,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    params: &'a RawValue,
}

const CHUNK: usize = 64 * 1024;

impl Pipe {
    /// Takes the descriptors over: `input` is read, `output` is written.
    pub(crate) fn new(input: OwnedFd, output: OwnedFd) -> io::Result<Self> {
        Ok(Pipe {
            input: Receiver::from_owned_fd(input)?,
            output: Sender::from_owned_fd(output)?,
            received: Vec::new(),
            start: 0,
            searched: 0,
            sending: Vec::new(),
            sent: 0,
            last: 0,
        })
    }

    fn message(&mut self) -> Option<Option<Incoming>> {
        let Some(end) = self.received[self.searched..].iter().position(|b| *b == 0) else {
            self.searched = self.received.len();
            if self.start > 0 {
                self.received.drain(..self.start);
                self.searched -= self.start;
                self.start = 0;
            }
            return None;
        };
        let end = self.searched + end;
        let message = read(&self.received[self.start..end]);
        self.start = end + 1;
        self.searched = self.start;
        Some(message)
    }

    fn write(&mut self) -> Result<(), String> {
        while self.sent < self.sending.len() {
            match self.output.try_write(&self.sending[self.sent..]) {
                Ok(0) => return Err("the browser closed its pipe".into()),
                Ok(n) => self.sent += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
        self.sending.clear();
        self.sent = 0;
        Ok(())
    }

    fn fill(&mut self) -> Result<(), String> {
        loop {
            let old = self.received.len();
            self.received.resize(old + CHUNK, 0);
            let got = self.input.try_read(&mut self.received[old..]);
            self.received.truncate(old + *got.as_ref().unwrap_or(&0));
            match got {
                Ok(0) => return Err("the browser closed its pipe".into()),
                Ok(n) if n < CHUNK => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

impl Transport for Pipe {
    fn submit(&mut self, call: Call) -> Result<u64, String> {
        self.last += 1;
        let message =
            Outgoing { id: self.last, method: call.method, session_id: call.session.as_deref(), params: &call.params };
        serde_json::to_writer(&mut self.sending, &message).map_err(|error| error.to_string())?;
        self.sending.push(0);
        Ok(self.last)
    }

    async fn next(&mut self) -> Result<Incoming, String> {
        loop {
            self.write()?;
            while let Some(message) = self.message() {
                if let Some(message) = message {
                    return Ok(message);
                }
            }
            if self.sending.is_empty() {
                self.input.readable().await.map_err(|error| error.to_string())?;
                self.fill()?;
            } else {
                tokio::select! {
                    ready = self.input.readable() => { ready.map_err(|error| error.to_string())?; self.fill()?; }
                    ready = self.output.writable() => ready.map_err(|error| error.to_string())?,
                }
            }
        }
    }
}
