//! The ear of the [`Log`](crate::Log) in the pages: a script that reports events by beacon, and
//! the addresses under `/__oracle/` that it and test processes talk to.
//!
//! A beacon is neither an XHR nor a fetch, so it does not make a page look busy; the names of the
//! intended elements live in the script, so no locator can use them.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::guest;
use crate::log::Event;
use crate::server::Shared;

pub(crate) const PREFIX: &str = "/__oracle/";

/// What a served page carries so that its events are heard.
pub(crate) const TAG: &str = r#"<script src="/__oracle/listen.js"></script>"#;

/// Answers the requests under [`PREFIX`].
pub(crate) fn answer(shared: &Shared, parts: &Parts, body: &[u8]) -> Response {
    match (&parts.method, parts.uri.path()) {
        (&Method::GET, "/__oracle/listen.js") => {
            ([(CONTENT_TYPE, "text/javascript; charset=utf-8"), (CACHE_CONTROL, "max-age=3600")], LISTEN)
                .into_response()
        }
        (&Method::POST, "/__oracle/event") => match serde_json::from_slice::<Event>(body) {
            Ok(event) => {
                shared.log.event_arrived(event);
                StatusCode::NO_CONTENT.into_response()
            }
            Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
        },
        (&Method::POST, guest::REPORT_PATH) => match shared.guests.current() {
            Some(guest) => {
                guest.told(body);
                StatusCode::NO_CONTENT.into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
        (&Method::GET, "/__oracle/log") if holds_key(shared, parts) => Json(json!({
            "requests": shared.log.requests(),
            "events": shared.log.events(),
            "strikes": shared.log.strikes(),
            "booked": shared.log.booked(),
            "hook_calls": shared.log.hook_calls(),
        }))
        .into_response(),
        (&Method::POST, "/__oracle/clear") if holds_key(shared, parts) => {
            shared.log.clear();
            StatusCode::NO_CONTENT.into_response()
        }
        (_, "/__oracle/log" | "/__oracle/clear") => StatusCode::FORBIDDEN.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

const LISTEN: &str = include_str!("listen.js");

fn holds_key(shared: &Shared, parts: &Parts) -> bool {
    form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes())
        .any(|(name, value)| name == "key" && value == shared.key)
}
