//! What is written is read again as the same goal, whatever it says.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use waymark_artifact::{CapabilityId, Name, Type};

use super::*;
use crate::document::{Document, SchemaWord};
use crate::goal::finish;

fn name() -> impl Strategy<Value = Name> {
    "[a-z][a-z0-9_]{0,12}".prop_map(|word| Name::new(&word).unwrap())
}

/// Words with everything in them that the grammar of a line gives a meaning to.
fn words() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "env X",
        "stdin",
        "file",
        "\"",
        "\"quoted\"",
        "(when a = b)",
        "a = b, c",
        "- ",
        "# ",
        "##",
        "---",
        "\\",
        "\\#",
        ":",
        "Text: x",
        "*bold*",
        "é",
        "東京",
        "{",
        "}",
        "|",
        ",",
        ")",
        "  ",
        "$10.00",
        "<b>",
        "'",
        "%",
        "\u{a0}",
    ]);
    prop::collection::vec(prop_oneof![odd.prop_map(str::to_owned), "[a-zA-Z0-9 ]{1,8}"], 1..5)
        .prop_map(|parts| parts.concat())
        .prop_filter("says something", |text| !text.trim().is_empty())
}

fn task() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof![words(), Just(String::new())], 1..4)
        .prop_map(|lines| lines.join("\n"))
        .prop_filter("says something", |text| !text.trim().is_empty())
}

fn kind_and_value() -> impl Strategy<Value = (Type, Json)> {
    let decimal = || (-9999i64..9999, 0u32..100).prop_map(|(whole, part)| format!("{whole}.{part:02}"));
    let usd = || Type::Money { currency: Some("USD".to_owned()) };
    let months = || Type::Enum { values: vec!["January".to_owned(), "May be".to_owned()] };
    prop_oneof![
        words().prop_map(|text| (Type::Text, json!(text))),
        Just((Type::Text, json!(""))),
        Just((Type::Text, json!("a\nb"))),
        any::<i32>().prop_map(|n| (Type::Integer, json!(n))),
        decimal().prop_map(|text| (Type::Decimal, json!(text))),
        decimal().prop_map(move |text| (usd(), json!(text))),
        decimal().prop_map(|text| (Type::Money { currency: None }, json!({ "amount": text, "currency": "EUR" }))),
        Just((Type::Date, json!("2026-11-30"))),
        any::<bool>().prop_map(|yes| (Type::Boolean, json!(yes))),
        Just((months(), json!("May be"))),
    ]
}

fn key() -> impl Strategy<Value = DataKey> {
    let from = prop_oneof![
        "[A-Z][A-Z0-9_]{0,8}".prop_map(Source::Env),
        Just(Source::ParamsFile),
        Just(Source::Stdin),
        Just(Source::Value(Json::Null)),
    ];
    (name(), prop_oneof![Just(String::new()), words()], kind_and_value(), any::<bool>(), from).prop_map(
        |(name, description, (kind, value), sensitive, from)| match from {
            Source::Value(_) => DataKey { description, ..DataKey::plain(name, kind, Source::Value(value)) },
            from => {
                let (optional, bounded) = (sensitive, kind == Type::Text);
                let pattern = bounded.then(|| r#"[0-9]{1,12}\.|(a, "b")"#.to_owned());
                let max_length = bounded.then_some(12);
                let number = matches!(kind, Type::Integer | Type::Money { .. });
                let minimum = number.then(|| "-0.50".to_owned());
                DataKey {
                    description,
                    sensitive,
                    optional,
                    pattern,
                    max_length,
                    minimum,
                    ..DataKey::plain(name, kind, from)
                }
            }
        },
    )
}

fn outcome() -> impl Strategy<Value = (Name, String, String, bool)> {
    (name(), prop_oneof![Just(String::new()), words()], words(), any::<bool>())
}

fn output() -> impl Strategy<Value = WantedOutput> {
    let kind = || prop::option::of(kind_and_value().prop_map(|(kind, _)| kind));
    let column = (name(), kind()).prop_map(|(name, kind)| WantedColumn {
        key: kind.is_some(),
        optional: kind.is_none(),
        name,
        kind,
    });
    (name(), prop_oneof![Just(String::new()), words()], kind(), prop::collection::btree_map(name(), column, 0..3))
        .prop_map(|(name, description, kind, columns)| {
            let columns: Vec<_> = columns.into_iter().map(|(name, column)| WantedColumn { name, ..column }).collect();
            let kind = kind.filter(|_| columns.is_empty());
            WantedOutput { name, description, kind, columns }
        })
}

fn condition() -> impl Strategy<Value = Condition> {
    prop_oneof![
        words().prop_map(Condition::Text),
        words().prop_map(Condition::NotText),
        words().prop_map(Condition::Url)
    ]
}

prop_compose! {
    fn document()(
        capability in prop::option::of(Just(CapabilityId::new("bank.job").unwrap())),
        title in prop::option::of(words()),
        task in task(),
        success in prop::collection::vec(condition(), 0..4),
        data in prop::collection::vec(key(), 0..4),
        outcomes in prop::collection::vec(outcome(), 0..3),
        outputs in prop::collection::vec(output(), 0..3),
        steps in 1u32..500,
        micros in 1u64..1_000_000_000,
    ) -> Document {
        let outcomes = outcomes.into_iter().map(|(code, description, shows, provoked)| {
            let keys = data.iter().filter(|key| provoked && matches!(key.from, Source::Value(_) | Source::Env(_)));
            let when: BTreeMap<_, _> = keys.map(|key| (key.name.clone(), key.from.clone())).collect();
            let absent = data.first().filter(|_| !provoked && shows.len() > 9).map(|key| Absent::Row(key.name.clone()));
            let shows = if absent.is_some() { String::new() } else { shows };
            let after_risky = provoked && absent.is_none();
            DeclaredOutcome { code, description, shows, absent, after_risky, when }
        }).collect();
        Document {
            schema: SchemaWord, capability, title, url: "http://127.0.0.1:8080/a?b=%22c".to_owned(), task, success, data, outcomes, outputs,
            limits: Limits { steps, usd: Usd { micros }, ..Limits::default() },
        }
    }
}

proptest! {
    #[test]
    fn a_goal_is_read_again_as_it_was_written(document in document()) {
        // Names that stand twice and the like are refused elsewhere.
        if let Ok(Checked { goal, .. }) = finish(document, |_| Where::Whole, Vec::new()) {
            let json = goal.to_json();
            prop_assert_eq!(&Goal::from_json(json.as_bytes()).map_err(|e| TestCaseError::fail(e.to_string()))?.goal, &goal);
            let text = goal.to_markdown();
            let again = Goal::from_markdown("job.md", &text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            prop_assert_eq!(&again.goal, &goal, "{}", text);
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,60}", line in words()) {
        let _ = Goal::from_markdown("x", &text);
        let _ = Goal::from_json(text.as_bytes());
        let _ = Goal::from_markdown("x", &MARKDOWN.replace("Transfer Complete!", &line));
        let one = vec![line];
        let _ = Goal::from_flags(&Flags { success: one.clone(), params: one.clone(), outcomes: one.clone(), outputs: one, ..flags() });
    }
}

#[test]
fn the_published_schema_agrees_with_the_reader() {
    let schema = goal_schema().to_value();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(
        validator.is_valid(&json()),
        "{:?}",
        validator.iter_errors(&json()).map(|e| e.to_string()).collect::<Vec<_>>()
    );
    for (pointer, value) in [
        ("/success/0", json!("x")),
        ("/limits/usd", json!(1)),
        ("/data/0/from", json!("nowhere")),
        ("/schema", json!("x")),
    ] {
        let mut document = json();
        *document.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&document), "{pointer}");
    }
    let written: Json = serde_json::from_str(&Goal::from_flags(&flags()).unwrap().goal.to_json()).unwrap();
    assert!(validator.is_valid(&written));
}

#[test]
fn money_is_exact_in_every_form() {
    for (text, micros, written) in
        [("2", 2_000_000, "2.00"), ("0.5", 500_000, "0.50"), ("1.000001", 1_000_001, "1.000001")]
    {
        let usd = Usd::parse(text).unwrap();
        assert_eq!((usd.micros, usd.to_string().as_str()), (micros, written));
    }
    for text in ["", ".", "1.", "-1", "1e3", "1.0000001", "$1", "1,000"] {
        assert_eq!(Usd::parse(text), None, "{text}");
    }
}

#[test]
fn a_value_in_quotes_may_look_like_the_words_around_it() {
    let read = |line: &str| {
        let text = MARKDOWN.replace("no_account: There is no such account (when pin = 9)", line);
        let outcome = Goal::from_markdown("job.md", &text).unwrap().goal.outcomes()[0].clone();
        format!("{} {:?}", outcome.shows, outcome.when.values().collect::<Vec<_>>())
    };
    assert_eq!(read(r#"a: Gone (when pin = "(when a = b)")"#), r#"Gone [Value(String("(when a = b)"))]"#);
    assert_eq!(read("a: Ask (when open) again (when pin = 9)"), r#"Ask (when open) again [Value(String("9"))]"#);
}
