//! Comparing texts the way a person would.

/// How far two texts may differ and still be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// White space only.
    Exact,
    /// White space, case, punctuation and a trailing colon.
    Folded,
}

/// White space collapsed to single blanks and trimmed; no-break spaces count as white space.
#[must_use]
pub fn squash(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(is_blank) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The text as it is compared under `fold`. A text of nothing but punctuation is kept: `>>` is not `<<`.
#[must_use]
pub fn fold(text: &str, fold: Fold) -> String {
    match fold {
        Fold::Exact => squash(text),
        Fold::Folded if text.chars().any(stays) => folded(text).collect(),
        Fold::Folded => squash(text),
    }
}

/// Whether two texts are the same under `fold`; as comparing [`fold`] of both, without building them.
#[must_use]
pub fn same(a: &str, b: &str, fold: Fold) -> bool {
    match fold {
        Fold::Exact => a == b || squashed(a.chars()).eq(squashed(b.chars())),
        Fold::Folded => match (a.chars().any(stays), b.chars().any(stays)) {
            (true, true) => folded(a).eq(folded(b)),
            (false, false) => squashed(a.chars()).eq(squashed(b.chars())),
            _ => false,
        },
    }
}

pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{a0}' || c == '\u{200b}'
}

/// Symbols that carry meaning in forms (currency, sign, number sign, percent) stay.
fn stays(c: char) -> bool {
    c.is_alphanumeric() || "$€£¥#%+-&@".contains(c)
}

pub(crate) fn squashed(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    joined(text, is_blank)
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    joined(text.chars().flat_map(char::to_lowercase), |c| !stays(c))
}

/// The characters without leading and trailing gaps, each gap between as one blank.
fn joined(chars: impl Iterator<Item = char>, gap: impl Fn(char) -> bool) -> impl Iterator<Item = char> {
    let mut started = false;
    let mut waiting = false;
    chars
        .flat_map(move |c| {
            if gap(c) {
                waiting = started;
                return [None, None];
            }
            started = true;
            let blank = std::mem::take(&mut waiting).then_some(' ');
            [blank, Some(c)]
        })
        .flatten()
}
