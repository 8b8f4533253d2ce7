//! One look at one snapshot: what is worked out once and asked for many times.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use waymark_snapshot::{Ix, ScopeId, UiSnapshot};

use crate::{Grid, grid};

type Lines = Rc<[(Ix, String)]>;

/// A snapshot with its tables and lines, each worked out when it is first asked for.
pub(crate) struct Sight<'a> {
    pub(crate) snapshot: &'a UiSnapshot,
    grids: RefCell<BTreeMap<Ix, Rc<Grid<'a>>>>,
    lines: RefCell<BTreeMap<ScopeId, Lines>>,
}

impl<'a> Sight<'a> {
    pub(crate) fn new(snapshot: &'a UiSnapshot) -> Self {
        Sight { snapshot, grids: RefCell::default(), lines: RefCell::default() }
    }

    /// The table at a node.
    pub(crate) fn grid(&self, table: Ix) -> Rc<Grid<'a>> {
        self.grids.borrow_mut().entry(table).or_insert_with(|| Rc::new(grid(self.snapshot, table))).clone()
    }

    /// The lines of visible text of a scope.
    pub(crate) fn lines(&self, scope: ScopeId) -> Lines {
        self.lines.borrow_mut().entry(scope).or_insert_with(|| self.snapshot.lines(scope).into()).clone()
    }
}
