//! JSON, strictly: no key twice, no endless key, no number that other readers would change.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use super::place::push_segment;
use super::{LoadError, MAX_KEY};
use crate::format::MAX_INTEGER;
use crate::suggest::shown;

/// Reads a text whose depth was checked.
pub(super) fn parse(text: &str) -> Result<Json, LoadError> {
    let state = State::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Strict { state: &state, path: Path::Root }.deserialize(&mut deserializer);
    let parsed = parsed.and_then(|json| deserializer.end().map(|()| json));
    parsed.map_err(|error| {
        // The reader counts columns from 0 at the very beginning.
        let at = Some((error.line(), error.column().max(1)));
        if let Some(found) = state.0.take() {
            return LoadError { at, ..found };
        }
        let said = error.to_string();
        let said = said.rfind(" at line ").map_or(said.as_str(), |i| &said[..i]);
        // A number such as 1e999 is sound JSON that no machine number holds.
        if said == "number out of range" {
            return LoadError { at, ..too_large(String::new()) };
        }
        LoadError {
            code: "not_json",
            pointer: String::new(),
            at,
            message: format!("not JSON: {said}"),
            hint: syntax_hint(said).to_owned(),
        }
    })
}

fn too_large(pointer: String) -> LoadError {
    LoadError {
        code: "number_too_large",
        pointer,
        at: None,
        message: "the number is beyond ±(2^53-1); not every reader of JSON keeps it exact".to_owned(),
        hint: "write it as a string, or choose a smaller one".to_owned(),
    }
}

fn syntax_hint(said: &str) -> &'static str {
    if said.starts_with("EOF") {
        "the document ends too early; was it cut off?"
    } else if said.starts_with("trailing comma") {
        "take the last comma away"
    } else if said.starts_with("key must be a string") {
        "put keys in double quotes; JSON has no comments"
    } else if said.starts_with("trailing characters") {
        "a document is one JSON object and nothing behind it"
    } else {
        "check the text at this place; JSON has no comments, and strings are in double quotes"
    }
}

/// What stopped the reading, if it was one of our own rules.
#[derive(Default)]
struct State(RefCell<Option<LoadError>>);

impl State {
    fn stop<E: Error>(&self, error: LoadError) -> E {
        let code = error.code;
        self.0.replace(Some(error));
        E::custom(code)
    }
}

/// Where the reader is. Written out only where something is wrong: a text of one long key over many small values
/// would else be copied once for each of them.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        let (mut out, segment) = match self {
            Path::Root => return String::new(),
            Path::Key(parent, key) => (parent.pointer(), (*key).to_owned()),
            Path::Index(parent, index) => (parent.pointer(), index.to_string()),
        };
        push_segment(&mut out, &segment);
        out
    }
}

struct Strict<'a> {
    state: &'a State,
    path: Path<'a>,
}

impl Strict<'_> {
    fn too_large<E: Error>(&self) -> E {
        self.state.stop(too_large(self.path.pointer()))
    }

    fn bad_key<E: Error>(&self, code: &'static str, pointer: String, message: String, hint: &str) -> E {
        self.state.stop(LoadError { code, pointer, at: None, message, hint: hint.to_owned() })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Json;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, v: bool) -> Result<Json, E> {
        Ok(Json::Bool(v))
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Json, E> {
        if (-MAX_INTEGER..=MAX_INTEGER).contains(&v) { Ok(v.into()) } else { Err(self.too_large()) }
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Json, E> {
        if v <= MAX_INTEGER.unsigned_abs() { Ok(v.into()) } else { Err(self.too_large()) }
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Json, E> {
        // Whole numbers beyond 64 bits arrive here too.
        if v.abs() > 9_007_199_254_740_991.0 { Err(self.too_large()) } else { Ok(v.into()) }
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Json, E> {
        Ok(Json::String(v.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut out = Vec::new();
        let Strict { state, path } = &self;
        while let Some(item) = seq.next_element_seed(Strict { state, path: Path::Index(path, out.len()) })? {
            out.push(item);
        }
        Ok(Json::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut out = Map::new();
        let Strict { state, path } = &self;
        while let Some(key) = map.next_key::<String>()? {
            if key.len() > MAX_KEY {
                let message = format!("a key has {} bytes: `{}`", key.len(), shown(&key));
                let hint = "a key has at most 256 bytes; long texts belong into values";
                return Err(self.bad_key("key_too_long", path.pointer(), message, hint));
            }
            let below = Path::Key(path, &key);
            if out.contains_key(&key) {
                let message = format!("the key `{}` stands here twice", shown(&key));
                return Err(self.bad_key("duplicate_key", below.pointer(), message, "keep one of the two"));
            }
            let value = map.next_value_seed(Strict { state, path: below })?;
            out.insert(key, value);
        }
        Ok(Json::Object(out))
    }
}
