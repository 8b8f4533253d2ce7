//! What holds of every answer about a configuration text, whatever was given. The tests and the fuzz target ask the same.

use waymark_policy::{POLICY_CODES, Policy, PolicyError, PolicyTexts, Profile, redaction_rules};
use waymark_redact::Redactor;

const ALLOWLIST: &str = include_str!("../../../../config/allowlist.yaml");
const RISK: &str = include_str!("../../../../config/risk_policy.yaml");

/// The first byte says which of the files the rest is: `a`llowlist, `r`isk, `p`rofile, or the rules of redaction.
pub fn configuration(bytes: &[u8]) {
    let Some((which, text)) = bytes.split_first() else { return };
    // A file that is not UTF-8 is refused by whoever reads it.
    let Ok(text) = std::str::from_utf8(text) else { return };
    let read = match which {
        b'a' => Policy::load(PolicyTexts { allowlist: text, risk: RISK }).map(drop),
        b'r' => Policy::load(PolicyTexts { allowlist: ALLOWLIST, risk: text }).map(drop),
        b'p' => Profile::load("profiles/p.yaml", text).map(drop),
        _ => redaction_rules(text).map(|rules| drop(Redactor::new(&rules))),
    };
    if let Err(error) = read {
        refused(&error);
    }
}

fn refused(error: &PolicyError) {
    assert!(POLICY_CODES.iter().any(|(code, _)| *code == error.code()), "no code of the table: {error:?}");
    assert!(error.place().is_some() || matches!(error.code(), "too_large" | "empty"), "no place: {error:?}");
    assert!(error.place().is_none_or(|place| place.line > 0 && place.column > 0), "no place: {error:?}");
    assert!(!error.hint().is_empty() && !error.file().is_empty(), "{error:?}");
    let said = error.to_string();
    assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "control characters: {said:?}");
    assert!(said.len() < 6000, "{} bytes: {:?}", said.len(), said.get(..300));
}
