//! Words of a visible name.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

/// The words of a text: compatibility forms folded, invisible characters left out, lower case, cut at everything
/// that is neither letter nor digit, and where a capital follows a small letter.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for c in text.nfkc().filter(|c| !invisible(*c)) {
        if !c.is_alphanumeric() || (small && c.is_uppercase()) {
            push(&mut words, &mut word);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    push(&mut words, &mut word);
    words
}

/// A name for comparing as a whole: words joined by single blanks, marks kept.
pub(crate) fn folded(text: &str) -> String {
    let plain: String = text.nfkc().filter(|c| !invisible(*c)).flat_map(char::to_lowercase).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Phrases of whole words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Phrases(BTreeSet<Vec<String>>);

impl Phrases {
    /// `None` where a phrase holds no word.
    pub(crate) fn new(phrases: &[String]) -> Option<Self> {
        let phrases: BTreeSet<Vec<String>> = phrases.iter().map(|phrase| words(phrase)).collect();
        (!phrases.iter().any(Vec::is_empty)).then_some(Phrases(phrases))
    }

    /// The first phrase, in alphabetical order, that stands in the name.
    pub(crate) fn find(&self, name: &[String]) -> Option<String> {
        self.0
            .iter()
            .find(|phrase| name.windows(phrase.len()).any(|part| part == phrase.as_slice()))
            .map(|p| p.join(" "))
    }
}

fn push(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

/// Characters that leave no trace on the screen and would tear a word apart.
fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}
