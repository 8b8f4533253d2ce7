//! The numbered list: what a model sees of a screen.
//!
//! One line for a control, a text, or a row of a table; short, because every turn pays for it. Values of the caller
//! stand as `{name}`, and what a protected field holds does not stand here at all.

use std::collections::{BTreeMap, BTreeSet};

use waymark_perception::{Grid, captions, grid};
use waymark_snapshot::{Ix, Node, Role, RoleClass, ScopeId, State, UiSnapshot, WindowKey, squash};

use crate::ground::region;

/// Rows of a table before the rest is folded.
const ROWS: usize = 12;
/// Options of a list before the rest is folded.
const OPTIONS: usize = 14;
/// Characters of one text.
const TEXT: usize = 140;
/// Lines of a screen; no page that people work with has as many, and each is paid for in every turn.
const LINES: usize = 5_000;

/// Characters of a table's rows before any is folded: what is folded cannot be acted on.
const TABLE: usize = 8_000;

/// The list, and what its numbers mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// As the model sees it.
    pub text: String,
    numbers: BTreeMap<u32, Ix>,
    /// What can be read and has no number: cells, headings, texts.
    unnumbered: Vec<Ix>,
}

impl Listed {
    /// The thing behind a number.
    #[must_use]
    pub fn node(&self, number: u32) -> Option<Ix> {
        self.numbers.get(&number).copied()
    }

    /// What can be read and has no number in the list, each with one behind the last.
    pub(crate) fn unnumbered(&self) -> impl Iterator<Item = (u32, Ix)> {
        let first = self.numbers.last_key_value().map_or(1, |(last, _)| last.saturating_add(1));
        (first..).zip(self.unnumbered.iter().copied())
    }

    /// How many things have a number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether nothing has a number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// Lists a screen. `veil` takes out what the model must not see. Rows with a value of the caller are never folded.
#[must_use]
pub fn list(screen: &UiSnapshot, veil: &dyn Fn(&str) -> String) -> Listed {
    let mut writer = Writer {
        screen,
        veil,
        captions: captions(screen).into_iter().map(|(ix, c)| (ix, c.text)).collect(),
        twins: twins(screen),
        lines: Vec::new(),
        numbers: BTreeMap::new(),
        unnumbered: Vec::new(),
        done: BTreeSet::new(),
    };
    let scopes = screen.scopes().len();
    for (at, scope) in (0u32..).map(ScopeId).zip(screen.scopes()) {
        if scopes > 1 {
            // A page names its frames and windows, and a frame's document changes its name.
            let names: Vec<String> =
                scope.path.iter().map(|f| writer.shown(if f.name.is_empty() { &f.title } else { &f.name })).collect();
            let window = if scope.window == WindowKey::main() {
                String::new()
            } else {
                format!("window {} ", writer.shown(&scope.window.0))
            };
            let frame = if names.is_empty() { String::new() } else { format!("frame {}", names.join("/")) };
            let head = format!("{window}{frame}");
            let head = if head.is_empty() { "page".to_owned() } else { head.trim().to_owned() };
            let unreadable = if scope.readable { "" } else { " (cannot be read)" };
            writer.lines.push(format!("[{head}{unreadable}]"));
        }
        writer.scope(at);
    }
    let left = writer.lines.len().saturating_sub(LINES);
    if left > 0 {
        writer.lines.truncate(LINES);
        writer.lines.push(format!("… {left} more lines are left out"));
    }
    Listed { text: writer.lines.join("\n"), numbers: writer.numbers, unnumbered: writer.unnumbered }
}

/// The text on one line, without signs that cannot be seen: they change how a line reads, or hide a value in it.
pub(crate) fn one_line(text: &str) -> String {
    let unseen = |c: &char| waymark_redact::is_unseen(*c) || (c.is_control() && !c.is_whitespace());
    if text.is_ascii() && !text.contains(|c: char| c.is_control()) {
        return squash(text);
    }
    squash(&text.chars().filter(|c| !unseen(c)).collect::<String>())
}

struct Writer<'a> {
    screen: &'a UiSnapshot,
    veil: &'a dyn Fn(&str) -> String,
    captions: BTreeMap<Ix, String>,
    /// Roles and names that stand more than once.
    twins: BTreeSet<(ScopeId, Role, String)>,
    lines: Vec<String>,
    numbers: BTreeMap<u32, Ix>,
    unnumbered: Vec<Ix>,
    /// Nodes that were told already.
    done: BTreeSet<Ix>,
}

impl Writer<'_> {
    fn scope(&mut self, scope: ScopeId) {
        let used: BTreeSet<String> = self
            .captions
            .iter()
            .filter(|(ix, _)| self.screen.node(**ix).scope == scope)
            .map(|(_, t)| t.clone())
            .collect();
        let lines: BTreeMap<Ix, String> = self.screen.lines(scope).into_iter().collect();
        let nodes: Vec<Ix> = self.screen.nodes_in(scope).map(|(ix, _)| ix).collect();
        let mut heading = String::new();
        for ix in nodes {
            if self.done.contains(&ix) {
                continue;
            }
            let node = self.screen.node(ix);
            if node.role == Role::Heading {
                let text = squash(&node.name);
                if !text.is_empty() {
                    self.lines.push(format!("# {}", self.shown(&text)));
                    self.unnumbered.push(ix);
                    heading = text;
                }
                self.tell_all(ix);
            } else if node.role.is_table() && is_data(self.screen, ix) {
                self.table(ix);
            } else if is_control(node) {
                let line = self.control(ix, Some(&heading));
                self.lines.push(line);
                self.tell_all(ix);
            } else if let Some(line) = lines.get(&ix) {
                let caption = line.trim_end_matches([':', '*', ' ']);
                if used.contains(line) || used.iter().any(|u| u.trim_end_matches([':', '*', ' ']) == caption) {
                    continue;
                }
                let shown = self.shown(line);
                // A figure may be asked for; words are seldom read.
                if line.chars().any(|c| c.is_ascii_digit()) && line.chars().count() <= 60 {
                    let holder = self.screen.node(ix).parent.filter(|p| self.screen.node(*p).scope == scope);
                    let number = self.number(holder.unwrap_or(ix));
                    let label = waymark_recording::beside(self.screen, holder.unwrap_or(ix));
                    self.lines.push(match label.filter(|label| label != line) {
                        Some(label) => format!("{number} text \"{}\" = \"{shown}\"", self.shown(&label)),
                        None => format!("{number} text \"{shown}\""),
                    });
                } else {
                    let holder = self.screen.node(ix).parent.filter(|p| self.screen.node(*p).scope == scope);
                    let alone = holder.filter(|holder| squash(&self.screen.text_of(*holder)) == *line);
                    self.unnumbered.push(alone.unwrap_or(ix));
                    // A page's text must not look like a line of the list.
                    self.lines.push(format!("- {shown}"));
                }
            }
        }
    }

    fn tell_all(&mut self, ix: Ix) {
        let inside: Vec<Ix> = self.screen.subtree(ix).map(|(ix, _)| ix).collect();
        self.done.extend(inside);
    }

    fn number(&mut self, ix: Ix) -> u32 {
        let number = u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX);
        self.numbers.insert(number, ix);
        number
    }

    fn shown(&self, text: &str) -> String {
        let text = squash(&(self.veil)(&one_line(text)));
        let cut: String = text.chars().take(TEXT).collect();
        if cut.len() < text.len() { format!("{cut}…") } else { cut }
    }

    fn control(&mut self, ix: Ix, heading: Option<&str>) -> String {
        let number = self.number(ix);
        let node = self.screen.node(ix);
        let name = squash(&node.name);
        let label = if name.is_empty() { self.captions.get(&ix).cloned().unwrap_or_default() } else { name.clone() };
        let mut out = format!("{number} {}", node.role);
        if label.is_empty() {
            if let Some(hint) = node.detail.placeholder.as_deref().or(node.detail.description.as_deref()) {
                out.push_str(&format!(" ({})", self.shown(hint)));
            }
        } else {
            out.push_str(&format!(" \"{}\"", self.shown(&label)));
        }
        if self.twins.contains(&(node.scope, node.role.clone(), name)) {
            // In a row the row says which one it is.
            match (heading, heading.and_then(|_| region(self.screen, ix))) {
                (_, Some(region)) => out.push_str(&format!(" (in \"{}\")", self.shown(&region))),
                (Some(heading), None) if !heading.is_empty() => {
                    out.push_str(&format!(" (under \"{}\")", self.shown(heading)));
                }
                _ => {}
            }
        }
        out.push_str(&self.holds(node));
        out
    }

    /// What a control holds and how it is.
    fn holds(&self, node: &Node) -> String {
        let mut out = String::new();
        let filled = node.value.as_deref().is_some_and(|v| !v.is_empty());
        if node.is(State::Protected) {
            out.push_str(if filled { " = (secret, filled)" } else { " (secret)" });
        } else if !node.detail.options.is_empty() {
            let options: Vec<String> = node
                .detail
                .options
                .iter()
                .take(OPTIONS)
                .map(|o| format!("{}{}", if o.selected { "*" } else { "" }, self.shown(&o.text)))
                .collect();
            let more = node.detail.options.len().saturating_sub(OPTIONS);
            let more = if more > 0 { format!(" … {more} more") } else { String::new() };
            out.push_str(&format!(": {}{more}", options.join(" | ")));
        } else if filled {
            out.push_str(&format!(" = \"{}\"", self.shown(node.value.as_deref().unwrap_or_default())));
        }
        out.push_str(&states(node));
        out
    }

    fn table(&mut self, ix: Ix) {
        let grid = grid(self.screen, ix);
        let headers: Vec<String> =
            (0..grid.columns()).map(|col| self.shown(&grid.header_over(col).unwrap_or_default())).collect();
        let number = self.number(ix);
        let rows: Vec<u32> = grid.data_rows().collect();
        // What every cell of a column is, its header says once.
        let fields: Vec<Option<Role>> = (0..grid.columns()).map(|col| self.fields(&grid, &rows, col)).collect();
        let headers = headers.into_iter().zip(&fields).map(|(header, field)| match field {
            Some(role) => format!("{header} [{role}]"),
            None => header,
        });
        self.lines.push(format!("{number} table: {}", headers.collect::<Vec<_>>().join(" | ")));
        let (mut folded, mut told) = (Vec::new(), 0);
        for (at, row) in rows.iter().enumerate() {
            let texts: Vec<String> = grid.cells_of(*row).iter().map(|c| squash(&self.screen.text_of(*c))).collect();
            let filled = grid.cells_of(*row).into_iter().zip(&texts).filter(|(_, text)| !text.is_empty());
            self.unnumbered.extend(filled.map(|(cell, _)| cell));
            let wanted = texts.iter().any(|t| (self.veil)(t) != *t);
            if at >= ROWS && told > TABLE && !wanted {
                folded.push(texts.first().cloned().unwrap_or_default());
                continue;
            }
            let column = |cell: Ix| self.screen.node(cell).cell.map(|place| place.col);
            let headed = |cell: Ix| column(cell).and_then(|col| grid.header_over(col)).unwrap_or_default();
            let is_field = |cell: Ix| column(cell).and_then(|col| fields.get(col as usize)?.as_ref()).is_some();
            let cells: Vec<(Ix, String, bool)> =
                grid.cells_of(*row).into_iter().map(|cell| (cell, headed(cell), is_field(cell))).collect();
            let cells: Vec<String> = cells
                .iter()
                .map(|(cell, header, is_field)| if *is_field { self.field(*cell) } else { self.cell(*cell, header) })
                .collect();
            let line = format!("  {}", cells.join(" | "));
            told += line.len();
            self.lines.push(line);
        }
        if let Some(last) = folded.last() {
            self.lines.push(format!("  … {} more rows, the last \"{}\"", folded.len(), self.shown(last)));
        }
        self.tell_all(ix);
    }

    /// The role of the nameless field that each of three cells or more of a column is, and nothing else.
    fn fields(&self, grid: &Grid<'_>, rows: &[u32], col: u32) -> Option<Role> {
        let header = grid.header_over(col)?;
        let field = |row: &u32| {
            let cell = grid.cell(*row, col).filter(|cell| squash(&self.screen.text_of(*cell)).is_empty())?;
            let mut inside = self.screen.descendants(cell).filter(|(_, node)| is_control(node));
            let (ix, node) = inside.next().filter(|_| inside.next().is_none())?;
            let named = !squash(&node.name).is_empty()
                || self.captions.get(&ix).is_some_and(|caption| *caption != header)
                || node.detail.placeholder.is_some()
                || node.detail.description.is_some();
            let plain = !named && node.role.class() == RoleClass::TextEntry && !node.is(State::Protected);
            plain.then(|| node.role.clone())
        };
        let first = field(rows.first()?)?;
        let all = rows.len() >= 3 && rows.iter().all(|row| field(row).as_ref() == Some(&first));
        all.then_some(first)
    }

    /// A cell that is a field: what it holds and its number.
    fn field(&mut self, cell: Ix) -> String {
        let inside = self.screen.descendants(cell).find(|(_, node)| is_control(node)).map(|(ix, _)| ix);
        let Some(ix) = inside else { return String::new() };
        let number = self.number(ix);
        let node = self.screen.node(ix);
        let held = node.value.as_deref().filter(|held| !held.is_empty()).map(|held| self.shown(held));
        let how: String = states(node);
        format!("{}[{number}]{how}", held.unwrap_or_default())
    }

    /// A cell: its text, and the numbers of the controls in it. What its header says already is not said again.
    fn cell(&mut self, cell: Ix, header: &str) -> String {
        let text = squash(&self.screen.text_of(cell));
        let controls: Vec<Ix> =
            self.screen.descendants(cell).filter(|(_, n)| is_control(n)).map(|(ix, _)| ix).collect();
        let mut out = String::new();
        let whole = |ix: &Ix| squash(&self.screen.node(*ix).name) == text;
        match controls.as_slice() {
            [] => return self.shown(&text),
            [one] if whole(one) && self.screen.node(*one).role == Role::Link => {
                let number = self.number(*one);
                return format!("{}[{number}]", self.shown(&text));
            }
            several => {
                let bare = several.iter().all(|ix| !text.contains(&squash(&self.screen.node(*ix).name)));
                if bare && !text.is_empty() {
                    out.push_str(&self.shown(&text));
                    out.push(' ');
                }
                for ix in several.iter().copied() {
                    let inferred = squash(&self.screen.node(ix).name).is_empty();
                    if inferred && self.captions.get(&ix).is_some_and(|caption| caption == header) {
                        self.captions.remove(&ix);
                    }
                    out.push_str(&format!("[{}]", self.control(ix, None)));
                }
            }
        }
        out
    }
}

/// How a control is.
fn states(node: &Node) -> String {
    let mut out = String::new();
    let toggle = node.role.class() == RoleClass::Toggle;
    for (state, word) in [
        (State::Disabled, "disabled"),
        (State::ReadOnly, "read-only"),
        (State::Checked, "checked"),
        (State::Pressed, "pressed"),
        (State::Expanded, "open"),
        (State::Invalid, "invalid"),
    ] {
        if node.is(state) {
            out.push_str(&format!(" {word}"));
        }
    }
    if toggle && !node.is(State::Checked) {
        out.push_str(" unchecked");
    }
    out
}

/// What can be acted on.
pub(crate) fn is_control(node: &Node) -> bool {
    let scripted = node.is(State::Interactive)
        && !node.role.is_cell()
        && !node.role.is_table()
        && !matches!(node.role, Role::Text | Role::Window | Role::Row | Role::Form | Role::Document);
    let link = node.role != Role::Link || node.is(State::Focusable) || !squash(&node.name).is_empty();
    node.role != Role::Option && (node.role.is_control() || scripted) && link
}

/// Whether a table holds data: it has headers, and rows under them. Headers that are not declared as such are words
/// over three columns at least, and every row below has all of the columns.
pub(crate) fn is_data(screen: &UiSnapshot, table: Ix) -> bool {
    let grid: Grid<'_> = grid(screen, table);
    let headers: Vec<String> = (0..grid.columns()).filter_map(|col| grid.header_over(col)).collect();
    let columns = usize::try_from(grid.columns()).unwrap_or(usize::MAX);
    let rows: Vec<u32> = grid.data_rows().collect();
    if headers.len() < 2 || rows.is_empty() {
        return false;
    }
    let word = |text: &String| !text.ends_with(':') && !text.chars().any(|c| c.is_ascii_digit());
    let nested = || screen.descendants(table).any(|(_, n)| n.role.is_table() || n.role == Role::Heading);
    grid.has_declared_headers()
        || (columns >= 3
            && headers.len() == columns
            && headers.iter().all(word)
            && rows.len() >= 2
            && rows.iter().all(|row| grid.cells_of(*row).len() == columns)
            && !nested())
}

/// Roles and names that stand more than once in a scope.
fn twins(screen: &UiSnapshot) -> BTreeSet<(ScopeId, Role, String)> {
    let mut seen = BTreeSet::new();
    let mut twice = BTreeSet::new();
    for node in screen.nodes().iter().filter(|n| is_control(n)) {
        let key = (node.scope, node.role.clone(), squash(&node.name));
        if !key.2.is_empty() && !seen.insert(key.clone()) {
            twice.insert(key);
        }
    }
    twice
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "snapshots are literals here")]

    use expect_test::{Expect, expect};
    use waymark_snapshot::parse;

    use super::*;

    #[track_caller]
    fn check(screen: &str, expected: Expect) {
        let screen = parse(screen).unwrap();
        let listed = list(&screen, &|text| text.replace("12456", "{account_id}"));
        for number in 1..=u32::try_from(listed.len()).unwrap() {
            assert!(listed.node(number).is_some());
        }
        expected.assert_eq(&listed.text);
    }

    #[test]
    fn the_sign_on_page() {
        check(
            include_str!("../../../fixtures/snapshots/parabank_login.txt"),
            expect![[r#"
                1 link "ParaBank"
                - Experience the difference
                - Solutions
                2 link "About Us"
                3 link "Services"
                4 link "Products"
                5 link "Locations"
                6 link "Admin Page"
                # Customer Login
                7 textbox "Username"
                8 textbox "Password" (secret)
                9 button "Log In"
                10 link "Forgot login info?"
                11 link "Register"
                12 link "Home"
                13 link "About Us" (under "Customer Login")
                14 link "Services" (under "Customer Login")
                15 link "Contact Us""#]],
        );
    }

    #[test]
    fn a_table_has_a_line_for_each_row() {
        check(
            include_str!("../../../fixtures/snapshots/parabank_overview.txt"),
            expect![[r#"
                1 link "ParaBank"
                - Experience the difference
                - Solutions
                2 link "About Us"
                3 link "Services"
                4 link "Products"
                5 link "Locations"
                6 link "Admin Page"
                - Welcome John Smith
                # Account Services
                7 link "Open New Account"
                8 link "Accounts Overview"
                9 link "Transfer Funds"
                10 link "Bill Pay"
                11 link "Find Transactions"
                12 link "Update Contact Info"
                13 link "Request Loan"
                14 link "Log Out"
                # Accounts Overview
                15 table: Account | Balance* | Available Amount
                  12345[16] | -$2300.00 | $0.00
                  {account_id}[17] | $10.45 | $10.45
                  12567[18] | $100.00 | $100.00
                  12678[19] | -$100.00 | $0.00
                  12789[20] | $100.00 | $100.00
                  12900[21] | $0.00 | $0.00
                  13011[22] | $100.00 | $100.00
                  13122[23] | $1100.00 | $1100.00
                  13233[24] | $100.00 | $100.00
                  13344[25] | $1231.10 | $1231.10
                  54321[26] | $1351.12 | $1351.12
                  Total | $1792.67 | 
                  *Balance includes deposits that may be subject to holds
                27 link "Home"
                28 link "About Us" (under "Accounts Overview")
                29 link "Services" (under "Accounts Overview")
                30 link "Contact Us""#]],
        );
    }

    #[test]
    fn a_form_shows_its_options() {
        check(
            include_str!("../../../fixtures/snapshots/parabank_transfer.txt"),
            expect![[r#"
                1 link "ParaBank"
                - Experience the difference
                - Solutions
                2 link "About Us"
                3 link "Services"
                4 link "Products"
                5 link "Locations"
                6 link "Admin Page"
                - Welcome John Smith
                # Account Services
                7 link "Open New Account"
                8 link "Accounts Overview"
                9 link "Transfer Funds"
                10 link "Bill Pay"
                11 link "Find Transactions"
                12 link "Update Contact Info"
                13 link "Request Loan"
                14 link "Log Out"
                # Transfer Funds
                15 textbox "Amount: $"
                - From account # to account #
                16 combobox "From account #": *12345 | {account_id} | 12567 | 12678 | 12789 | 12900 | 13011 | 13122 | 13233 | 13344 | 54321
                17 combobox "to account #": *12345 | {account_id} | 12567 | 12678 | 12789 | 12900 | 13011 | 13122 | 13233 | 13344 | 54321
                18 button "Transfer"
                19 link "Home"
                20 link "About Us" (under "Transfer Funds")
                21 link "Services" (under "Transfer Funds")
                22 link "Contact Us""#]],
        );
    }

    /// A table of a page that declares no headers, with a link and a field in each row.
    fn inventory(rows: u32) -> String {
        let mut out =
            String::from("window main <http://127.0.0.1/inventory> title=\"Inventory\"\n  table @0,0,400,900\n");
        let mut row = |number: u32, cells: [&str; 3]| {
            let top = number * 20;
            out.push_str(&format!("    row @0,{top},400,20\n"));
            for (col, cell) in cells.iter().enumerate() {
                let place = format!("@{},{top},90,20", col * 100);
                out.push_str(&format!("      cell {place} cell={number},{col},1,1\n        {cell} {place}\n"));
            }
        };
        row(0, ["text \"Item\"", "text \"Link\"", "text \"Quantity\""]);
        for number in 1..=rows {
            let item = format!("text \"Item {}\"", if number == rows { 12456 } else { number });
            let link = format!("link \"Open {number}\" [focusable interactive]\n          text \"Open {number}\"");
            row(number, [&item, &link, "textbox = \"1\" [focusable interactive]"]);
        }
        out
    }

    #[test]
    fn headers_that_are_not_declared_are_headers_where_every_row_has_all_columns() {
        check(
            &inventory(3),
            expect![[r#"
                1 table: Item | Link | Quantity [textbox]
                  Item 1 | Open 1[2] | 1[3]
                  Item 2 | Open 2[4] | 1[5]
                  Item {account_id} | Open 3[6] | 1[7]"#]],
        );
    }

    #[test]
    fn a_table_is_folded_only_where_it_would_fill_the_question_and_never_where_a_value_stands() {
        let listed = |rows: u32| {
            let screen = parse(&inventory(rows)).unwrap();
            list(&screen, &|text| text.replace("12456", "{account_id}"))
        };
        let all = listed(120);
        assert!(!all.text.contains("more rows") && all.len() == 241, "{}", all.text);
        let some = listed(400);
        assert!(some.text.contains("more rows, the last \"Item 399\"") && some.text.len() < 9_000, "{}", some.text);
        assert!(some.text.contains("Item {account_id} | Open 400["), "{}", some.text);
    }
}
