//! Tables as rows and columns, spans resolved.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use waymark_artifact::{BindError, Bindings, TableRef};
use waymark_snapshot::{Ix, Role, ScopeId, UiSnapshot, squash};

use crate::caption::says;
use crate::sight::Sight;

/// A table with its cells in place.
///
/// The leading rows of declared headers head the columns; without any declared header the first row does, unless it
/// holds fields, buttons or captions. Rows of headers further
/// down (repeated, a title over all columns, a foot) are neither headers nor data.
#[derive(Clone, Debug)]
pub struct Grid<'a> {
    snapshot: &'a UiSnapshot,
    /// The table node.
    pub table: Ix,
    cells: BTreeMap<(u32, u32), Ix>,
    header_rows: Vec<u32>,
    rows: Vec<u32>,
    columns: u32,
    declared: bool,
    /// Columns that a first row of plain cells seems to head.
    headed: OnceCell<BTreeSet<u32>>,
}

/// Why a header stands over no column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderMiss {
    /// There is none of this text.
    Absent,
    /// It stands over several columns.
    Ambiguous(u32),
}

/// The table at a node.
#[must_use]
pub fn grid(snapshot: &UiSnapshot, table: Ix) -> Grid<'_> {
    let inside = snapshot.subtree(table).filter(|(_, n)| n.cell.is_some_and(|c| c.table == table));
    grid_of(snapshot, table, &inside.map(|(ix, _)| ix).collect::<Vec<_>>())
}

/// The table at a node, of cells that are known to be its own, in document order.
pub(crate) fn grid_of<'a>(snapshot: &'a UiSnapshot, table: Ix, own: &[Ix]) -> Grid<'a> {
    let own = || own.iter().filter_map(|ix| snapshot.node(*ix).cell.map(|cell| (*ix, snapshot.node(*ix), cell)));
    // Spans that reach beyond every cell that begins somewhere cover nothing.
    let (last_row, last_col) = own().fold((0, 0), |(r, c), (_, _, cell)| (cell.row.max(r), cell.col.max(c)));
    let mut cells = BTreeMap::new();
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
    for (ix, node, cell) in own() {
        let end_row = cell.row.saturating_add(cell.row_span.clamp(1, 1000) - 1).min(last_row);
        let end_col = cell.col.saturating_add(cell.col_span.clamp(1, 1000) - 1).min(last_col);
        for row in cell.row..=end_row {
            for col in cell.col..=end_col {
                cells.entry((row, col)).or_insert(ix);
            }
        }
        let row = rows.entry(cell.row).or_default();
        row.all += 1;
        row.declared |= cell.header;
        if cell.header && node.role != Role::RowHeader {
            row.headers += 1;
        } else if cell.col == 0 && snapshot.text_is(ix, "") {
            row.corner = true;
        }
        row.title |= cell.header && cell.col == 0 && cell.col_span > 1 && end_col == last_col && last_col > 0;
    }
    let declared: Vec<u32> = rows.iter().filter(|(_, r)| r.is_header()).map(|(n, _)| *n).collect();
    let heads = |row: &u32| declared.binary_search(row).is_ok();
    let titles: BTreeSet<u32> = rows.iter().filter(|(_, r)| r.all == 1 && r.title).map(|(n, _)| *n).collect();
    let plain: Vec<u32> = rows.keys().copied().filter(|n| !heads(n) && !titles.contains(n)).collect();
    let lead: Vec<u32> = match declared.first().filter(|first| plain.is_empty() || plain.last() > Some(*first)) {
        Some(first) => rows.range(first..).map(|(n, _)| *n).filter(|n| !titles.contains(n)).take_while(heads).collect(),
        None => Vec::new(),
    };
    let any_declared = rows.values().any(|r| r.declared);
    let is_declared = !lead.is_empty();
    let (header_rows, data): (Vec<u32>, Vec<u32>) = if is_declared {
        let data = plain.into_iter().filter(|row| Some(row) > lead.last()).collect();
        (lead, data)
    } else if any_declared
        || rows.len() == titles.len()
        || plain.first().is_some_and(|row| is_record(snapshot, &cells, *row))
    {
        (Vec::new(), plain)
    } else {
        (plain.iter().copied().take(1).collect(), plain.into_iter().skip(1).collect())
    };
    let columns = if cells.is_empty() { 0 } else { last_col.saturating_add(1) };
    Grid { snapshot, table, cells, header_rows, rows: data, columns, declared: is_declared, headed: OnceCell::new() }
}

/// Whether a first row of plain cells is one of the rows rather than their header: it holds a field, button or
/// caption, or a link by the same name as the row below.
fn is_record(snapshot: &UiSnapshot, cells: &BTreeMap<(u32, u32), Ix>, row: u32) -> bool {
    let names_at = |row: u32, col: u32| -> Vec<&str> {
        let inside = cells.get(&(row, col)).into_iter().flat_map(|ix| snapshot.descendants(*ix));
        inside.filter(|(_, n)| n.role == Role::Link).map(|(_, n)| n.name.as_str()).collect()
    };
    cells.range((row, 0)..=(row, u32::MAX)).any(|((_, col), ix)| {
        let acts = snapshot.descendants(*ix).any(|(_, n)| n.role.is_control() && n.role != Role::Link);
        let captions = || snapshot.last_char(*ix) == Some(':');
        let repeats = || {
            let links = names_at(row, *col);
            !links.is_empty() && links == names_at(row.saturating_add(1), *col)
        };
        acts || captions() || repeats()
    })
}

/// What a row is made of.
#[derive(Default)]
struct Row {
    all: u32,
    headers: u32,
    /// Some cell is a declared header, of a column or of the row.
    declared: bool,
    /// Its first cell is no header and empty.
    corner: bool,
    /// A header over all columns.
    title: bool,
}

impl Row {
    /// All cells are declared headers; the corner may be an empty plain cell.
    fn is_header(&self) -> bool {
        self.headers > 0
            && !(self.all == 1 && self.title)
            && (self.headers == self.all || (self.corner && self.headers + 1 == self.all))
    }
}

/// The tables of a scope, in document order, that fit a reference.
///
/// # Errors
/// A reference in the reference stands for nothing.
pub fn tables(
    snapshot: &UiSnapshot,
    scope: ScopeId,
    wanted: Option<&TableRef>,
    bindings: &Bindings,
) -> Result<Vec<Ix>, BindError> {
    tables_in(&Sight::new(snapshot), scope, wanted, bindings)
}

pub(crate) fn tables_in(
    sight: &Sight<'_>,
    scope: ScopeId,
    wanted: Option<&TableRef>,
    bindings: &Bindings,
) -> Result<Vec<Ix>, BindError> {
    let snapshot = sight.snapshot;
    let mut headers = Vec::new();
    let mut name = None;
    if let Some(wanted) = wanted {
        for header in &wanted.headers {
            headers.push(squash(&bindings.text(header)?));
        }
        name = wanted.name.as_ref().map(|n| bindings.text(n)).transpose()?.map(|n| squash(&n));
    }
    Ok(snapshot
        .nodes_in(scope)
        .filter(|(_, n)| n.role.is_table())
        .map(|(ix, _)| ix)
        .filter(|ix| name.as_ref().is_none_or(|n| is_called(snapshot, *ix, n)))
        .filter(|ix| headers.is_empty() || headers.iter().all(|h| sight.grid(*ix).column(h).is_ok()))
        .collect())
}

/// Whether the table's name, its caption or the nearest heading before it is this text.
fn is_called(snapshot: &UiSnapshot, table: Ix, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    let node = snapshot.node(table);
    let captioned =
        || snapshot.children(table).any(|(ix, n)| n.role == Role::Caption && squash(&snapshot.text_of(ix)) == name);
    let headed = || {
        (0..table.0)
            .rev()
            .map(|i| snapshot.node(Ix(i)))
            .find(|n| n.scope == node.scope && n.role == Role::Heading)
            .is_some_and(|n| squash(&n.name) == name)
    };
    squash(&node.name) == name || captioned() || headed()
}

impl Grid<'_> {
    /// Numbers of the rows that hold data, in order.
    pub fn data_rows(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().copied()
    }

    /// The cell at a place, spans resolved.
    #[must_use]
    pub fn cell(&self, row: u32, col: u32) -> Option<Ix> {
        self.cells.get(&(row, col)).copied()
    }

    /// The cells that begin in or cover a row, from the left, each once.
    #[must_use]
    pub fn cells_of(&self, row: u32) -> Vec<Ix> {
        let mut out: Vec<Ix> = Vec::new();
        for (_, ix) in self.cells.range((row, 0)..=(row, u32::MAX)) {
            if out.last() != Some(ix) {
                out.push(*ix);
            }
        }
        out
    }

    /// The visible text of the cell at a place.
    #[must_use]
    pub fn text(&self, row: u32, col: u32) -> Option<String> {
        self.cell(row, col).map(|ix| squash(&self.snapshot.text_of(ix)))
    }

    /// The column under a header. The lowest header row decides; one above it may name a column that spans.
    ///
    /// # Errors
    /// No column, or several, are under it.
    pub fn column(&self, header: &str) -> Result<u32, HeaderMiss> {
        let wanted = squash(header);
        if wanted.is_empty() {
            return Err(HeaderMiss::Absent);
        }
        for row in self.header_rows.iter().rev() {
            let row = self.cells.range((*row, 0)..=(*row, u32::MAX));
            let hits: Vec<u32> =
                row.filter(|(_, ix)| self.snapshot.text_is(**ix, &wanted)).map(|((_, col), _)| *col).collect();
            match hits.as_slice() {
                [] => {}
                [one] => return Ok(*one),
                several => return Err(HeaderMiss::Ambiguous(u32::try_from(several.len()).unwrap_or(u32::MAX))),
            }
        }
        Err(HeaderMiss::Absent)
    }

    /// The text of the lowest header over a column.
    #[must_use]
    pub fn header_over(&self, col: u32) -> Option<String> {
        self.header_rows.iter().rev().filter_map(|row| self.text(*row, col)).find(|text| !text.is_empty())
    }

    /// Whether the cell is one of a header row.
    #[must_use]
    pub fn is_header_row(&self, row: u32) -> bool {
        self.header_rows.contains(&row)
    }

    /// Whether headers are declared as such, as opposed to being the first row.
    #[must_use]
    pub fn has_declared_headers(&self) -> bool {
        self.declared || matches!(self.snapshot.node(self.table).role, Role::Grid | Role::TreeGrid)
    }

    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The first row, where it heads the columns without being declared to.
    pub(crate) fn undeclared_header(&self) -> Option<u32> {
        self.header_rows.first().copied().filter(|_| !self.declared)
    }

    /// Whether the table only arranges the screen: nothing is declared, and it is one column, one row, or holds
    /// headings or tables of its own.
    pub(crate) fn is_layout(&self) -> bool {
        !self.has_declared_headers()
            && (self.columns <= 1
                || self.rows.is_empty()
                || self.snapshot.descendants(self.table).any(|(_, n)| n.role.is_table() || n.role == Role::Heading))
    }

    /// Whether a first row of plain cells heads this column of fields: three columns at least, every cell of the
    /// row says something, none holds a control or ends like a caption, and two rows below have a field here.
    pub(crate) fn looks_headed(&self, col: u32) -> bool {
        self.headed.get_or_init(|| self.seem_headed()).contains(&col)
    }

    fn seem_headed(&self) -> BTreeSet<u32> {
        let Some(first) = self.header_rows.first().filter(|_| !self.declared && self.columns >= 3) else {
            return BTreeSet::new();
        };
        let is_head = (0..self.columns).all(|col| {
            self.cell(*first, col).is_some_and(|ix| !self.has_control(ix))
                && self.text(*first, col).is_some_and(|t| says(&t) && !t.ends_with(':'))
        });
        if !is_head {
            return BTreeSet::new();
        }
        let fields_in = |col: u32| {
            let cells = self.rows.iter().filter_map(|row| self.cell(*row, col));
            cells.filter(|ix| self.has_control(*ix)).take(2).count()
        };
        (0..self.columns).filter(|col| fields_in(*col) >= 2).collect()
    }

    /// The caption in the cell above, where the row above is all captions and this one all fields.
    pub(crate) fn caption_above(&self, row: u32, col: u32) -> Option<String> {
        let above = row.checked_sub(1)?;
        let captions = self.cells_of(above);
        let is_caption =
            |ix: &Ix| !self.has_control(*ix) && self.snapshot.text_of(*ix).chars().any(char::is_alphabetic);
        let is_field = |ix: &Ix| self.has_control(*ix) || !says(&self.snapshot.text_of(*ix));
        if captions.len() < 2 || !captions.iter().all(is_caption) || !self.cells_of(row).iter().all(is_field) {
            return None;
        }
        self.text(above, col)
    }

    /// Whether the visible text of one of its cells is this one.
    pub(crate) fn says(&self, ix: Ix, text: &str) -> bool {
        self.snapshot.text_is(ix, text)
    }

    /// Whether a part of the cell is the text, and the cell as a whole is not.
    pub(crate) fn says_among(&self, ix: Ix, text: &str) -> bool {
        !self.says(ix, text)
            && self.snapshot.descendants(ix).any(|(_, node)| node.role == Role::Text && squash(&node.name) == text)
    }

    fn has_control(&self, ix: Ix) -> bool {
        self.snapshot.descendants(ix).any(|(_, n)| n.role.is_control())
    }
}
