//! Keys as the browser wants them: name, physical key, number, text.

use serde_json::{Value, json};

/// One key with what a keyboard tells about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stroke {
    key: String,
    code: String,
    number: u32,
    text: String,
    modifiers: u32,
}

const ALT: u32 = 1;
const CONTROL: u32 = 2;
const META: u32 = 4;
const SHIFT: u32 = 8;

/// Key, physical key, number, text.
const NAMED: &[(&str, &str, u32, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("Space", "Space", 32, " "),
];

/// Characters of the keys beside letters and digits on a US keyboard: plain, shifted, physical key, number.
const SIGNS: &[(char, char, &str, u32)] = &[
    ('`', '~', "Backquote", 192),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    (' ', ' ', "Space", 32),
];

const SHIFTED_DIGITS: &[char] = &[')', '!', '@', '#', '$', '%', '^', '&', '*', '('];

/// Reads `Enter`, `F3`, `a`, `Control+s`, `Control+Shift+End`.
pub(super) fn read(notation: &str) -> Option<Stroke> {
    let (modifiers, name) = match notation.rfind('+') {
        // The key itself may be `+`.
        Some(at) if at + 1 < notation.len() => (&notation[..at], &notation[at + 1..]),
        Some(at) if at > 0 => (notation[..at].trim_end_matches('+'), "+"),
        _ => ("", notation),
    };
    let mut stroke = named(name).or_else(|| {
        let mut chars = name.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => character(c),
            _ => None,
        }
    })?;
    for modifier in modifiers.split('+').filter(|m| !m.is_empty()) {
        stroke.modifiers |= match modifier {
            "Alt" => ALT,
            "Control" | "Ctrl" => CONTROL,
            "Meta" | "Command" => META,
            "Shift" => SHIFT,
            _ => return None,
        };
    }
    // With these a key types nothing; it is a command.
    if stroke.modifiers & (ALT | CONTROL | META) != 0 {
        stroke.text.clear();
    }
    Some(stroke)
}

/// The key that types a character on a US keyboard; `None` where there is none.
pub(super) fn character(c: char) -> Option<Stroke> {
    let stroke = |code: String, number: u32, shifted: bool| Stroke {
        key: c.to_string(),
        code,
        number,
        text: c.to_string(),
        modifiers: if shifted { SHIFT } else { 0 },
    };
    if c == '\n' {
        return named("Enter");
    }
    if c.is_ascii_alphabetic() {
        let upper = c.to_ascii_uppercase();
        return Some(stroke(format!("Key{upper}"), u32::from(upper), c.is_ascii_uppercase()));
    }
    if c.is_ascii_digit() {
        return Some(stroke(format!("Digit{c}"), u32::from(c), false));
    }
    if let Some(digit) = SHIFTED_DIGITS.iter().position(|s| *s == c) {
        let number = u32::try_from(digit).unwrap_or(0) + 48;
        return Some(stroke(format!("Digit{digit}"), number, true));
    }
    SIGNS
        .iter()
        .find(|(plain, shifted, ..)| *plain == c || *shifted == c)
        .map(|(plain, _, code, number)| stroke((*code).to_owned(), *number, *plain != c))
}

fn named(name: &str) -> Option<Stroke> {
    if let Some(number) = name.strip_prefix('F').and_then(|n| n.parse::<u32>().ok()).filter(|n| (1..=24).contains(n)) {
        let key = name.to_owned();
        return Some(Stroke { code: key.clone(), key, number: 111 + number, text: String::new(), modifiers: 0 });
    }
    NAMED.iter().find(|(key, ..)| *key == name).map(|(key, code, number, text)| Stroke {
        key: if *key == "Space" { " ".into() } else { (*key).to_owned() },
        code: (*code).to_owned(),
        number: *number,
        text: (*text).to_owned(),
        modifiers: 0,
    })
}

impl Stroke {
    /// The parameters of pressing it down and of letting it go.
    pub(super) fn events(&self) -> [Value; 2] {
        let down = if self.text.is_empty() { "rawKeyDown" } else { "keyDown" };
        let event = |kind: &str, text: &str| {
            let mut event = json!({
                "type": kind, "key": self.key, "code": self.code, "windowsVirtualKeyCode": self.number,
                "nativeVirtualKeyCode": self.number, "modifiers": self.modifiers,
            });
            if !text.is_empty() {
                event["text"] = text.into();
                event["unmodifiedText"] = text.into();
            }
            event
        };
        [event(down, &self.text), event("keyUp", "")]
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn keys_are_read_with_their_modifiers() {
        let check = |notation: &str, expected: &str| {
            let told = read(notation).map_or("nothing".into(), |s| {
                format!("{} {} {} {:?} {}", s.key, s.code, s.number, s.text, s.modifiers)
            });
            assert_eq!(told, expected, "{notation}");
        };
        check("Enter", r#"Enter Enter 13 "\r" 0"#);
        check("F3", r#"F3 F3 114 "" 0"#);
        check("a", r#"a KeyA 65 "a" 0"#);
        check("A", r#"A KeyA 65 "A" 8"#);
        check("Control+s", r#"s KeyS 83 "" 2"#);
        check("Control+Shift+End", r#"End End 35 "" 10"#);
        check("$", r#"$ Digit4 52 "$" 8"#);
        check("Shift+Tab", r#"Tab Tab 9 "" 8"#);
        check("+", r#"+ Equal 187 "+" 8"#);
        check("Control++", r#"+ Equal 187 "" 10"#);
        check("Hyper+a", "nothing");
        check("Entr", "nothing");
    }
}
