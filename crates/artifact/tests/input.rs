//! What callers give.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use waymark_artifact::{
    Artifact, DisplayFormat, Locale, Name, Parameter, Type, load, parse_input, parse_inputs, schema_of_inputs,
};

fn name(word: &str) -> Name {
    match Name::new(word) {
        Ok(name) => name,
        Err(error) => panic!("{error}"),
    }
}

fn parameter(word: &str, kind: Type) -> Parameter {
    Parameter {
        name: name(word),
        description: String::new(),
        kind,
        optional: false,
        sensitive: false,
        pattern: None,
        max_length: None,
        minimum: None,
        format: None,
    }
}

fn parameters() -> Vec<Parameter> {
    let mut id = parameter("id", Type::Text);
    id.pattern = Some("[0-9]{5}|none".into());
    let mut pin = parameter("pin", Type::Text);
    pin.sensitive = true;
    pin.max_length = Some(4);
    let mut all = vec![
        id,
        pin,
        parameter("count", Type::Integer),
        parameter("rate", Type::Decimal),
        parameter("amount", Type::Money { currency: Some("USD".into()) }),
        parameter("sum", Type::Money { currency: None }),
        parameter("day", Type::Date),
        parameter("urgent", Type::Boolean),
        parameter("status", Type::Enum { values: vec!["Open".into(), "Closed".into()] }),
        parameter("picture", Type::File),
    ];
    all[2..].iter_mut().for_each(|p| p.optional = true);
    all
}

/// The typed values as JSON, or one line a problem.
fn check(given: &Json) -> String {
    let empty = Map::new();
    match parse_inputs(&parameters(), given.as_object().unwrap_or(&empty)) {
        Ok(values) => serde_json::to_string(&values).unwrap_or_default(),
        Err(problems) => problems.iter().map(|p| format!("{} {}: {}\n", p.parameter, p.problem, p.message)).collect(),
    }
}

/// What comes of one value beside the required two.
#[track_caller]
fn one(key: &str, value: Json, expected: &str) {
    let mut given = json!({ "id": "12345", "pin": "1234" });
    given[key] = value;
    let mut got = check(&given);
    if let Ok(Json::Object(mut values)) = serde_json::from_str::<Json>(&got) {
        got = values.remove(key).unwrap_or_default().to_string();
    }
    assert!(got.starts_with(expected), "{key}: {got}\nnot: {expected}");
}

fn with_parameters() -> Artifact {
    let bytes = include_bytes!("../../../artifacts/parabank.read_accounts_overview.v1.json");
    match load(bytes) {
        Ok(mut artifact) => {
            artifact.parameters = parameters();
            artifact
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_type_is_read_from_its_json_form() {
    one("count", json!(-7), "-7");
    one("rate", json!("12.50"), "\"12.50\"");
    one("rate", json!(12), "\"12\"");
    one("amount", json!("12.50"), r#"{"amount":"12.50","currency":"USD"}"#);
    one("amount", json!({ "amount": "12.50", "currency": "USD" }), r#"{"amount":"12.50","currency":"USD"}"#);
    one("sum", json!({ "amount": "-0.01", "currency": "EUR" }), r#"{"amount":"-0.01","currency":"EUR"}"#);
    one("day", json!("2026-11-30"), "\"2026-11-30\"");
    one("urgent", json!(true), "true");
    one("status", json!("Open"), "\"Open\"");
    one("id", json!("none"), "\"none\"");
    one("picture", json!("a.png"), r#"{"bytes":0,"path":"a.png","sha256":""}"#);
}

#[test]
fn everything_that_is_wrong_is_said_at_once_in_order() {
    let said = check(&json!({ "rate": 1.5, "statsu": "Open", "count": "7", "pin": null, "zebra": 1 }));
    let heads: Vec<&str> = said.lines().filter_map(|l| l.split_once(':')).map(|(head, _)| head).collect();
    let expected = ["id missing", "pin null", "count wrong_type", "rate wrong_type", "statsu unknown", "zebra unknown"];
    assert_eq!(heads, expected, "{said}");
    assert!(said.contains("did you mean `status`?"), "{said}");
}

#[test]
fn values_of_another_form_are_refused() {
    one("count", json!(1.0), "count wrong_type");
    one("count", json!("7"), "count wrong_type: `count` must be a whole number");
    one("count", json!(9_007_199_254_740_992i64), "count out_of_range");
    one("count", json!(u64::MAX), "count out_of_range");
    one("rate", json!(0.1), "rate wrong_type: `rate` must be an exact decimal number as a string");
    one("rate", json!("1,234.50"), "rate wrong_type");
    one("rate", json!("1e3"), "rate wrong_type");
    one("rate", json!(".5"), "rate wrong_type");
    one("rate", json!("99999999999999999999999999999999"), "rate out_of_range");
    one("amount", json!({ "amount": "1", "currency": "EUR" }), "amount not_one_of");
    one("amount", json!({ "amount": "1" }), "amount wrong_type");
    one("sum", json!("1.00"), "sum wrong_type");
    one("sum", json!({ "amount": "1", "currency": "XYZ" }), "sum not_one_of");
    one("day", json!("30.11.2026"), "day wrong_type");
    one("day", json!("2026-02-30"), "day wrong_type");
    one("urgent", json!("true"), "urgent wrong_type");
    one("status", json!("open"), "status not_one_of: `status` must be one of \"Open\", \"Closed\"");
    one("id", json!("123456"), "id pattern");
    one("id", json!("x\n12345"), "id pattern");
    one("pin", json!("12345"), "pin too_long");
    one("pin", json!("1\t2"), "pin pattern");
    one("id", json!(12345), "id wrong_type");
    one("picture", json!(""), "picture wrong_type");
}

#[test]
fn a_value_that_the_application_cannot_write_is_refused_and_never_rounded() {
    let number = |text: &str, minimum: Option<&str>, format: Option<DisplayFormat>| {
        let mut amount = parameter("amount", Type::Money { currency: Some("USD".into()) });
        (amount.minimum, amount.format) = (minimum.map(Into::into), format);
        parse_input(&amount, &json!(text)).map(|value| amount.texts(&value)).map_err(|problem| {
            assert!(!problem.message.contains(text), "{}", problem.message);
            problem.problem
        })
    };
    let cents = |grouping, locale| {
        Some(DisplayFormat { decimals: Some(2), grouping, locale: Some(locale), ..DisplayFormat::default() })
    };
    let said = |texts: &[&str]| Ok(texts.iter().map(ToString::to_string).collect::<Vec<_>>());
    let (us, german) = (|| cents(true, Locale::EnUs), || cents(true, Locale::DeDe));
    assert_eq!(number("1000", None, us()), said(&["1,000.00", "1000.00", "1000"]));
    assert_eq!(number("1000.0", None, german()), said(&["1.000,00", "1000,00", "1000.00", "1000.0"]));
    assert_eq!(number("12.50", None, cents(false, Locale::EnUs)), said(&["12.50"]));
    assert_eq!(number("12.5000", None, us()), said(&["12.50", "12.5000"]));
    assert_eq!(number("12.505", None, us()), Err("unwritable"));
    assert_eq!(number("12.505", None, None), said(&["12.505"]));
    for (text, expected) in [("0.00", Err("out_of_range")), ("-12.50", Err("out_of_range")), ("0.01", said(&["0.01"]))]
    {
        assert_eq!(number(text, Some("0.01"), us()), expected, "{text}");
    }
    assert_eq!(number("5.00", Some("five"), us()), Err("out_of_range"));
}

#[test]
fn null_is_no_value_even_where_a_parameter_may_be_left_out() {
    one("count", Json::Null, "count null");
}

#[test]
fn given_values_are_never_repeated_in_messages() {
    let said = check(&json!({ "id": "s3cret-a", "pin": "s3cret-b", "count": "s3cret-c", "status": "s3cret-d",
        "day": "s3cret-e", "amount": "s3cret-f", "sum": { "amount": "s3cret-g", "currency": "s3cret-h" } }));
    assert_eq!(said.lines().count(), 7, "{said}");
    assert!(!said.contains("s3cret"), "{said}");
}

#[test]
fn the_schema_takes_what_is_read_and_refuses_what_is_not() {
    let schema = schema_of_inputs(&with_parameters());
    let validator = match jsonschema::validator_for(&schema) {
        Ok(validator) => validator,
        Err(error) => panic!("{error}"),
    };
    let base = json!({ "id": "12345", "pin": "1234" });
    let mut cases = vec![base.clone(), json!({}), json!({ "id": "12345", "pin": "1234", "other": 1 })];
    for (key, value) in [
        ("id", json!("123456")),
        ("pin", json!("12345")),
        ("count", json!(7)),
        ("count", json!("7")),
        ("count", json!(9_007_199_254_740_992i64)),
        ("rate", json!("1.5")),
        ("rate", json!(1.5)),
        ("amount", json!("1.5")),
        ("amount", json!({ "amount": "1.5", "currency": "EUR" })),
        ("sum", json!("1.5")),
        ("sum", json!({ "amount": "1.5", "currency": "EUR" })),
        ("day", json!("2026-11-30")),
        ("day", json!("30.11.2026")),
        ("urgent", json!(1)),
        ("status", json!("Gone")),
        ("picture", json!("a.png")),
        ("picture", Json::Null),
    ] {
        let mut case = base.clone();
        case[key] = value;
        cases.push(case);
    }
    for case in cases {
        let empty = Map::new();
        let read = parse_inputs(&parameters(), case.as_object().unwrap_or(&empty)).is_ok();
        assert_eq!(validator.is_valid(&case), read, "{case}: {}", check(&case));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,30}") {
        for key in ["id", "rate", "amount", "day", "status"] {
            let mut given = json!({ "id": "12345", "pin": "1234" });
            given[key] = json!(text);
            let _ = check(&given);
        }
    }
}
