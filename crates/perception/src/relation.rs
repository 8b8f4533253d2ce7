//! Places on a screen relative to something else.

use waymark_artifact::{BindError, Bindings, Relation, RowKey, Side, TableRef};
use waymark_snapshot::{Ix, Role, ScopeId, UiSnapshot, squash};

use crate::caption::{from_block_after, from_block_before, from_cell, line_after, line_before};
use crate::sight::Sight;
use crate::table::tables_in;
use crate::{Grid, HeaderMiss};

/// The part of a scope that a relation means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spans {
    /// Ranges of node indices, the end excluded, in order and apart.
    Ranges(Vec<(Ix, Ix)>),
    /// The nodes that stand beside a text.
    Beside {
        /// The text.
        text: String,
        /// On which side.
        side: Side,
    },
}

/// Why a relation means nothing here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelationMiss {
    /// A table was found and has no such row.
    #[error("no row has {0}")]
    RowAbsent(String),
    /// A table was found, and whether it has such a row cannot be told: where the key would stand, a row says nothing,
    /// or says it beside something else.
    #[error("no row has {0}, and one may be it that does not say")]
    RowUntold(String),
    /// No table fits.
    #[error("no table fits")]
    TableAbsent,
    /// No column, or several, are under the header.
    #[error("the header `{0}` stands over no column, or over several")]
    Header(String),
    /// No region has this name.
    #[error("no region is called `{0}`")]
    RegionAbsent(String),
    /// A reference stands for nothing.
    #[error(transparent)]
    Bind(#[from] BindError),
}

/// The part of a scope that a relation means.
///
/// # Errors
/// It means nothing in this scope.
pub fn spans(
    snapshot: &UiSnapshot,
    scope: ScopeId,
    relation: &Relation,
    bindings: &Bindings,
) -> Result<Spans, RelationMiss> {
    spans_in(&Sight::new(snapshot), scope, relation, bindings)
}

pub(crate) fn spans_in(
    sight: &Sight<'_>,
    scope: ScopeId,
    relation: &Relation,
    bindings: &Bindings,
) -> Result<Spans, RelationMiss> {
    let snapshot = sight.snapshot;
    match relation {
        Relation::Region { role, name } => region(snapshot, scope, role.as_ref(), &bindings.text(name)?),
        Relation::Row { keys, table } => {
            let keys = bind_keys(keys, bindings)?;
            // Where no key names a column, a first row that is no declared header may be data as well.
            let undeclared = keys.iter().all(|key| key.column.is_none());
            in_tables(sight, scope, table.as_ref(), bindings, |grid| {
                let rows = rows_with(grid, &keys, undeclared)?;
                Ok(rows.into_iter().flat_map(|r| row_ranges(snapshot, grid, r)).collect())
            })
        }
        Relation::Column { header, table } => {
            let header = bindings.text(header)?;
            in_tables(sight, scope, table.as_ref(), bindings, |grid| {
                let col = column(grid, &header)?;
                Ok(grid.data_rows().filter_map(|r| grid.cell(r, col)).map(|ix| subtree(snapshot, ix)).collect())
            })
        }
        Relation::Cell { keys, header, table } => {
            let keys = bind_keys(keys, bindings)?;
            let header = bindings.text(header)?;
            in_tables(sight, scope, table.as_ref(), bindings, |grid| {
                let col = column(grid, &header)?;
                let rows = rows_with(grid, &keys, false)?;
                Ok(rows.into_iter().filter_map(|r| grid.cell(r, col)).map(|ix| subtree(snapshot, ix)).collect())
            })
        }
        Relation::Adjacent { text, side } => Ok(Spans::Beside { text: squash(&bindings.text(text)?), side: *side }),
    }
}

impl Spans {
    /// Whether the node lies in it.
    #[must_use]
    pub fn hold(&self, snapshot: &UiSnapshot, ix: Ix) -> bool {
        self.hold_in(&Sight::new(snapshot), ix)
    }

    pub(crate) fn hold_in(&self, sight: &Sight<'_>, ix: Ix) -> bool {
        let snapshot = sight.snapshot;
        match self {
            Spans::Ranges(ranges) => {
                let after = ranges.partition_point(|(from, _)| *from <= ix);
                after.checked_sub(1).is_some_and(|i| ix < ranges[i].1)
            }
            // An empty text stands beside everything: it proves nothing.
            Spans::Beside { text, .. } if text.is_empty() => false,
            Spans::Beside { text, side: Side::After } => {
                line_after(snapshot, ix).is_some_and(|t| t == *text)
                    || right_cell(sight, ix, text)
                    || from_block_after(snapshot, ix).is_some_and(|t| t == *text)
            }
            Spans::Beside { text, side: Side::Before } => {
                line_before(snapshot, ix).is_some_and(|t| t == *text)
                    || left_cell(sight, ix, text)
                    || from_cell(sight, ix).is_some_and(|c| c.text == *text)
                    || from_block_before(snapshot, ix).is_some_and(|t| t == *text)
            }
        }
    }

    fn ranges(mut ranges: Vec<(Ix, Ix)>) -> Self {
        ranges.sort_unstable();
        let mut out: Vec<(Ix, Ix)> = Vec::new();
        for (from, to) in ranges {
            match out.last_mut() {
                Some(last) if from < last.1 => last.1 = last.1.max(to),
                _ => out.push((from, to)),
            }
        }
        Spans::Ranges(out)
    }
}

/// One key of a row, bound.
struct BoundKey {
    column: Option<String>,
    text: String,
    /// A reference that stands for an empty text: it would fit any row with an empty cell, so it fits none.
    void: bool,
}

fn bind_keys(keys: &[RowKey], bindings: &Bindings) -> Result<Vec<BoundKey>, BindError> {
    keys.iter()
        .map(|key| {
            let column = key.column.as_ref().map(|c| bindings.text(c)).transpose()?;
            let text = squash(&bindings.text(&key.equals)?);
            let void = text.is_empty() && !key.equals.is_empty();
            Ok(BoundKey { column, text, void })
        })
        .collect()
}

/// The data rows that have all the keys.
///
/// # Errors
/// A header is not there, no row has them, or a reference stands for nothing.
pub fn rows(grid: &Grid<'_>, keys: &[RowKey], bindings: &Bindings) -> Result<Vec<u32>, RelationMiss> {
    rows_with(grid, &bind_keys(keys, bindings)?, false)
}

fn rows_with(grid: &Grid<'_>, keys: &[BoundKey], undeclared: bool) -> Result<Vec<u32>, RelationMiss> {
    let mut wanted = Vec::new();
    for key in keys {
        let col = key.column.as_ref().map(|h| column(grid, h)).transpose()?;
        wanted.push((col, key));
    }
    let fits = |row: u32| {
        wanted.iter().all(|(col, key)| {
            !key.void
                && match col {
                    Some(col) => grid.cell(row, *col).is_some_and(|ix| grid.says(ix, &key.text)),
                    None => grid.cells_of(row).into_iter().any(|ix| grid.says(ix, &key.text)),
                }
        })
    };
    let first = grid.undeclared_header().filter(|_| undeclared);
    let rows: Vec<u32> = first.into_iter().chain(grid.data_rows()).filter(|r| !keys.is_empty() && fits(*r)).collect();
    if rows.is_empty() {
        let words = keys.iter().map(|k| format!("{} = `{}`", k.column.as_deref().unwrap_or("a cell"), k.text));
        let words: Vec<String> = words.collect();
        let words = if words.is_empty() { "no key".into() } else { words.join(", ") };
        let may_be = grid.data_rows().any(|row| may_have(grid, row, &wanted));
        return Err(if may_be { RelationMiss::RowUntold(words) } else { RelationMiss::RowAbsent(words) });
    }
    Ok(rows)
}

/// Whether a row that does not have the keys may be the one that is meant. A row of nothing is none. An empty cell may be
/// filled later only where the row says less than others do: in a table of debits and credits one of the two is empty in
/// every row, and says by that that it is none.
fn may_have(grid: &Grid<'_>, row: u32, wanted: &[(Option<u32>, &BoundKey)]) -> bool {
    let blank = |ix: Ix| grid.says(ix, "");
    let gaps = |row: u32| {
        let cells = grid.cells_of(row);
        let empty = cells.iter().filter(|ix| blank(**ix)).count();
        (empty < cells.len()).then_some(empty)
    };
    let says_something = || gaps(row).is_some();
    let says_less = || {
        let others = grid.data_rows().filter(|other| *other != row).filter_map(gaps).min();
        others.is_none_or(|least| gaps(row).is_some_and(|own| own > least))
    };
    !wanted.is_empty()
        && wanted.iter().all(|(col, key)| {
            !key.void
                && !key.text.is_empty()
                && match col {
                    Some(col) => grid.cell(row, *col).is_some_and(|ix| {
                        blank(ix) && says_less() || grid.says(ix, &key.text) || grid.says_among(ix, &key.text)
                    }),
                    None => grid
                        .cells_of(row)
                        .into_iter()
                        .any(|ix| grid.says(ix, &key.text) || grid.says_among(ix, &key.text)),
                }
        })
        && says_something()
}

fn column(grid: &Grid<'_>, header: &str) -> Result<u32, RelationMiss> {
    grid.column(header).map_err(|miss| match miss {
        HeaderMiss::Absent => RelationMiss::Header(header.to_owned()),
        HeaderMiss::Ambiguous(_) => RelationMiss::Header(header.to_owned()),
    })
}

/// Ranges over every table that fits; the most telling miss where none gives any. A table within a cell of
/// another one that fits is asked for itself.
fn in_tables(
    sight: &Sight<'_>,
    scope: ScopeId,
    wanted: Option<&TableRef>,
    bindings: &Bindings,
    each: impl Fn(&Grid<'_>) -> Result<Vec<(Ix, Ix)>, RelationMiss>,
) -> Result<Spans, RelationMiss> {
    let mut ranges = Vec::new();
    let mut miss = RelationMiss::TableAbsent;
    for table in tables_in(sight, scope, wanted, bindings)? {
        let grid = sight.grid(table);
        match each(&grid) {
            Ok(found) => ranges.extend(found),
            // A table that only arranges the screen has no rows that something could be missing from.
            Err(RelationMiss::RowAbsent(_) | RelationMiss::RowUntold(_)) if grid.is_layout() => {}
            // What one table cannot tell, another one does not tell for it.
            Err(untold @ RelationMiss::RowUntold(_)) => miss = untold,
            Err(RelationMiss::RowAbsent(_)) if matches!(miss, RelationMiss::RowUntold(_)) => {}
            // A table with the right columns and no such row says more than a table of another kind.
            Err(absent @ RelationMiss::RowAbsent(_)) => miss = absent,
            Err(other) => {
                if miss == RelationMiss::TableAbsent {
                    miss = other;
                }
            }
        }
    }
    if ranges.is_empty() { Err(miss) } else { Ok(Spans::ranges(ranges)) }
}

fn row_ranges(snapshot: &UiSnapshot, grid: &Grid<'_>, row: u32) -> Vec<(Ix, Ix)> {
    let cells = grid.cells_of(row);
    let holder =
        cells.first().and_then(|ix| snapshot.ancestors(*ix).find(|(_, n)| n.role == Role::Row).map(|(i, _)| i));
    match holder {
        Some(ix) => vec![subtree(snapshot, ix)],
        None => cells.into_iter().map(|ix| subtree(snapshot, ix)).collect(),
    }
}

fn subtree(snapshot: &UiSnapshot, ix: Ix) -> (Ix, Ix) {
    (ix, snapshot.node(ix).end)
}

fn region(snapshot: &UiSnapshot, scope: ScopeId, role: Option<&Role>, name: &str) -> Result<Spans, RelationMiss> {
    let name = squash(name);
    if name.is_empty() {
        return Err(RelationMiss::RegionAbsent(name));
    }
    let named: Vec<(Ix, Ix)> = snapshot
        .nodes_in(scope)
        .filter(|(_, n)| is_region(&n.role) && role.is_none_or(|r| *r == n.role) && squash(&n.name) == name)
        .map(|(ix, _)| subtree(snapshot, ix))
        .collect();
    if !named.is_empty() {
        return Ok(Spans::ranges(named));
    }
    let headed: Vec<(Ix, Ix)> = snapshot
        .nodes_in(scope)
        .filter(|(_, n)| n.role == Role::Heading && squash(&n.name) == name)
        .filter_map(|(ix, _)| match role {
            // A container of the wanted role that this heading heads: around it, or in its section.
            Some(role) => snapshot
                .ancestors(ix)
                .find(|(_, n)| n.role == *role)
                .map(|(holder, _)| holder)
                .or_else(|| {
                    let (from, to) = section(snapshot, ix);
                    (from.0..to.0).map(Ix).find(|i| snapshot.node(*i).role == *role)
                })
                .map(|holder| subtree(snapshot, holder)),
            None => Some(section(snapshot, ix)),
        })
        .collect();
    if headed.is_empty() { Err(RelationMiss::RegionAbsent(name)) } else { Ok(Spans::ranges(headed)) }
}

/// What a heading heads: everything up to the next heading of its level or above, within its parent; where the
/// parent holds nothing else, within the parent of that.
fn section(snapshot: &UiSnapshot, heading: Ix) -> (Ix, Ix) {
    let node = snapshot.node(heading);
    let level = node.detail.level.unwrap_or(2);
    let limit = snapshot
        .ancestors(heading)
        .take_while(|(_, n)| n.scope == node.scope && !matches!(n.role, Role::Window | Role::Frame))
        .map(|(_, n)| n.end)
        .find(|end| *end > node.end)
        .or_else(|| snapshot.ancestors(heading).map(|(_, n)| n.end).find(|end| *end > node.end))
        .unwrap_or(node.end);
    let end = (node.end.0..limit.0)
        .map(Ix)
        .find(|i| {
            let n = snapshot.node(*i);
            n.scope == node.scope && n.role == Role::Heading && n.detail.level.unwrap_or(2) <= level
        })
        .unwrap_or(limit);
    (heading, end)
}

fn is_region(role: &Role) -> bool {
    matches!(
        role,
        Role::Region
            | Role::Group
            | Role::RadioGroup
            | Role::Dialog
            | Role::AlertDialog
            | Role::Form
            | Role::Main
            | Role::Navigation
            | Role::Complementary
            | Role::Banner
            | Role::ContentInfo
            | Role::Search
            | Role::TabPanel
            | Role::Toolbar
            | Role::Menu
            | Role::MenuBar
            | Role::List
            | Role::Table
            | Role::Grid
            | Role::TreeGrid
            | Role::Article
            | Role::Figure
    )
}

fn left_cell(sight: &Sight<'_>, ix: Ix, text: &str) -> bool {
    neighbour(sight, ix, |col, _| col.checked_sub(1)).is_some_and(|cell| sight.snapshot.text_is(cell, text))
}

fn right_cell(sight: &Sight<'_>, ix: Ix, text: &str) -> bool {
    neighbour(sight, ix, |col, span| col.checked_add(span)).is_some_and(|cell| sight.snapshot.text_is(cell, text))
}

/// The next cell of a row, further away from a text on that side.
pub(crate) fn cell_beyond(sight: &Sight<'_>, ix: Ix, side: Side) -> Option<Ix> {
    match side {
        Side::Before => neighbour(sight, ix, |col, span| col.checked_add(span)),
        Side::After => neighbour(sight, ix, |col, _| col.checked_sub(1)),
    }
}

fn neighbour(sight: &Sight<'_>, ix: Ix, to: impl Fn(u32, u32) -> Option<u32>) -> Option<Ix> {
    let cell_ix = sight.snapshot.closest(ix, |n| n.cell.is_some())?;
    let cell = sight.snapshot.node(cell_ix).cell?;
    sight.grid(cell.table).cell(cell.row, to(cell.col, cell.col_span)?)
}
