//! Names out of words.

/// A name in lower case letters, digits and `_`, at most 48 long, out of what a screen calls something; `None` where
/// nothing of it is a letter.
#[must_use]
pub fn from_words(words: &str) -> Option<String> {
    let mut out = String::new();
    for c in words.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') && (c.is_whitespace() || c.is_ascii_punctuation()) {
            out.push('_');
        }
        if out.len() >= 48 {
            break;
        }
    }
    let out = out.trim_matches('_');
    let begins = out.find(|c: char| c.is_ascii_lowercase())?;
    let name = out[begins..].trim_matches('_');
    (!name.is_empty()).then(|| name.to_owned())
}

/// The name, or the first of `name_2`, `name_3`, … that is not taken.
#[must_use]
pub fn unlike(name: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(name) {
        return name.to_owned();
    }
    (2u32..).map(|n| format!("{name}_{n}")).find(|name| !taken(name)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str, name: Option<&str>) {
        assert_eq!(from_words(words).as_deref(), name, "{words:?}");
    }

    #[test]
    fn names_come_from_headings_and_captions() {
        check("Balance*", Some("balance"));
        check("Available Amount", Some("available_amount"));
        check("From account #", Some("from_account"));
        check("Date (+)", Some("date"));
    }

    #[test]
    fn a_value_gives_no_name() {
        check("-$2300.00", None);
        check("12345", None);
        check("12345 main", Some("main"));
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        assert_eq!(unlike("go", |name| name == "go" || name == "go_2"), "go_3");
    }
}
