//! Amounts and dates as a tenant writes them.

use time::Date;

use super::words::Variant;
use crate::parabank::bank::parse_cents;

/// `1,234.56` or `1.234,56`; what is owed has its sign behind, as the host prints it: `52.18-`.
pub(super) fn money(cents: i64, variant: Variant) -> String {
    let (group, point) = marks(variant);
    let size = cents.unsigned_abs();
    let digits = (size / 100).to_string();
    let mut whole = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            whole.push(group);
        }
        whole.push(digit);
    }
    let sign = if cents < 0 { "-" } else { "" };
    format!("{whole}{point}{:02}{sign}", size % 100)
}

/// Cents of an amount as this tenant writes it, with or without marks between the thousands.
pub(super) fn cents(text: &str, variant: Variant) -> Option<i64> {
    let (group, point) = marks(variant);
    let (whole, part) = match text.split_once(point) {
        Some((whole, part)) => (whole, Some(part)),
        None => (text, None),
    };
    let mut groups = whole.split(group);
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let well_formed = rest.is_empty() || ((1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3));
    if !well_formed || part.is_some_and(|part| part.contains(group)) {
        return None;
    }
    let plain = whole.replace(group, "");
    parse_cents(&part.map_or(plain.clone(), |part| format!("{plain}.{part}")))
}

/// `09/14/2026` or `14.09.2026`.
pub(super) fn date(date: Date, variant: Variant) -> String {
    let (day, month, year) = (date.day(), u8::from(date.month()), date.year());
    if variant.is_continental() {
        format!("{day:02}.{month:02}.{year:04}")
    } else {
        format!("{month:02}/{day:02}/{year:04}")
    }
}

fn marks(variant: Variant) -> (char, char) {
    if variant.is_continental() { ('.', ',') } else { (',', '.') }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an amount is read as, and how that is printed.
    fn check(text: &str, variant: Variant, expected: Option<(i64, &str)>) {
        let read = cents(text, variant);
        assert_eq!(read, expected.map(|(cents, _)| cents), "{text}");
        if let (Some(cents), Some((_, printed))) = (read, expected) {
            assert_eq!(money(cents, variant), printed);
        }
    }

    #[test]
    fn amounts_are_read_and_printed_as_the_tenant_writes_them() {
        check("1,234.56", Variant::A, Some((123_456, "1,234.56")));
        check("1234567.5", Variant::B, Some((123_456_750, "1,234,567.50")));
        check("100", Variant::A, Some((10_000, "100.00")));
        check("1.234,56", Variant::C, Some((123_456, "1.234,56")));
        check("1.234", Variant::C, Some((123_400, "1.234,00")));
        check("0,05", Variant::C, Some((5, "0,05")));
        assert_eq!(money(-5_218, Variant::A), "52.18-");
    }

    #[test]
    fn an_amount_of_another_tenant_is_no_amount() {
        check("1.234", Variant::A, None);
        check("1.234,56", Variant::A, None);
        check("1,234.56", Variant::C, None);
        check("12,34.00", Variant::A, None);
        check("1,,234.00", Variant::A, None);
        check("", Variant::A, None);
        check("$5.00", Variant::A, None);
    }
}
