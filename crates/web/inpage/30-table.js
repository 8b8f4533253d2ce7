// Where a cell stands: rows and columns as the browser lays them out.
//
// A row or cell that is not rendered takes no place. Row spans end with their row group.

const MAX_SPAN = 1000;
const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/** `index`: the table's place among the nodes. `rows`: row element -> row number, for native tables. */
const openTable = (el, index, native) => ({ el, index, native, cell: '', rows: native ? numberRows(el) : null, row: -1, col: 0, group: null, busy: [],
  regular: native && styleOf(el).borderCollapse !== 'collapse', box: null, columns: new Map() });

/** The head comes first and the foot last, wherever they stand in the markup. */
const numberRows = (table) => {
  const numbers = new Map();
  for (const row of tableRows(table)) if (checkVisibility(row) || styleOf(row).display !== 'none') numbers.set(row, numbers.size);
  return numbers;
};

const enterRow = (table, el) => {
  table.box = null;
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

/** Whether a cell is drawn elsewhere than it is laid out. The answer is dear; without a rule, attribute or animation it is no. */
const isMoved = (el, style, bare) => (moved || (!bare && hasAttribute(el, 'style'))) && style.transform !== 'none';

/** The role of a plain cell: the same for all cells of a table. */
const plainCellRole = (table, el) => {
  const row = parentNode(el);
  const group = row && parentNode(row);
  // Only where nothing stands between the cell and its table, a shadow root least of all.
  if (!group || (group !== table.el && parentNode(group) !== table.el)) return cellRole(el);
  table.cell ||= cellRole(el);
  return table.cell;
};

/** rowspan="0" reaches to the end of the row group. */
const rowsLeft = (cell) => {
  let rows = 1;
  const row = parentNode(cell);
  for (let next = row && nodeType(row) === ELEMENT ? nextElement(row) : null; next; next = nextElement(next)) rows += 1;
  return rows;
};

// --- boxes ------------------------------------------------------------------------------------------------------------------
// A box is the dearest thing to ask the browser for, and most elements of a large page are cells. The cells of a row share its
// top and height, those of a column its left and width: they are measured once.

/** The box of a row that was just measured; what is known of the columns holds for rows of the same left and width. */
const noteRow = (table, rect) => {
  const [left, top, width, height] = [rect.left, rect.top, rect.width, rect.height];
  if (left !== table.left || width !== table.width) table.columns.clear();
  table.left = left;
  table.width = width;
  table.box = { top, height };
};

/** The box of a cell; `place` as from `placeCell`. */
const cellRect = (table, el, place, style, display, bare) => {
  const { box } = table;
  if (!box || !table.regular || place[3] !== 1 || display !== 'table-cell' || style.position !== 'static' || isMoved(el, style, bare)) {
    return boundingRect(el);
  }
  const key = place[2] * 2048 + place[4];
  const column = table.columns.get(key);
  if (column) return { left: column.left, top: box.top, width: column.width, height: box.height };
  const rect = boundingRect(el);
  // Laid out in some other way than rows and columns: nothing is known of its cells then.
  if (Math.abs(rect.top - box.top) > 0.01 || Math.abs(rect.height - box.height) > 0.01) table.regular = false;
  else table.columns.set(key, { left: rect.left, width: rect.width });
  return rect;
};
