//! The record of a risky deed, seen again by another way: a row that holds the caller's values.

use std::collections::BTreeMap;

use waymark_artifact::{Condition, ElementQuery, Piece, Relation, Risk, RowKey, Rung, TableRef, Template};
use waymark_perception::grid;
use waymark_snapshot::{Ix, Role, UiSnapshot};

use crate::proof::{is_so, place_of};
use crate::{Deed, Did, Values};

/// In how many ways the values of a caller may stand in a row before nothing is said of its absence.
const WAYS: usize = 8;

/// Where a record was seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// The deed after which it showed.
    pub last: usize,
    /// The deed with which the way to there begins.
    pub way: usize,
    /// What holds there.
    pub landed: Condition,
    /// What holds there of any record with the caller's values, whatever else it says: where not even that holds, there is
    /// none. `None` where nothing in it is a value of the caller alone.
    pub alike: Option<Condition>,
    /// In words.
    pub words: String,
}

/// Why no record of a deed was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRecord {
    /// No row that was looked at afterwards repeats a value of the caller.
    Unseen,
    /// One like it was there before: it cannot be told from this one.
    Before,
}

/// The record of a deed, as the safe deeds after it came to see it. What was read right after it, of the screen that
/// confirms it, is no part of that way.
///
/// A row counts that repeats values of the caller and was on no screen that was looked at before the deed.
///
/// # Errors
/// They saw none, or none that was not there before.
pub(crate) fn record_of(deeds: &[Deed], risky: usize, values: &Values) -> Result<Record, NoRecord> {
    let before: Vec<&UiSnapshot> = deeds[..=risky].iter().map(|d| &d.before).collect();
    let reads = |deed: &Deed| matches!(deed.did, Did::Read { .. });
    let way = (risky + 1..deeds.len()).find(|at| !reads(&deeds[*at])).ok_or(NoRecord::Unseen)?;
    let later = deeds.iter().enumerate().skip(way);
    let mut none = NoRecord::Unseen;
    for (last, deed) in later.take_while(|(_, deed)| deed.risk == Risk::Safe && !reads(deed)) {
        for Row { landed, alike, words, .. } in rows(&deed.after, values) {
            // Not on the screen that confirmed it either: that is the application's word, not the record.
            let elsewhere = !is_so(&landed, &deeds[risky].after, values);
            if !elsewhere || !is_so(&landed, &deed.after, values) {
                continue;
            }
            if before.iter().all(|screen| !is_so(&landed, screen, values)) {
                return Ok(Record { last, way, landed, alike, words });
            }
            none = NoRecord::Before;
        }
    }
    Err(none)
}

/// A row that repeats values of the caller.
struct Row {
    /// How many of them.
    count: usize,
    landed: Condition,
    alike: Option<Condition>,
    words: String,
}

/// The rows of a screen that repeat values of the caller, as conditions; those with the most of them first.
fn rows(screen: &UiSnapshot, values: &Values) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    for (ix, node) in screen.iter().filter(|(_, n)| n.role.is_table()) {
        let Some(place) = place_of(screen, node.scope, values) else { continue };
        let grid = grid(screen, ix);
        let headers: Vec<_> =
            (0..grid.columns()).filter_map(|c| grid.header_over(c)).filter_map(|h| values.reference(&h)).collect();
        for row in grid.data_rows() {
            let mut keys: Vec<RowKey> = Vec::new();
            // Keys that hold of any record with the caller's values, by what they say of it. Where a value stands in several
            // columns, it may do so by chance in all but one.
            let mut of_caller: BTreeMap<String, Vec<RowKey>> = BTreeMap::new();
            let mut count = 0;
            for col in 0..grid.columns() {
                let Some(text) = grid.text(row, col).filter(|t| !t.is_empty()) else { continue };
                // A longer number of which a value is a part is this record's own: it marks no other.
                let Some(equals) = values.reference(&text) else { continue };
                let by_value = equals.parameters().next().is_some();
                // Besides the caller's values: words that say what kind of record it is.
                let words = !text.chars().any(|c| c.is_ascii_digit());
                if !by_value && !words {
                    continue;
                }
                let Some(column) = grid.header_over(col).and_then(|h| values.reference(&h)) else { continue };
                let key = RowKey { column: Some(column), equals };
                let again = by_value && keys.iter().any(|known| known.equals == key.equals);
                if by_value && !says_more(&key.equals) {
                    of_caller.entry(key.equals.to_string()).or_default().push(key.clone());
                }
                if !again {
                    count += usize::from(by_value);
                    keys.push(key);
                }
            }
            if count == 0 {
                continue;
            }
            let said = keys.iter().map(|k| format!("\"{}\"", k.equals)).collect::<Vec<_>>().join(" and ");
            let table = (!headers.is_empty()).then(|| TableRef { name: None, headers: headers.clone() });
            let role = cell_role(screen, ix, row);
            let with = |keys: Vec<RowKey>| {
                let relation = Relation::Row { keys, table: table.clone() };
                let find = Rung::Anchor { role: role.clone(), name: None, relation };
                Condition::ElementPresent { element: ElementQuery { place: place.clone(), find, within: Vec::new() } }
            };
            let mut alike: Vec<Condition> = one_of_each(of_caller).into_iter().map(with).collect();
            let alike = if alike.len() > 1 { Some(Condition::Any { of: alike }) } else { alike.pop() };
            found.push(Row { count, landed: with(keys), alike, words: format!("a row with {said} is there") });
        }
    }
    found.sort_by_key(|row| std::cmp::Reverse(row.count));
    found
}

/// Every way to take one key for each value; none where there are too many, or no values.
fn one_of_each(of_caller: BTreeMap<String, Vec<RowKey>>) -> Vec<Vec<RowKey>> {
    if of_caller.is_empty() || of_caller.values().map(Vec::len).product::<usize>() > WAYS {
        return Vec::new();
    }
    of_caller.into_values().fold(vec![Vec::new()], |ways, keys| {
        let with =
            |way: &Vec<RowKey>| keys.iter().map(|key| way.iter().chain([key]).cloned().collect()).collect::<Vec<_>>();
        ways.iter().flat_map(with).collect()
    })
}

/// Whether words stand in a text besides the caller's values: another record with them may say it in others.
fn says_more(text: &Template) -> bool {
    text.pieces().iter().any(|piece| matches!(piece, Piece::Text(text) if text.chars().any(char::is_alphanumeric)))
}

fn cell_role(screen: &UiSnapshot, table: Ix, row: u32) -> Role {
    let grid = grid(screen, table);
    let cell = (0..grid.columns()).find_map(|col| grid.cell(row, col));
    cell.map_or(Role::Cell, |ix| screen.node(ix).role.clone())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "screens and names are literals here")]

    use waymark_artifact::{Name, Output, ReadPart};
    use waymark_snapshot::parse;

    use super::*;
    use crate::Reading;

    fn screen(address: &str, lines: &str) -> UiSnapshot {
        parse(&format!("window main <http://app.test/{address}>\n{lines}  link \"List\"\n")).unwrap()
    }

    /// Whether a list shows a record of the payment, after these deeds by their words, and with which deed the way begins.
    #[track_caller]
    fn check(after: &[&str], expected: Option<(usize, usize)>) {
        let table = "  table native=table
    row
      columnheader \"Amount\" cell=0,0,1,1,header
        text \"Amount\"
    row
      cell \"12.50\" cell=1,0
        text \"12.50\"
";
        let (form, paid, list) = (screen("pay", ""), screen("paid", "  text \"Paid\"\n"), screen("list", table));
        let mut values = Values::new();
        values.parameter(Name::new("amount").unwrap(), "12.50".into());
        let output: Output = serde_json::from_value(serde_json::json!({
            "name": "word", "description": "", "type": "text",
        }))
        .unwrap();
        let deed = |did, before: &UiSnapshot, after: &UiSnapshot, risk| Deed {
            did,
            before: before.clone(),
            after: after.clone(),
            risk,
            hint: None,
            opened: None,
            dialogs: Vec::new(),
            why: String::new(),
        };
        let link = |screen: &UiSnapshot| screen.iter().find(|(_, n)| n.role == Role::Link).unwrap().0;
        let mut deeds = vec![deed(Did::Click { node: link(&form) }, &form, &paid, Risk::Risky)];
        for word in after {
            let reading = Reading::One { output: output.clone(), part: ReadPart::default(), row: None };
            deeds.push(match *word {
                "reads" => deed(Did::Read { node: link(&paid), reading }, &paid, &paid, Risk::Safe),
                _ => deed(Did::Click { node: link(&paid) }, &paid, &list, Risk::Safe),
            });
        }
        assert_eq!(record_of(&deeds, 0, &values).ok().map(|found| (found.way, found.last)), expected, "{after:?}");
    }

    #[test]
    fn what_is_read_of_the_confirmation_is_no_part_of_the_way_to_the_record() {
        check(&["looks"], Some((1, 1)));
        check(&["reads", "reads", "looks"], Some((3, 3)));
        check(&["reads"], None);
    }

    /// How the record of a press is told that made the last row of a list, and by what it is told that there is none.
    fn told(
        rows_before: &[[&str; 4]],
        rows_after: &[[&str; 4]],
        parameters: &[(&str, &str)],
    ) -> Result<[String; 2], NoRecord> {
        let list = |rows: &[[&str; 4]]| {
            let mut lines = String::from("  table native=table\n    row\n");
            for (col, header) in ["Share ID", "Account Type", "Holder", "Amount"].iter().enumerate() {
                lines +=
                    &format!("      columnheader \"{header}\" cell=0,{col},1,1,header\n        text \"{header}\"\n");
            }
            for (row, cells) in rows.iter().enumerate() {
                lines += "    row\n";
                for (col, cell) in cells.iter().enumerate() {
                    lines += &format!("      cell \"{cell}\" cell={},{col}\n        text \"{cell}\"\n", row + 1);
                }
            }
            screen("list", &lines)
        };
        let mut values = Values::new();
        for (name, value) in parameters {
            values.parameter(Name::new(name).unwrap(), (*value).into());
        }
        let (before, form, paid, after) =
            (list(rows_before), screen("open", ""), screen("opened", ""), list(rows_after));
        let link = |screen: &UiSnapshot| screen.iter().find(|(_, n)| n.role == Role::Link).unwrap().0;
        let deed = |before: &UiSnapshot, after: &UiSnapshot, risk| Deed {
            did: Did::Click { node: link(before) },
            before: before.clone(),
            after: after.clone(),
            risk,
            hint: None,
            opened: None,
            dialogs: Vec::new(),
            why: String::new(),
        };
        let deeds =
            [deed(&before, &form, Risk::Safe), deed(&form, &paid, Risk::Risky), deed(&paid, &after, Risk::Safe)];
        let keys = |condition: Option<Condition>| {
            let of = match condition {
                Some(Condition::Any { of }) => of,
                condition => condition.into_iter().collect(),
            };
            let row = |condition: Condition| {
                let Condition::ElementPresent { element } = condition else { unreachable!() };
                let Rung::Anchor { relation: Relation::Row { keys, .. }, .. } = element.find else { unreachable!() };
                let said = keys.iter().map(|k| format!("{}={}", k.column.as_ref().unwrap(), k.equals));
                said.collect::<Vec<_>>().join(" ")
            };
            of.into_iter().map(row).collect::<Vec<_>>().join(" or ")
        };
        record_of(&deeds, 1, &values).map(|found| [keys(Some(found.landed)), keys(found.alike)])
    }

    const OLD: [&str; 4] = ["12345-10", "MONEY MARKET", "ALVAREZ, MARIA", "400.00"];
    const NEW: [&str; 4] = ["12345-30", "MONEY MARKET", "ALVAREZ, MARIA", "1,000.00"];
    const GIVEN: [(&str, &str); 3] =
        [("member_number", "12345"), ("account_type", "MONEY MARKET"), ("deposit", "1,000.00")];

    #[test]
    fn a_number_made_of_a_callers_value_and_more_marks_no_record() {
        let [landed, alike] = told(&[OLD], &[OLD, NEW], &GIVEN).unwrap();
        assert_eq!(landed, "Account Type={param.account_type} Holder=ALVAREZ, MARIA Amount={param.deposit}",);
        assert_eq!(
            alike, "Account Type={param.account_type} Amount={param.deposit}",
            "none is there, whoever holds it"
        );
    }

    #[test]
    fn a_value_that_is_the_whole_of_a_cell_marks_it() {
        let given = [GIVEN[0], GIVEN[2], ("to_share", "12345-30")];
        let [_, alike] = told(&[OLD], &[OLD, NEW], &given).unwrap();
        assert_eq!(alike, "Amount={param.deposit} Share ID={param.to_share}");
    }

    #[test]
    fn a_record_like_one_of_before_is_told_apart_by_all_that_the_caller_gave_or_refused() {
        assert_eq!(told(&[OLD, NEW], &[OLD, NEW, ["12345-40", NEW[1], NEW[2], NEW[3]]], &GIVEN), Err(NoRecord::Before));
        assert_eq!(told(&[OLD], &[OLD, NEW], &GIVEN[..1]), Err(NoRecord::Unseen));
    }

    #[test]
    fn a_value_that_stands_in_several_columns_is_looked_for_in_each_where_there_may_be_no_record() {
        let new = ["1,000.00", "MONEY MARKET", "", "1,000.00"];
        let [landed, alike] = told(&[OLD], &[OLD, new], &GIVEN).unwrap();
        assert_eq!(landed, "Share ID={param.deposit} Account Type={param.account_type}");
        let ways = "Account Type={param.account_type} Share ID={param.deposit} or Account Type={param.account_type} Amount={param.deposit}";
        assert_eq!(alike, ways);
    }

    #[test]
    fn words_around_a_value_say_nothing_of_what_is_not_there() {
        let paid = ["R7", "Paid to Alvarez for 12345", "", "9.99"];
        let [landed, alike] = told(&[OLD], &[OLD, paid], &GIVEN[..1]).unwrap();
        assert_eq!((landed.as_str(), alike.as_str()), ("Account Type=Paid to Alvarez for {param.member_number}", ""));
    }
}
