//! The record of a risky deed, seen again by another way: a row that holds the caller's values.

use waymark_artifact::{Condition, ElementQuery, Relation, Risk, RowKey, Rung, TableRef};
use waymark_perception::grid;
use waymark_snapshot::{Ix, Role, UiSnapshot};

use crate::proof::{is_so, place_of};
use crate::{Deed, Did, Values};

/// Where a record was seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// The deed after which it showed.
    pub last: usize,
    /// The deed with which the way to there begins.
    pub way: usize,
    /// What holds there.
    pub landed: Condition,
    /// In words.
    pub words: String,
}

/// The record of a deed, as the safe deeds after it came to see it; `None` where they saw none. What was read right after
/// it, of the screen that confirms it, is no part of that way.
///
/// A row counts that repeats values of the caller and was on no screen that was looked at before the deed.
pub(crate) fn record_of(deeds: &[Deed], risky: usize, values: &Values) -> Option<Record> {
    let before: Vec<&UiSnapshot> = deeds[..=risky].iter().map(|d| &d.before).collect();
    let reads = |deed: &Deed| matches!(deed.did, Did::Read { .. });
    let way = (risky + 1..deeds.len()).find(|at| !reads(&deeds[*at]))?;
    let later = deeds.iter().enumerate().skip(way);
    later.take_while(|(_, deed)| deed.risk == Risk::Safe && !reads(deed)).find_map(|(last, deed)| {
        rows(&deed.after, values).into_iter().find_map(|(landed, words)| {
            let new = before.iter().all(|screen| !is_so(&landed, screen, values));
            // Not on the screen that confirmed it either: that is the application's word, not the record.
            let elsewhere = !is_so(&landed, &deeds[risky].after, values);
            (new && elsewhere && is_so(&landed, &deed.after, values)).then_some(Record { last, way, landed, words })
        })
    })
}

/// The rows of a screen that repeat values of the caller, as conditions; those with the most of them first.
fn rows(screen: &UiSnapshot, values: &Values) -> Vec<(Condition, String)> {
    let mut found: Vec<(usize, Condition, String)> = Vec::new();
    for (ix, node) in screen.iter().filter(|(_, n)| n.role.is_table()) {
        let Some(place) = place_of(screen, node.scope, values) else { continue };
        let grid = grid(screen, ix);
        let headers: Vec<_> =
            (0..grid.columns()).filter_map(|c| grid.header_over(c)).filter_map(|h| values.reference(&h)).collect();
        for row in grid.data_rows() {
            let mut keys = Vec::new();
            let mut count = 0;
            for col in 0..grid.columns() {
                let Some(text) = grid.text(row, col).filter(|t| !t.is_empty()) else { continue };
                let Some(equals) = values.reference(&text) else { continue };
                let by_value = equals.parameters().next().is_some();
                // Besides the caller's values: words that say what kind of record it is.
                let words = !text.chars().any(|c| c.is_ascii_digit());
                if !by_value && !words {
                    continue;
                }
                let Some(column) = grid.header_over(col).and_then(|h| values.reference(&h)) else { continue };
                count += usize::from(by_value);
                keys.push(RowKey { column: Some(column), equals });
            }
            if count == 0 {
                continue;
            }
            let said = keys.iter().map(|k| format!("\"{}\"", k.equals)).collect::<Vec<_>>().join(" and ");
            let table = (!headers.is_empty()).then(|| TableRef { name: None, headers: headers.clone() });
            let role = cell_role(screen, ix, row);
            let find = Rung::Anchor { role, name: None, relation: Relation::Row { keys, table } };
            let element = ElementQuery { place: place.clone(), find, within: Vec::new() };
            found.push((count, Condition::ElementPresent { element }, format!("a row with {said} is there")));
        }
    }
    found.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    found.into_iter().map(|(_, condition, words)| (condition, words)).collect()
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
            let reading = Reading::One { output: output.clone(), part: ReadPart::default() };
            deeds.push(match *word {
                "reads" => deed(Did::Read { node: link(&paid), reading }, &paid, &paid, Risk::Safe),
                _ => deed(Did::Click { node: link(&paid) }, &paid, &list, Risk::Safe),
            });
        }
        assert_eq!(record_of(&deeds, 0, &values).map(|found| (found.way, found.last)), expected, "{after:?}");
    }

    #[test]
    fn what_is_read_of_the_confirmation_is_no_part_of_the_way_to_the_record() {
        check(&["looks"], Some((1, 1)));
        check(&["reads", "reads", "looks"], Some((3, 3)));
        check(&["reads"], None);
    }
}
