//! Where a document departs from the published schema.
//!
//! Knows the part of JSON Schema that the published schema uses, no more; what it does not know holds.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Map, Value as Json};

use super::place::joined;
use crate::suggest::{nearest, shown};
use crate::{CapabilityId, Name, Template};

/// One departure. Without a message the reader's own is used.
#[derive(Debug)]
pub(super) struct Problem {
    pub pointer: String,
    pub message: Option<String>,
    pub hint: String,
}

/// The first departure, in the order of the alphabet within an object: unknown and missing fields first.
pub(super) fn first_problem(schema: &Json, document: &Json) -> Option<Problem> {
    let mut walk = Walk { root: schema, patterns: BTreeMap::new() };
    walk.check(schema, document, "").err()
}

struct Walk<'a> {
    root: &'a Json,
    patterns: BTreeMap<&'a str, Option<Regex>>,
}

fn problem(pointer: &str, message: String, hint: String) -> Result<(), Problem> {
    Err(Problem { pointer: pointer.to_owned(), message: Some(message), hint })
}

fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(n) if n.is_f64() => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|w| format!("`{w}`")).collect();
    words.join(", ")
}

/// `did you mean …?`, or the words there are.
fn suggestion(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "take it out".to_owned(),
        None => format!("known here: {}", listed(known.iter().copied())),
    }
}

impl<'a> Walk<'a> {
    fn check(&mut self, schema: &'a Json, value: &Json, pointer: &str) -> Result<(), Problem> {
        if let Some(target) = schema.get("$ref").and_then(Json::as_str) {
            let found = target.strip_prefix('#').and_then(|p| self.root.pointer(p));
            if let Some(found) = found {
                self.check(found, value, pointer)?;
            }
        }
        if let Some(of) = schema.get("anyOf").and_then(Json::as_array) {
            // The schema writes "left out or null" in this way, and nothing else.
            if !value.is_null() {
                for branch in of.iter().filter(|b| b.get("type").and_then(Json::as_str) != Some("null")) {
                    self.check(branch, value, pointer)?;
                }
            }
        }
        if let Some(of) = schema.get("oneOf").and_then(Json::as_array) {
            self.kinds(of, value, pointer)?;
        }
        self.types(schema, value, pointer)?;
        match value {
            Json::Object(map) => self.object(schema, map, pointer),
            Json::Array(items) => {
                if let Some(each) = schema.get("items") {
                    for (i, item) in items.iter().enumerate() {
                        self.check(each, item, &joined(pointer, &i.to_string()))?;
                    }
                }
                Ok(())
            }
            Json::String(text) => self.string(schema, text, pointer),
            Json::Number(number) => integer(schema, number, pointer),
            Json::Null | Json::Bool(_) => Ok(()),
        }
    }

    fn types(&self, schema: &Json, value: &Json, pointer: &str) -> Result<(), Problem> {
        let allowed: Vec<&str> = match schema.get("type") {
            Some(Json::String(one)) => vec![one],
            Some(Json::Array(several)) => several.iter().filter_map(Json::as_str).collect(),
            _ => return Ok(()),
        };
        let is = kind_of(value);
        if allowed.contains(&is) || (is == "integer" && allowed.contains(&"number")) {
            return Ok(());
        }
        let words: Vec<String> = allowed.iter().filter(|w| **w != "null").map(|w| article(w)).collect();
        let hint = format!("write {} here", words.join(" or "));
        problem(pointer, format!("this is {}, where {} belongs", article(is), article(allowed[0])), hint)
    }

    fn object(&mut self, schema: &'a Json, map: &Map<String, Json>, pointer: &str) -> Result<(), Problem> {
        let properties = schema.get("properties").and_then(Json::as_object);
        let patterns = schema.get("patternProperties").and_then(Json::as_object);
        let required = schema.get("required").and_then(Json::as_array);
        let closed = schema.get("additionalProperties") == Some(&Json::Bool(false));
        let mut keys: Vec<&String> = map.keys().collect();
        keys.sort();
        for key in &keys {
            let known = properties.is_some_and(|p| p.contains_key(*key));
            if known || !closed {
                continue;
            }
            if let Some(patterns) = patterns {
                if !patterns.keys().any(|p| self.fits(p, key)) {
                    let message = format!("`{}` is no name", shown(key));
                    return problem(&joined(pointer, key), message, "lower case letters, digits and `_`".into());
                }
                continue;
            }
            let names: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
            let message = format!("the field `{}` is not known here", shown(key));
            return problem(&joined(pointer, key), message, suggestion(key, &names));
        }
        for name in required.into_iter().flatten().filter_map(Json::as_str) {
            if !map.contains_key(name) {
                return problem(pointer, format!("the field `{name}` is missing"), format!("add `{name}`"));
            }
        }
        for key in keys {
            let below = joined(pointer, key);
            if let Some(schema) = properties.and_then(|p| p.get(key)) {
                self.check(schema, &map[key], &below)?;
            } else if let Some(schema) = patterns.and_then(|p| p.values().next()) {
                self.check(schema, &map[key], &below)?;
            } else if let Some(each) = schema.get("additionalProperties").filter(|each| each.is_object()) {
                self.check(each, &map[key], &below)?;
            }
        }
        Ok(())
    }

    /// One of several kinds: by a word, by the one key an object has, or by the word under the key that tells them apart.
    fn kinds(&mut self, of: &'a [Json], value: &Json, pointer: &str) -> Result<(), Problem> {
        let words: Vec<&str> = of.iter().flat_map(words_of).collect();
        let objects: Vec<&'a Json> = of.iter().filter(|b| b.get("properties").is_some()).collect();
        let keys: Vec<&'a str> = objects.iter().filter_map(|b| only_key(b)).collect();
        match value {
            Json::String(word) if !words.is_empty() => {
                if words.contains(&word.as_str()) {
                    return Ok(());
                }
                if keys.contains(&word.as_str()) {
                    let message = format!("`{word}` needs details here");
                    return problem(pointer, message, format!("write {{\"{word}\": …}}"));
                }
                let known: Vec<&str> = words.iter().chain(&keys).copied().collect();
                problem(pointer, format!("`{}` is not known here", shown(word)), suggestion(word, &known))
            }
            Json::Object(map) if !objects.is_empty() => match tag_of(&objects) {
                Some(tag) => self.tagged(tag, &objects, map, value, pointer),
                None => self.keyed(&objects, &keys, &words, map, value, pointer),
            },
            other => {
                let known = words.iter().chain(&keys).copied();
                let message = format!("this is {}, where a kind of thing belongs", article(kind_of(other)));
                let hint = match tag_of(&objects) {
                    Some(tag) => format!("write an object with `{tag}`"),
                    None => format!("one of {}", listed(known)),
                };
                problem(pointer, message, hint)
            }
        }
    }

    fn tagged(
        &mut self,
        tag: &'a str,
        objects: &[&'a Json],
        map: &Map<String, Json>,
        value: &Json,
        pointer: &str,
    ) -> Result<(), Problem> {
        let kinds: Vec<(&str, &'a Json)> =
            objects.iter().filter_map(|b| Some((b["properties"][tag]["const"].as_str()?, *b))).collect();
        let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
        match map.get(tag) {
            None => {
                let hint = format!("add `{tag}`: one of {}", listed(names));
                problem(pointer, format!("the field `{tag}` is missing"), hint)
            }
            Some(Json::String(word)) => match kinds.iter().find(|(name, _)| name == word) {
                Some((_, branch)) => self.check(branch, value, pointer),
                None => {
                    let message = format!("`{}` is no {tag} that is known here", shown(word));
                    problem(&joined(pointer, tag), message, suggestion(word, &names))
                }
            },
            Some(other) => {
                let message = format!("this is {}, where a string belongs", article(kind_of(other)));
                problem(&joined(pointer, tag), message, format!("one of {}", listed(names)))
            }
        }
    }

    fn keyed(
        &mut self,
        objects: &[&'a Json],
        keys: &[&str],
        words: &[&str],
        map: &Map<String, Json>,
        value: &Json,
        pointer: &str,
    ) -> Result<(), Problem> {
        let mut given: Vec<&String> = map.keys().collect();
        given.sort();
        let [key] = given[..] else {
            let hint = format!("exactly one of {}", listed(keys.iter().copied()));
            return problem(pointer, format!("an object with {} keys, where one says the kind", given.len()), hint);
        };
        if let Some(branch) = objects.iter().find(|b| only_key(b) == Some(key.as_str())) {
            return self.check(branch, value, pointer);
        }
        if words.contains(&key.as_str()) {
            return problem(pointer, format!("`{key}` has no details"), format!("write \"{key}\""));
        }
        let known: Vec<&str> = keys.iter().chain(words).copied().collect();
        problem(&joined(pointer, key), format!("`{}` is not known here", shown(key)), suggestion(key, &known))
    }

    fn string(&mut self, schema: &'a Json, text: &str, pointer: &str) -> Result<(), Problem> {
        let said = match schema.get("format").and_then(Json::as_str) {
            Some("waymark-template") => match Template::parse(text) {
                Ok(_) => return Ok(()),
                Err(error) => Some((error.to_string(), "braces mark references; double those that are meant as such")),
            },
            Some("waymark-name") => match Name::new(text) {
                Ok(_) => return Ok(()),
                Err(error) => Some((error.to_string(), "choose another name")),
            },
            Some("waymark-capability") => match CapabilityId::new(text) {
                Ok(_) => return Ok(()),
                Err(error) => Some((error.to_string(), "for example `parabank.read_accounts_overview`")),
            },
            _ => None,
        };
        if let Some((message, hint)) = said {
            return problem(pointer, message, hint.to_owned());
        }
        match schema.get("pattern").and_then(Json::as_str) {
            Some(pattern) if !self.fits(pattern, text) => Err(Problem {
                pointer: pointer.to_owned(),
                message: None,
                hint: "compare with the published schema".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn fits(&mut self, pattern: &'a str, text: &str) -> bool {
        let machine = self.patterns.entry(pattern).or_insert_with(|| Regex::new(pattern).ok());
        machine.as_ref().is_none_or(|m| m.is_match(text))
    }
}

fn integer(schema: &Json, number: &serde_json::Number, pointer: &str) -> Result<(), Problem> {
    if schema.get("format").and_then(Json::as_str) != Some("uint32") {
        return Ok(());
    }
    match number.as_u64() {
        Some(n) if n <= u64::from(u32::MAX) => Ok(()),
        _ => {
            let message = "the number is out of range".to_owned();
            problem(pointer, message, format!("a whole number from 0 to {}", u32::MAX))
        }
    }
}

fn article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "array" => "a list".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a fraction".to_owned(),
        "object" => "an object".to_owned(),
        other => format!("a {other}"),
    }
}

fn words_of(branch: &Json) -> Vec<&str> {
    let one = branch.get("const").and_then(Json::as_str);
    let several = branch.get("enum").and_then(Json::as_array);
    one.into_iter().chain(several.into_iter().flatten().filter_map(Json::as_str)).collect()
}

fn only_key(branch: &Json) -> Option<&str> {
    match branch.get("required").and_then(Json::as_array).map(Vec::as_slice) {
        Some([only]) => only.as_str(),
        _ => None,
    }
}

/// The key under which every branch has another constant.
fn tag_of<'a>(objects: &[&'a Json]) -> Option<&'a str> {
    let first = objects.first()?.get("properties")?.as_object()?;
    first.keys().map(String::as_str).find(|key| objects.iter().all(|b| b["properties"][*key].get("const").is_some()))
}
