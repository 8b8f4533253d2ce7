// Text leaves, image map areas, hints, and the hash of what was seen.

let spaceIn = 0; // block of the last text that was only a space
let textIn = 0; // block of the last text leaf

const emitText = (node, frame) => {
  if (frame.off || frame.faded) return;
  const length = charLength(node);
  if (length === 0) return;
  const raw = dataOf(node);
  let text = raw.replace(/[\s\u00a0]+/g, ' ');
  if (text === ' ') {
    spaceIn = block;
    return;
  }
  let rect;
  let box = null;
  // Alone in an inline element, text has the element's box; alone in a cell, the cell's is near enough. A range is dear.
  const cell = frame.mark >= 0 && nodes[frame.mark][12] !== null;
  const parent = frame.inline || cell ? parentNode(node) : null;
  if (parent && !nextSibling(node) && firstChild(parent) === node && nodeType(parent) === ELEMENT) {
    if (frame.mark >= 0) box = nodes[frame.mark].slice(6, 10);
    else rect = boundingRect(parent);
  } else {
    range.selectNodeContents(node);
    rect = range.getBoundingClientRect();
  }
  box ||= [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)];
  if (rect ? rect.width <= 0 || rect.height <= 0 : box[2] <= 0 || box[3] <= 0) return;
  if ((box[0] + box[2] + scrollX <= 0 || box[1] + box[3] + scrollY <= 0) && !inScroller(node)) return;
  if (length > raw.length) text += CUT;
  // A space of its own between two inline elements belongs to the line.
  if (spaceIn === block && textIn === block && text[0] !== ' ') text = ` ${text}`;
  spaceIn = 0;
  textIn = block;
  const id = identify(node);
  seenIn[id] = walkNumber;
  nodes.push([id, frame.parent, 'text', text.length > VALUE_LIMIT ? cut(text, VALUE_LIMIT) : text, null, frame.unexposed ? UNEXPOSED : 0,
    box[0], box[1], box[2], box[3], '', block, null, null]);
};

/** What lies left of or above the document can only be reached inside a scrolled box. */
const inScroller = (node) => {
  for (let at = flatParent(node); at; at = flatParent(at)) {
    const style = styleOf(at);
    if (/auto|scroll/.test(style.overflowX + style.overflowY)) return true;
  }
  return false;
};

/** Areas of an image map have no box of their own: theirs is cut out of the image's. */
const emitAreas = (img, frame) => {
  const name = (attribute(img, 'usemap') || '').replace(/^#/, '');
  if (!name) return;
  const box = boundingRect(img);
  for (const map of queryAll(rootNode(img), 'map')) {
    if (attribute(map, 'name') !== name) continue;
    for (const area of queryAllElement(map, 'area[href]')) {
      const role = roleOf(area, 'area', false);
      const text = nameOf(area, 'area', role, false);
      const extra = extraOf(area, 'area', '', role, false, text);
      const [x, y, w, h] = areaBox(area, box);
      const id = identify(area);
      seenIn[id] = walkNumber;
      nodes.push([id, frame.parent, role, text, null, FOCUSABLE | INTERACTIVE, Math.round(x), Math.round(y), Math.round(w), Math.round(h),
        'area', block, null, extra]);
    }
    return;
  }
};

const areaBox = (area, box) => {
  const numbers = (attribute(area, 'coords') || '').split(/[\s,]+/).map(Number).filter(Number.isFinite);
  const shape = (attribute(area, 'shape') || 'rect').toLowerCase();
  if (shape.startsWith('circ') && numbers.length >= 3) {
    const [x, y, r] = numbers;
    return [box.left + x - r, box.top + y - r, 2 * r, 2 * r];
  }
  if (numbers.length < 4) return [box.left, box.top, box.width, box.height];
  const xs = numbers.filter((_, i) => i % 2 === 0);
  const ys = numbers.filter((_, i) => i % 2 === 1);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return [box.left + left, box.top + top, Math.max(...xs) - left, Math.max(...ys) - top];
};

/** ids of the nodes a CSS path matches; " >>> " steps into an open shadow root. Null for a path that is none. */
const matchHint = (hint) => {
  try {
    let scopes = [document];
    const parts = String(hint).split(' >>> ');
    parts.forEach((part, i) => {
      const found = [];
      for (const scope of scopes) for (const el of queryAll(scope, part)) found.push(el);
      scopes = i + 1 < parts.length ? found.map(openRoot).filter(Boolean) : found;
    });
    const ids = [];
    for (const el of scopes) {
      const id = idOf.get(el);
      if (id !== undefined && seenIn[id] === walkNumber) ids.push(id);
    }
    return ids;
  } catch {
    return null;
  }
};

/**
 * Two 32-bit FNV-1a sums over roles, names, values and states. Left out: ids and boxes, which change without any change of
 * content, and the focus, which our own input moves.
 */
const contentHash = (list) => {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  const add = (text) => {
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x85ebca6b);
    }
    a = Math.imul(a ^ 0xffff, 0x01000193);
    b = Math.imul(b ^ 0xfffe, 0x85ebca6b);
  };
  for (const node of list) {
    add(node[2]);
    add(node[3]);
    if (node[4] !== null) add(node[4]);
    const states = node[5] & ~FOCUSED;
    a = Math.imul(a ^ states, 0x01000193);
    b = Math.imul(b ^ states, 0x85ebca6b);
    if (node[13] && node[13].options) for (const option of node[13].options) add(option[0]);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
};
