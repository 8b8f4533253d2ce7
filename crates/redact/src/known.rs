//! Registered values, found by identity in all their forms.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::Secret;
use crate::forms::{NEAR, in_hash};
use crate::number;
use crate::view::View;

/// A place in a text that must be masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// What the mask calls it.
    pub(crate) kind: String,
    /// Whether the mask needs quotes of its own.
    pub(crate) quoted: bool,
}

/// Where a value of two or three characters begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// Between blanks, quotes, brackets and the like; not between the parts of a date or a version.
    OfText,
    /// Between everything that is neither letter nor digit.
    OfFileName,
}

/// Values under this many characters are found as whole words only.
const SHORT: usize = 4;
/// Values of digits alone from this length on do not turn up by chance.
const LONG: usize = 10;
/// Bytes from which on a value is found although white space stands within it, and in any case of its letters.
const SQUEEZED: usize = 8;
/// Hexadecimal digits in a row that are taken for a hash or an identifier.
const HASH: usize = 12;

/// All values of a run, ready for finding.
#[derive(Default)]
pub(crate) struct Known {
    values: Vec<(String, Secret<String>)>,
    /// Values that are found where they are all there is.
    whole: Vec<(String, Secret<String>)>,
    numbers: BTreeMap<String, String>,
    /// Identifiers of digits, by their digits alone.
    identifiers: BTreeMap<String, String>,
    finder: Option<Finder>,
    /// Finds whatever the case of ASCII letters: what is hexadecimal, and long values, which style sheets and old systems
    /// like to write in capitals.
    loose: Option<Finder>,
    pub(crate) any_blank: bool,
}

struct Finder {
    automaton: AhoCorasick,
    /// By the number of the pattern.
    forms: Vec<Form>,
}

#[derive(Clone, Debug)]
struct Form {
    kind: String,
    shape: Shape,
    /// Bytes of the pattern.
    length: usize,
}

/// Patterns on the way to a finder.
#[derive(Default)]
struct Patterns {
    list: Vec<Vec<u8>>,
    known: BTreeSet<Vec<u8>>,
    forms: Vec<Form>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Anywhere.
    Part,
    /// Anywhere but inside a longer number or a hash: a few digits turn up in those by chance, and a hash that is
    /// masked in part proves nothing any more.
    Digits,
    /// As a whole word.
    Word,
    /// A run of base64; whether the characters beside it hold bits of the value too.
    Base64 { left: bool, right: bool },
}

impl Known {
    /// These values and one more.
    pub(crate) fn with(&self, kind: &str, value: &str) -> Result<Self, aho_corasick::BuildError> {
        let mut next = Known {
            values: self.values.clone(),
            whole: self.whole.clone(),
            numbers: self.numbers.clone(),
            identifiers: self.identifiers.clone(),
            any_blank: self.any_blank || value.contains(' '),
            ..Known::default()
        };
        let squashed = value.split_whitespace().collect::<Vec<_>>().join(" ");
        for value in [value, value.trim(), &squashed] {
            next.add(kind, value);
        }
        next.build()?;
        Ok(next)
    }

    /// Every place in a view of a text, in terms of the text.
    pub(crate) fn find(&self, view: &View, words: Words, spans: &mut Vec<Span>) {
        let text = view.text.as_str();
        let mut push = |start: usize, end: usize, kind: &str| {
            let (start, end) = view.back(start, end);
            spans.push(Span { start, end, kind: kind.to_owned(), quoted: false });
        };
        if let Some((kind, _)) = self.whole.iter().find(|(_, value)| value.expose() == text.trim()) {
            push(0, text.len(), kind);
        }
        for finder in [&self.finder, &self.loose].into_iter().flatten() {
            for hit in finder.automaton.find_overlapping_iter(text) {
                let form = &finder.forms[hit.pattern().as_usize()];
                // Words that only touch because what stood between them was left out make short values by chance.
                if view.squeezed && form.length < SQUEEZED {
                    continue;
                }
                if let Some((start, end)) = form.shape.range(text, hit.start(), hit.end(), words) {
                    push(start, end, &form.kind);
                }
            }
        }
        if view.squeezed {
            return;
        }
        if !self.numbers.is_empty() {
            for (start, end) in number::tokens(text) {
                let token = &text[start..end];
                if number::digits(token) < number::MIN_DIGITS {
                    continue;
                }
                if let Some(kind) = number::meanings(token).iter().find_map(|meaning| self.numbers.get(meaning)) {
                    push(start, end, kind);
                }
            }
        }
        if !self.identifiers.is_empty() {
            for (start, end, kind) in number::groups(text, &self.identifiers) {
                push(start, end, kind);
            }
        }
    }

    /// Whether a text that will be written by this crate itself holds a value.
    pub(crate) fn occurs_in(&self, text: &str) -> bool {
        self.values.iter().any(|(_, value)| text.contains(value.expose().as_str()))
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len() + self.whole.len()
    }

    fn add(&mut self, kind: &str, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        // One character, or a word of JSON itself, says nothing about what it stands for.
        let keyword = matches!(value, "true" | "false" | "null");
        let list = if value.chars().count() < 2 || keyword { &mut self.whole } else { &mut self.values };
        if list.iter().any(|(_, known)| known.expose() == value) {
            return;
        }
        list.push((kind.to_owned(), Secret::new(value.to_owned())));
        for meaning in number::of_value(value) {
            self.numbers.entry(meaning).or_insert_with(|| kind.to_owned());
        }
        if let Some(digits) = number::identifier(value) {
            self.identifiers.entry(digits).or_insert_with(|| kind.to_owned());
        }
    }

    fn build(&mut self) -> Result<(), aho_corasick::BuildError> {
        let mut exact = Patterns::default();
        let mut loose = Patterns::default();
        for (kind, value) in &self.values {
            let value = value.expose();
            let length = value.chars().count();
            if length < SHORT {
                exact.add(value.as_bytes(), kind, Shape::Word);
                continue;
            }
            let few = value.len() < LONG && value.bytes().all(|b| b.is_ascii_hexdigit());
            exact.add(value.as_bytes(), kind, if few { Shape::Digits } else { Shape::Part });
            if length >= SQUEEZED {
                // As it stands where white space was left out.
                let dense: String = value.split_whitespace().collect();
                exact.add(dense.as_bytes(), kind, if few { Shape::Digits } else { Shape::Part });
                if !few {
                    loose.add(value.as_bytes(), kind, Shape::Part);
                    loose.add(value.to_uppercase().as_bytes(), kind, Shape::Part);
                    loose.add(value.to_lowercase().as_bytes(), kind, Shape::Part);
                }
            }
            if let Some(digits) = number::identifier(value) {
                let shape = if digits.len() < LONG { Shape::Digits } else { Shape::Part };
                exact.add(digits.as_bytes(), kind, shape);
            }
            let pairs: Vec<String> = value.bytes().map(|byte| format!("{byte:02x}")).collect();
            for joint in ["", ":", "-"] {
                loose.add(pairs.join(joint).as_bytes(), kind, Shape::Part);
            }
            // What is put into base64 is often written in another form before: a document, an address.
            for written in [value.clone(), in_json(value), in_address(value)] {
                for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                    for before in 0..3 {
                        let (core, shape) = base64_core(engine, written.as_bytes(), before);
                        exact.add(core.as_bytes(), kind, shape);
                    }
                }
            }
        }
        self.finder = exact.build(false)?;
        self.loose = loose.build(true)?;
        Ok(())
    }
}

impl Patterns {
    fn add(&mut self, pattern: &[u8], kind: &str, shape: Shape) {
        if !pattern.is_empty() && self.known.insert(pattern.to_vec()) {
            self.list.push(pattern.to_vec());
            self.forms.push(Form { kind: kind.to_owned(), shape, length: pattern.len() });
        }
    }

    fn build(self, any_case: bool) -> Result<Option<Finder>, aho_corasick::BuildError> {
        if self.list.is_empty() {
            return Ok(None);
        }
        let automaton = AhoCorasick::builder().ascii_case_insensitive(any_case).build(&self.list)?;
        Ok(Some(Finder { automaton, forms: self.forms }))
    }
}

impl Shape {
    /// The range that is masked for a match; `None` where the match is chance.
    fn range(self, text: &str, start: usize, end: usize, words: Words) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        match self {
            Shape::Part => Some((start, end)),
            Shape::Digits => (!by_chance(text, start, end)).then_some((start, end)),
            Shape::Word => stands_alone(text, start, end, words).then_some((start, end)),
            Shape::Base64 { left, right } => {
                let left = left && start > 0 && is_base64(bytes[start - 1]);
                let right = right && end < bytes.len() && is_base64(bytes[end]);
                Some((start - usize::from(left), end + usize::from(right)))
            }
        }
    }
}

/// As a document in JSON holds it, without its quotes.
fn in_json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

/// As a parameter of an address holds it.
fn in_address(value: &str) -> String {
    value.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

/// The characters of base64 that a value alone decides, where `before` bytes (modulo three) stand before it.
fn base64_core(engine: &impl base64::Engine, value: &[u8], before: usize) -> (String, Shape) {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(value);
    let encoded = engine.encode(&bytes);
    // Six bits a character: the first that holds no bit of what stands before, the last that holds none of what
    // follows.
    let first = (before * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    let shape = Shape::Base64 { left: before > 0, right: !(bytes.len() * 8).is_multiple_of(6) };
    (encoded[first..last].to_owned(), shape)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Whether digits are part of a longer number (zeros before it are padding) or of a hash.
fn by_chance(text: &str, start: usize, end: usize) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let value = &text[start..end];
    if value.chars().all(digit) {
        let mut left = text[..start].chars().rev().take(NEAR).take_while(|c| digit(*c));
        if left.any(|c| c != '0') || text[end..].chars().next().is_some_and(digit) {
            return true;
        }
    }
    let beside = |c: &char| c.is_ascii_alphanumeric();
    let left = text[..start].chars().rev().take(NEAR).take_while(beside).count();
    let right = text[end..].chars().take(NEAR).take_while(beside).count();
    let run = left + value.len() + right;
    run >= HASH && in_hash(text, start, end)
}

fn stands_alone(text: &str, start: usize, end: usize, words: Words) -> bool {
    let mut before = text[..start].chars().rev();
    let mut after = text[end..].chars();
    let (left, far_left) = (before.next(), before.next());
    let (right, far_right) = (after.next(), after.next());
    if words == Words::OfFileName {
        return !left.is_some_and(char::is_alphanumeric) && !right.is_some_and(char::is_alphanumeric);
    }
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let edge = |c: char| c.is_whitespace() || "\"'`‘’“”«»()[]{}<>;&|".contains(c);
    let left_ok = match left {
        None | Some('=') => true,
        Some(':' | ',') => !digit(far_left),
        Some(c) => edge(c),
    };
    let right_ok = match right {
        None => true,
        Some('.' | ',' | ':' | '!' | '?') => !far_right.is_some_and(char::is_alphanumeric),
        Some(c) => edge(c),
    };
    left_ok && right_ok
}
