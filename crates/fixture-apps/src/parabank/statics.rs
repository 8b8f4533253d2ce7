//! The files that pages refer to: style, script and pictures, drawn for this bank.

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::view::template;
use crate::markup::CLEAR;

/// The file at a path below the context, if it is one.
pub fn find(path: &str) -> Option<Response> {
    let (kind, body): (&str, &[u8]) = match path {
        "bank.css" => ("text/css; charset=utf-8", template::STYLE.as_bytes()),
        "bank.js" => ("text/javascript; charset=utf-8", template::SCRIPT.as_bytes()),
        "images/logo.svg" => (SVG, LOGO.as_bytes()),
        "images/favicon.svg" => (SVG, FAVICON.as_bytes()),
        "images/clear.gif" => ("image/gif", CLEAR),
        _ => return None,
    };
    let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "max-age=3600")];
    Some((StatusCode::OK, headers, body.to_vec()).into_response())
}

const SVG: &str = "image/svg+xml";

const LOGO: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 220 50"><path d="M4 22 26 6l22 16zM8 25h5v14H8zm10 0h5v14h-5zm10 0h5v14h-5zm10 0h5v14h-5zM4 41h44v4H4z" fill="#d89c2b"/><text x="58" y="36" font-family="Georgia,serif" font-size="32" font-weight="bold" fill="#fff">Para<tspan fill="#d89c2b">Bank</tspan></text></svg>"##;

const FAVICON: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 52 50"><path d="M4 22 26 6l22 16zM8 25h5v14H8zm10 0h5v14h-5zm10 0h5v14h-5zm10 0h5v14h-5zM4 41h44v4H4z" fill="#14406b"/></svg>"##;
