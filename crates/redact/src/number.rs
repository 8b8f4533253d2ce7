//! The same number in other spellings: 55023.1, 55,023.10, 55.023,10, 55 023.1.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

/// Numbers of a text, as ranges.
pub(crate) fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for expression in [&*PLAIN, &*SPACED] {
        for hit in expression.find_iter(text) {
            let token = hit.as_str().trim_end_matches(['.', ',', '\'', '’']);
            let (start, end) = (hit.start(), hit.start() + token.len());
            let before = text[..start].chars().next_back();
            let after = text[end..].chars().next();
            let joined = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            if !joined(before) && !joined(after) && before != Some('.') {
                found.push((start, end));
            }
        }
    }
    found
}

/// What a token can mean: whole part without leading zeros, a point, the fraction without trailing zeros.
pub(crate) fn meanings(token: &str) -> Vec<String> {
    let plain: String =
        token.chars().filter(|c| !matches!(c, '\'' | '’' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')).collect();
    let (points, commas) = (plain.matches('.').count(), plain.matches(',').count());
    let mut found = Vec::new();
    match (points, commas) {
        (0, 0) => found.extend(canonical(&plain, "")),
        (1, 0) | (0, 1) => {
            if let Some((whole, fraction)) = plain.split_once(['.', ',']) {
                found.extend(canonical(whole, fraction));
                if fraction.len() == 3 && whole.len() <= 3 {
                    found.extend(canonical(&format!("{whole}{fraction}"), ""));
                }
            }
        }
        (_, 0) | (0, _) => found.extend(whole_of(&plain).and_then(|whole| canonical(&whole, ""))),
        _ => {
            if let Some((whole, fraction)) = plain.rsplit_once(['.', ','])
                && !(whole.contains('.') && whole.contains(','))
            {
                found.extend(whole_of(whole).and_then(|whole| canonical(&whole, fraction)));
            }
        }
    }
    found
}

/// The meanings of a value that is a number and nothing else; none for identifiers with leading zeros.
pub(crate) fn of_value(value: &str) -> Vec<String> {
    let bare: String = value.chars().filter(|c| !matches!(c, '$' | '€' | '£' | '¥' | '-' | '+' | '(' | ')')).collect();
    let bare = bare.trim();
    let first = bare.chars().next();
    let leading_zero = first == Some('0') && bare.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    let numeric = bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '’'));
    if !numeric || leading_zero || !first.is_some_and(|c| c.is_ascii_digit()) || digits(bare) < MIN_DIGITS {
        return Vec::new();
    }
    // An inner minus means a date or an identifier in groups.
    if value.trim().trim_start_matches(['-', '+']).contains('-') {
        return Vec::new();
    }
    meanings(bare)
}

/// Digits from which on a number is told by its value and not only by its spelling.
pub(crate) const MIN_DIGITS: usize = 4;

/// How many digits a token has.
pub(crate) fn digits(token: &str) -> usize {
    token.chars().filter(char::is_ascii_digit).count()
}

#[expect(clippy::expect_used, reason = "constant expressions, built by every test")]
static PLAIN: LazyLock<Regex> = LazyLock::new(|| Regex::new("[0-9][0-9.,'’]*").expect("a valid expression"));
#[expect(clippy::expect_used, reason = "constant expressions, built by every test")]
static SPACED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("[0-9]{1,3}(?:[ \u{a0}\u{2009}\u{202f}][0-9]{3})+(?:[.,][0-9]+)?").expect("a valid expression")
});

/// The digits of a value that is an identifier of digits, in groups or not; `None` where it is none or a short one.
pub(crate) fn identifier(value: &str) -> Option<String> {
    let all: String = value.chars().filter(char::is_ascii_digit).collect();
    let rest = value.chars().filter(|c| !c.is_ascii_digit());
    (all.len() >= MIN_IDENTIFIER && rest.clone().count() <= all.len() && rest.clone().all(is_joint)).then_some(all)
}

/// Every run of two or more groups of digits in a text that `known` knows by its digits, from the beginning of a group
/// to the end of one: `622 11 9999` and `622.11.9999` for `622-11-9999`.
pub(crate) fn groups<'a>(text: &str, known: &'a BTreeMap<String, String>) -> Vec<(usize, usize, &'a str)> {
    let mut found = Vec::new();
    for run in GROUPS.find_iter(text) {
        let groups: Vec<(usize, usize)> =
            GROUP.find_iter(run.as_str()).map(|g| (run.start() + g.start(), run.start() + g.end())).collect();
        for (at, (start, _)) in groups.iter().enumerate() {
            let mut digits = String::new();
            for (number, (from, end)) in groups[at..].iter().enumerate() {
                digits.push_str(&text[*from..*end]);
                if digits.len() > MAX_IDENTIFIER {
                    break;
                }
                if number > 0
                    && let Some(kind) = known.get(&digits)
                {
                    found.push((*start, *end, kind.as_str()));
                }
            }
        }
    }
    found
}

/// Digits from which on an identifier is found in whatever groups it is written.
const MIN_IDENTIFIER: usize = 7;
const MAX_IDENTIFIER: usize = 40;

fn is_joint(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '-' | '\u{2010}'..='\u{2013}' | '.' | '/' | '(' | ')')
}

#[expect(clippy::expect_used, reason = "constant expressions, built by every test")]
static GROUPS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("[0-9]+(?:[ \u{a0}\u{2009}\u{202f}\u{2010}-\u{2013}\\-./()]{1,2}[0-9]+)+").expect("a valid expression")
});
#[expect(clippy::expect_used, reason = "constant expressions, built by every test")]
static GROUP: LazyLock<Regex> = LazyLock::new(|| Regex::new("[0-9]+").expect("a valid expression"));

fn canonical(whole: &str, fraction: &str) -> Option<String> {
    if !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.trim_end_matches('0');
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

/// Digits in groups of three behind the first, joined.
fn whole_of(text: &str) -> Option<String> {
    let mut groups = text.split(['.', ',']);
    let first = groups.next().filter(|g| (1..=3).contains(&g.len()))?;
    let mut joined = first.to_owned();
    for group in groups {
        // Two digits in a group are the Indian way.
        if !(2..=3).contains(&group.len()) {
            return None;
        }
        joined.push_str(group);
    }
    Some(joined)
}
