//! Values as screens write them.

use proptest::prelude::*;
use rust_decimal::Decimal;
use waymark_artifact::{
    CurrencyPlace, DateOrder, DisplayFormat, FormatError, Locale, MoneyValue, ReadFormat, Type, Value, display, read,
};

/// One reading a line: `TYPE FORMAT | text`, where format words are a locale, a currency, an order, `%` or `null=WORD`.
fn check(line: &str) -> String {
    let (head, text) = line.split_once(" | ").unwrap_or((line, ""));
    let mut words = head.split(' ');
    let mut currency = None;
    let mut format = ReadFormat::default();
    let kind = words.next().unwrap_or_default();
    for word in words {
        match word {
            "mdy" => format.date_order = Some(DateOrder::MonthDayYear),
            "dmy" => format.date_order = Some(DateOrder::DayMonthYear),
            "ymd" => format.date_order = Some(DateOrder::YearMonthDay),
            "%" => format.percent = true,
            w if w.starts_with("null=") => format.null_words.push(w[5..].to_owned()),
            w if w.contains('-') => format.locale = Locale::ALL.iter().copied().find(|l| l.as_str() == w),
            w if w.starts_with('~') => format.currency = Some(w[1..].to_owned()),
            w => currency = Some(w.to_owned()),
        }
    }
    let kind = match kind {
        "text" => Type::Text,
        "integer" => Type::Integer,
        "decimal" => Type::Decimal,
        "money" => Type::Money { currency },
        "date" => Type::Date,
        "boolean" => Type::Boolean,
        "enum" => Type::Enum { values: vec!["Open".into(), "Closed".into()] },
        "file" => Type::File,
        other => panic!("no type `{other}`"),
    };
    match read(&kind, &format, text) {
        Ok(Value::Money(m)) => format!("{} {}", m.amount, m.currency),
        Ok(value) => serde_json::to_string(&value).unwrap_or_default(),
        Err(FormatError::Ambiguous { why, .. }) => format!("ambiguous: {why}"),
        Err(FormatError::NotA { what, .. }) => format!("no {what}"),
        Err(other) => other.to_string(),
    }
}

#[track_caller]
fn all(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(check(line), *expected, "{line}");
    }
}

#[test]
fn money_is_the_same_however_its_sign_is_written() {
    all(&[
        ("money USD en-US | -$2,300.00", "-2300.00 USD"),
        ("money USD en-US | -$2300.00", "-2300.00 USD"),
        ("money USD en-US | ($2,300.00)", "-2300.00 USD"),
        ("money USD en-US | $(2,300.00)", "-2300.00 USD"),
        ("money USD en-US | $-2,300.00", "-2300.00 USD"),
        ("money USD en-US | $2,300.00-", "-2300.00 USD"),
        ("money USD en-US | -2,300.00 USD", "-2300.00 USD"),
        ("money USD en-US | \u{2212}$2,300.00", "-2300.00 USD"),
        ("money USD en-US | +$2,300.00", "2300.00 USD"),
        ("money USD en-US | -$0.00", "0.00 USD"),
        ("money USD en-US | $.50", "0.50 USD"),
        ("money EUR nl-NL | € -1.234,50", "-1234.50 EUR"),
        ("money USD en-US | -($2,300.00)", "no amount of money"),
        ("money USD en-US | --$2,300.00", "no amount of money"),
        ("money USD en-US | $2,300.00 CR", "no amount of money"),
        ("money USD en-US | $", "no amount of money"),
    ]);
}

#[test]
fn the_whole_text_must_be_the_value() {
    all(&[
        ("money USD en-US | $2,300.00 due", "no amount of money"),
        ("money USD en-US | $2,300.00 $2,300.00", "no amount of money"),
        ("decimal en-US | 1,23,4", "no decimal number"),
        ("decimal en-US | 1,2345", "no decimal number"),
        ("decimal en-US | 1234,567", "no decimal number"),
        ("decimal en-US | ,123", "no decimal number"),
        ("decimal en-US | 0,123", "no decimal number"),
        ("decimal en-US | 12.", "no decimal number"),
        ("decimal en-US | 1.2.3", "no decimal number"),
        ("decimal en-US | 1e5", "no decimal number"),
        ("decimal en-US | ١٢", "no decimal number"),
        ("decimal en-US | 12,345,678.90", "\"12345678.90\""),
        ("decimal en-US | 99999999999999999999999999999999", "no decimal number"),
    ]);
}

#[test]
fn the_declared_locale_decides() {
    all(&[
        ("money EUR de-DE | 1.234,50 €", "1234.50 EUR"),
        ("money fr-FR | 14\u{a0}000,12 EUR", "14000.12 EUR"),
        ("money fr-FR | 14\u{202f}000,12 €", "14000.12 EUR"),
        ("money CHF de-CH | CHF 1’234.50", "1234.50 CHF"),
        ("money CHF de-CH | 1'234.50", "1234.50 CHF"),
        ("decimal de-DE | 1.234", "\"1234\""),
        ("decimal en-US | 1.234", "\"1.234\""),
        ("decimal de-DE | 1,234.50", "no decimal number"),
        ("decimal | 1.234", "ambiguous: declare the locale"),
        ("decimal | 1,234", "ambiguous: declare the locale"),
        ("integer | 1.234", "ambiguous: declare the locale"),
        ("decimal | 1,234.50", "\"1234.50\""),
        ("decimal | 1.234,50", "\"1234.50\""),
        ("decimal | 12.00", "\"12.00\""),
        ("decimal | (12.00)", "\"-12.00\""),
        ("decimal | 12.00-", "\"-12.00\""),
        ("decimal | 0.123", "\"0.123\""),
        ("decimal | 1234", "\"1234\""),
    ]);
}

#[test]
fn a_currency_stands_there_or_is_declared_and_both_agree() {
    all(&[
        ("money en-US | $4,767.00", "4767.00 USD"),
        ("money en-CA | $4,767.00", "4767.00 CAD"),
        ("money de-DE | 5,00 $", "ambiguous: several currencies have this sign; declare the currency"),
        ("money | 12.00", "ambiguous: declare the currency"),
        ("money ~USD en-US | 12.00", "12.00 USD"),
        ("money EUR en-US | $12.00", "no amount in the declared currency"),
        ("money EUR en-US | 12.00 USD", "no amount in the declared currency"),
        ("money en-US | 12.00 ABC", "no amount of money"),
        ("money en-US | US$12.00", "12.00 USD"),
        ("money sv-SE | 1 234,50 kr", "1234.50 SEK"),
        ("money nb-NO | 1 234,50 kr", "1234.50 NOK"),
        ("money pl-PL | 1 234,50 zł", "1234.50 PLN"),
        ("money pt-BR | R$ 1.234,50", "1234.50 BRL"),
        ("decimal en-US | $12.00", "no number without a currency"),
    ]);
}

#[test]
fn a_percent_sign_is_refused_unless_declared_and_never_rescales() {
    all(&[
        ("decimal de-DE | 2,3493 %", "no number without a percent sign"),
        ("decimal de-DE % | 2,3493 %", "\"2.3493\""),
        ("decimal de-DE % | 2,3493", "no number with a percent sign"),
        ("money EUR de-DE | 2,3 %", "no amount of money"),
    ]);
}

#[test]
fn whole_numbers_stay_exact() {
    all(&[
        ("integer en-US | 1,234", "1234"),
        ("integer en-US | -7", "-7"),
        ("integer en-US | 9007199254740991", "9007199254740991"),
        ("integer en-US | 9007199254740992", "no whole number between -(2^53-1) and 2^53-1"),
        ("integer en-US | 12.0", "no whole number"),
    ]);
}

#[test]
fn dates_follow_the_declared_order_and_have_four_digit_years() {
    all(&[
        ("date mdy | 11-30-2026", "\"2026-11-30\""),
        ("date dmy | 30.11.2026", "\"2026-11-30\""),
        ("date dmy | 3.4.2026", "\"2026-04-03\""),
        ("date dmy | 30. 11. 2026", "\"2026-11-30\""),
        ("date ymd | 2026/11/30", "\"2026-11-30\""),
        ("date ymd | 20261130", "\"2026-11-30\""),
        ("date | 2026-11-30", "\"2026-11-30\""),
        ("date mdy | 2026-11-30", "\"2026-11-30\""),
        ("date | 30.11.2026", "\"2026-11-30\""),
        ("date | 05/05/2026", "\"2026-05-05\""),
        ("date | 03/04/2026", "ambiguous: declare the order of day, month and year"),
        ("date mdy | 11/30/26", "no date with a year of four digits"),
        ("date dmy | 11/30/2026", "no date with a year of four digits"),
        ("date dmy | 29.02.2026", "no date with a year of four digits"),
        ("date dmy | 30.11-2026", "no date with a year of four digits"),
        ("date | 2026-11-30T10:00", "no date with a year of four digits"),
        ("date | 20261130", "no date with a year of four digits"),
    ]);
}

#[test]
fn words_are_exact() {
    all(&[
        ("boolean | Yes", "true"),
        ("boolean | N", "false"),
        ("boolean | maybe", "no yes or no"),
        ("enum | Open", "\"Open\""),
        ("enum | open", "no word of the list"),
        ("text |   two \u{a0} words ", "\"two words\""),
        ("file | a.txt", "no file"),
    ]);
}

#[test]
fn nothing_is_null_only_where_it_is_empty_or_declared() {
    all(&[
        ("money USD en-US | ", "null"),
        ("text | \u{a0}", "null"),
        ("decimal en-US | N/A", "no decimal number"),
        ("decimal en-US null=N/A | N/A", "null"),
        ("decimal en-US null=N/A | N/A.", "no decimal number"),
    ]);
}

#[test]
fn values_are_written_plainly_unless_a_format_says_otherwise() {
    let money = Value::Money(MoneyValue { amount: Decimal::new(123_450, 2), currency: "EUR".into() });
    let date = match read(&Type::Date, &ReadFormat::default(), "2026-01-09") {
        Ok(date) => date,
        Err(error) => panic!("{error}"),
    };
    let german = DisplayFormat {
        locale: Some(Locale::DeDe),
        grouping: true,
        decimals: Some(3),
        currency: Some(CurrencyPlace::After),
        date: Some("d.M.yyyy".into()),
    };
    assert_eq!(display(&money, None), Ok("1234.50".into()));
    assert_eq!(display(&money, Some(&german)), Ok("1.234,500 EUR".into()));
    assert_eq!(display(&date, None), Ok("2026-01-09".into()));
    assert_eq!(display(&date, Some(&german)), Ok("9.1.2026".into()));
    assert_eq!(display(&Value::Boolean(true), None), Ok("true".into()));
    assert_eq!(display(&Value::Integer(-1234), Some(&german)), Ok("-1.234".into()));
    assert!(display(&Value::Null, None).is_err());
}

#[test]
fn nothing_is_rounded_and_a_refused_value_is_not_repeated() {
    let two = DisplayFormat { decimals: Some(2), ..DisplayFormat::default() };
    assert_eq!(display(&Value::Decimal(Decimal::new(10_500, 3)), Some(&two)), Ok("10.50".into()));
    match display(&Value::Decimal(Decimal::new(10_555, 3)), Some(&two)) {
        Err(error) => assert!(!error.to_string().contains("10.555"), "{error}"),
        Ok(text) => panic!("{text}"),
    }
}

fn locales() -> impl Strategy<Value = Locale> {
    proptest::sample::select(Locale::ALL)
}

fn decimals() -> impl Strategy<Value = Decimal> {
    (-999_999_999_999_999i64..=999_999_999_999_999, 0u32..=6).prop_map(|(n, scale)| Decimal::new(n, scale))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(locale in locales(), grouping: bool, n in decimals(), place in 0usize..3) {
        let currency = [None, Some(CurrencyPlace::Before), Some(CurrencyPlace::After)][place];
        let format = DisplayFormat { locale: Some(locale), grouping, currency, ..DisplayFormat::default() };
        let back = format.read_format();
        let value = Value::Decimal(n);
        let text = display(&value, Some(&format)).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(read(&Type::Decimal, &back, &text), Ok(value), "{}", text);
        let value = Value::Money(MoneyValue { amount: n, currency: "CHF".into() });
        let text = display(&value, Some(&format)).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(read(&Type::Money { currency: Some("CHF".into()) }, &back, &text), Ok(value), "{}", text);
    }

    #[test]
    fn a_written_date_is_read_again(
        days in 1_800_000..3_000_000i32,
        pattern in proptest::sample::select(&["dd.MM.yyyy", "MM/dd/yyyy", "d/M/yyyy", "yyyy-MM-dd", "ddMMyyyy", "yyyy M d"][..]),
    ) {
        let format = DisplayFormat { date: Some(pattern.into()), ..DisplayFormat::default() };
        let date = time::Date::from_julian_day(days).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let text = display(&Value::Date(date), Some(&format)).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(read(&Type::Date, &format.read_format(), &text), Ok(Value::Date(date)), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,40}", locale in proptest::option::of(locales())) {
        let format = ReadFormat { locale, ..ReadFormat::default() };
        for kind in [Type::Integer, Type::Decimal, Type::Money { currency: None }, Type::Date, Type::Boolean] {
            let _ = read(&kind, &format, &text);
        }
    }

    #[test]
    fn figures_are_never_read_as_two_numbers(text in "[0-9.,' ]{1,12}") {
        let Ok(Value::Decimal(free)) = read(&Type::Decimal, &ReadFormat::default(), &text) else { return Ok(()) };
        for locale in Locale::ALL {
            let format = ReadFormat { locale: Some(*locale), ..ReadFormat::default() };
            if let Ok(Value::Decimal(bound)) = read(&Type::Decimal, &format, &text) {
                prop_assert_eq!(free, bound, "{} in {}", text, locale.as_str());
            }
        }
    }
}
