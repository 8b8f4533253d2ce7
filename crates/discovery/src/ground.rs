//! Which elements of the list a label means: by what stands on the screen, without a model.
//!
//! A label is what a person would say: the name or caption as it is shown, perhaps with the role, perhaps with what the
//! element stands in ("Save in Billing", "Open, row 12456"). It is compared whole, with case and punctuation folded. What
//! only resembles it is never taken; it is put to whoever tells candidates apart.

use std::collections::BTreeSet;

use waymark_perception::{grid, label_of};
use waymark_snapshot::{Ix, Node, Role, RoleClass, UiSnapshot, WindowKey, squash};

use crate::Listed;
use crate::list::{is_control, is_data};

/// Characters of one text that tells where something stands.
const CONTEXT: usize = 60;
/// Texts of one row that do.
const CELLS: usize = 8;
/// Words that stand between a name and where it stands.
const BETWEEN: [&str; 16] = [
    "in",
    "under",
    "of",
    "for",
    "at",
    "on",
    "from",
    "row",
    "column",
    "in row",
    "in column",
    "in frame",
    "beside",
    "after",
    "below",
    "",
];

/// An element that may be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number in the list; of what has none there, one behind the last.
    pub number: u32,
    /// In words: what it is, and where it stands. What must not be seen is not in them.
    pub words: String,
}

/// What a label means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Grounded {
    /// This element and no other.
    One(Meant),
    /// Each of these is called so.
    Several(Vec<Candidate>),
    /// None is called so; these have to do with it.
    Loose(Vec<Candidate>),
}

/// The element that a label means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meant {
    pub(crate) number: u32,
    pub(crate) node: Ix,
    /// The cell by which the label names the row that the element stands in.
    pub(crate) row: Option<Ix>,
}

/// Looks for what a label means among the elements that `fits` lets through; `reads` says that it may be one without a number
/// too, within another one where that is given.
pub(crate) fn ground(
    screen: &UiSnapshot,
    listed: &Listed,
    veil: &dyn Fn(&str) -> String,
    fits: &dyn Fn(&Node) -> bool,
    reads: bool,
    label: &str,
) -> Grounded {
    let wanted = folded(&veil(label));
    let numbered = (1u32..).map_while(|number| Some((number, listed.node(number)?)));
    let all: Vec<Element> = numbered
        .chain(listed.unnumbered().filter(|_| reads))
        .filter(|(_, ix)| fits(screen.node(*ix)))
        .map(|(number, ix)| element(screen, number, ix, veil))
        .collect();
    let called: Vec<(&Element, Option<Ix>)> =
        all.iter().filter_map(|element| Some((element, element.is_called(&wanted)?))).collect();
    // A caption says its own words, and is not what is read beside it.
    let captions = |(one, _): &&(&Element, Option<Ix>)| {
        let own = one.own.as_ref().map(|own| folded(own));
        let is_caption = |(other, _): &(&Element, Option<Ix>)| {
            other.number != one.number && other.caption.as_ref().map(|caption| folded(caption)) == own
        };
        own.is_none() || !called.iter().any(is_caption)
    };
    let called: Vec<&(&Element, Option<Ix>)> = called.iter().filter(captions).collect();
    let told = |elements: &[&Element]| elements.iter().map(|element| element.candidate()).collect();
    match called.as_slice() {
        [(one, row)] => return Grounded::One(Meant { number: one.number, node: one.node, row: *row }),
        [] => {}
        several => return Grounded::Several(told(&several.iter().map(|(one, _)| *one).collect::<Vec<_>>())),
    }
    let asked: BTreeSet<&str> = wanted.split(' ').filter(|word| word.chars().count() > 2).collect();
    let near: Vec<&Element> = all.iter().filter(|element| element.shares(&asked)).collect();
    Grounded::Loose(told(&if near.is_empty() { all.iter().collect() } else { near }))
}

/// The nearest thing with a name of its own that an element stands in: a group, a region, a form.
pub(crate) fn region(screen: &UiSnapshot, ix: Ix) -> Option<String> {
    let scope = screen.node(ix).scope;
    let around = screen.ancestors(ix).map(|(_, node)| node).filter(|node| node.scope == scope);
    let named = around.filter(|node| {
        !node.role.is_control()
            && !node.role.is_cell()
            && !matches!(node.role, Role::Window | Role::Frame | Role::Document | Role::Row | Role::Heading)
    });
    named.map(|node| squash(&node.name)).find(|name| !name.is_empty() && name.chars().count() <= CONTEXT)
}

struct Element {
    number: u32,
    node: Ix,
    role: String,
    /// What it is called, as it is shown.
    names: Vec<String>,
    /// What it says itself, where it is called that as well.
    own: Option<String>,
    /// What stands beside it and says what it is.
    caption: Option<String>,
    /// How its place is introduced, and what is there.
    places: Vec<There>,
}

/// Something that tells where an element stands.
struct There {
    how: &'static str,
    text: String,
    /// The cell of the element's row that says so.
    cell: Option<Ix>,
}

impl Element {
    /// Whether the folded text is one of the ways to call it; with the cell of its row that the text names, if it does.
    fn is_called(&self, wanted: &str) -> Option<Option<Ix>> {
        let role = folded(&self.role);
        let names = self.names.iter().map(|name| folded(name)).filter(|name| !name.is_empty());
        let bases = names.flat_map(|name| [name.clone(), format!("{role} {name}"), format!("{name} {role}")]);
        bases.into_iter().find_map(|base| self.is_called_by(&base, wanted))
    }

    fn is_called_by(&self, base: &str, wanted: &str) -> Option<Option<Ix>> {
        if wanted == base {
            return Some(None);
        }
        let behind = wanted.strip_prefix(base).and_then(|rest| rest.strip_prefix(' '));
        let before = wanted.strip_suffix(base).and_then(|rest| rest.strip_suffix(' '));
        self.places.iter().find_map(|there| {
            let place = folded(&there.text);
            let between = behind.and_then(|rest| rest.strip_suffix(place.as_str()));
            let follows = between.is_some_and(|between| BETWEEN.iter().any(|word| between == spaced(word)));
            // A row may be named first, as its cells stand.
            let leads = there.cell.is_some() && before.is_some_and(|rest| rest.trim_start_matches("row ") == place);
            (!place.is_empty() && (follows || leads)).then_some(there.cell)
        })
    }

    fn shares(&self, asked: &BTreeSet<&str>) -> bool {
        let places = self.places.iter().map(|there| &there.text);
        self.names.iter().chain(places).any(|text| folded(text).split(' ').any(|word| asked.contains(word)))
    }

    fn candidate(&self) -> Candidate {
        let mut words = self.role.clone();
        match self.names.first() {
            Some(name) if self.role == "table" => words.push_str(&format!(": {name}")),
            Some(name) => words.push_str(&format!(" \"{name}\"")),
            None => {}
        }
        for how in ["in", "under", "after", "row", "column", "frame", "window"] {
            let there = self.places.iter().filter(|there| there.how == how);
            let there: Vec<&str> = there.map(|there| there.text.as_str()).collect();
            if !there.is_empty() {
                words.push_str(&format!(" ({how} \"{}\")", there.join(" | ")));
            }
        }
        Candidate { number: self.number, words }
    }
}

fn element(screen: &UiSnapshot, number: u32, ix: Ix, veil: &dyn Fn(&str) -> String) -> Element {
    let node = screen.node(ix);
    let shown = |text: &str| -> String { squash(&veil(text)).chars().take(CONTEXT).collect() };
    let mut names: Vec<String> = Vec::new();
    let (mut own, mut caption) = (None, None);
    if node.role.is_table() {
        let grid = grid(screen, ix);
        let headers: Vec<String> =
            (0..grid.columns()).map(|col| shown(&grid.header_over(col).unwrap_or_default())).collect();
        names.push(headers.join(" | "));
        names.push(shown(&node.name));
        names.extend(headers);
    } else {
        let name = label_of(screen, ix).map(|label| shown(&label));
        if !is_control(node) {
            caption =
                header_of(screen, ix).or_else(|| waymark_recording::beside(screen, ix)).map(|label| shown(&label));
            own = Some(shown(&screen.text_of(ix)));
            names.extend(caption.clone());
            names.extend(name);
            names.extend(own.clone());
            // A text may bear its caption itself.
            names.extend(own.iter().filter_map(|own| Some(own.split_once(": ")?.0.to_owned())));
        } else {
            names.extend(name);
        }
    }
    names.retain(|name| !name.is_empty());
    let role = if is_control(node) || node.role.is_table() { node.role.to_string() } else { "text".to_owned() };
    Element { number, node: ix, role, names, own, caption, places: places(screen, ix, &shown) }
}

/// The header over a cell of a table that holds data.
fn header_of(screen: &UiSnapshot, ix: Ix) -> Option<String> {
    let cell = screen.node(ix).cell?;
    is_data(screen, cell.table).then(|| grid(screen, cell.table).header_over(cell.col)).flatten()
}

/// Where an element stands: in what, under which heading, in which row, column, frame and window.
fn places(screen: &UiSnapshot, ix: Ix, shown: &dyn Fn(&str) -> String) -> Vec<There> {
    let node = screen.node(ix);
    let mut out: Vec<There> = Vec::new();
    let there = |how, text| There { how, text, cell: None };
    out.extend(region(screen, ix).map(|region| there("in", shown(&region))));
    let before = screen.nodes_in(node.scope).take_while(|(at, _)| *at < ix);
    let heading = before.filter(|(_, n)| n.role == Role::Heading && !squash(&n.name).is_empty()).last();
    out.extend(heading.map(|(_, heading)| there("under", shown(&heading.name))));
    // A press mostly belongs to the field before it.
    let fields = screen
        .nodes_in(node.scope)
        .take_while(|(at, _)| *at < ix)
        .filter(|(_, n)| matches!(n.role.class(), RoleClass::TextEntry | RoleClass::Choice | RoleClass::Toggle));
    let field = fields.last().filter(|_| node.role.class() == RoleClass::Clickable);
    out.extend(field.and_then(|(field, _)| label_of(screen, field)).map(|label| there("after", shown(&label))));
    let own = |n: &Node| n.cell.is_some();
    let cell = if own(node) { Some(ix) } else { screen.closest(ix, own) };
    if let Some((cell, at)) = cell.and_then(|cell| Some((cell, screen.node(cell).cell?))) {
        let grid = grid(screen, at.table);
        let others = grid.cells_of(at.row).into_iter().filter(|other| *other != cell);
        let texts = others.map(|other| (other, shown(&screen.text_of(other)))).filter(|(_, text)| !text.is_empty());
        out.extend(texts.take(CELLS).map(|(cell, text)| There { how: "row", text, cell: Some(cell) }));
        out.extend(grid.header_over(at.col).map(|header| there("column", shown(&header))));
    }
    let scope = screen.scope(node.scope);
    let frames = scope.path.iter().map(|f| if f.name.is_empty() { &f.title } else { &f.name });
    out.extend(frames.filter(|name| !name.is_empty()).map(|name| there("frame", shown(name))));
    if scope.window != WindowKey::main() {
        out.push(there("window", shown(&scope.window.0)));
    }
    out.retain(|there| !there.text.is_empty());
    out
}

/// A word and the blank behind it.
fn spaced(word: &str) -> String {
    if word.is_empty() { String::new() } else { format!("{word} ") }
}

/// Words in lower case with one blank between them; a text of signs alone stays as it is.
fn folded(text: &str) -> String {
    // Braces and strokes keep the name of a value apart from the same words on the page.
    let kept = |c: char| c.is_alphanumeric() || "$€£¥#%+-&@{}_".contains(c);
    let words: Vec<String> = text.split(|c| !kept(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    if words.is_empty() { squash(text) } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "snapshots are literals here")]

    use waymark_snapshot::parse;

    use super::*;
    use crate::list;

    const SCREEN: &str = r#"window main <http://app.test/x>
  region "Billing"
    textbox "Name" @0,0,10,10
    button "Save" @0,20,10,10
  region "Shipping"
    textbox "Name" @0,40,10,10
    button "Save" @0,60,10,10
  heading "Accounts"
  table
    row
      columnheader "Account" cell=0,0,1,1,header
        text "Account"
      columnheader "Action" cell=0,1,1,1,header
        text "Action"
    row
      cell "12345" cell=1,0,1,1
        text "12345"
      cell cell=1,1,1,1
        button "Open"
    row
      cell "12456" cell=2,0,1,1
        text "12456"
      cell cell=2,1,1,1
        button "Open"
  button "Search:" @0,90,10,10
  textbox "Search" @0,95,10,10
"#;

    #[track_caller]
    fn check(label: &str, expected: &str) {
        check_for(label, &|_| true, expected);
    }

    #[track_caller]
    fn check_for(label: &str, fits: &dyn Fn(&Node) -> bool, expected: &str) {
        let screen = parse(SCREEN).unwrap();
        let veil = |text: &str| text.replace("12456", "{account}");
        let listed = list(&screen, &veil);
        let words = |several: Vec<Candidate>| {
            several.into_iter().map(|c| format!("{} {}", c.number, c.words)).collect::<Vec<_>>().join("; ")
        };
        let said = match ground(&screen, &listed, &veil, fits, false, label) {
            Grounded::One(one) => words(vec![element(&screen, one.number, one.node, &veil).candidate()]),
            Grounded::Several(several) => format!("several: {}", words(several)),
            Grounded::Loose(near) => format!("loose: {}", words(near)),
        };
        assert_eq!(said, expected, "{label}\n{}", listed.text);
    }

    #[test]
    fn a_unique_label_is_one_element_however_it_is_written() {
        check("table Account | Action", r#"5 table: Account | Action (under "Accounts")"#);
        check_for("search", &|node| node.role == Role::TextBox, r#"9 textbox "Search" (under "Accounts")"#);
        check(
            "the Search textbox",
            r#"loose: 8 button "Search:" (under "Accounts") (after "Name"); 9 textbox "Search" (under "Accounts")"#,
        );
        check("Search textbox", r#"9 textbox "Search" (under "Accounts")"#);
    }

    #[test]
    fn what_stands_twice_is_told_apart_by_where_it_stands() {
        check(
            "Save",
            r#"several: 2 button "Save" (in "Billing") (after "Name"); 4 button "Save" (in "Shipping") (after "Name")"#,
        );
        check("Save in Shipping", r#"4 button "Save" (in "Shipping") (after "Name")"#);
        check("button \"Save\" (in \"Billing\")", r#"2 button "Save" (in "Billing") (after "Name")"#);
        check(
            "Save below Name",
            r#"several: 2 button "Save" (in "Billing") (after "Name"); 4 button "Save" (in "Shipping") (after "Name")"#,
        );
        check(
            "Open, row 12345",
            r#"6 button "Open" (under "Accounts") (after "Name") (row "12345") (column "Action")"#,
        );
    }

    #[test]
    fn a_value_of_the_caller_is_its_name_on_both_sides() {
        let open = r#"7 button "Open" (under "Accounts") (after "Name") (row "{account}") (column "Action")"#;
        check("Open {account}", open);
        check("Open in row 12456", open);
    }

    #[test]
    fn what_only_resembles_it_is_never_taken() {
        check(
            "Save it in Billing",
            r#"loose: 1 textbox "Name" (in "Billing"); 2 button "Save" (in "Billing") (after "Name"); 4 button "Save" (in "Shipping") (after "Name")"#,
        );
        check(
            "Save in Nowhere",
            r#"loose: 2 button "Save" (in "Billing") (after "Name"); 4 button "Save" (in "Shipping") (after "Name")"#,
        );
    }
}
