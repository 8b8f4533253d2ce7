//! A loopback server for test pages, and browsers shared by the tests of one binary.
#![expect(clippy::unwrap_used, reason = "test support: a failure here is a broken test")]
#![expect(dead_code, reason = "every test binary uses its own part of this")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use waymark_surface::{RouteGuard, RouteRequest, RouteVerdict};
use waymark_web::{Browser, BrowserKind, LaunchOptions, SessionOptions, WebDriver};

/// What the server answers to a path.
#[derive(Clone)]
pub enum Answer {
    Page(String),
    /// Status line and further header lines, then the body.
    Raw(String),
    /// Never, while the connection is held open.
    Never,
}

/// Serves pages given by the test, and `fixtures/cases` under their own names.
pub struct Server {
    pub port: u16,
    pages: Arc<Mutex<BTreeMap<String, Answer>>>,
    hits: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    pub async fn start(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let map = pages.iter().map(|(path, body)| ((*path).to_owned(), Answer::Page((*body).to_owned()))).collect();
        let pages = Arc::new(Mutex::new(map));
        let hits = Arc::new(Mutex::new(Vec::new()));
        let (shared, log) = (pages.clone(), hits.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, port, shared.clone(), log.clone()));
            }
        });
        Server { port, pages, hits, task }
    }

    pub fn answer(&self, path: &str, answer: Answer) {
        self.pages.lock().unwrap().insert(path.to_owned(), answer);
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn localhost(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// Requests so far: method and path with query.
    pub fn hits(&self) -> Vec<String> {
        self.hits.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    port: u16,
    pages: Arc<Mutex<BTreeMap<String, Answer>>>,
    hits: Arc<Mutex<Vec<String>>>,
) {
    let mut buffer = Vec::new();
    let mut chunk = [0_u8; 4096];
    while !buffer.windows(4).any(|w| w == b"\r\n\r\n") {
        match stream.read(&mut chunk).await {
            Ok(n) if n > 0 => buffer.extend_from_slice(&chunk[..n]),
            _ => return,
        }
    }
    let text = String::from_utf8_lossy(&buffer).into_owned();
    let mut words = text.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    hits.lock().unwrap().push(format!("{method} {target}"));
    let path = target.split('?').next().unwrap_or(target);
    let known = pages.lock().unwrap().get(path).cloned();
    let page = |body: &str| {
        let body = body.replace("{port}", &port.to_string());
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
    };
    let answer = match known {
        Some(Answer::Page(body)) => page(&body),
        Some(Answer::Raw(raw)) => raw,
        Some(Answer::Never) => {
            // Held until the browser gives up.
            while stream.read(&mut chunk).await.is_ok_and(|n| n > 0) {}
            return;
        }
        None => {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/cases").to_owned() + path;
            match std::fs::read_to_string(file) {
                Ok(body) => page(&body),
                Err(_) => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".into(),
            }
        }
    };
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// Lets everything through.
pub struct Open;

impl RouteGuard for Open {
    fn decide(&self, _: &RouteRequest) -> RouteVerdict {
        RouteVerdict::Allow
    }

    fn denied_patterns(&self) -> Vec<String> {
        Vec::new()
    }
}

pub const KINDS: [BrowserKind; 2] = [BrowserKind::Shell, BrowserKind::Chromium];

pub async fn launch(kind: BrowserKind) -> Browser {
    Browser::launch(&LaunchOptions { kind, ..LaunchOptions::default() }).await.unwrap()
}

pub async fn session(browser: &Browser) -> WebDriver {
    browser.session(SessionOptions { guard: Arc::new(Open), downloads: None }).await.unwrap()
}

pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
