// Telling the driver once that something changed since the last walk, and where frames are.

let binding = '';
let armed = false;
let observer = null;

const signal = () => {
  if (!armed) return;
  armed = false;
  observer.disconnect(); // further changes cost nothing until the next walk
  const call = globalThis[binding];
  if (typeof call === 'function') call(JSON.stringify({ dirty: 1, url: location.href }));
};

const watch = (name) => {
  binding = String(name);
  if (!observer) {
    observer = new MutationObserver(signal);
    const options = { capture: true, passive: true };
    // What no mutation tells: typed values, finished style sheets and transitions, the end of loading.
    for (const kind of ['input', 'change', 'reset', 'toggle', 'transitionend', 'animationend', 'load', 'pageshow', 'DOMContentLoaded', 'slotchange']) {
      addEventListener(kind, signal, options);
    }
  }
  arm();
  return true;
};

/** After each walk. The walk is synchronous, so no change can fall between the two. */
const arm = () => {
  if (!observer) return;
  observer.disconnect();
  const what = { childList: true, attributes: true, characterData: true, subtree: true };
  observer.observe(document, what);
  for (const root of roots || []) observer.observe(root, what);
  armed = true;
};

/** What this document's agent is called among others: whoever reaches it from a frame inside says so with its numbers. */
const word = `${performance.timeOrigin}.${Math.random()}`;
const ownValue = (object, name) => Object.getOwnPropertyDescriptor(object, name)?.value;

/** The agent around this frame; null at the top, and where the document around it is of another origin. */
const outerAgent = (name) => {
  try {
    // What a page calls `wm` itself is no property of the window's own in this world.
    return (parent !== globalThis && frameElement && ownValue(parent, name)) || null;
  } catch {
    return null;
  }
};

/** [word of the agent around this frame, its number of this frame's element]; null where that cannot be reached. */
const holder = () => {
  const outer = outerAgent('wm');
  return outer && [outer.word, outer.adopt(frameElement)];
};

const frameElements = () => {
  const list = [];
  for (const root of [document, ...(roots || [])]) for (const el of queryAll(root, 'iframe,frame')) list.push(el);
  return list;
};

/** [[id, name, title, src, x, y, w, h], ...]: the box is the content box, where the frame's own viewport lies. */
const frameIds = () => frameElements().map((el) => {
  const rect = boundingRect(el);
  const x = rect.left + clientLeft(el) + padding(el, 'paddingLeft');
  const y = rect.top + clientTop(el) + padding(el, 'paddingTop');
  return [identify(el), attribute(el, 'name') || '', attribute(el, 'title') || '', attribute(el, 'src') || '',
    x, y, clientWidth(el) - padding(el, 'paddingLeft') - padding(el, 'paddingRight'), clientHeight(el) - padding(el, 'paddingTop') - padding(el, 'paddingBottom')];
});
const clientLeft = getter(ElementP, 'clientLeft');
const clientTop = getter(ElementP, 'clientTop');
const padding = (el, side) => parseFloat(styleOf(el)[side]) || 0;

const boxOf = (el) => {
  const rect = boundingRect(el);
  return [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)];
};

/** Boxes by id; null for what is gone. */
const rectsOf = (ids) => ids.map((id) => {
  const el = elementOf(id);
  return el ? boxOf(el) : null;
});

/**
 * A short CSS path to an element for a native hint: from the nearest element that an id, a name or a class tells apart, over a
 * few places. Null where there is none, or it finds something else too. What could be data of a record is no part of it:
 * numbers of three digits, and what no program calls a thing.
 */
const HINT_LIMIT = 200;
const HINT_STEPS = 7;
const PROGRAM_WORD = /^[A-Za-z_][\w:.$-]{0,47}$/;
const STATE_CLASS = /active|select|focus|hover|open|error|invalid|valid|dirty|touched|disabled|hidden|show|odd|even|first|last|current/i;
const hintOf = (id) => {
  const el = elementOf(id);
  if (!el || nodeType(el) !== ELEMENT) return null;
  const parts = [];
  let at = el;
  while (at) {
    const root = rootNode(at);
    const part = pathIn(at, root);
    if (!part) return null;
    parts.unshift(part);
    at = root instanceof ShadowRoot ? shadowHost(root) : null;
  }
  const hint = parts.join(' >>> ');
  return hint.length <= HINT_LIMIT ? hint : null;
};

/** The path within one document or shadow root, proven to find nothing else there. */
const pathIn = (el, root) => {
  const steps = [];
  let own = null;
  for (let at = el; !own; at = parentNode(at)) {
    if (!at || nodeType(at) !== ELEMENT || steps.length === HINT_STEPS) return null;
    own = ownWord(at, root);
    steps.unshift(own || placeOf(at));
  }
  const css = steps.join(' > ');
  const found = queryAll(root, css);
  return found.length === 1 && found[0] === el ? css : null;
};

/** What the program calls an element, where it calls no other so in this document. */
const ownWord = (el, root) => {
  const tag = CSS.escape(localName(el));
  const fits = (value) => Boolean(value) && PROGRAM_WORD.test(value) && !/\d{3,}/.test(value);
  const alone = (css) => queryAll(root, css).length === 1;
  for (const name of ['id', 'name']) {
    const value = attribute(el, name);
    if (!fits(value)) continue;
    const css = `${tag}[${name}="${value}"]`;
    if (alone(css)) return css;
  }
  for (const value of (attribute(el, 'class') || '').split(/\s+/)) {
    if (!fits(value) || /\d/.test(value) || STATE_CLASS.test(value)) continue;
    const css = `${tag}.${CSS.escape(value)}`;
    if (alone(css)) return css;
  }
  return null;
};

const placeOf = (el) => {
  let position = 1;
  for (let other = previousElement(el); other; other = previousElement(other)) if (localName(other) === localName(el)) position += 1;
  return `${CSS.escape(localName(el))}:nth-of-type(${position})`;
};
