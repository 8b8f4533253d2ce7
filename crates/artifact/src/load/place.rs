//! Places in a text of JSON: depth, pointers, lines and columns.

use std::collections::{BTreeMap, BTreeSet};

use serde_path_to_error::{Path, Segment};

/// Where the text is nested deeper than `limit`, if anywhere. Looks at brackets outside of strings only; the text
/// need not be sound.
pub(super) fn too_deep(text: &str, limit: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true, b'"') => in_string = false,
            (true, _) => {}
            (false, b'"') => in_string = true,
            (false, b'{' | b'[') => {
                depth += 1;
                if depth > limit {
                    return Some(at);
                }
            }
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            (false, _) => {}
        }
    }
    None
}

/// Line and column of a byte, from 1; columns count bytes.
pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
    (line, column)
}

/// A pointer with one more segment.
pub(super) fn joined(pointer: &str, segment: &str) -> String {
    let mut out = pointer.to_owned();
    push_segment(&mut out, segment);
    out
}

/// Makes a pointer longer by one segment.
pub(super) fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for c in segment.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// The pointer of a reader's path.
pub(super) fn pointer_of(path: &Path) -> String {
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Seq { index } => joined(&pointer, &index.to_string()),
        Segment::Map { key } => joined(&pointer, key),
        Segment::Enum { variant } => joined(&pointer, variant),
        Segment::Unknown => pointer,
    })
}

/// Where the values with these pointers begin, in a sound text; those that are not there are left out.
pub(crate) fn positions(text: &str, wanted: &BTreeSet<String>) -> BTreeMap<String, usize> {
    let mut walk = Walk { text, bytes: text.as_bytes(), at: 0, wanted, found: BTreeMap::new() };
    let mut pointer = String::new();
    walk.value(&mut pointer);
    walk.found
}

/// One pass over sound JSON; every step moves on or ends, so unsound text ends it too.
struct Walk<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    wanted: &'a BTreeSet<String>,
    found: BTreeMap<String, usize>,
}

impl Walk<'_> {
    fn value(&mut self, pointer: &mut String) {
        self.blanks();
        if self.wanted.contains(pointer.as_str()) {
            self.found.insert(pointer.clone(), self.at);
        }
        match self.peek() {
            Some(b'{') => self.members(b'}', pointer),
            Some(b'[') => self.members(b']', pointer),
            Some(b'"') => {
                self.string();
            }
            _ => {
                while self.peek().is_some_and(|b| !matches!(b, b',' | b'}' | b']')) {
                    self.at += 1;
                }
            }
        }
    }

    fn members(&mut self, end: u8, pointer: &mut String) {
        self.at += 1;
        let mut index = 0usize;
        loop {
            self.blanks();
            match self.peek() {
                None => return,
                Some(b) if b == end => {
                    self.at += 1;
                    return;
                }
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            let before = pointer.len();
            let key = if end == b'}' { self.key() } else { index.to_string() };
            push_segment(pointer, &key);
            let start = self.at;
            self.value(pointer);
            pointer.truncate(before);
            index += 1;
            if self.at == start {
                return;
            }
        }
    }

    fn key(&mut self) -> String {
        let raw = self.string();
        let key = serde_json::from_str(raw).unwrap_or_default();
        self.blanks();
        if self.peek() == Some(b':') {
            self.at += 1;
        }
        key
    }

    /// Steps over a string, its quotes included.
    fn string(&mut self) -> &str {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        self.at = self.at.min(self.bytes.len());
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}
