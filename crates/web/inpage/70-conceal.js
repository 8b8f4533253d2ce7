// Where things are that must not be seen in a picture.
//
// A box here covers all that is drawn: text that runs over the edge of its cell, shadows of letters.

/** A box with the shadows of an element's letters. */
const withShadows = (rect, style) => {
  let { left, top, right, bottom } = rect;
  if (style.textShadow !== 'none') {
    for (const shadow of style.textShadow.split(/,(?![^(]*\))/)) {
      const [x = 0, y = 0, blur = 0] = [...shadow.matchAll(/(-?[\d.]+)px/g)].map((part) => Number(part[1]));
      left = Math.min(left, rect.left + x - 2 * blur);
      top = Math.min(top, rect.top + y - 2 * blur);
      right = Math.max(right, rect.right + x + 2 * blur);
      bottom = Math.max(bottom, rect.bottom + y + 2 * blur);
    }
  }
  return [left, top, right - left, bottom - top];
};

/** The box around all that a node draws; null for what is gone. */
const drawnBox = (node) => {
  const inner = makeRange(document);
  if (nodeType(node) === TEXT) {
    inner.selectNodeContents(node);
    const rect = inner.getBoundingClientRect();
    const holder = flatParent(node);
    return holder ? withShadows(rect, styleOf(holder)) : [rect.left, rect.top, rect.width, rect.height];
  }
  if (nodeType(node) !== ELEMENT) return null;
  const own = boundingRect(node);
  const style = styleOf(node);
  if (CONTROLS.has(localName(node)) || !firstChild(node)) return withShadows(own, style);
  inner.selectNodeContents(node);
  const content = inner.getBoundingClientRect();
  if (content.width <= 0 && content.height <= 0) return withShadows(own, style);
  const left = Math.min(own.left, content.left);
  const top = Math.min(own.top, content.top);
  return withShadows(new DOMRect(left, top, Math.max(own.right, content.right) - left, Math.max(own.bottom, content.bottom) - top), style);
};

/** Boxes by id; null for what is gone. */
const drawnBoxes = (ids) => ids.map((id) => {
  const node = nodeOf(id);
  return node ? drawnBox(node) : null;
});

const everyRoot = () => [document, ...(roots || [])];
const isDrawn = (box) => box[2] > 0 && box[3] > 0;

/** Boxes of all fields whose content nobody may see. */
const secretBoxes = () => {
  const boxes = [];
  for (const root of everyRoot()) {
    for (const el of queryAll(root, 'input,textarea')) {
      if (isSecret(el, el instanceof HTMLInputElement ? inputType(el) : 'text')) boxes.push(drawnBox(el));
    }
  }
  return boxes.filter(isDrawn);
};

const PICTURED = 'img,canvas,video,object,embed,input[type=image],svg image';
/** An image that is no larger than this shows no more than a sign or two. */
const ICON = 32;

/** Boxes of what shows something that cannot be read: images, films, plug-ins, what is closed. */
const opaqueBoxes = () => {
  const boxes = [];
  for (const root of everyRoot()) for (const el of queryAll(root, PICTURED)) boxes.push(drawnBox(el));
  return [...boxes.filter((box) => box[2] > ICON || box[3] > ICON), ...closedHosts.filter((el) => isConnected(el)).map(drawnBox)].filter(isDrawn);
};

/** [[text, box], ...] of what style sheets write before and after elements; a box is null where it is drawn elsewhere. */
const generatedTexts = () => {
  const list = [];
  if (!generated) return list;
  for (const root of everyRoot()) {
    for (const el of queryAll(root, '*')) {
      const before = generatedText(el, '::before');
      const after = generatedText(el, '::after');
      if (!before.trim() && !after.trim()) continue;
      const aside = ['::before', '::after'].some((pseudo) => /absolute|fixed/.test(styleOf(el, pseudo).position));
      const text = before + textContent(el).slice(0, NAME_LIMIT) + after;
      list.push([cut(collapse(text), NAME_LIMIT * 3), aside ? null : drawnBox(el)]);
    }
  }
  return list;
};

/** ids of frames that are drawn turned, scaled or zoomed: where something in them lies is not known. */
const warpedFrames = () => frameElements().filter((el) => {
  for (let at = el; at; at = flatParent(at)) {
    const style = styleOf(at);
    const moved = /^(none|matrix\(1, 0, 0, 1, [^)]*\))$/.test(style.transform);
    if (!moved || style.rotate !== 'none' || style.scale !== 'none' || style.perspective !== 'none' || style.offsetPath !== 'none') return true;
    if (style.zoom && Number(style.zoom) !== 1) return true;
  }
  return false;
}).map(identify);

/** Where all of it is at one moment. `any`: there are values that images may show. */
const places = (ids, any) => {
  const view = globalThis.visualViewport;
  return {
    b: drawnBoxes(ids),
    p: secretBoxes(),
    o: any ? opaqueBoxes() : [],
    f: frameIds(),
    w: warpedFrames(),
    v: [globalThis.innerWidth, globalThis.innerHeight, view ? view.scale : 1, view ? view.offsetLeft : 0, view ? view.offsetTop : 0],
  };
};
