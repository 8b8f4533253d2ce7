//! The word that was probably meant.

/// The known word that is nearest to a mistyped one, if one is near enough: at most a third of its letters differ.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing is quadratic in length; no known word is longer than this.
    if word.len() > 80 {
        return None;
    }
    let distance = |other: &str| strsim::damerau_levenshtein(&word.to_lowercase(), &other.to_lowercase());
    known
        .into_iter()
        .map(|other| (distance(other), other))
        .filter(|(d, other)| *d <= other.chars().count().max(word.chars().count()) / 3)
        .min()
        .map(|(_, other)| other)
}

/// The end of a sentence that asks whether a known word was meant, or nothing.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|other| format!("; did you mean `{other}`?")).unwrap_or_default()
}

/// A word that somebody else wrote, as it may stand in a message: one line, of bounded length.
pub(crate) fn shown(word: &str) -> String {
    let mut out: String = word.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if word.chars().nth(80).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        assert_eq!(nearest("pasword", ["username", "password"]), Some("password"));
        assert_eq!(nearest("user_name", ["username", "password"]), Some("username"));
        assert_eq!(nearest("amount", ["username", "password"]), None);
        assert_eq!(nearest(&"x".repeat(1000), ["x"]), None);
    }

    #[test]
    fn equal_distances_give_the_first_in_the_alphabet() {
        assert_eq!(nearest("abcd", ["abcz", "abca"]), Some("abca"));
    }
}
