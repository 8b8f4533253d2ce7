// Where a cell stands: rows and columns as the browser lays them out.
//
// A row or cell that is not rendered takes no place. Row spans end with their row group.

const MAX_SPAN = 1000;
const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/** `index`: the table's place among the nodes. `rows`: row element -> row number, for native tables. */
const openTable = (el, index, native) => ({ index, native, rows: native ? numberRows(el) : null, row: -1, col: 0, group: null, busy: [] });

/** The head comes first and the foot last, wherever they stand in the markup. */
const numberRows = (table) => {
  const numbers = new Map();
  for (const row of tableRows(table)) if (checkVisibility(row) || styleOf(row).display !== 'none') numbers.set(row, numbers.size);
  return numbers;
};

const enterRow = (table, el) => {
  if (table.native) {
    const number = table.rows.get(el);
    if (number === undefined) return;
    const group = parentNode(el);
    if (group !== table.group) {
      table.group = group;
      table.busy = []; // column -> last row that a span from above covers
    }
    table.row = number;
  } else {
    const stated = positive(el, 'aria-rowindex');
    table.row = stated ? stated - 1 : table.row + 1;
  }
  table.col = 0;
};

const positive = (el, name) => {
  const value = attribute(el, name);
  const number = value === null ? 0 : parseInt(value, 10);
  return number > 0 ? number : 0;
};

/** Takes the next free place; null outside a row. */
const placeCell = (table, el, tag, role) => {
  if (!table || table.row < 0) return null;
  const native = table.native && (tag === 'td' || tag === 'th');
  let rowspan = 1;
  let colspan = 1;
  if (hasAttributes(el)) {
    colspan = Math.min(positive(el, native ? 'colspan' : 'aria-colspan') || 1, MAX_SPAN);
    rowspan = Math.min(positive(el, native ? 'rowspan' : 'aria-rowspan') || 1, 65534);
    if (native && attribute(el, 'rowspan') === '0') rowspan = rowsLeft(el);
    const stated = native ? 0 : positive(el, 'aria-colindex');
    if (stated) table.col = stated - 1;
  }
  const { busy, row } = table;
  while (busy[table.col] >= row) table.col += 1;
  const col = table.col;
  if (rowspan > 1) for (let c = col; c < col + colspan; c += 1) busy[c] = row + rowspan - 1;
  table.col = col + colspan;
  const header = tag === 'th' || role === 'columnheader' || role === 'rowheader' ? 1 : 0;
  return [table.index, row, col, rowspan, colspan, header];
};

/** rowspan="0" reaches to the end of the row group. */
const rowsLeft = (cell) => {
  let rows = 1;
  const row = parentNode(cell);
  for (let next = row && nodeType(row) === ELEMENT ? nextElement(row) : null; next; next = nextElement(next)) rows += 1;
  return rows;
};
