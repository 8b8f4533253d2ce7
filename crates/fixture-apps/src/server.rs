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
use axum::http::header::{CONTENT_TYPE, COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::faults::{Fault, Faults, Place, Struck};
use crate::guest::{self, Guest, Guests};
use crate::log::{Log, Request};
use crate::meridian::Variant;
use crate::{hook, oracle};

/// How one instance is served.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Port on 127.0.0.1; 0 takes any free one.
    pub port: u16,
    pub delays: Delays,
    /// Faults it has from the start.
    pub faults: Vec<Fault>,
    /// The password for `john` or `teller1`, instead of his own: a test may look for it wherever it must not be.
    pub password: Option<String>,
    /// Whose skin Meridian wears.
    pub variant: Variant,
    /// How long Meridian keeps a session that nobody uses; as long as it runs, where none is given.
    pub idle: Option<Duration>,
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

/// Faults were asked of an application that has none, or not these.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoFaults {
    #[error("this stand-in has no faults")]
    None,
    #[error("`{fault}` can strike nowhere in `{name}`; its places are {}", places.iter().map(|place| place.name()).collect::<Vec<_>>().join(", "))]
    Nowhere { fault: Fault, name: &'static str, places: &'static [Place] },
}

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
    log: Log,
    key: String,
    faults: Faults,
    guests: Guests,
    application: Application,
    stop: watch::Sender<bool>,
    task: Option<JoinHandle<()>>,
}

impl Running {
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Address of the application, without a final slash: `http://127.0.0.1:8080/parabank`.
    pub fn base_url(&self) -> String {
        format!("http://{}{}", self.addr, self.application.base_path)
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
    /// The application has none, or one of them can strike nowhere in it; then none is added.
    pub fn inject(&self, faults: impl IntoIterator<Item = Fault>) -> Result<(), NoFaults> {
        let faults: Vec<Fault> = faults.into_iter().collect();
        self.application.takes(&faults)?;
        self.faults.add(faults);
        Ok(())
    }

    /// Takes all faults away. A request that one struck already goes on.
    pub fn clear_faults(&self) {
        self.faults.set(Vec::new());
    }

    /// The faults that are left, each with the count that is left.
    pub fn faults(&self) -> Vec<Fault> {
        self.faults.left()
    }

    /// From now on this guest's scripts stand in the pages, and it is told what they report.
    pub fn host(&self, guest: std::sync::Arc<dyn Guest>) {
        self.guests.host(guest);
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

/// What an application is called, where it lies and where it may go wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Application {
    pub(crate) name: &'static str,
    pub(crate) base_path: &'static str,
    /// Where faults can strike; empty where it has none.
    pub(crate) places: &'static [Place],
}

impl Application {
    /// Whether all these faults can strike here somewhere.
    pub(crate) fn takes(&self, faults: &[Fault]) -> Result<(), NoFaults> {
        if self.places.is_empty() {
            return Err(NoFaults::None);
        }
        let lost = faults.iter().find(|fault| !self.places.iter().any(|place| fault.strikes_at(*place)));
        match lost {
            None => Ok(()),
            Some(fault) => Err(NoFaults::Nowhere { fault: *fault, name: self.name, places: self.places }),
        }
    }
}

/// Serves what `make` builds on 127.0.0.1, behind [`observe`].
pub(crate) async fn serve(
    application: Application,
    port: u16,
    faults: Vec<Fault>,
    make: impl FnOnce(Stopping, Faults, Log) -> Router,
) -> Result<Running, StartError> {
    if !faults.is_empty() {
        application.takes(&faults)?;
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
    let guests = Guests::default();
    let shared =
        Shared { application, log: log.clone(), key: key.clone(), faults: faults.clone(), guests: guests.clone() };
    let router = made.layer(from_fn_with_state(shared, observe));
    let task = tokio::spawn(async move {
        let served = axum::serve(listener, router).with_graceful_shutdown(stopped(stopping));
        // Accept errors are retried inside; there is nobody to tell of an error after a stop.
        let _ = served.await;
    });
    Ok(Running { addr, application, log, key, faults, guests, stop, task: Some(task) })
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

/// The fields of a form that was sent.
pub(crate) fn form_of(headers: &HeaderMap, body: &[u8]) -> Vec<(String, String)> {
    if is_form(headers) { fields(body) } else { Vec::new() }
}

/// The fields of a query or of the body of a form.
pub(crate) fn fields(encoded: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(encoded).into_owned().collect()
}

/// The value of a cookie.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

fn is_form(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("application/x-www-form-urlencoded"))
}

#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) application: Application,
    pub(crate) log: Log,
    pub(crate) key: String,
    pub(crate) faults: Faults,
    pub(crate) guests: Guests,
}

const STOP_DEADLINE: Duration = Duration::from_secs(2);
const BODY_LIMIT: usize = 1 << 20;

/// The one place every request of an instance passes: it writes the log.
async fn observe(State(shared): State<Shared>, request: axum::extract::Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if parts.uri.path() == guest::LATE_PATH && shared.guests.current().is_some() {
        return guest::late(parts.uri.query().unwrap_or_default()).await;
    }
    if parts.uri.path().starts_with(oracle::PREFIX) {
        return oracle::answer(&shared, &parts, &body);
    }
    if hook::is_hook(parts.uri.path()) {
        return hook::answer(&shared, &parts, &body);
    }
    let entry = entry(&parts, &body);
    let guest = shared.guests.current();
    let path = entry.path.clone();
    let number = shared.log.request_arrived(entry);
    parts.extensions.insert(Struck { number, path: path.clone() });
    let response = next.run(axum::extract::Request::from_parts(parts, Body::from(body))).await;
    shared.log.request_answered(number, response.status().as_u16());
    match guest {
        Some(guest) => guest::seat(guest.as_ref(), &path, response).await,
        None => response,
    }
}

fn entry(parts: &Parts, body: &Bytes) -> Request {
    let fields = if body.is_empty() {
        Vec::new()
    } else if is_form(&parts.headers) {
        fields(body)
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
