//! A server that answers from a script and keeps what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use serde_json::Value;

/// One answer of the script.
pub(crate) enum Reply {
    Body {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// The connection ends within the body.
    Broken,
    /// Nothing ever comes.
    Silence,
}

/// One request as it came.
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    pub(crate) text: String,
    pub(crate) at: Instant,
}

type Shared = Arc<Mutex<(VecDeque<Reply>, Vec<Seen>)>>;

pub(crate) struct Server {
    port: u16,
    shared: Shared,
    task: tokio::task::JoinHandle<()>,
}

impl Reply {
    pub(crate) fn json(status: u16, body: Value) -> Self {
        Reply::text(status, &body.to_string())
    }

    pub(crate) fn text(status: u16, body: &str) -> Self {
        Reply::Body { status, headers: Vec::new(), body: body.to_owned() }
    }

    pub(crate) fn header(self, name: &'static str, value: &str) -> Self {
        match self {
            Reply::Body { status, mut headers, body } => {
                headers.push((name, value.to_owned()));
                Reply::Body { status, headers, body }
            }
            other => other,
        }
    }
}

impl Server {
    pub(crate) async fn start(script: Vec<Reply>) -> Self {
        let shared: Shared = Arc::new(Mutex::new((script.into(), Vec::new())));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Server { port, shared, task }
    }

    /// A place where nothing listens.
    pub(crate) fn nowhere() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Server { port, shared: Shared::default(), task: tokio::spawn(std::future::ready(())) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.shared.lock().unwrap().1)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(shared): State<Shared>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let reply = {
        let mut shared = shared.lock().unwrap();
        let text = String::from_utf8_lossy(&body).into_owned();
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        shared.1.push(Seen { path: uri.path().to_owned(), headers, body, text, at: Instant::now() });
        shared.0.pop_front()
    };
    match reply {
        None => Response::builder().status(418).body(Body::from("the script is over")).unwrap(),
        Some(Reply::Body { status, headers, body }) => {
            let response = Response::builder().status(status);
            let response = headers.into_iter().fold(response, |response, (name, value)| response.header(name, value));
            response.body(Body::from(body)).unwrap()
        }
        Some(Reply::Broken) => {
            let pieces = [Ok("{\"choices\": ["), Err(std::io::Error::other("cut"))];
            Response::new(Body::from_stream(futures_util::stream::iter(pieces)))
        }
        Some(Reply::Silence) => std::future::pending().await,
    }
}
