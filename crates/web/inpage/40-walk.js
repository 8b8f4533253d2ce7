// One walk over everything a person can perceive in this document.
//
// The flat tree is walked with a stack of our own: a page may nest deeper than the call stack reaches.

const SKIPPED = new Set(['script', 'style', 'head', 'template', 'noscript', 'meta', 'link', 'title', 'base', 'param', 'source', 'track',
  'datalist', 'noframes', 'noembed', 'rp']);
const CONTROLS = new Set(['input', 'select', 'textarea', 'button']);
/** Elements whose children are not part of the document's content. */
const LEAVES = new Set(['input', 'textarea', 'select', 'iframe', 'frame', 'audio', 'video', 'canvas', 'embed', 'br', 'hr', 'img', 'progress', 'meter']);
const SHOWN = { visibilityProperty: true, opacityProperty: true };
/** Parts of a table grow with their content: their overflow hides nothing, and there are many of them. */
const UNCLIPPED = new Set(['table', 'tbody', 'thead', 'tfoot', 'tr', 'td', 'th', 'hr', 'html', 'body', ...CONTROLS]);
const NONE = 0, RESTART = 1, RESTORE = 2;

let nodes;
let roots; // open shadow roots met
let closedRoots;
let closedHosts = []; // elements whose inside cannot be read
let block;
let lastBlock;
let focused;
let range;

const walk = (options) => {
  walkNumber += 1;
  nodes = [];
  closedRoots = 0;
  closedHosts = [];
  block = lastBlock = 1;
  spaceIn = textIn = 0;
  labelIndex = new Map();
  hiddenFromNames = new Map();
  focused = focusedElement();
  findOrigin();
  range = makeRange(document);
  lookForGenerated(roots || []);
  roots = [];
  const root = documentElement(document);
  if (root) descend(root);
  const found = (options.hints || []).map(matchHint);
  const result = {
    url: location.href,
    title: cut(titleOf(document), NAME_LIMIT),
    name: String(globalThis.name || '').slice(0, NAME_LIMIT),
    ready: readyState(document),
    hash: contentHash(nodes),
    number: walkNumber,
    nodes,
    hints: found,
    closedRoots,
  };
  labelIndex = new Map();
  hiddenFromNames = null;
  nodes = null;
  return result;
};

/** What the children of an element need to know. `faded`: opacity 0 or clipped away; `mark`: nodes before this element. */
const frameFor = (parent, over) => ({ next: null, list: null, at: 0, parent, unexposed: over.unexposed, faded: over.faded, off: over.off,
  hand: over.hand, wary: over.wary, table: over.table, exit: NONE, saved: 0, mark: -1, inline: false });
const TOP = { unexposed: false, faded: false, off: false, hand: false, wary: false, table: null };

const descend = (root) => {
  const stack = [];
  let frame = frameFor(-1, TOP);
  frame.list = [root];
  for (;;) {
    let node;
    if (frame.list) node = frame.at < frame.list.length ? frame.list[frame.at++] : null;
    else {
      node = frame.next;
      if (node) frame.next = nextSibling(node);
    }
    if (!node) {
      leave(frame);
      if (!stack.length) return;
      frame = stack.pop();
      continue;
    }
    const type = nodeType(node);
    if (type === TEXT) emitText(node, frame);
    else if (type === ELEMENT) {
      const inner = enter(node, frame);
      if (inner) {
        stack.push(frame);
        frame = inner;
      }
    }
  }
};

const freshBlock = () => {
  lastBlock += 1;
  block = lastBlock;
};

const leave = (frame) => {
  if (frame.exit === RESTART) freshBlock();
  else if (frame.exit === RESTORE) block = frame.saved;
  // A box without area that shows nothing is not perceived.
  if (frame.mark >= 0 && nodes.length === frame.mark + 1) {
    const node = nodes[frame.mark];
    if (node[8] <= 0 || node[9] <= 0) nodes.pop();
  }
};

/** Handles an element; the frame to walk its children with, or null to pass them over. */
const enter = (el, over) => {
  const tag = localName(el);
  if (SKIPPED.has(tag)) return null;
  if (tag === 'br') {
    freshBlock();
    return null;
  }
  const svg = namespace(el) === SVG;
  if (svg && SVG_UNRENDERED.has(tag)) return null;
  const bare = !hasAttributes(el);
  const style = styleOf(el);
  const display = style.display;
  if (display === 'none') return null;
  const frame = frameFor(over.parent, over);
  const visible = style.visibility === 'visible';
  if (display === 'contents') frame.off = !visible;
  else if (over.wary || tag === 'option' || tag === 'optgroup' || CONTROLS.has(tag)) {
    frame.off = false;
    if (!checkVisibility(el, SHOWN)) {
      if (tag === 'option' || tag === 'optgroup' || !checkVisibility(el)) return null; // not rendered at all
      frame.off = !visible;
      if (visible) frame.faded = true;
    }
  } else {
    // What has no box shows by having no area; skipped content (a closed <details>, content-visibility) is not walked.
    frame.off = !visible;
    if (style.opacity === '0') frame.faded = true;
  }
  if (!frame.faded && !UNCLIPPED.has(tag) && display !== 'contents' && isClipped(el, style, display)) frame.faded = true;
  if (!bare && isAriaHidden(el)) frame.unexposed = true;
  if (!bare && hasAttribute(el, 'inert')) frame.unexposed = true;

  if (display === 'inline') frame.inline = true;
  else if (!isInlineDisplay(display)) {
    if (display.startsWith('inline')) {
      frame.exit = RESTORE;
      frame.saved = block;
      freshBlock();
    } else {
      frame.exit = RESTART;
      freshBlock();
    }
  }
  frame.hand = style.cursor === 'pointer';
  const shadow = openRoot(el);
  if (shadow) {
    roots.push(shadow);
    noteRoot(shadow);
  }
  emitElement(el, tag, bare, frame, over, style, display);

  if (LEAVES.has(tag) && !(tag === 'select' && showsOptions(el))) {
    leave(frame);
    if (tag === 'img' && hasAttribute(el, 'usemap')) emitAreas(el, frame);
    return null;
  }
  if (!shadow && tag.includes('-') && !svg && !frame.off && looksClosed(el)) {
    closedRoots += 1;
    closedHosts.push(el);
    frame.wary = true; // what a root that cannot be seen into does to them
    if (firstElement(el)) return frame; // light children without a box are dropped one by one
  }
  if (tag === 'details' && !hasAttribute(el, 'open')) {
    const summary = firstSummary(el);
    frame.list = summary ? [summary] : [];
    return frame;
  }
  if (!frame.inline && !display.startsWith('table') && style.contentVisibility === 'hidden') frame.list = [];
  else frame.list = slottedNodes(el, tag);
  if (!frame.list) frame.next = firstChild(shadow || el);
  return frame;
};

const showsOptions = (el) => selectMultiple(el) || selectSize(el) > 1;

/** Clipped away: a box of at most a pixel that cuts its overflow, a clip or clip-path that leaves nothing. */
const isClipped = (el, style, display) => {
  if (style.clipPath !== 'none' && /^inset\(\s*(50|[5-9]\d|100)(\.\d+)?%\s*\)|^circle\(0/.test(style.clipPath)) return true;
  if (isInlineDisplay(display)) return false;
  // A size is dear to ask for: only of what cuts off.
  const cuts = (overflow) => overflow === 'hidden' || overflow === 'clip';
  if ((cuts(style.overflowY) && clientHeight(el) <= 1) || (cuts(style.overflowX) && clientWidth(el) <= 1)) return true;
  return style.clip !== 'auto' && /^rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)$/.test(style.clip) && style.position !== 'static';
};

/** A custom element that shows something although no root of it can be seen. */
const looksClosed = (el) => {
  const rect = boundingRect(el);
  if (rect.width <= 0 || rect.height <= 0) return false;
  const child = firstElement(el);
  if (child) return !checkVisibility(child) && styleOf(child).display !== 'none';
  return !collapse(textContent(el));
};

const emitElement = (el, tag, bare, frame, over, style, display) => {
  const role = bare && tag === 'td' && frame.table && frame.table.native ? plainCellRole(frame.table, el) : roleOf(el, tag, bare);
  let clickable = false;
  if (!bare && (hasAttribute(el, 'onclick') || hasAttribute(el, 'onmousedown') || hasAttribute(el, 'ondblclick'))) clickable = true;
  else if (frame.hand && !over.hand) clickable = true;
  const widget = WIDGETS.has(role);
  const label = tag === 'label';
  if (tag === 'tr' && frame.table && frame.table.native) enterRow(frame.table, el);
  else if (role === 'row' && frame.table && !frame.table.native && !frame.off) enterRow(frame.table, el);
  const inTable = frame.table && (tag === 'td' || tag === 'th' || CELLS.has(role));
  const place = inTable ? placeCell(frame.table, el, tag, role) : null;
  const control = CONTROLS.has(tag) && isHtml(el);
  if (frame.off || (frame.faded && !control)) return;
  // An anchor that shows a hand but leads nowhere is a link made by script.
  let shown = tag === 'a' && role === 'generic' && clickable ? 'link' : role;
  if (role === 'none' && (tag === 'table' || tag === 'tr' || tag === 'td' || tag === 'th')) shown = tag === 'table' ? 'table' : tag === 'tr' ? 'row' : 'cell';
  const quiet = QUIET.has(shown);
  if (quiet && !clickable && !label && (bare || !isFocusable(el, tag))) return;
  if (tag === 'html' || tag === 'body') {
    if (!isEditingHost(el)) return;
  }
  if (tag === 'input' && inputType(el) === 'hidden') return;
  const type = tag === 'input' ? inputType(el) : '';
  const name = nameOf(el, tag, shown, bare);
  if (tag === 'svg' && shown === 'img' && !name && !clickable && (bare || !isFocusable(el, tag))) return; // decoration
  const extra = extraOf(el, tag, type, shown, bare, name);
  let states = statesOf(el, tag, type, shown, bare, focused);
  if (frame.unexposed) states |= UNEXPOSED;
  if (widget || clickable || (states & FOCUSABLE && shown !== 'frame')) states |= INTERACTIVE;
  const rect = place && frame.table.box ? cellRect(frame.table, el, place, style, display, bare) : boundingRect(el);
  if (tag === 'tr' && frame.table && display === 'table-row') noteRow(frame.table, rect);
  const x = Math.round(rect.left);
  const y = Math.round(rect.top);
  const id = identify(el);
  seenIn[id] = walkNumber;
  const index = nodes.length;
  nodes.push([id, over.parent, shown, name, valueOf(el, tag, type, shown), states, x, y, Math.round(rect.width), Math.round(rect.height),
    nativeKind(el, tag, type), block, place, extra]);
  frame.parent = index;
  if (!control) frame.mark = index;
  if (tag === 'table') frame.table = openTable(el, index, el instanceof HTMLTableElement);
  else if (role === 'table' || role === 'grid' || role === 'treegrid') frame.table = openTable(el, index, false);
};

const nativeKind = (el, tag, type) => (tag === 'input' ? `input:${type}` : tag === 'button' && isHtml(el) ? `button:${buttonType(el)}` : tag);
