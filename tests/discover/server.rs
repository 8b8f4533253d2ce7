//! A small server on loopback that keeps every byte it is sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::Result;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Got {
    pub method: String,
    /// With its query.
    pub path: String,
    /// Request line and headers.
    pub head: String,
    pub body: Vec<u8>,
}

impl Got {
    /// Everything of it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), &self.body].concat()
    }
}

/// What is answered.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A status, a type, more headers, and a body.
    Body(u16, &'static str, Vec<(&'static str, String)>, String),
    /// A body that ends before it should.
    Cut(String),
    /// The connection is closed without a word.
    Closed,
    /// Nothing ever comes.
    Silence,
}

impl Answer {
    /// A page.
    #[must_use]
    pub fn page(html: &str) -> Self {
        Answer::Body(200, "text/html; charset=utf-8", Vec::new(), html.to_owned())
    }

    /// JSON.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Answer::Body(status, "application/json", Vec::new(), body.to_string())
    }
}

/// A server; it ends when it is dropped.
pub struct Server {
    port: u16,
    got: Arc<Mutex<Vec<Got>>>,
    over: Arc<AtomicBool>,
}

impl Server {
    /// Starts one.
    ///
    /// # Errors
    /// No port can be had.
    pub fn start(answer: impl Fn(&Got) -> Answer + Send + Sync + 'static) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let (got, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (keep, ends, answer) = (Arc::clone(&got), Arc::clone(&over), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ends.load(Ordering::Acquire) {
                    return;
                }
                let (keep, answer) = (Arc::clone(&keep), Arc::clone(&answer));
                // Whoever goes away early is none of a server's business.
                thread::spawn(move || drop(serve(stream, &keep, &*answer)));
            }
        });
        Ok(Server { port, got, over })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What came so far.
    #[must_use]
    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Every byte that came so far.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.got().iter().flat_map(Got::bytes).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // It waits for the next connection.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn serve(stream: TcpStream, keep: &Mutex<Vec<Got>>, answer: &dyn Fn(&Got) -> Answer) -> Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    loop {
        let before = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
        if head[before..].trim().is_empty() {
            break;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or_default()];
    reader.read_exact(&mut body)?;
    let mut words = head.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let got = Got { method, path, head, body };
    keep.lock().unwrap_or_else(PoisonError::into_inner).push(got.clone());
    let mut stream = stream;
    match answer(&got) {
        Answer::Body(status, kind, headers, body) => {
            let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status} told\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\ncache-control: no-store\r\n{more}connection: close\r\n\r\n{body}"
            )?;
        }
        Answer::Cut(body) => {
            let length = body.len() + 100;
            write!(
                stream,
                "HTTP/1.1 200 told\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            )?;
        }
        Answer::Closed => {}
        // Until the other side has had enough.
        Answer::Silence => drop(reader.read(&mut [0])?),
    }
    stream.flush()?;
    stream.shutdown(Shutdown::Both)?;
    Ok(())
}
