//! No registered value survives, whatever surrounds it; nothing else changes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::{Value, json};
use waymark_redact::{Redactor, Rules};

fn redactor(secret: &str) -> Redactor {
    let redactor = Redactor::new(&Rules::default()).unwrap();
    redactor.register("secret", secret).unwrap();
    redactor
}

/// Every byte that is no letter or digit, or all of them.
fn percent(text: &str, all: bool, upper: bool) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match (byte.is_ascii_alphanumeric() && !all, upper) {
            (true, _) => out.push(char::from(byte)),
            (false, true) => write!(out, "%{byte:02X}").unwrap(),
            (false, false) => write!(out, "%{byte:02x}").unwrap(),
        }
        out
    })
}

fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    escaped.replace('\'', "&#39;")
}

fn ascii_json(text: &str) -> String {
    text.encode_utf16().fold(String::new(), |mut out, unit| {
        write!(out, "\\u{unit:04x}").unwrap();
        out
    })
}

fn json_string(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

/// What a writer somewhere may have made of a value.
fn encodings(secret: &str) -> Vec<String> {
    vec![
        secret.to_owned(),
        percent(secret, false, true),
        percent(secret, false, false),
        percent(secret, true, true),
        percent(secret, false, true).replace("%20", "+"),
        percent(&percent(secret, false, true), false, false),
        json_string(secret),
        json_string(&json_string(secret)),
        ascii_json(secret),
        html(secret),
        html(&json_string(secret)),
        percent(&json_string(secret), false, true),
    ]
}

/// Values with signs that every encoding treats differently. They hold a sign that surroundings lack, so that
/// surroundings cannot hold them by chance. Those under four characters are found as whole words only.
fn secrets() -> impl Strategy<Value = String> {
    let texts = "[a-zA-Z0-9 \"'<>&/%+=é€😀\\\\]{3,20}".prop_map(|text| format!("{}~#", text.trim()));
    texts.prop_filter("long enough to be found anywhere", |text| text.chars().count() >= 4)
}

fn surroundings() -> impl Strategy<Value = String> {
    "[a-z ,.{}\\[\\]:]{0,24}"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_value_survives_in_text(secret in secrets(), before in surroundings(), after in surroundings()) {
        let redactor = redactor(&secret);
        for form in encodings(&secret) {
            let text = format!("{before}{form}{after}");
            let masked = redactor.redact_text(&text);
            prop_assert!(redactor.finds(&text), "not found: {text:?}");
            prop_assert!(!masked.contains(&form), "{text:?} became {masked:?}");
            prop_assert!(!redactor.finds(&masked), "{text:?} became {masked:?}");
            prop_assert!(masked.starts_with(&before) && masked.ends_with(&after), "{text:?} became {masked:?}");
        }
    }

    #[test]
    fn no_value_survives_in_base64(secret in secrets(), before in "[a-z]{0,5}", after in "[a-z]{0,5}") {
        let redactor = redactor(&secret);
        let whole = format!("{before}{secret}{after}");
        for text in [STANDARD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole)] {
            let masked = redactor.redact_text(&text);
            prop_assert!(*masked != text, "{text:?} stayed");
            prop_assert!(!redactor.finds(&masked), "{text:?} became {masked:?}");
        }
    }

    #[test]
    fn no_value_survives_in_json(secret in secrets(), before in surroundings(), key in "[a-z]{1,6}") {
        let redactor = redactor(&secret);
        let mut value = json!({ key: [format!("{before}{secret}"), { format!("{secret}{before}"): secret }] });
        redactor.redact_json(&mut value);
        let text = value.to_string();
        prop_assert!(!redactor.finds(&text), "{text}");
    }

    #[test]
    fn no_number_survives_however_it_is_grouped(whole in 1_000_u64..10_000_000_000, cents in 0_u64..100) {
        let redactor = redactor(&format!("{whole}.{cents:02}"));
        for separators in [(",", "."), (".", ","), ("'", "."), (" ", ",")] {
            let text = format!("it is ${}{}{cents:02}!", grouped(whole, separators.0), separators.1);
            let masked = redactor.redact_text(&text);
            prop_assert_eq!(masked, "it is $‹redacted:secret›!", "of {}", text);
        }
    }

    #[test]
    fn other_text_stays(text in "[a-zA-Z0-9 \"'<>&/%+=é€😀\\\\.,:;-]{0,60}") {
        let redactor = redactor("no such ~# value");
        prop_assert_eq!(redactor.redact_text(&text), text.as_str());
        let mut value = json!({ "text": text, "list": [text, 55023.1, 12345] });
        let before: Value = value.clone();
        redactor.redact_json(&mut value);
        prop_assert_eq!(value, before);
    }
}

fn grouped(whole: u64, separator: &str) -> String {
    let digits = whole.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let mut groups = vec![&digits[..first]];
    groups.extend((first..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    groups.join(separator)
}
