//! A relay between the engine and the browser that can be cut, fall silent, or hold back what the browser tells.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// How late events come once they are held back.
const LATE: Duration = Duration::from_millis(150);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Faithful = 0,
    /// Nothing is passed on any more, and nothing is closed.
    Silent = 1,
    /// Events come late, answers at once.
    Late = 2,
}

/// Serves one connection after the other until it is dropped.
pub struct Relay {
    address: String,
    mood: Arc<AtomicU8>,
    sockets: Arc<Mutex<Vec<TcpStream>>>,
}

impl Relay {
    /// Passes on to the browser at a web socket address.
    pub fn to(browser: &str) -> Result<Self> {
        let rest = browser.strip_prefix("ws://").context("no web socket address")?;
        let (host, path) = rest.split_once('/').context("no path")?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = format!("ws://{}/{path}", listener.local_addr()?);
        let mood = Arc::new(AtomicU8::new(Mood::Faithful as u8));
        let sockets: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let (host, kept, moody) = (host.to_owned(), sockets.clone(), mood.clone());
        thread::spawn(move || {
            for engine in listener.incoming().flatten() {
                // A relay that was dropped is told so by one last connection.
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let Ok(browser) = TcpStream::connect(&host) else { break };
                let both = [engine.try_clone(), engine.try_clone(), browser.try_clone(), browser.try_clone()];
                let [Ok(up), Ok(down), Ok(far), Ok(back)] = both else { break };
                kept.extend([engine, browser]);
                let (moody_up, moody_down) = (moody.clone(), moody.clone());
                thread::spawn(move || pass(up, far, &moody_up));
                thread::spawn(move || frames(back, down, &moody_down));
            }
        });
        Ok(Relay { address, mood, sockets })
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn be(&self, mood: Mood) {
        self.mood.store(mood as u8, Ordering::SeqCst);
    }

    pub fn cut(&self) {
        for socket in self.sockets.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            drop(socket.shutdown(Shutdown::Both));
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.cut();
    }
}

/// Copies from the engine to the browser.
fn pass(mut from: TcpStream, mut to: TcpStream, mood: &AtomicU8) {
    let mut buffer = [0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if mood.load(Ordering::SeqCst) != Mood::Silent as u8 && to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    drop(to.shutdown(Shutdown::Both));
}

/// Copies from the browser to the engine, frame by frame once the hand shake is over.
fn frames(mut from: TcpStream, to: TcpStream, mood: &AtomicU8) {
    let to = Arc::new(Mutex::new(to));
    let (late, held) = std::sync::mpsc::channel::<(Instant, Vec<u8>)>();
    let later = to.clone();
    let keeper = thread::spawn(move || {
        for (due, frame) in held {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if later.lock().unwrap_or_else(PoisonError::into_inner).write_all(&frame).is_err() {
                break;
            }
        }
    });
    let mut kept: Vec<u8> = Vec::new();
    let mut shaken = false;
    let mut buffer = [0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..length]);
        while let Some(end) = if shaken { frame_end(&kept) } else { shake_end(&kept) } {
            let rest = kept.split_off(end);
            let frame = std::mem::replace(&mut kept, rest);
            let is_event = shaken && !has_id(&frame);
            shaken = true;
            let mood = mood.load(Ordering::SeqCst);
            if mood == Mood::Silent as u8 {
                continue;
            }
            if mood == Mood::Late as u8 && is_event {
                drop(late.send((Instant::now() + LATE, frame)));
            } else if to.lock().unwrap_or_else(PoisonError::into_inner).write_all(&frame).is_err() {
                break;
            }
        }
    }
    drop(late);
    drop(keeper.join());
    drop(to.lock().unwrap_or_else(PoisonError::into_inner).shutdown(Shutdown::Both));
}

fn shake_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// Where the first frame ends; frames of a server are not masked.
fn frame_end(bytes: &[u8]) -> Option<usize> {
    let (head, length) = match *bytes.get(1)? & 0x7f {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
        127 => (10, usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?),
        short => (2, usize::from(short)),
    };
    (bytes.len() >= head + length).then_some(head + length)
}

/// Whether a frame is an answer: its object begins with the number of the call.
fn has_id(frame: &[u8]) -> bool {
    frame.iter().position(|byte| *byte == b'{').is_some_and(|at| frame[at..].starts_with(b"{\"id\":"))
}
