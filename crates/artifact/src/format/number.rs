//! Numbers: signs, groups, decimal marks. Exact, whole text or nothing.

use rust_decimal::Decimal;

use super::currency::{self, Named};
use super::locale::{Locale, Marks};

/// The largest whole number that every reader of JSON keeps exact: 2^53 - 1.
pub(crate) const MAX_INTEGER: i64 = 9_007_199_254_740_991;

/// The conventions that are tried where none is declared.
const USUAL: [Marks; 4] = [
    Marks { decimal: '.', groups: &[','] },
    Marks { decimal: ',', groups: &['.'] },
    Marks { decimal: ',', groups: &[' '] },
    Marks { decimal: '.', groups: &['’', '\''] },
];

/// What a text said besides its digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dress<'a> {
    pub negative: bool,
    pub currency: Option<Named<'a>>,
    pub percent: bool,
}

/// Why digits are no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    None,
    Several,
}

/// Takes sign, parentheses, currency and percent sign off; each at most once, in any of the usual places.
pub(crate) fn undress(text: &str) -> Option<(Dress<'_>, &str)> {
    let mut dress = Dress::default();
    let mut signed = false;
    let mut rest = text.trim_matches(is_blank);
    loop {
        let before = rest;
        if !signed && let Some(inside) = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
            (signed, dress.negative, rest) = (true, true, inside);
        } else if !signed && let Some((negative, after)) = sign_before(rest) {
            (signed, dress.negative, rest) = (true, negative, after);
        } else if !signed && let Some(head) = rest.strip_suffix(['-', '\u{2212}']) {
            (signed, dress.negative, rest) = (true, true, head);
        } else if dress.currency.is_none()
            && let Some((named, other)) = currency::strip_before(rest).or_else(|| currency::strip_after(rest))
        {
            (dress.currency, rest) = (Some(named), other);
        } else if !dress.percent
            && let Some(head) = rest.strip_suffix('%')
        {
            (dress.percent, rest) = (true, head);
        }
        rest = rest.trim_matches(is_blank);
        if rest == before {
            break;
        }
    }
    // What is left must be the digits alone; a sign between number and currency was taken above.
    (!rest.is_empty()).then_some((dress, rest))
}

/// Reads bare digits under a declared convention, or under all usual ones where they agree.
pub(crate) fn digits(text: &str, locale: Option<Locale>) -> Result<Decimal, Unread> {
    if let Some(locale) = locale {
        return under(text, locale.marks()).ok_or(Unread::None);
    }
    let mut found: Option<Decimal> = None;
    for marks in USUAL {
        match (under(text, marks), found) {
            (Some(n), Some(other)) if n != other => return Err(Unread::Several),
            (Some(n), _) => found = Some(n),
            (None, _) => {}
        }
    }
    found.ok_or(Unread::None)
}

pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{a0}' || c == '\u{200b}'
}

fn sign_before(text: &str) -> Option<(bool, &str)> {
    let mut chars = text.chars();
    match chars.next()? {
        '-' | '\u{2212}' | '\u{2011}' | '\u{2013}' => Some((true, chars.as_str())),
        '+' => Some((false, chars.as_str())),
        _ => None,
    }
}

fn under(text: &str, marks: Marks) -> Option<Decimal> {
    let (whole, tenths) = match text.split_once(marks.decimal) {
        Some((whole, tenths)) => (whole, Some(tenths)),
        None => (text, None),
    };
    if tenths.is_some_and(|t| t.is_empty() || !t.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    let whole = match (whole.is_empty(), tenths) {
        (true, Some(_)) => "0".to_owned(),
        (true, None) => return None,
        (false, _) => ungroup(whole, marks.groups)?,
    };
    let plain = match tenths {
        Some(tenths) => format!("{whole}.{tenths}"),
        None => whole,
    };
    Decimal::from_str_exact(&plain).ok()
}

/// The digits without group marks; `None` unless the groups are well-formed: one mark throughout, one to three
/// digits first and no leading zero, three in each of the others.
fn ungroup(whole: &str, groups: &[char]) -> Option<String> {
    let canonical = |c: char| if is_blank(c) { ' ' } else { c };
    let mark = whole.chars().map(canonical).find(|c| !c.is_ascii_digit());
    let Some(mark) = mark else {
        return Some(whole.to_owned());
    };
    if !groups.contains(&mark) {
        return None;
    }
    let mut parts = whole.split(|c| canonical(c) == mark);
    let first = parts.next().unwrap_or_default();
    let sound = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if first.is_empty() || first.len() > 3 || first.starts_with('0') || !sound(first) {
        return None;
    }
    let mut out = first.to_owned();
    for part in parts {
        if part.len() != 3 || !sound(part) {
            return None;
        }
        out.push_str(part);
    }
    Some(out)
}
