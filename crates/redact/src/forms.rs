//! Values found by their form or by the name of their field, whether they were registered or not.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use regex::{Captures, Regex, RegexBuilder};

use crate::known::Span;
use crate::view::View;
use crate::{PatternKind, Rules};

/// The memory that the machine of one custom expression may take.
const EXPRESSION_BYTES: usize = 1 << 20;

/// The compiled rules.
pub(crate) struct Forms {
    fields: BTreeSet<String>,
    parameters: BTreeSet<String>,
    forms: Vec<(String, Regex, Check)>,
    parameter: Regex,
    quoted_field: Regex,
}

/// The range of a match that is masked, if it is what it looks like.
type Check = fn(&str, &Captures<'_>) -> Option<(usize, usize)>;

impl Forms {
    pub(crate) fn new(rules: &Rules) -> Result<Self, (String, regex::Error)> {
        let compile = |name: &str, text: &str| Regex::new(text).map_err(|error| (name.to_owned(), error));
        let mut forms: Vec<(String, Regex, Check)> = Vec::new();
        for kind in &rules.patterns {
            for (name, text, check) in builtin(*kind) {
                forms.push(((*name).to_owned(), compile(name, text)?, *check));
            }
        }
        for custom in &rules.custom {
            let expression = RegexBuilder::new(&custom.regex).size_limit(EXPRESSION_BYTES).build();
            let expression = expression.map_err(|error| (custom.name.clone(), error))?;
            forms.push((custom.name.clone(), expression, custom_range));
        }
        Ok(Forms {
            fields: rules.field_names.iter().map(|name| plain(name)).collect(),
            parameters: rules.query_parameters.iter().map(|name| plain(name)).collect(),
            forms,
            parameter: compile("parameter", r#"(?:^|[?&;#\s,({\["'])([A-Za-z0-9_.\-%\[\]]{1,64})=([^&#;\s"'<>]+)"#)?,
            quoted_field: compile("field", r#""([^"\\]{1,64})"\s*:\s*("((?:[^"\\]|\\.)+)"|-?[0-9][0-9.eE+\-]*)"#)?,
        })
    }

    /// Whether values of a field are masked for its name.
    pub(crate) fn field(&self, name: &str) -> bool {
        self.fields.contains(&plain(name))
    }

    /// Every place in a view of a text, in terms of the text.
    pub(crate) fn find(&self, view: &View, spans: &mut Vec<Span>) {
        let text = view.text.as_str();
        let mut push = |(start, end): (usize, usize), kind: &str, quoted: bool| {
            let (start, end) = view.back(start, end);
            spans.push(Span { start, end, kind: kind.to_owned(), quoted });
        };
        for (name, expression, check) in &self.forms {
            for hit in expression.captures_iter(text) {
                if let Some(range) = check(text, &hit) {
                    push(range, name, false);
                }
            }
        }
        let mut at = 0;
        while let Some(hit) = self.parameter.captures_at(text, at) {
            let (Some(name), Some(value)) = (hit.get(1), hit.get(2)) else { break };
            // Looks into values too: an address may carry another one.
            at = value.start();
            let name = plain(name.as_str());
            if self.parameters.contains(&name) {
                // A parameter of a path ends where the query begins; in a query `?` is a sign like others.
                let in_path = hit[0].starts_with(';');
                at += value.as_str().find('?').filter(|_| in_path).unwrap_or(value.len());
                push((value.start(), at), &name, false);
            }
        }
        if text.contains("\":") || text.contains("\" :") {
            for hit in self.quoted_field.captures_iter(text) {
                let name = plain(&hit[1]);
                if !self.fields.contains(&name) {
                    continue;
                }
                match (hit.get(3), hit.get(2)) {
                    (Some(inner), _) => push((inner.start(), inner.end()), &name, false),
                    (None, Some(number)) => push((number.start(), number.end()), &name, true),
                    (None, None) => {}
                }
            }
        }
    }
}

/// How many characters beside a match are looked at; it keeps the work linear.
pub(crate) const NEAR: usize = 128;

/// A name without case, `_`, `-`, `.` and blanks.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' ')).flat_map(char::to_lowercase).collect()
}

fn builtin(kind: PatternKind) -> &'static [(&'static str, &'static str, Check)] {
    match kind {
        PatternKind::Card => &[
            ("card", r"[0-9]{13,19}", card),
            ("card", "[0-9]{4}[ \u{a0}][0-9]{4}[ \u{a0}][0-9]{4}[ \u{a0}][0-9]{4}(?:[ \u{a0}][0-9]{1,3})?", card),
            ("card", "[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{4}(?:-[0-9]{1,3})?", card),
            ("card", "[0-9]{4}[ \u{a0}-][0-9]{6}[ \u{a0}-][0-9]{4,5}", card),
        ],
        PatternKind::UsTaxId => &[
            ("tax_id", "[0-9]{3}-[0-9]{2}-[0-9]{4}", tax_id),
            (
                "tax_id",
                r"(?i)(?:ssn|social security|tax\s?id|tax identification|\bt?in|\bf?ein|itin)[^0-9\n]{0,16}([0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}|[0-9]{2}-[0-9]{7})",
                labelled_tax_id,
            ),
        ],
        PatternKind::Iban => &[("iban", "[A-Z]{2}[0-9]{2}(?:[ \u{a0}]?[A-Z0-9]){11,30}", iban)],
        PatternKind::Email => {
            &[("email", r"[\p{L}0-9._%+\-]+@[\p{L}0-9\-]+(?:\.[\p{L}0-9\-]+)*\.[\p{L}]{2,24}", email)]
        }
        PatternKind::Bearer => &[
            ("bearer", r"(?i)\bbearer\s+([A-Za-z0-9._~+/\-]{8,}=*)", bearer),
            ("bearer", r"(?i)\bbasic\s+([A-Za-z0-9+/]{6,}=*)", basic),
            ("bearer", r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*", whole),
        ],
        PatternKind::ApiKey => &[
            (
                "api_key",
                r"\b(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|proj-|ant-)?[A-Za-z0-9_\-]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[A-Za-z0-9_\-]{20,}|\bxox[abprs]-[A-Za-z0-9\-]{10,}|\bAIza[A-Za-z0-9_\-]{35}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
                key,
            ),
            (
                "api_key",
                r#"(?i)\b(?:x-)?(?:api|access|secret)[-_ ]?key["']?\s*[:=]\s*["']?([A-Za-z0-9_\-./+]{12,}=*)"#,
                key_by_name,
            ),
            (
                "api_key",
                r"-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]+(?:-----END [A-Z ]*PRIVATE KEY-----)?",
                whole,
            ),
        ],
        PatternKind::Cookie => &[(
            "cookie",
            r#"(?i)\b(?:set-)?cookie["']?\s*[:=]\s*["']?([A-Za-z0-9!#$%&'*+.^_`|~\-]{1,128}=[^\r\n"<>]+)"#,
            first_group,
        )],
        PatternKind::UserInfo => &[("user_info", r#"[A-Za-z][A-Za-z0-9+.\-]*://([^\s/?#"'<>]+)@"#, first_group)],
    }
}

fn whole(_: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    hit.get(0).map(|m| (m.start(), m.end()))
}

fn first_group(_: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    hit.get(1).map(|m| (m.start(), m.end()))
}

fn custom_range(_: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let secret = hit.name("secret").or_else(|| hit.get(0))?;
    (!secret.is_empty()).then(|| (secret.start(), secret.end()))
}

/// A number of a card scheme with a valid check digit, not part of a longer number or of a hash.
fn card(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let (start, end) = whole(text, hit)?;
    let digits: Vec<u32> = text[start..end].chars().filter_map(|c| c.to_digit(10)).collect();
    if touches_digits(text, start, end) || in_hash(text, start, end) || !is_scheme(&digits) || !luhn(&digits) {
        return None;
    }
    Some((start, end))
}

/// Beginnings and lengths that card schemes use; a count of milliseconds since 1970 is none of them.
fn is_scheme(digits: &[u32]) -> bool {
    let first = |n: usize| digits.iter().take(n).fold(0, |all, digit| all * 10 + digit);
    match digits.len() {
        13 => first(1) == 4,
        14 => (300..=305).contains(&first(3)) || matches!(first(2), 36 | 38 | 39),
        15 => matches!(first(2), 34 | 37),
        16..=19 => {
            let two = first(2);
            let sixteen = digits.len() == 16 && ((51..=55).contains(&two) || (2221..=2720).contains(&first(4)));
            sixteen
                || first(1) == 4
                || two == 35
                || two == 62
                || first(4) == 6011
                || two == 65
                || (644..=649).contains(&first(3))
        }
        _ => false,
    }
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| match (index % 2, digit * 2) {
            (0, _) => *digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn tax_id(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let (start, end) = whole(text, hit)?;
    // A word boundary would miss `Tax ID412-88-7301`: letters may stand right before it.
    (!touches_digits(text, start, end) && is_tax_id(&text[start..end])).then_some((start, end))
}

fn labelled_tax_id(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let number = hit.get(1)?;
    (!touches_digits(text, number.start(), number.end())).then(|| (number.start(), number.end()))
}

fn is_tax_id(text: &str) -> bool {
    let mut parts = text.split('-');
    let (area, group, serial) = (parts.next(), parts.next(), parts.next());
    !matches!(area, Some("000" | "666")) && group != Some("00") && serial != Some("0000")
}

/// A digit right beside it, or a digit behind a dash, a point or a slash.
fn touches_digits(text: &str, start: usize, end: usize) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut before = text[..start].chars().rev();
    let mut after = text[end..].chars();
    let joint = |c: Option<char>| matches!(c, Some('-' | '.' | '/'));
    let (left, right) = (before.next(), after.next());
    digit(left) || digit(right) || (joint(left) && digit(before.next())) || (joint(right) && digit(after.next()))
}

/// Whether letters or digits beside it make it part of a longer run of hexadecimal digits.
pub(crate) fn in_hash(text: &str, start: usize, end: usize) -> bool {
    let run = |c: &char| c.is_ascii_alphanumeric();
    let left: Vec<char> = text[..start].chars().rev().take(NEAR).take_while(run).collect();
    let right: Vec<char> = text[end..].chars().take(NEAR).take_while(run).collect();
    let beside = left.len() + right.len();
    beside > 0 && left.iter().chain(&right).all(char::is_ascii_hexdigit)
}

/// The longest beginning that is an account number of its country's length with a valid checksum.
fn iban(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let (start, end) = whole(text, hit)?;
    if text[..start].chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let wanted = IBAN_LENGTHS.iter().find(|(country, _)| text[start..].starts_with(country))?.1;
    let mut compact = String::new();
    for (at, c) in text[start..end].char_indices() {
        if c.is_ascii_alphanumeric() {
            compact.push(c);
        }
        if compact.len() == wanted {
            let stop = start + at + c.len_utf8();
            let goes_on = text[stop..].chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
            return (!goes_on && mod_97(&compact)).then_some((start, stop));
        }
    }
    None
}

fn mod_97(compact: &str) -> bool {
    let (head, tail) = compact.split_at(4);
    let rest = tail.chars().chain(head.chars()).try_fold(0, |rest: u32, c| {
        let value = c.to_digit(36)?;
        Some(if value > 9 { (rest * 100 + value) % 97 } else { (rest * 10 + value) % 97 })
    });
    rest == Some(1)
}

const IBAN_LENGTHS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NL", 18),
    ("NO", 15),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("SA", 24),
    ("SC", 31),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
];

/// Not the beginning of a longer name, and not the user-info of an address.
fn email(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let (start, end) = whole(text, hit)?;
    let goes_on = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut after = text[end..].chars();
    let next = after.next();
    let dotted = next == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit());
    let part: String =
        text[..start].chars().rev().take(NEAR).take_while(|c| !matches!(c, '/' | '?' | '#' | ' ')).collect();
    let user_info = text[..start - part.len()].ends_with("://");
    (!next.is_some_and(goes_on) && !dotted && !user_info).then_some((start, end))
}

/// English has bearers too: a token holds a digit, or is long.
fn bearer(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let token = hit.get(1)?.as_str();
    (token.contains(|c: char| c.is_ascii_digit()) || token.len() >= 24).then(|| first_group(text, hit))?
}

/// A key holds a digit; a name in many parts does not.
fn key(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let (start, end) = whole(text, hit)?;
    text[start..end].contains(|c: char| c.is_ascii_digit()).then_some((start, end))
}

fn key_by_name(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let (start, end) = first_group(text, hit)?;
    text[start..end].contains(|c: char| c.is_ascii_digit()).then_some((start, end))
}

/// `Basic` and base64 of a name, a colon and a password.
fn basic(text: &str, hit: &Captures<'_>) -> Option<(usize, usize)> {
    let token = hit.get(1)?.as_str().trim_end_matches('=');
    let decoded = STANDARD_NO_PAD.decode(token).ok()?;
    let readable = std::str::from_utf8(&decoded).ok()?;
    readable.contains(':').then(|| first_group(text, hit))?
}
