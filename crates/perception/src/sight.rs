//! One look at one snapshot: what is worked out once and asked for many times.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use waymark_snapshot::{Ix, ScopeId, UiSnapshot};

use crate::Grid;
use crate::table::grid_of;

type Lines = Rc<[(Ix, String)]>;

/// A snapshot with its tables and lines, each worked out when it is first asked for.
pub(crate) struct Sight<'a> {
    pub(crate) snapshot: &'a UiSnapshot,
    grids: RefCell<BTreeMap<Ix, Rc<Grid<'a>>>>,
    /// The cells of each table: of tables in tables each would search all that are inside.
    cells: OnceCell<BTreeMap<Ix, Vec<Ix>>>,
    lines: RefCell<BTreeMap<ScopeId, Lines>>,
}

impl<'a> Sight<'a> {
    pub(crate) fn new(snapshot: &'a UiSnapshot) -> Self {
        Sight { snapshot, grids: RefCell::default(), cells: OnceCell::new(), lines: RefCell::default() }
    }

    /// The table at a node.
    pub(crate) fn grid(&self, table: Ix) -> Rc<Grid<'a>> {
        let cells = self.cells.get_or_init(|| {
            let mut cells: BTreeMap<Ix, Vec<Ix>> = BTreeMap::new();
            for (ix, node) in self.snapshot.iter() {
                if let Some(cell) = node.cell.filter(|cell| self.snapshot.contains(cell.table, ix)) {
                    cells.entry(cell.table).or_default().push(ix);
                }
            }
            cells
        });
        let own = cells.get(&table).map_or(&[][..], Vec::as_slice);
        self.grids.borrow_mut().entry(table).or_insert_with(|| Rc::new(grid_of(self.snapshot, table, own))).clone()
    }

    /// The lines of visible text of a scope.
    pub(crate) fn lines(&self, scope: ScopeId) -> Lines {
        self.lines.borrow_mut().entry(scope).or_insert_with(|| self.snapshot.lines(scope).into()).clone()
    }
}
