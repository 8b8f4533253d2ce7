//! A text as it reads once an encoding is taken off, with the way back to where each byte came from.

/// A decoded text.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The decoded text.
    pub(crate) text: String,
    /// For each byte of `text`, the range of the original it came from; `None` where the view is the original.
    origin: Option<Vec<(usize, usize)>>,
}

/// How deep encodings are taken off: a JSON text in a form field in a log line is three.
const DEPTH: usize = 3;

impl View {
    /// The text itself.
    pub(crate) fn original(text: &str) -> Self {
        View { text: text.to_owned(), origin: None }
    }

    /// The range of the original that a range of this view came from.
    pub(crate) fn back(&self, start: usize, end: usize) -> (usize, usize) {
        match &self.origin {
            None => (start, end),
            Some(_) if start >= end => (start, start),
            Some(origin) => (origin[start].0, origin[end - 1].1),
        }
    }

    fn decoded(&self, decode: Decoder) -> Option<View> {
        let mut out = Decoded { bytes: Vec::with_capacity(self.text.len()), origin: Vec::new(), changed: false };
        let mut at = 0;
        while at < self.text.len() {
            let rest = &self.text[at..];
            let width = rest.chars().next().map_or(1, char::len_utf8);
            match decode(rest) {
                Some((bytes, used)) => out.push(&bytes, self.back(at, at + used), true, &mut at, used),
                None => out.push(&rest.as_bytes()[..width], self.back(at, at + width), false, &mut at, width),
            }
        }
        if !out.changed {
            return None;
        }
        let (text, origin) = lossy(&out.bytes, &out.origin);
        Some(View { text, origin: Some(origin) })
    }
}

/// The text and everything it reads as when encodings are taken off. `blanks` says whether `+` may stand for one.
pub(crate) fn views(text: &str, blanks: bool) -> Vec<View> {
    let mut decoders: Vec<(char, Decoder)> = vec![('%', percent), ('\\', backslash), ('&', entity)];
    if blanks {
        decoders.push(('+', percent_and_plus));
    }
    let mut all = vec![View::original(text)];
    let mut from = 0;
    for _ in 0..DEPTH {
        let until = all.len();
        for index in from..until {
            for (sign, decode) in &decoders {
                if !all[index].text.contains(*sign) {
                    continue;
                }
                if let Some(view) = all[index].decoded(*decode)
                    && !all.iter().any(|known| known.text == view.text)
                {
                    all.push(view);
                }
            }
        }
        from = until;
    }
    all
}

/// The bytes that the beginning of a text stands for, and how many bytes of the text that takes.
type Decoder = fn(&str) -> Option<(Vec<u8>, usize)>;

struct Decoded {
    bytes: Vec<u8>,
    origin: Vec<(usize, usize)>,
    changed: bool,
}

impl Decoded {
    fn push(&mut self, bytes: &[u8], origin: (usize, usize), changed: bool, at: &mut usize, used: usize) {
        self.bytes.extend_from_slice(bytes);
        self.origin.extend(std::iter::repeat_n(origin, bytes.len()));
        self.changed |= changed;
        *at += used;
    }
}

/// As UTF-8; a byte that is none of it becomes the replacement character.
fn lossy(bytes: &[u8], origin: &[(usize, usize)]) -> (String, Vec<(usize, usize)>) {
    let mut text = String::with_capacity(bytes.len());
    let mut map = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        map.extend_from_slice(&origin[at..at + chunk.valid().len()]);
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            let mark = char::REPLACEMENT_CHARACTER;
            text.push(mark);
            map.extend(std::iter::repeat_n((origin[at].0, origin[at + chunk.invalid().len() - 1].1), mark.len_utf8()));
            at += chunk.invalid().len();
        }
    }
    (text, map)
}

/// `%XX`, and `%uXXXX` as old scripts write it.
fn percent(rest: &str) -> Option<(Vec<u8>, usize)> {
    let digits = rest.strip_prefix('%')?;
    if let Some(wide) = digits.strip_prefix(['u', 'U']) {
        return Some((utf8(char::from_u32(hex(wide, 4)?)?), 6));
    }
    Some((vec![u8::try_from(hex(digits, 2)?).ok()?], 3))
}

fn percent_and_plus(rest: &str) -> Option<(Vec<u8>, usize)> {
    if rest.starts_with('+') {
        return Some((vec![b' '], 1));
    }
    percent(rest)
}

/// Escapes of JSON, of scripts and of debug output.
fn backslash(rest: &str) -> Option<(Vec<u8>, usize)> {
    let after = rest.strip_prefix('\\')?;
    let plain = |byte: u8| Some((vec![byte], 2));
    match after.chars().next()? {
        'n' => plain(b'\n'),
        't' => plain(b'\t'),
        'r' => plain(b'\r'),
        'b' => plain(8),
        'f' => plain(12),
        '0' => plain(0),
        c @ ('"' | '\\' | '/' | '\'' | '`' | '$') => Some((utf8(c), 2)),
        'x' => Some((utf8(char::from_u32(hex(&after[1..], 2)?)?), 4)),
        'u' => unicode(&after[1..]),
        _ => None,
    }
}

fn unicode(digits: &str) -> Option<(Vec<u8>, usize)> {
    if let Some(braced) = digits.strip_prefix('{') {
        let end = braced.find('}').filter(|end| (1..=6).contains(end))?;
        return Some((utf8(char::from_u32(hex(braced, end)?)?), end + 4));
    }
    let high = hex(digits, 4)?;
    if let Some(c) = char::from_u32(high) {
        return Some((utf8(c), 6));
    }
    let low = hex(digits.get(4..)?.strip_prefix("\\u")?, 4)?;
    let pair = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let c = char::decode_utf16(pair).next()?.ok()?;
    Some((utf8(c), 12))
}

/// `&lt;`, `&#39;`, `&#x27;` and the like.
fn entity(rest: &str) -> Option<(Vec<u8>, usize)> {
    let after = rest.strip_prefix('&')?;
    let end = after.bytes().take(9).position(|byte| byte == b';').filter(|end| *end >= 2)?;
    let name = after.get(..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            match number.strip_prefix(['x', 'X']) {
                Some(digits) => char::from_u32(hex(digits, digits.len())?)?,
                None => char::from_u32(number.parse().ok()?)?,
            }
        }
    };
    Some((utf8(c), name.len() + 2))
}

fn hex(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits)?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

fn utf8(c: char) -> Vec<u8> {
    c.to_string().into_bytes()
}
