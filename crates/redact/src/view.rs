//! A text as it reads once an encoding is taken off, with the way back to where each byte came from.

/// A decoded text.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The decoded text.
    pub(crate) text: String,
    /// For each byte of `text`, the range of the original it came from; `None` where the view is the original.
    origin: Option<Vec<(usize, usize)>>,
    /// Whether all white space was left out: words that stood apart touch in it.
    pub(crate) squeezed: bool,
}

/// How deep encodings are taken off: a JSON text in a form field in a log line is three.
const DEPTH: usize = 3;

impl View {
    /// The text itself.
    pub(crate) fn original(text: &str) -> Self {
        View { text: text.to_owned(), origin: None, squeezed: false }
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
        Some(View { text, origin: Some(origin), squeezed: false })
    }
}

/// The text and everything it reads as when encodings are taken off. `blanks` says whether `+` may stand for one.
pub(crate) fn views(text: &str, blanks: bool) -> Vec<View> {
    let mut decoders: Vec<(Sign, Decoder)> = vec![
        (|text| text.contains('%'), percent),
        (|text| text.contains('\\'), backslash),
        (|text| text.contains('&'), entity),
        (is_wrapped, unwrapped),
    ];
    if blanks {
        decoders.push((|text| text.contains('+'), percent_and_plus));
    }
    let mut all = vec![View::original(text)];
    let mut from = 0;
    for _ in 0..DEPTH {
        let until = all.len();
        for index in from..until {
            for (sign, decode) in &decoders {
                if !sign(&all[index].text) {
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
    for index in 0..all.len() {
        if all[index].text.contains(char::is_whitespace)
            && let Some(mut view) = all[index].decoded(squeezed)
        {
            view.squeezed = true;
            all.push(view);
        }
    }
    all
}

/// Whether there is anything in a text that a decoder could take off.
type Sign = fn(&str) -> bool;

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

/// `%` with two hexadecimal digits, and `%u` with four as old scripts write it.
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

/// White space other than single blanks, or signs that nobody sees.
fn is_wrapped(text: &str) -> bool {
    let mut blank = false;
    text.chars().any(|c| {
        let again = blank && c == ' ';
        blank = c == ' ';
        again || (c != ' ' && c.is_whitespace()) || is_unseen(c)
    })
}

/// White space as a page shows it: a run of it is one blank; what has no width is not there.
fn unwrapped(rest: &str) -> Option<(Vec<u8>, usize)> {
    let unseen = rest.len() - rest.trim_start_matches(is_unseen).len();
    if unseen > 0 {
        return Some((Vec::new(), unseen));
    }
    let run = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || is_unseen(c)).len();
    (run > 0 && !(run == 1 && rest.starts_with(' '))).then(|| (vec![b' '], run))
}

fn squeezed(rest: &str) -> Option<(Vec<u8>, usize)> {
    let run = rest.len() - rest.trim_start_matches(char::is_whitespace).len();
    (run > 0).then_some((Vec::new(), run))
}

/// Whether a sign takes no place where it stands: soft hyphens, joiners, fillers, marks of direction, variants and tags.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    matches!(
        u32::from(c),
        0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
            | 0xE0000..=0xE0FFF
    )
}

/// `&lt;`, `&#39;`, `&#x27;`, `&eacute;` and the like.
fn entity(rest: &str) -> Option<(Vec<u8>, usize)> {
    let after = rest.strip_prefix('&')?;
    let end = after.bytes().take(10).position(|byte| byte == b';').filter(|end| *end >= 2)?;
    let name = after.get(..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ if !name.starts_with('#') => named(name)?,
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

/// The signs that HTML 2 and 4 name in Latin-1, and those that writers of text like to name.
fn named(name: &str) -> Option<char> {
    const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 \
        sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml \
        Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde \
        Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig \
        ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide \
        oslash ugrave uacute ucirc uuml yacute thorn yuml";
    const OTHERS: [(&str, char); 30] = [
        ("euro", '€'),
        ("ndash", '–'),
        ("mdash", '—'),
        ("lsquo", '‘'),
        ("rsquo", '’'),
        ("ldquo", '“'),
        ("rdquo", '”'),
        ("hellip", '…'),
        ("bull", '•'),
        ("num", '#'),
        ("excl", '!'),
        ("dollar", '$'),
        ("percnt", '%'),
        ("lpar", '('),
        ("rpar", ')'),
        ("ast", '*'),
        ("plus", '+'),
        ("comma", ','),
        ("period", '.'),
        ("sol", '/'),
        ("colon", ':'),
        ("semi", ';'),
        ("equals", '='),
        ("quest", '?'),
        ("commat", '@'),
        ("lsqb", '['),
        ("rsqb", ']'),
        ("bsol", '\\'),
        ("lowbar", '_'),
        ("Hat", '^'),
    ];
    let latin = || LATIN.split_whitespace().zip('\u{a0}'..='\u{ff}').find(|(known, _)| *known == name).map(|(_, c)| c);
    latin().or_else(|| OTHERS.iter().find(|(known, _)| *known == name).map(|(_, c)| *c))
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
