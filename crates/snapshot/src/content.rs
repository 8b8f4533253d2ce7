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
    for word in text.split(|c: char| c.is_whitespace() || c == '\u{a0}' || c == '\u{200b}') {
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

/// The text as it is compared under `fold`.
#[must_use]
pub fn fold(text: &str, fold: Fold) -> String {
    let squashed = squash(text);
    match fold {
        Fold::Exact => squashed,
        Fold::Folded => squash(
            &squashed
                .chars()
                .flat_map(char::to_lowercase)
                // Symbols that carry meaning in forms (currency, sign, number sign, percent) stay.
                .map(|c| if c.is_alphanumeric() || "$€£¥#%+-&@".contains(c) { c } else { ' ' })
                .collect::<String>(),
        ),
    }
}
