//! Calendar days.

use time::{Date, Month};

use super::DateOrder;
use super::number::Unread;

/// The pattern of a written date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DatePattern(Vec<Part>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Year,
    Month { padded: bool },
    Day { padded: bool },
    Mark(char),
}

impl DatePattern {
    /// Reads a pattern: year, month and day once each, with separators between them.
    pub(crate) fn parse(pattern: &str) -> Result<Self, &'static str> {
        let mut parts = Vec::new();
        let mut rest = pattern;
        while let Some(c) = rest.chars().next() {
            let run = rest.chars().take_while(|x| *x == c).count();
            let part = match (c, run) {
                ('y', 4) => Part::Year,
                ('y', _) => return Err("the year is `yyyy`"),
                ('M', 1 | 2) => Part::Month { padded: run == 2 },
                ('d', 1 | 2) => Part::Day { padded: run == 2 },
                ('.' | '/' | '-' | ' ', _) => {
                    parts.extend(std::iter::repeat_n(Part::Mark(c), run));
                    rest = &rest[run..];
                    continue;
                }
                _ => {
                    return Err(
                        "only `yyyy`, `MM`, `dd`, `M`, `d` and the separators `.`, `/`, `-` and blank are known",
                    );
                }
            };
            parts.push(part);
            rest = &rest[run * c.len_utf8()..];
        }
        let count = |f: fn(&Part) -> bool| parts.iter().filter(|p| f(p)).count();
        if count(|p| matches!(p, Part::Year)) != 1
            || count(|p| matches!(p, Part::Month { .. })) != 1
            || count(|p| matches!(p, Part::Day { .. })) != 1
        {
            return Err("year, month and day must be there once each");
        }
        let fields: Vec<Part> = parts.iter().copied().filter(|p| !matches!(p, Part::Mark(_))).collect();
        let order = matches!(
            fields[..],
            [Part::Year, Part::Month { .. }, Part::Day { .. }]
                | [Part::Day { .. }, Part::Month { .. }, Part::Year]
                | [Part::Month { .. }, Part::Day { .. }, Part::Year]
        );
        if !order {
            return Err("the order is year-month-day, day-month-year or month-day-year");
        }
        let glued = parts.windows(2).any(|w| w.iter().all(|p| !matches!(p, Part::Mark(_))));
        if glued && fields.iter().any(|p| matches!(p, Part::Month { padded: false } | Part::Day { padded: false })) {
            return Err("`M` and `d` need separators");
        }
        Ok(DatePattern(parts))
    }

    /// The order it writes in.
    pub(crate) fn order(&self) -> DateOrder {
        match self.0.iter().find(|p| !matches!(p, Part::Mark(_))) {
            Some(Part::Day { .. }) => DateOrder::DayMonthYear,
            Some(Part::Month { .. }) => DateOrder::MonthDayYear,
            _ => DateOrder::YearMonthDay,
        }
    }

    /// Writes a date.
    pub(crate) fn write(&self, date: Date) -> String {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Year => out.push_str(&format!("{:04}", date.year())),
                Part::Month { padded: true } => out.push_str(&format!("{:02}", u8::from(date.month()))),
                Part::Month { padded: false } => out.push_str(&u8::from(date.month()).to_string()),
                Part::Day { padded: true } => out.push_str(&format!("{:02}", date.day())),
                Part::Day { padded: false } => out.push_str(&date.day().to_string()),
                Part::Mark(c) => out.push(*c),
            }
        }
        out
    }
}

/// `2026-11-30`, exactly.
pub(crate) fn iso(text: &str) -> Option<Date> {
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() });
    if !shape {
        return None;
    }
    day(&text[..4], &text[5..7], &text[8..])
}

/// A date of figures in a declared order, or in either usual one where both agree. ISO is read in any case.
pub(crate) fn read(text: &str, order: Option<DateOrder>) -> Result<Date, Unread> {
    if let Some(date) = iso(text) {
        return Ok(date);
    }
    let parts = figures(text, order).ok_or(Unread::None)?;
    if let Some(order) = order {
        return in_order(&parts, order).ok_or(Unread::None);
    }
    let all = [DateOrder::DayMonthYear, DateOrder::MonthDayYear, DateOrder::YearMonthDay];
    let mut found = all.into_iter().filter_map(|o| in_order(&parts, o));
    let first = found.next().ok_or(Unread::None)?;
    if found.all(|other| other == first) { Ok(first) } else { Err(Unread::Several) }
}

/// The three figures. Eight digits without separators are read where the order is declared.
fn figures(text: &str, order: Option<DateOrder>) -> Option<[String; 3]> {
    if text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit()) {
        let cut = match order? {
            DateOrder::YearMonthDay => [0..4, 4..6, 6..8],
            DateOrder::DayMonthYear | DateOrder::MonthDayYear => [0..2, 2..4, 4..8],
        };
        return Some(cut.map(|range| text[range].to_owned()));
    }
    let mark = text.chars().find(|c| matches!(c, '.' | '/' | '-' | ' '))?;
    // `30. 11. 2026` is written with a blank behind each full stop.
    let tight = if mark == '.' { text.replace(". ", ".") } else { text.to_owned() };
    let parts: Vec<&str> = tight.split(mark).collect();
    match parts[..] {
        [a, b, c] => Some([a.to_owned(), b.to_owned(), c.to_owned()]),
        _ => None,
    }
}

fn in_order(parts: &[String; 3], order: DateOrder) -> Option<Date> {
    let [a, b, c] = parts;
    match order {
        DateOrder::MonthDayYear => day(c, a, b),
        DateOrder::DayMonthYear => day(c, b, a),
        DateOrder::YearMonthDay => day(a, b, c),
    }
}

/// The day, if the year has four figures and month and day one or two.
fn day(year: &str, month: &str, day: &str) -> Option<Date> {
    let sound = |part: &str, least: usize, most: usize| {
        (least..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    if !sound(year, 4, 4) || !sound(month, 1, 2) || !sound(day, 1, 2) {
        return None;
    }
    let month = Month::try_from(month.parse::<u8>().ok()?).ok()?;
    Date::from_calendar_date(year.parse().ok()?, month, day.parse().ok()?).ok()
}
