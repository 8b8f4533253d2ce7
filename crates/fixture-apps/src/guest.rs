//! What somebody else puts into the pages of a stand-in: a script at the end of each body, which reports to its owner.
//!
//! The script runs before the page is shown whole, and takes its own element away, so that whoever looks at the page finds
//! the page alone. This module does not know what a guest is for.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};

/// Where a guest's scripts report by `POST`; of the same origin as the pages, and no part of the application.
pub const REPORT_PATH: &str = "/__oracle/guest";

/// What answers late to a guest's scripts: `?ms=N` after so many milliseconds, at most [`LATEST`].
pub const LATE_PATH: &str = "/__oracle/late";

/// The latest answer there.
const LATEST: Duration = Duration::from_secs(10);

/// Answers at [`LATE_PATH`].
pub(crate) async fn late(query: &str) -> Response {
    let ms = query.strip_prefix("ms=").and_then(|ms| ms.parse().ok()).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(ms).min(LATEST)).await;
    StatusCode::NO_CONTENT.into_response()
}

/// Whoever has scripts in the pages.
pub trait Guest: Debug + Send + Sync {
    /// The script for the next document that is served at this path, without path parameters; none where there is none.
    fn script(&self, path: &str) -> Option<String>;

    /// The body of one report.
    fn told(&self, report: &[u8]);
}

/// The guest of one instance, if it has one; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guests(Arc<Mutex<Option<Arc<dyn Guest>>>>);

impl Guests {
    pub(crate) fn host(&self, guest: Arc<dyn Guest>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(guest);
    }

    pub(crate) fn current(&self) -> Option<Arc<dyn Guest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The answer with the guest's script in it, where it is a document with a body.
pub(crate) async fn seat(guest: &dyn Guest, path: &str, response: Response) -> Response {
    let html = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !html.is_some_and(|kind| kind.starts_with("text/html")) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // What cannot be read is no page of a stand-in, whose bodies are all in memory.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let page = String::from_utf8_lossy(&bytes);
    let end = page.rfind("</body>").filter(|_| !page.contains("<frameset"));
    let Some((end, script)) = end.and_then(|end| Some((end, guest.script(path)?))) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    let seated = format!("{}<script>{script}</script>{}", &page[..end], &page[end..]);
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(seated))
}
