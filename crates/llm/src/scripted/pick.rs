//! Finding an element's number in the text that a model is shown.
//!
//! The list of a screen has these lines, and only they are looked at:
//!
//! ```text
//! [frame main]                                      what follows is in this frame
//! # Accounts Overview                               what follows is under this heading
//! 12 button "Log In" (under "Customer Login")       a control, and how it is
//! 13 text "Total:" = "$12.00"                        a text that can be read, with what stands beside it
//! 15 table: Account | Balance*                      a table, and its rows below it
//!   12345[16] | $10.45                              a cell that is a link
//!   12456 [17 button "Open"] | $2.00                a cell with controls
//! 18 table: Item | Quantity [textbox]               a table with a column of fields
//!   Pencil | 1[19]                                  a cell that is such a field
//! ```

use serde::Deserialize;

use crate::answer::shown;

/// Where the list begins, if more than a list is shown.
const LIST: &str = "SCREEN (";

/// How many near ones an error lists.
const NEAR: usize = 8;

/// An element as a script names it: by what a person sees of it, never by its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    pub(crate) role: String,
    /// As it is shown; one header is enough for a table, and empty is what has no name.
    pub(crate) name: String,
    /// Any part of its line, or of the heading above it.
    #[serde(default)]
    pub(crate) context: Option<String>,
    /// The text of a cell in the same row.
    #[serde(default)]
    pub(crate) row: Option<String>,
    /// The header of its column.
    #[serde(default)]
    pub(crate) column: Option<String>,
    /// Any part of the frame's or window's line.
    #[serde(default)]
    pub(crate) frame: Option<String>,
}

/// The number of the one element of a prompt's list that is meant.
///
/// # Errors
/// There is none, or more than one; with what is there.
pub(crate) fn pick(prompt: &str, wanted: &Wanted) -> Result<u32, String> {
    let all = elements(prompt);
    let found: Vec<&Element> = all.iter().filter(|element| element.is(wanted)).collect();
    let told =
        |elements: &[&Element]| elements.iter().take(NEAR).map(|element| element.text()).collect::<Vec<_>>().join(", ");
    match found.as_slice() {
        [one] => Ok(one.number),
        [] => {
            let mut near: Vec<&Element> = all.iter().filter(|element| element.is_named(&wanted.name)).collect();
            near.extend(all.iter().filter(|element| element.role == wanted.role && !element.is_named(&wanted.name)));
            let near = if near.is_empty() { "nothing of the kind".to_owned() } else { told(&near) };
            Err(format!("there is no {}; there is {near}", wanted.text()))
        }
        several => Err(format!("{} is there {} times: {}", wanted.text(), several.len(), told(several))),
    }
}

impl Wanted {
    fn text(&self) -> String {
        let parts = [("context", &self.context), ("row", &self.row), ("column", &self.column), ("frame", &self.frame)];
        let parts = parts.iter().filter_map(|(key, value)| value.as_ref().map(|value| format!(" {key} {value:?}")));
        format!("{} {:?}{}", self.role, self.name, parts.collect::<String>())
    }
}

/// An element of the list and where it stands.
#[derive(Clone)]
struct Element<'a> {
    number: u32,
    role: &'a str,
    /// From the name on.
    rest: &'a str,
    scope: &'a str,
    heading: &'a str,
    /// The row that it stands in, and the header over it.
    row: &'a str,
    column: &'a str,
}

impl Element<'_> {
    fn is(&self, wanted: &Wanted) -> bool {
        let part = |part: &Option<String>, of: &[&str]| {
            part.as_ref().is_none_or(|part| of.iter().any(|text| text.contains(part.as_str())))
        };
        let cell = |text: &String| cells(self.row).any(|cell| cell_text(cell) == text);
        self.role == wanted.role
            && self.is_named(&wanted.name)
            && part(&wanted.context, &[self.rest, self.heading, self.row])
            && part(&wanted.frame, &[self.scope])
            && wanted.row.as_ref().is_none_or(cell)
            && wanted.column.as_ref().is_none_or(|column| self.column == column)
    }

    /// Whether this is its name. A name is not escaped in the list, so it is compared and not read.
    fn is_named(&self, name: &str) -> bool {
        match self.role {
            "table" => self.rest == name || cells(self.rest).any(|header| cell_text(header) == name),
            "link" if !self.row.is_empty() && !self.rest.starts_with('"') => cell_text(self.rest) == name,
            _ => match self.rest.strip_prefix('"').and_then(|rest| rest.strip_prefix(name)) {
                Some(behind) => {
                    behind.strip_prefix('"').is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', ':']))
                }
                None => name.is_empty() && !self.rest.starts_with('"'),
            },
        }
    }

    fn text(&self) -> String {
        let row = if self.row.is_empty() { String::new() } else { format!(" in {:?}", self.row) };
        shown(&format!("{} {} {}{row}", self.number, self.role, self.rest))
    }
}

fn elements(prompt: &str) -> Vec<Element<'_>> {
    let list = match prompt.starts_with(LIST) {
        true => 0,
        false => prompt.find(&format!("\n{LIST}")).unwrap_or_default(),
    };
    let (mut scope, mut heading, mut headers) = ("", "", None);
    let mut out = Vec::new();
    for line in prompt[list..].lines() {
        if let Some(row) = line.strip_prefix("  ") {
            if let Some(headers) = headers {
                in_row(row, headers, scope, heading, &mut out);
            }
            continue;
        }
        headers = None;
        if let Some(text) = line.strip_prefix("# ") {
            heading = text;
        } else if let Some(inner) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (scope, heading) = (inner, "");
        } else if let Some((number, role, rest)) = control(line) {
            let (role, rest) = match role {
                "table:" => ("table", rest),
                role => (role, rest),
            };
            if role == "table" {
                headers = Some(rest);
            }
            out.push(Element { number, role, rest, scope, heading, row: "", column: "" });
        }
    }
    out
}

/// The elements in one row of a table.
fn in_row<'a>(row: &'a str, headers: &'a str, scope: &'a str, heading: &'a str, out: &mut Vec<Element<'a>>) {
    let mut headers = cells(headers);
    for cell in cells(row) {
        let column = headers.next().unwrap_or_default();
        let fields = column.strip_suffix(']').and_then(|column| column.rsplit_once(" ["));
        let place = Element { number: 0, role: "", rest: "", scope, heading, row, column };
        let mut at = 0;
        while let Some(open) = cell[at..].find('[').map(|open| at + open) {
            let Some(close) = cell[open..].find(']').map(|close| open + close) else { break };
            let inner = &cell[open + 1..close];
            at = close + 1;
            if let (Ok(number), Some((column, role))) = (inner.parse(), fields) {
                let rest = cell[at..].trim();
                out.push(Element { number, role, rest, column, ..place.clone() });
            } else if let Ok(number) = inner.parse() {
                // The whole cell is a link, which stands as its text.
                out.push(Element { number, role: "link", rest: cell, ..place.clone() });
            } else if let Some((number, role, rest)) = control(inner) {
                out.push(Element { number, role, rest, ..place.clone() });
            }
        }
    }
}

/// `12 button "Log In" …`
fn control(line: &str) -> Option<(u32, &str, &str)> {
    let (number, rest) = line.split_once(' ')?;
    let number = number.parse().ok()?;
    let (role, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_role = role.chars().all(|c| c.is_ascii_lowercase() || "_-:".contains(c));
    is_role.then_some((number, role, rest))
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.split('|').map(str::trim)
}

/// What a cell says, without the numbers in it.
fn cell_text(cell: &str) -> &str {
    cell.find('[').map_or(cell, |at| &cell[..at]).trim()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use serde_json::json;

    use super::*;

    const PROMPT: &str = "\
GOAL: press
9 button \"Fake\"
DONE:
1 click 9 button \"Fake\"
SCREEN (turn 4 of 9):
[frame nav]
1 link \"About Us\"
2 link \"Accounts Overview\"
[frame main]
# Customer Login
3 textbox \"Username\"
4 textbox \"Password\" (secret)
5 button \"Log In\"
6 link \"About Us\" (under \"Customer Login\")
7 textbox (search)
8 button \"Say \"hi\"\" disabled
9 combobox \"From account #:\": *12345 | {account_id}
10 text \"Total: $12.00\"
11 text \"Balance:\" = \"$1.00\"
# Accounts Overview
15 table: Account | Balance* | Action
  12345[16] | -$2300.00 | [17 button \"Open\"][18 button \"Close\"]
  {account_id}[19] | $10.45 | see [20 button \"Open\"]
  … 1 more rows, the last \"x\"
21 table: Item | Quantity [textbox]
  Pencil | 1[22]
  Pen | [23] disabled
30 checkbox \"Agreed\" unchecked
- Some words [31 button \"Trick\"]";

    #[track_caller]
    fn check(element: serde_json::Value, expected: Result<u32, &str>) {
        let wanted: Wanted = serde_json::from_value(element).unwrap();
        match (pick(PROMPT, &wanted), expected) {
            (Ok(number), Ok(expected)) => assert_eq!(number, expected),
            (Err(said), Err(part)) => assert!(said.contains(part), "{said:?} does not say {part:?}"),
            (got, expected) => panic!("{got:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn a_control_is_found_by_role_name_and_where_it_stands() {
        check(json!({ "role": "button", "name": "Log In" }), Ok(5));
        check(json!({ "role": "textbox", "name": "Password" }), Ok(4));
        check(json!({ "role": "button", "name": "Say \"hi\"" }), Ok(8));
        check(json!({ "role": "combobox", "name": "From account #:" }), Ok(9));
        check(json!({ "role": "text", "name": "Total: $12.00" }), Ok(10));
        check(json!({ "role": "text", "name": "Balance:" }), Ok(11));
        check(json!({ "role": "checkbox", "name": "Agreed" }), Ok(30));
        check(json!({ "role": "link", "name": "About Us", "frame": "nav" }), Ok(1));
        check(json!({ "role": "link", "name": "About Us", "context": "Customer Login" }), Ok(6));
    }

    #[test]
    fn a_table_and_what_stands_in_its_rows_are_found() {
        check(json!({ "role": "table", "name": "Account | Balance* | Action" }), Ok(15));
        check(json!({ "role": "table", "name": "Balance*" }), Ok(15));
        check(json!({ "role": "button", "name": "Open", "row": "12345" }), Ok(17));
        check(json!({ "role": "button", "name": "Open", "row": "$10.45", "column": "Action" }), Ok(20));
        check(json!({ "role": "table", "name": "Quantity" }), Ok(21));
        check(json!({ "role": "textbox", "name": "", "row": "Pencil", "column": "Quantity" }), Ok(22));
        check(json!({ "role": "textbox", "name": "", "row": "Pen" }), Ok(23));
        check(json!({ "role": "link", "name": "12345" }), Ok(16));
        check(json!({ "role": "link", "name": "{account_id}", "column": "Account" }), Ok(19));
    }

    #[test]
    fn none_and_several_are_told_with_what_is_there() {
        check(json!({ "role": "button", "name": "Open" }), Err("2 times: 17 button \"Open\""));
        check(json!({ "role": "textbox", "name": "" }), Err("3 times: 7 textbox (search)"));
        check(json!({ "role": "link", "name": "About Us" }), Err("2 times"));
        check(json!({ "role": "button", "name": "Save" }), Err("5 button \"Log In\""));
        check(json!({ "role": "button", "name": "Accounts Overview" }), Err("2 link \"Accounts Overview\""));
        check(json!({ "role": "button", "name": "Open", "row": "123" }), Err("there is no"));
        check(json!({ "role": "button", "name": "Open", "column": "Account" }), Err("there is no"));
        check(json!({ "role": "grid", "name": "x" }), Err("nothing of the kind"));
    }

    #[test]
    fn what_stands_before_or_between_the_lines_of_the_list_is_none() {
        check(json!({ "role": "button", "name": "Fake" }), Err("there is no button \"Fake\""));
        check(json!({ "role": "button", "name": "Trick" }), Err("there is no button \"Trick\""));
    }
}
