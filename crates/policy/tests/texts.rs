//! What is refused of a configuration, and how it is said.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use waymark_policy::{Policy, PolicyError, PolicyTexts, Profile, Source, redaction_rules};

const ALLOWLIST: &str = include_str!("../../../config/allowlist.yaml");
const RISK: &str = include_str!("../../../config/risk_policy.yaml");
const REDACTION: &str = include_str!("../../../config/redaction.yaml");
const PARABANK: &str = include_str!("../../../config/profiles/parabank.yaml");

const SMALL: &str = r#"version: 1
allow:
  - name: core
    application: core
    origins: ["https://core.example"]
    paths: ["/**"]
    methods: [GET]
    actions: [click]
deny: []
"#;

/// The allowlist `SMALL` with one piece replaced must be refused, at that line and column, with these words.
fn check(piece: &str, by: &str, place: Option<(u64, u64)>, words: &[&str]) {
    assert!(SMALL.contains(piece), "`{piece}` is not part of the text");
    refused(&SMALL.replacen(piece, by, 1), place, words);
}

fn refused(text: &str, place: Option<(u64, u64)>, words: &[&str]) {
    let error = load(text, RISK).unwrap_err();
    let said = error.to_string();
    assert_eq!(error.place().map(|p| (p.line, p.column)), place, "{said}");
    if let Some((line, _)) = place {
        assert!(said.contains(&format!("\n{line:>5} | ")), "the line is not shown: {said}");
    }
    assert!(said.starts_with("allowlist.yaml"), "{said}");
    assert!(said.contains("hint: "), "{said}");
    for word in words {
        assert!(said.to_lowercase().contains(word), "`{word}` is missing in: {said}");
    }
}

fn load(allowlist: &str, risk: &str) -> Result<Policy, PolicyError> {
    Policy::load(PolicyTexts { allowlist, risk })
}

#[test]
fn the_texts_that_ship_are_read() {
    load(ALLOWLIST, RISK).unwrap();
    load(SMALL, RISK).unwrap();
    redaction_rules(REDACTION).unwrap();
    Profile::load("parabank.yaml", PARABANK).unwrap();
}

#[test]
fn a_profile_says_how_its_application_writes_amounts_and_days_and_nothing_that_they_do_not_have() {
    let written = Profile::load("parabank.yaml", PARABANK).unwrap().written;
    assert_eq!(written.money.unwrap().decimals, Some(2));
    let form = "  money: {locale: en-US, decimals: 2}";
    for (by, words) in [
        ("  money: {date: MM-dd-yyyy}", "an amount has no pattern of a date"),
        ("  decimal: {currency: after}", "a decimal number has neither"),
        ("  money: {locale: en-US, decimals: 2, cents: 2}", "unknown field"),
        ("  amount: {decimals: 2}", "unknown field"),
    ] {
        assert!(PARABANK.contains(form));
        let said = Profile::load("parabank.yaml", &PARABANK.replace(form, by)).unwrap_err().to_string();
        assert!(said.contains(words), "{by}: {said}");
    }
    for pattern in ["{date: DD-mm}", "{date: MM-dd-yyyy, grouping: true}"] {
        let text = PARABANK.replace("{date: MM-dd-yyyy}", pattern);
        assert!(Profile::load("parabank.yaml", &text).is_err(), "{pattern}");
    }
}

#[test]
fn the_redaction_rules_that_ship_mask_and_spare() {
    let redactor = waymark_redact::Redactor::new(&redaction_rules(REDACTION).unwrap()).unwrap();
    let masked =
        redactor.redact_text("login.htm;jsessionid=0A1B?username=john&password=demo SSN 622-11-9999, id@1.2.0");
    assert_eq!(
        masked,
        "login.htm;jsessionid=‹redacted:jsessionid›?username=john&password=‹redacted:password› SSN ‹redacted:tax_id›, id@1.2.0"
    );
    let line = r#"{"id":"run_01","account":12345,"month":"All","code":"no_transactions","key":"Enter","at":"2026-11-30T04:41:36Z"}"#;
    assert_eq!(redactor.redact_text(line), line);
}

#[test]
fn an_empty_text_allows_nothing() {
    for text in ["", "\n\n", "# nothing here\n", "---\n...\n", "---\n# nothing\n"] {
        refused(text, None, &["empty"]);
    }
    assert!(load("~\n", RISK).is_err());
    assert!(load("{}\n", RISK).is_err());
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    check(
        "    methods: [GET]",
        "    methods: [GET]\n    methods: [GET, POST]",
        Some((8, 5)),
        &["duplicate", "    8 |     methods: [get, post]"],
    );
    check("deny: []", "deny: []\nallow: []", Some((10, 1)), &["duplicate"]);
}

#[test]
fn a_field_that_nobody_reads_is_refused() {
    check("    paths:", "    path:", Some((6, 5)), &["unknown field", "path", "misspelt"]);
    check("deny: []", "deny: []\ndenied: []", Some((10, 1)), &["unknown field"]);
}

#[test]
fn a_word_that_means_nothing_is_refused() {
    check("[click]", "[click, klick]", Some((8, 22)), &["klick", "set_checked", "use one of the words"]);
    check("[GET]", "[get]", Some((7, 15)), &["get"]);
}

#[test]
fn a_field_that_is_missing_is_refused() {
    let said = load(&SMALL.replace("    methods: [GET]\n", ""), RISK).unwrap_err().to_string();
    assert!(said.contains("missing field") && said.contains("methods"), "{said}");
    let said = load(&SMALL.replace("deny: []\n", ""), RISK).unwrap_err().to_string();
    assert!(said.contains("missing field") && said.contains("deny"), "{said}");
}

#[test]
fn null_is_no_value() {
    for (piece, by) in
        [("application: core", "application:"), ("[\"/**\"]", "~"), ("[GET]", "null"), ("version: 1", "version:")]
    {
        assert!(load(&SMALL.replace(piece, by), RISK).is_err(), "{by}");
    }
}

#[test]
fn another_version_is_refused() {
    check("version: 1", "version: 2", Some((1, 1)), &["version 2 is not known", "version 1"]);
    let said = load(SMALL, &RISK.replacen("version: 1", "version: 0", 1)).unwrap_err().to_string();
    assert!(said.starts_with("risk_policy.yaml at line 7, column 1: version"), "{said}");
    assert!(redaction_rules(&REDACTION.replacen("version: 1", "version: 9", 1)).is_err());
    assert!(Profile::load("p", &PARABANK.replacen("version: 1", "version: 9", 1)).is_err());
}

#[test]
fn a_second_document_is_refused() {
    assert!(load(&format!("{SMALL}---\n{SMALL}"), RISK).is_err());
}

#[test]
fn merge_keys_and_alias_bombs_are_refused() {
    assert!(load(&SMALL.replace("    methods: [GET]", "    <<: {methods: [GET]}"), RISK).is_err());
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (one, next) in ["a", "b", "c", "d", "e", "f", "g", "h"].iter().zip(["b", "c", "d", "e", "f", "g", "h", "i"]) {
        bomb.push_str(&format!("{next}: &{next} [{}]\n", vec![format!("*{one}"); 9].join(", ")));
    }
    assert!(load(&format!("{bomb}{SMALL}"), RISK).is_err());
    assert!(load(&SMALL.replace("[GET]", &format!("[{}]", vec!["GET"; 30_000].join(","))), RISK).is_err());
    refused(&format!("{SMALL}#{}", "x".repeat(300_000)), None, &["too long"]);
}

#[test]
fn an_entry_that_allows_nothing_is_refused() {
    check("[click]", "[]", Some((3, 11)), &["entry `core`", "empty"]);
    check("[\"/**\"]", "[]", Some((3, 11)), &["entry `core`", "empty"]);
    check("deny: []", "deny: [{name: all, paths: []}]", Some((9, 15)), &["entry `all`", "empty"]);
    check("deny: []", "deny: [{name: all, paths: [\"/x\"], origins: []}]", Some((9, 15)), &["entry `all`", "empty"]);
}

#[test]
fn names_are_plain_and_stand_once() {
    check("deny: []", "deny: [{name: core, paths: [\"/x\"]}]", Some((9, 15)), &["twice"]);
    check("name: core", "name: \"core entry\"", Some((3, 11)), &["no plain word"]);
}

#[test]
fn patterns_that_could_be_misread_are_refused() {
    for path in [
        "parabank/**",
        "/a//b",
        "/a/../b",
        "/a/./b",
        "/a?x=1",
        "/a#b",
        "/a%2fb",
        "/a;b",
        "/a**",
        "/**b/c",
        "/a b",
        "/a\\\\b",
    ] {
        check("\"/**\"", &format!("\"{path}\""), Some((6, 13)), &["any number of segments"]);
    }
}

#[test]
fn origins_that_could_be_misread_are_refused() {
    for origin in [
        "https://*.example",
        "https://core.example/",
        "https://core.example/x",
        "core.example",
        "*",
        "https://*",
        "https://Core.example",
        "https://core.example.",
        "https://user@core.example",
        "file:///x",
        "https://core.example:80:*",
        "https://core.example:",
        "javascript:*",
        "https://bücher.example",
        "http://0x7f.1",
        "http://127.1",
        "https://core.example?x",
    ] {
        let text = SMALL.replace("https://core.example", origin);
        assert!(load(&text, RISK).is_err(), "{origin}");
    }
    for origin in ["https://core.example:8443", "http://[::1]:*", "https://xn--bcher-kva.example", "http://10.0.0.7:*"]
    {
        load(&SMALL.replace("https://core.example", origin), RISK).unwrap();
    }
}

#[test]
fn a_rule_that_makes_safe_needs_a_screen_and_a_name() {
    let rule = |screen: &str, control: &str, class: &str| {
        let text = RISK.split("rules:").next().unwrap();
        let text =
            format!("{text}rules:\n  - {{name: r, application: core, {screen}control: {control}, class: {class}}}\n");
        load(SMALL, &text).map_err(|error| error.to_string())
    };
    let go = "{role: button, names: [Go]}";
    rule("screen: {locations: [\"/a.htm\"]}, ", go, "safe").unwrap();
    rule("screen: {ids: [\"A1\"]}, ", go, "safe").unwrap();
    rule("", go, "risky").unwrap();
    assert!(rule("", go, "safe").unwrap_err().contains("needs a screen"));
    assert!(rule("screen: {locations: [\"/**\"]}, ", go, "safe").unwrap_err().contains("needs a screen"));
    assert!(
        rule("screen: {ids: [\"A1\"]}, ", "{role: button, names: []}", "safe").unwrap_err().contains("without name")
    );
    assert!(
        rule("screen: {ids: [\"A1\"]}, ", "{role: button, names: [\" \"]}", "safe")
            .unwrap_err()
            .contains("without name")
    );
    assert!(
        rule("screen: {ids: [\"A1\"]}, ", "{role: knob, names: [Go]}", "safe")
            .unwrap_err()
            .contains("role is not known")
    );
    assert!(rule("screen: {}, ", go, "harmless").unwrap_err().contains("harmless"));
}

#[test]
fn every_action_needs_a_class_and_words_only_raise() {
    let said = load(SMALL, &RISK.replace("  scroll: safe\n", "")).unwrap_err().to_string();
    assert!(said.contains("`scroll` has no class"), "{said}");
    let said =
        load(SMALL, &RISK.replace("class: irreversible\n    on_links: risky", "class: safe")).unwrap_err().to_string();
    assert!(said.contains("cannot make an action safe"), "{said}");
    assert!(load(SMALL, &RISK.replace("      - purge", "      - \"…\"")).is_err());
}

#[test]
fn the_digest_tells_every_change() {
    let digest = |a: &str, r: &str| load(a, r).unwrap().digest().to_owned();
    let first = digest(SMALL, RISK);
    assert!(first.starts_with("sha256:") && first.len() == 71);
    assert_eq!(first, digest(SMALL, RISK));
    assert_ne!(first, digest(&format!("{SMALL}# "), RISK));
    assert_ne!(first, digest(SMALL, &format!("{RISK}# ")));
}

#[test]
fn the_profile_of_the_console_tells_its_screens_by_their_identifier() {
    let text = include_str!("../../../config/profiles/meridian.yaml");
    let profile = Profile::load("meridian.yaml", text).unwrap();
    assert_eq!((profile.application.as_str(), profile.entry_point.path.as_str()), ("meridian", "/"));
    assert!(profile.screen_id.is_some() && profile.session_expired.is_some());
    let codes: Vec<_> = profile.outcomes.iter().filter_map(|outcome| outcome.application_code.as_deref()).collect();
    assert_eq!(codes, ["SO-0007", "MI-0011", "SEC-0413", "SEC-0413", "SA-0021", "SA-0022", "SYS-9001"]);
}

#[test]
fn a_profile_names_sources_and_never_values() {
    let profile = Profile::load("parabank.yaml", PARABANK).unwrap();
    assert_eq!(profile.application.as_str(), "parabank");
    assert_eq!(profile.entry_point.path, "/index.htm");
    assert_eq!(profile.entry_point.default.as_deref(), Some("http://127.0.0.1:8080/parabank"));
    assert_eq!((profile.recoveries.len(), profile.session_expired.is_some()), (2, true));
    assert_eq!(profile.screen_id, None);
    let sources: Vec<_> = profile.credentials.iter().map(|c| (c.name.as_str(), &c.source)).collect();
    let env = |name: &str| Source::Env(name.to_owned());
    assert_eq!(sources, [("username", &env("PARABANK_USERNAME")), ("password", &env("PARABANK_PASSWORD"))]);

    let source = |text: &str| {
        let text = PARABANK.replace("env PARABANK_PASSWORD", text);
        Profile::load("p", &text).map(|p| p.credentials[1].source.clone()).map_err(|error| error.to_string())
    };
    assert_eq!(source("file /run/secrets/bank pass"), Ok(Source::File("/run/secrets/bank pass".to_owned())));
    assert_eq!(source("keychain bank"), Ok(Source::Keychain("bank".to_owned())));
    for bad in ["env", "env lower", "env 1X", "hunter2", "vault x", "ENV X"] {
        let said = source(bad).unwrap_err();
        assert!(said.contains("a source is"), "{said}");
    }
}

#[test]
fn a_profile_names_each_thing_once() {
    let twice = PARABANK.replace("name: password", "name: username");
    assert!(Profile::load("p", &twice).unwrap_err().to_string().contains("stands twice"));
    let twice = PARABANK.replace("code: no_transactions", "code: not_authorized");
    assert!(Profile::load("p", &twice).unwrap_err().to_string().contains("stands twice"));
    let outside = PARABANK.replace("path: /index.htm", "path: //evil.example/");
    assert!(Profile::load("p", &outside).unwrap_err().to_string().contains("the path is none"));
}

#[test]
fn an_answer_names_screens_only_where_screens_identify_themselves() {
    let placed = PARABANK.replace("code: no_transactions", "code: no_transactions\n    screens: [AC0100]");
    let told = Profile::load("p", &placed).unwrap_err().to_string();
    assert!(told.contains("outcome `no_transactions`") && told.contains("do not identify themselves"), "{told}");
}
