//! The addresses by which the owner of an instance sets its faults while it runs.
//!
//! `GET /waymark-fixture` says what this is. `/waymark-fixture/faults` wants the instance's key in
//! the header [`KEY_HEADER`]: `GET` tells the faults that are left and those that struck, `POST`
//! with `{"faults": ["MODE[:COUNT][@PLACE]", ...]}` sets these instead, `DELETE` takes all away.
//! The browser that is tested must not come here, so these addresses lie outside of every
//! application.

use axum::Json;
use axum::http::header::CACHE_CONTROL;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use crate::faults::{Fault, Mode};
use crate::server::Shared;

/// Where an instance says what it is.
pub const HOOK_PATH: &str = "/waymark-fixture";

/// Where its faults are set.
pub const FAULTS_PATH: &str = "/waymark-fixture/faults";

/// The header that carries the key.
pub const KEY_HEADER: &str = "x-waymark-key";

/// The `schema` of the document at [`HOOK_PATH`].
pub const HOOK_SCHEMA: &str = "waymark.fixture-hook/1";

pub(crate) fn is_hook(path: &str) -> bool {
    path.strip_prefix(HOOK_PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers the requests for which [`is_hook`].
pub(crate) fn answer(shared: &Shared, parts: &Parts, body: &[u8]) -> Response {
    shared.log.hook_called();
    let mut response = match (parts.uri.path(), &parts.method) {
        (HOOK_PATH, &Method::GET) => {
            let places = shared.application.places;
            let modes = Mode::ALL.into_iter().filter(|mode| places.iter().any(|place| mode.fits(*place)));
            Json(json!({
                "schema": HOOK_SCHEMA,
                "fixture": shared.application.name,
                "modes": modes.collect::<Vec<_>>(),
                "places": places,
            }))
            .into_response()
        }
        (FAULTS_PATH, _) if parts.headers.get(KEY_HEADER).is_none_or(|key| key != shared.key.as_str()) => {
            (StatusCode::FORBIDDEN, "This is not the key of this fixture.").into_response()
        }
        (FAULTS_PATH, _) if shared.application.places.is_empty() => {
            (StatusCode::CONFLICT, "This fixture has no faults.").into_response()
        }
        (FAULTS_PATH, method) => keyed(shared, method, body),
        _ => StatusCode::NOT_FOUND.into_response(),
    };
    response.headers_mut().insert(CACHE_CONTROL, axum::http::HeaderValue::from_static("no-store"));
    response
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    faults: Vec<String>,
}

fn keyed(shared: &Shared, method: &Method, body: &[u8]) -> Response {
    match *method {
        Method::GET => {}
        Method::POST => match wanted(shared, body) {
            Ok(wanted) => shared.faults.set(wanted),
            Err(message) => return (StatusCode::BAD_REQUEST, message).into_response(),
        },
        Method::DELETE => shared.faults.set(Vec::new()),
        _ => return StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
    let left: Vec<String> = shared.faults.left().iter().map(Fault::to_string).collect();
    Json(json!({"faults": left, "strikes": shared.log.strikes()})).into_response()
}

/// All of them or none: half of what was asked for would be another test.
fn wanted(shared: &Shared, body: &[u8]) -> Result<Vec<Fault>, String> {
    let wanted: Wanted = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let faults: Result<Vec<Fault>, String> =
        wanted.faults.iter().map(|text| text.parse::<Fault>().map_err(|error| error.to_string())).collect();
    let faults = faults?;
    shared.application.takes(&faults).map_err(|error| error.to_string())?;
    Ok(faults)
}
