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

/** A CSS path to an element for a native hint: stable ids and names first, positions last. */
const hintOf = (id) => {
  const el = elementOf(id);
  if (!el) return null;
  const parts = [];
  let at = el;
  let steps = [];
  while (at && nodeType(at) === ELEMENT && parts.length < 20 && steps.length < 200) {
    const root = rootNode(at);
    const step = uniqueStep(at, root);
    steps.unshift(step.css);
    const parent = parentNode(at);
    if (step.unique || !parent || nodeType(parent) !== ELEMENT) {
      parts.unshift(steps.join(' > '));
      steps = [];
      at = root instanceof ShadowRoot ? shadowHost(root) : null;
    } else at = parent;
  }
  return parts.join(' >>> ');
};

const uniqueStep = (el, root) => {
  const tag = CSS.escape(localName(el));
  for (const name of ['id', 'name']) {
    const value = attribute(el, name);
    if (!value || value.length > 80 || /\d{4,}/.test(value)) continue; // long numbers tell a generated id
    const css = `${tag}[${name}="${CSS.escape(value)}"]`;
    if (queryAll(root, css).length === 1) return { css, unique: true };
  }
  let position = 1;
  for (let other = previousElement(el); other; other = previousElement(other)) if (localName(other) === localName(el)) position += 1;
  return { css: `${tag}:nth-of-type(${position})`, unique: false };
};
