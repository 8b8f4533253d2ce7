//! Small hard pages, one behaviour each, and the few addresses they lean on.
//!
//! `/NAME.html` is a page of `fixtures/cases`, `/hang` accepts and never answers, `/ping` is an
//! empty answer. `A04.html` asks for basic credentials (user `teller1`, password `demo123`, realm
//! `core`). Queries are left to the pages.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::oracle;
use crate::server::{self, Application, Options, Running, StartError, Stopping};

/// Serves the pages at `http://127.0.0.1:PORT/NAME.html`, and for the host name `localhost`.
/// They have no faults but their own: options that name some are refused.
pub async fn serve_cases(options: Options) -> Result<Running, StartError> {
    let application = Application { name: "cases", base_path: "", places: &[] };
    server::serve(application, options.port, options.faults, |stopping, _, _| {
        Router::new().fallback(answer).with_state(stopping)
    })
    .await
}

/// File names of all pages, in order.
pub fn names() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(name, _)| *name)
}

/// `Authorization` of teller1:demo123.
const TELLER: &str = "Basic dGVsbGVyMTpkZW1vMTIz";

macro_rules! pages {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../fixtures/cases/", $name)))),*]
    };
}

const PAGES: &[(&str, &str)] = pages!(
    "A01.html" "A03.html" "A04.html" "A05.html"
    "C01.html" "C03.html" "C05.html" "C07.html" "C08.html" "C10.html"
    "D01.html" "D02.html"
    "E01.html" "E01_list.html" "E03.html"
    "F01.html" "F01_bar.html" "F01_nav.html" "F01_work.html" "F02.html" "F04.html" "F04_in.html"
    "F06.html" "F06_pop.html" "F07.html"
    "L01.html" "L02.html" "L05.html" "L06.html" "L08.html" "L09.html" "L10.html"
    "P01.html" "P02.html"
    "R01.html"
    "T01.html" "T02.html" "T03.html" "T04.html" "T05.html"
    "X01.html" "X03.html" "X04.html"
);

async fn answer(State(stopping): State<Stopping>, request: Request) -> Response {
    let path = request.uri().path();
    match path {
        "/" => (StatusCode::OK, HTML, index()).into_response(),
        "/ping" => (StatusCode::NO_CONTENT, [(CACHE_CONTROL, "no-store")]).into_response(),
        "/hang" => {
            server::stopped(stopping).await;
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
        "/index.html" => (StatusCode::FOUND, [(LOCATION, "/")]).into_response(),
        "/A04.html" if !is_teller(request.headers()) => (
            StatusCode::UNAUTHORIZED,
            [(WWW_AUTHENTICATE, r#"Basic realm="core""#), (CONTENT_TYPE, "text/plain; charset=utf-8")],
            "Credentials are required.\n",
        )
            .into_response(),
        _ => match page(path) {
            Some(page) => (StatusCode::OK, HTML, page).into_response(),
            None => (StatusCode::NOT_FOUND, "There is no such page.\n").into_response(),
        },
    }
}

const HTML: [(axum::http::HeaderName, &str); 2] =
    [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-store")];

fn page(path: &str) -> Option<String> {
    let name = path.strip_prefix('/')?;
    PAGES.iter().find(|(known, _)| *known == name).map(|(_, html)| with_listener(html))
}

/// Puts the listener before everything else of the page, without changing its mode or its tree.
fn with_listener(html: &str) -> String {
    let after = html.find("<meta charset=utf-8>").map_or(0, |at| at + 20);
    let (head, rest) = html.split_at(after);
    format!("{head}{}{rest}", oracle::TAG)
}

fn index() -> String {
    let links: String = names().map(|name| format!("<li><a href=\"/{name}\">{name}</a>")).collect();
    format!("<!doctype html><meta charset=utf-8><title>Cases</title><h1>Cases</h1><ul>{links}</ul>")
}

fn is_teller(headers: &HeaderMap) -> bool {
    headers.get(AUTHORIZATION).is_some_and(|value| value == TELLER)
}
