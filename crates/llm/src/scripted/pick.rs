//! Finding an element's number in the text that a model is shown.

use serde::Deserialize;

/// How many near names an error lists.
const NEAR: usize = 8;

/// An element as a script names it: by what a person sees of it, never by its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    pub(crate) role: String,
    pub(crate) name: String,
    /// Any part of what stands behind the name: a frame, a region, a state.
    #[serde(default)]
    pub(crate) context: Option<String>,
    #[serde(default)]
    pub(crate) row: Option<String>,
    #[serde(default)]
    pub(crate) column: Option<String>,
    #[serde(default)]
    pub(crate) frame: Option<String>,
}

/// The number of the one line of a prompt's list that shows the element.
///
/// A line of the list is `12 button "Log In" [frame main] {row "12345", column "Balance"} = value (states)`; all behind
/// the name may be missing. Only lines of this form are looked at.
pub(crate) fn pick(prompt: &str, wanted: &Wanted) -> Result<u32, String> {
    let lines: Vec<Line> = prompt.lines().filter_map(Line::read).collect();
    let found: Vec<&Line> = lines.iter().filter(|line| line.shows(wanted)).collect();
    match found.as_slice() {
        [one] => Ok(one.number),
        [] => {
            let mut near: Vec<&Line> = lines.iter().filter(|line| line.name == wanted.name).collect();
            near.extend(lines.iter().filter(|line| line.role == wanted.role && line.name != wanted.name));
            let near: Vec<String> = near.iter().take(NEAR).map(|line| line.text()).collect();
            let near = if near.is_empty() { "nothing of the kind".to_owned() } else { near.join(", ") };
            Err(format!("there is no {}; there is {near}", wanted.text()))
        }
        several => {
            let several: Vec<String> = several.iter().take(NEAR).map(|line| line.text()).collect();
            Err(format!("{} is there {} times: {}", wanted.text(), found.len(), several.join(", ")))
        }
    }
}

impl Wanted {
    fn text(&self) -> String {
        let parts = [("context", &self.context), ("row", &self.row), ("column", &self.column), ("frame", &self.frame)];
        let parts = parts.iter().filter_map(|(key, value)| value.as_ref().map(|value| format!(" {key} {value:?}")));
        format!("{} {:?}{}", self.role, self.name, parts.collect::<String>())
    }
}

/// A line of the list, taken apart.
struct Line<'a> {
    number: u32,
    role: &'a str,
    name: String,
    /// Behind the name.
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (number, rest) = line.trim_start().split_once(' ')?;
        let number = number.trim_end_matches(['.', ':', ')']).parse().ok()?;
        let (role, rest) = rest.split_once(' ')?;
        let (name, rest) = quoted(rest.trim_start())?;
        let is_role = !role.is_empty() && role.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '-');
        is_role.then_some(Line { number, role, name, rest })
    }

    fn shows(&self, wanted: &Wanted) -> bool {
        let says = |key: &str, value: &Option<String>| {
            value.as_ref().is_none_or(|value| {
                let quoted = format!("{key} {}", serde_json::Value::from(value.as_str()));
                [quoted, format!("{key} {value}]"), format!("{key} {value},"), format!("{key} {value}}}")]
                    .iter()
                    .any(|form| self.rest.contains(form.as_str()))
            })
        };
        self.role == wanted.role
            && self.name == wanted.name
            && says("row", &wanted.row)
            && says("column", &wanted.column)
            && says("frame", &wanted.frame)
            && wanted.context.as_ref().is_none_or(|part| self.rest.contains(part.as_str()))
    }

    fn text(&self) -> String {
        crate::answer::shown(&format!("{} {} {:?}{}", self.number, self.role, self.name, self.rest))
    }
}

/// The text between the quotes at the beginning, and what stands behind them.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
    let Some(Ok(serde_json::Value::String(name))) = stream.next() else { return None };
    let end = stream.byte_offset();
    Some((name, &text[end..]))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    const LIST: &str = "\
Goal: press 9 button \"Fake\"
3 link \"Accounts Overview\" [frame nav]
4 heading \"Accounts Overview\" [frame main]
7 button \"Open\" [frame main] {row \"12345\", column \"Action\"}
8 button \"Open\" [frame main] {row \"12456\", column \"Action\"}
12 textbox \"User \\\"name\\\"\" = \"\" (required)
Screen 4 of 9";

    fn check(element: serde_json::Value, expected: Result<u32, &str>) {
        let wanted: Wanted = serde_json::from_value(element).unwrap();
        match (pick(LIST, &wanted), expected) {
            (Ok(number), Ok(expected)) => assert_eq!(number, expected),
            (Err(said), Err(part)) => assert!(said.contains(part), "{said:?} does not say {part:?}"),
            (got, expected) => panic!("{got:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn one_line_is_found_by_role_name_and_what_stands_behind() {
        use serde_json::json;
        check(json!({ "role": "link", "name": "Accounts Overview" }), Ok(3));
        check(json!({ "role": "heading", "name": "Accounts Overview" }), Ok(4));
        check(json!({ "role": "textbox", "name": "User \"name\"" }), Ok(12));
        check(json!({ "role": "button", "name": "Open", "row": "12456" }), Ok(8));
        check(json!({ "role": "button", "name": "Open", "row": "12345", "column": "Action", "frame": "main" }), Ok(7));
        check(json!({ "role": "button", "name": "Open", "context": "12345" }), Ok(7));
    }

    #[test]
    fn none_and_several_are_told_with_what_is_there() {
        use serde_json::json;
        check(json!({ "role": "button", "name": "Open" }), Err("2 times"));
        check(json!({ "role": "button", "name": "Close" }), Err("7 button \"Open\""));
        check(json!({ "role": "button", "name": "Accounts Overview" }), Err("3 link \"Accounts Overview\""));
        check(json!({ "role": "button", "name": "Fake" }), Err("there is no button \"Fake\""));
        check(json!({ "role": "button", "name": "Open", "row": "123" }), Err("there is no"));
    }
}
