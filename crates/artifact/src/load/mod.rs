//! Reading a document that somebody else wrote: bounded, whole, and with the place of the first thing that is wrong.

mod json;
mod place;
mod shape;

use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

pub(crate) use place::positions;

use crate::suggest::shown;
use crate::{Artifact, OVERLAY_SCHEMA, Overlay, SCHEMA, json_schema, overlay_schema};

/// The largest document that is read, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// How deep a document may be nested.
pub const MAX_DEPTH: usize = 64;

/// The longest key, in bytes.
const MAX_KEY: usize = 256;

/// Every code of a [`LoadError`], with what it means.
pub const LOAD_CODES: &[(&str, &str)] = &[
    ("too_large", "the text is longer than what is read"),
    ("not_utf8", "the text is not UTF-8"),
    ("not_json", "the text is not JSON"),
    ("too_deep", "the text is nested too deep"),
    ("duplicate_key", "a key stands twice in one object"),
    ("key_too_long", "a key is longer than any that means something"),
    ("number_too_large", "a number is beyond what every reader of JSON keeps exact"),
    ("not_an_object", "the text is JSON, but no object"),
    ("schema_unknown", "the document has another schema than the one that is read"),
    ("shape", "the document is not as the published schema says"),
];

/// The published schemas, made once: they are the same every time.
static PUBLISHED: LazyLock<Json> = LazyLock::new(|| json_schema().to_value());
static OVERLAYS: LazyLock<Json> = LazyLock::new(|| overlay_schema().to_value());

/// Why a text is no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", self.place())]
pub struct LoadError {
    /// Stable code, one of [`LOAD_CODES`].
    pub code: &'static str,
    /// JSON pointer to the place; empty for the document as a whole.
    pub pointer: String,
    /// Line and column, from 1, where known; columns count bytes.
    pub at: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hint: String,
}

impl LoadError {
    fn place(&self) -> String {
        match (self.pointer.is_empty(), self.at) {
            (true, None) => String::new(),
            (true, Some((line, column))) => format!("line {line}, column {column}: "),
            (false, None) => format!("{}: ", self.pointer),
            (false, Some((line, column))) => format!("{} (line {line}, column {column}): ", self.pointer),
        }
    }
}

/// Reads a document. Never panics, whatever the bytes.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn load(bytes: &[u8]) -> Result<Artifact, LoadError> {
    let kind = Kind {
        name: "the document",
        size_hint: "check that this file is an artifact",
        depth_hint: "conditions that nest this deep can be said flatter, with one `all` or `any`",
    };
    document(bytes, &kind, SCHEMA, "an artifact", &PUBLISHED)
}

/// Reads an overlay, as strictly as a document. Never panics, whatever the bytes.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn load_overlay(bytes: &[u8]) -> Result<Overlay, LoadError> {
    let kind = Kind {
        name: "the overlay",
        size_hint: "check that this file is an overlay",
        depth_hint: "conditions that nest this deep can be said flatter, with one `all` or `any`",
    };
    document(bytes, &kind, OVERLAY_SCHEMA, "an overlay", &OVERLAYS)
}

fn document<T: DeserializeOwned>(
    bytes: &[u8],
    kind: &Kind,
    word: &str,
    what: &str,
    published: &Json,
) -> Result<T, LoadError> {
    let (text, json) = strict(bytes, kind)?;
    check_schema_word(text, &json, word, what)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| shape_error(text, &json, published, &error))
}

/// Reads the JSON text of the values that a caller gives, as strictly as a document. Never panics, whatever the
/// bytes; no error repeats a value.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn load_parameters(bytes: &[u8]) -> Result<Map<String, Json>, LoadError> {
    let kind = Kind {
        name: "the text of the parameters",
        size_hint: "give what is long as the path of a file",
        depth_hint: "parameters are one object of plain values",
    };
    match strict(bytes, &kind)? {
        (_, Json::Object(fields)) => Ok(fields),
        (text, _) => Err(LoadError {
            code: "not_an_object",
            pointer: String::new(),
            at: Some(place::line_and_column(text, text.len() - text.trim_start().len())),
            message: "this is JSON, but no object".to_owned(),
            hint: "a JSON object with the parameters: {\"username\": \"…\"}".to_owned(),
        }),
    }
}

/// Reads one text of JSON that this program wrote earlier, and that may have been changed since, as strictly as a
/// document.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn load_written(text: &[u8]) -> Result<Json, LoadError> {
    let kind = Kind { name: "the text", size_hint: "is it ours?", depth_hint: "nothing that is written is so deep" };
    strict(text, &kind).map(|(_, json)| json)
}

/// How the errors of one kind of text speak of it.
struct Kind {
    name: &'static str,
    size_hint: &'static str,
    depth_hint: &'static str,
}

fn strict<'a>(bytes: &'a [u8], kind: &Kind) -> Result<(&'a str, Json), LoadError> {
    let text = text_of(bytes, kind)?;
    if let Some(at) = place::too_deep(text, MAX_DEPTH) {
        return Err(LoadError {
            code: "too_deep",
            pointer: String::new(),
            at: Some(place::line_and_column(text, at)),
            message: format!("nested deeper than {MAX_DEPTH} levels"),
            hint: kind.depth_hint.to_owned(),
        });
    }
    json::parse(text).map(|json| (text, json))
}

fn text_of<'a>(bytes: &'a [u8], kind: &Kind) -> Result<&'a str, LoadError> {
    let fail = |code, at, message: String, hint: &str| LoadError {
        code,
        pointer: String::new(),
        at,
        message,
        hint: hint.to_owned(),
    };
    let name = kind.name;
    if bytes.len() > MAX_BYTES {
        let message = format!("{name} has {} bytes; at most {MAX_BYTES} are read", bytes.len());
        return Err(fail("too_large", None, message, kind.size_hint));
    }
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        let message = format!("{name} begins with a byte order mark");
        return Err(fail("not_json", Some((1, 1)), message, "save it as UTF-8 without byte order mark"));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(fail("not_utf8", Some((1, 1)), format!("{name} is UTF-16, not UTF-8"), "save it as UTF-8"));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        let at = place::line_and_column(good, good.len());
        fail("not_utf8", Some(at), format!("byte {} is not UTF-8", error.valid_up_to()), "save it as UTF-8")
    })
}

fn check_schema_word(text: &str, json: &Json, known: &str, what: &str) -> Result<(), LoadError> {
    let Some(word) = json.get("schema").and_then(Json::as_str).filter(|word| *word != known) else {
        return Ok(());
    };
    let family = known.trim_end_matches(|c: char| c.is_ascii_digit());
    let hint = match word.strip_prefix(family) {
        Some(n) if n.bytes().all(|b| b.is_ascii_digit()) && !n.is_empty() => {
            format!("this program reads `{known}`; a newer one may read this document, or make it anew")
        }
        _ => format!("{what} says `\"schema\": \"{known}\"`; check that this file is one"),
    };
    let pointer = "/schema".to_owned();
    Err(LoadError {
        code: "schema_unknown",
        at: position(text, &pointer),
        pointer,
        message: format!("the schema `{}` is not known", shown(word)),
        hint,
    })
}

/// The published schema says where a document goes wrong more exactly than the reader, which loses its place within
/// kinds; the reader's own word is the last resort.
fn shape_error(
    text: &str,
    json: &Json,
    published: &Json,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> LoadError {
    let said = error.inner().to_string();
    let said = said.rfind(" at line ").map_or(said.as_str(), |at| &said[..at]).to_owned();
    let found = shape::first_problem(published, json);
    let problem = found.unwrap_or_else(|| shape::Problem {
        pointer: place::pointer_of(error.path()),
        message: None,
        hint: "compare with the published schema".to_owned(),
    });
    LoadError {
        code: "shape",
        at: position(text, &problem.pointer).or(Some((error.inner().line(), error.inner().column()))),
        pointer: problem.pointer,
        message: problem.message.unwrap_or(said),
        hint: problem.hint,
    }
}

fn position(text: &str, pointer: &str) -> Option<(usize, usize)> {
    let wanted = std::iter::once(pointer.to_owned()).collect();
    positions(text, &wanted).get(pointer).map(|at| place::line_and_column(text, *at))
}
