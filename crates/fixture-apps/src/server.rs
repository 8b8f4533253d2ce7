//! Starting, observing and stopping one application on the loopback address.
//!
//! Every request passes [`observe`]; whatever is to befall requests of one instance as a whole
//! belongs there. This module does not know what the applications serve, nor what a fault does.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::faults::{Fault, Faults, Struck};
use crate::log::{Log, Request};
use crate::{hook, oracle};

/// How one instance is served.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Port on 127.0.0.1; 0 takes any free one.
    pub port: u16,
    pub delays: Delays,
    /// Faults it has from the start; only ParaBank has any.
    pub faults: Vec<Fault>,
    /// ParaBank's password for `john`, instead of his own: a test may look for it wherever it must not be.
    pub password: Option<String>,
}

/// Time that ParaBank's data requests take, each the same on every call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delays {
    /// A customer's list of accounts (overview table, account selects).
    pub accounts: Duration,
    /// The details of one account.
    pub account: Duration,
    /// A list of transactions: long enough for "No transactions found." to be seen before it.
    pub transactions: Duration,
    /// Everything that changes something.
    pub submit: Duration,
    /// What the fault `slow_load` adds to an answer.
    pub slow_load: Duration,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            accounts: Duration::from_millis(60),
            account: Duration::from_millis(40),
            transactions: Duration::from_millis(150),
            submit: Duration::from_millis(50),
            slow_load: Duration::from_secs(6),
        }
    }
}

impl Delays {
    /// Every answer at once, unless a fault delays it.
    pub fn none() -> Self {
        Self {
            accounts: Duration::ZERO,
            account: Duration::ZERO,
            transactions: Duration::ZERO,
            submit: Duration::ZERO,
            ..Self::default()
        }
    }
}

/// Why an application could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("port {port} on 127.0.0.1 is already in use")]
    PortInUse { port: u16 },
    #[error("could not listen on 127.0.0.1:{port}")]
    Listen {
        port: u16,
        #[source]
        source: io::Error,
    },
    #[error("no random numbers from the operating system: {0}")]
    Random(getrandom::Error),
    #[error(transparent)]
    NoFaults(#[from] NoFaults),
}

/// Faults were asked of an application that has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this stand-in has no faults")]
pub struct NoFaults;

impl From<StartError> for io::Error {
    fn from(error: StartError) -> Self {
        let kind = match &error {
            StartError::PortInUse { .. } => io::ErrorKind::AddrInUse,
            StartError::Listen { source, .. } => source.kind(),
            StartError::Random(_) => io::ErrorKind::Other,
            StartError::NoFaults(_) => io::ErrorKind::Unsupported,
        };
        io::Error::new(kind, error)
    }
}

/// A running application. It stops on [`Running::stop`] and when dropped.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    base_path: &'static str,
    log: Log,
    key: String,
    faults: Option<Faults>,
    stop: watch::Sender<bool>,
    task: Option<JoinHandle<()>>,
}

impl Running {
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Address of the application, without a final slash: `http://127.0.0.1:8080/parabank`.
    pub fn base_url(&self) -> String {
        format!("http://{}{}", self.addr, self.base_path)
    }

    pub fn log(&self) -> Log {
        self.log.clone()
    }

    /// Random key of this instance: `GET /__oracle/log?key=...` answers the log as JSON, for a
    /// test which runs the application as a process of its own, and with it in the header
    /// [`KEY_HEADER`](crate::KEY_HEADER) faults are set at [`FAULTS_PATH`](crate::FAULTS_PATH).
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Adds faults to those that this instance has.
    ///
    /// # Errors
    /// The application has none.
    pub fn inject(&self, faults: impl IntoIterator<Item = Fault>) -> Result<(), NoFaults> {
        self.faults.as_ref().ok_or(NoFaults)?.add(faults);
        Ok(())
    }

    /// Takes all faults away. A request that one struck already goes on.
    pub fn clear_faults(&self) {
        if let Some(faults) = &self.faults {
            faults.set(Vec::new());
        }
    }

    /// The faults that are left, each with the count that is left.
    pub fn faults(&self) -> Vec<Fault> {
        self.faults.as_ref().map(Faults::left).unwrap_or_default()
    }

    /// Closes the port, ends open requests and returns once both are done.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if let Some(mut task) = self.task.take()
            && tokio::time::timeout(STOP_DEADLINE, &mut task).await.is_err()
        {
            task.abort();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// Tells handlers that the instance stops, so that none keeps it open.
pub(crate) type Stopping = watch::Receiver<bool>;

/// What an application is called, where it lies and whether it has faults.
pub(crate) struct Application {
    pub(crate) name: &'static str,
    pub(crate) base_path: &'static str,
    pub(crate) has_faults: bool,
}

/// Serves what `make` builds on 127.0.0.1, behind [`observe`].
pub(crate) async fn serve(
    application: Application,
    port: u16,
    faults: Vec<Fault>,
    make: impl FnOnce(Stopping, Faults, Log) -> Router,
) -> Result<Running, StartError> {
    if !faults.is_empty() && !application.has_faults {
        return Err(NoFaults.into());
    }
    let key = random_hex().map_err(StartError::Random)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => StartError::PortInUse { port },
        _ => StartError::Listen { port, source },
    })?;
    let addr = listener.local_addr().map_err(|source| StartError::Listen { port, source })?;

    let log = Log::new();
    let faults = Faults::new(log.clone(), faults);
    let (stop, stopping) = watch::channel(false);
    let made = make(stopping.clone(), faults.clone(), log.clone());
    let faults = application.has_faults.then_some(faults);
    let shared = Shared { name: application.name, log: log.clone(), key: key.clone(), faults: faults.clone() };
    let router = made.layer(from_fn_with_state(shared, observe));
    let task = tokio::spawn(async move {
        let served = axum::serve(listener, router).with_graceful_shutdown(stopped(stopping));
        // Accept errors are retried inside; there is nobody to tell of an error after a stop.
        let _ = served.await;
    });
    Ok(Running { addr, base_path: application.base_path, log, key, faults, stop, task: Some(task) })
}

/// Completes when the instance stops or its handle is gone.
pub(crate) async fn stopped(mut stopping: Stopping) {
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// 128 random bits as 32 hexadecimal digits.
pub(crate) fn random_hex() -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The path without `;name=value` parameters in its segments.
pub(crate) fn without_parameters(path: &str) -> String {
    path.split('/').map(|segment| segment.split(';').next().unwrap_or_default()).collect::<Vec<_>>().join("/")
}

#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) name: &'static str,
    pub(crate) log: Log,
    pub(crate) key: String,
    pub(crate) faults: Option<Faults>,
}

const STOP_DEADLINE: Duration = Duration::from_secs(2);
const BODY_LIMIT: usize = 1 << 20;

/// The one place every request of an instance passes: it writes the log.
async fn observe(State(shared): State<Shared>, request: axum::extract::Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if parts.uri.path().starts_with(oracle::PREFIX) {
        return oracle::answer(&shared, &parts, &body);
    }
    if hook::is_hook(parts.uri.path()) {
        return hook::answer(&shared, &parts, &body);
    }
    let entry = entry(&parts, &body);
    let path = entry.path.clone();
    let number = shared.log.request_arrived(entry);
    parts.extensions.insert(Struck { number, path });
    let response = next.run(axum::extract::Request::from_parts(parts, Body::from(body))).await;
    shared.log.request_answered(number, response.status().as_u16());
    response
}

fn entry(parts: &Parts, body: &Bytes) -> Request {
    let is_form = parts
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("application/x-www-form-urlencoded"));
    let fields = if body.is_empty() {
        Vec::new()
    } else if is_form {
        form_urlencoded::parse(body).into_owned().collect()
    } else {
        vec![("body".to_owned(), String::from_utf8_lossy(body).into_owned())]
    };
    Request {
        number: 0,
        method: parts.method.to_string(),
        path: without_parameters(parts.uri.path()),
        raw_path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        fields,
        status: None,
    }
}
