//! Tables as rows and columns, spans resolved.

use std::collections::BTreeMap;

use waymark_artifact::{BindError, Bindings, TableRef};
use waymark_snapshot::{Ix, Role, ScopeId, UiSnapshot, squash};

/// A table with its cells in place.
#[derive(Clone, Debug)]
pub struct Grid<'a> {
    snapshot: &'a UiSnapshot,
    /// The table node.
    pub table: Ix,
    cells: BTreeMap<(u32, u32), Ix>,
    header_rows: Vec<u32>,
    rows: Vec<u32>,
    columns: u32,
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
    let mut cells = BTreeMap::new();
    let mut declared: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    let mut rows = Vec::new();
    let mut columns = 0;
    for (ix, node) in snapshot.subtree(table) {
        let Some(cell) = node.cell.filter(|c| c.table == table) else { continue };
        for r in cell.row..cell.row.saturating_add(cell.row_span.clamp(1, 1000)) {
            for c in cell.col..cell.col.saturating_add(cell.col_span.clamp(1, 1000)) {
                cells.entry((r, c)).or_insert(ix);
            }
        }
        columns = columns.max(cell.col.saturating_add(cell.col_span.clamp(1, 1000)));
        if rows.last() != Some(&cell.row) && !rows.contains(&cell.row) {
            rows.push(cell.row);
        }
        let counts = declared.entry(cell.row).or_default();
        counts.0 += 1;
        counts.1 += u32::from(cell.header && node.role != Role::RowHeader);
    }
    rows.sort_unstable();
    // A header row is one whose cells are all declared headers (an empty corner may be a plain cell).
    let mut header_rows: Vec<u32> = declared
        .iter()
        .filter(|(_, (all, headers))| *headers > 0 && (*headers == *all || *headers + 1 == *all && *headers > 1))
        .map(|(row, _)| *row)
        .collect();
    // Headers at the left of every row head rows, not columns.
    if header_rows.len() == rows.len() && columns <= 1 {
        header_rows.truncate(1);
    }
    let any_declared = declared.values().any(|(_, headers)| *headers > 0);
    if header_rows.is_empty() && !any_declared {
        header_rows.extend(rows.first().copied());
    }
    Grid { snapshot, table, cells, header_rows, rows, columns }
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
        .filter(|ix| name.as_ref().is_none_or(|n| squash(&snapshot.node(*ix).name) == *n || titled(snapshot, *ix, n)))
        .filter(|ix| {
            headers.is_empty() || {
                let grid = grid(snapshot, *ix);
                headers.iter().all(|h| grid.column(h).is_ok())
            }
        })
        .collect())
}

/// Whether the nearest heading before the table has this text.
fn titled(snapshot: &UiSnapshot, table: Ix, name: &str) -> bool {
    let scope = snapshot.node(table).scope;
    (0..table.0)
        .rev()
        .map(|i| snapshot.node(Ix(i)))
        .find(|n| n.scope == scope && n.role == Role::Heading)
        .is_some_and(|n| squash(&n.name) == name)
}

impl Grid<'_> {
    /// Numbers of the rows that hold data, in order.
    pub fn data_rows(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().copied().filter(|r| !self.header_rows.contains(r))
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
        for col in 0..self.columns {
            if let Some(ix) = self.cell(row, col)
                && out.last() != Some(&ix)
            {
                out.push(ix);
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
        for row in self.header_rows.iter().rev() {
            let hits: Vec<u32> =
                (0..self.columns).filter(|c| self.text(*row, *c).is_some_and(|t| t == wanted)).collect();
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
        self.header_rows
            .iter()
            .any(|r| self.cells_of(*r).iter().any(|ix| self.snapshot.node(*ix).cell.is_some_and(|c| c.header)))
    }

    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }
}
