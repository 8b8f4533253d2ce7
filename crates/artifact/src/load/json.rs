//! JSON, strictly: no key twice, no number that other readers would change.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use super::LoadError;
use super::place::joined;
use crate::format::MAX_INTEGER;
use crate::suggest::shown;

/// Reads a text whose depth was checked.
pub(super) fn parse(text: &str) -> Result<Json, LoadError> {
    let state = State::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Strict { state: &state, pointer: String::new() }.deserialize(&mut deserializer);
    let parsed = parsed.and_then(|json| deserializer.end().map(|()| json));
    parsed.map_err(|error| {
        // The reader counts columns from 0 at the very beginning.
        let at = Some((error.line(), error.column().max(1)));
        if let Some(found) = state.0.take() {
            return LoadError { at, ..found };
        }
        let said = error.to_string();
        LoadError {
            code: "not_json",
            pointer: String::new(),
            at,
            message: format!("not JSON: {}", said.rfind(" at line ").map_or(said.as_str(), |i| &said[..i])),
            hint: syntax_hint(&said).to_owned(),
        }
    })
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
    fn stop<E: Error>(&self, code: &'static str, pointer: String, message: String, hint: &str) -> E {
        self.0.replace(Some(LoadError { code, pointer, at: None, message, hint: hint.to_owned() }));
        E::custom(code)
    }
}

struct Strict<'a> {
    state: &'a State,
    pointer: String,
}

impl Strict<'_> {
    fn below(&self, segment: &str) -> Self {
        Strict { state: self.state, pointer: joined(&self.pointer, segment) }
    }

    fn too_large<E: Error>(&self) -> E {
        self.state.stop(
            "number_too_large",
            self.pointer.clone(),
            "the number is beyond ±(2^53-1); not every reader of JSON keeps it exact".into(),
            "write it as a string, or choose a smaller one",
        )
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
        while let Some(item) = seq.next_element_seed(self.below(&out.len().to_string()))? {
            out.push(item);
        }
        Ok(Json::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut out = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let below = self.below(&key);
            if out.contains_key(&key) {
                let message = format!("the key `{}` stands here twice", shown(&key));
                return Err(self.state.stop("duplicate_key", below.pointer, message, "keep one of the two"));
            }
            let value = map.next_value_seed(below)?;
            out.insert(key, value);
        }
        Ok(Json::Object(out))
    }
}
