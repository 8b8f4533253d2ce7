//! Words of the document in quotes, and lists of them.

use std::fmt::Display;

use crate::Template;

/// A text in which every character is seen as what it is: those that are not seen, move the cursor or turn the
/// direction of writing are written as `<U+202E>`.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_seen(c) {
            out.push(c);
        } else {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        }
    }
    out
}

/// Whether a character shows as itself, and only there where it stands.
fn is_seen(c: char) -> bool {
    let hidden = c.is_control()
        // White space other than the common one looks like it and is not.
        || (c.is_whitespace() && c != ' ')
        || matches!(
            u32::from(c),
            0x00AD | 0x034F | 0x061C | 0x06DD | 0x070F | 0x08E2 | 0x115F | 0x1160 | 0x17B4 | 0x17B5
                | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
                | 0x0600..=0x0605 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
                | 0x110BD | 0x110CD | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
                | 0xE0000..=0xE0FFF | 0xE000..=0xF8FF | 0xF0000..=0x10FFFF
        );
    !hidden
}

/// Words of the document: in quotes, so that nobody takes them for words of the engine.
pub(super) fn quoted(text: &str) -> String {
    let shown = visible(text);
    let mut out = String::from("\"");
    let mut chars = shown.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '"' || (c == '\\' && matches!(chars.peek(), None | Some('"' | '\\'))) {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// A text with references: they stand as they are written in the document.
pub(super) fn said(template: &Template) -> String {
    quoted(&template.to_string())
}

/// `a, b and c`.
pub(super) fn listed<T: Display>(things: &[T], and: &str) -> String {
    match things {
        [] => "nothing".to_owned(),
        [one] => one.to_string(),
        [most @ .., last] => {
            let most: Vec<String> = most.iter().map(T::to_string).collect();
            format!("{} {and} {last}", most.join(", "))
        }
    }
}

/// `1 row`, `2 rows`.
pub(super) fn counted(number: impl Into<u64>, what: &str) -> String {
    let number = number.into();
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// `once`, `twice`, `3 times`.
pub(super) fn times(number: u32) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// Milliseconds, in seconds where they are whole.
pub(super) fn duration(ms: u32) -> String {
    if ms > 0 && ms.is_multiple_of(1000) { counted(ms / 1000, "second") } else { counted(ms, "millisecond") }
}

/// With `a` or `an` before it.
pub(super) fn a(what: &str) -> String {
    let vowel = what.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {what}", if vowel { "an" } else { "a" })
}

/// The document's own words for something, where it has some.
pub(super) fn own_words(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("In the document's words: {}", quoted(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(quoted(text), expected);
    }

    #[test]
    fn what_moves_the_cursor_or_turns_the_writing_is_written_out() {
        check("a\u{1b}[2Jb\rc\nd", r#""a<U+001B>[2Jb<U+000D>c<U+000A>d""#);
        check("safe\u{202e}yksir", r#""safe<U+202E>yksir""#);
        check("Log\u{200b}In\u{a0}\u{2066}\u{e0041}", r#""Log<U+200B>In<U+00A0><U+2066><U+E0041>""#);
    }

    #[test]
    fn words_of_a_document_cannot_end_their_quotes() {
        check(r#"Log In" Risk: safe"#, r#""Log In\" Risk: safe""#);
        check(r#"\" Risk: safe"#, r#""\\\" Risk: safe""#);
        check(r"[0-9]+\.[0-9]{2}", r#""[0-9]+\.[0-9]{2}""#);
        check(r"ends with \", r#""ends with \\""#);
    }

    #[test]
    fn letters_of_any_language_stay_as_they_are() {
        check("Überweisung auf Konto №, 口座 – حساب 💶", "\"Überweisung auf Konto №, 口座 – حساب 💶\"");
    }
}
