// Whether a document holds still while a picture of it is taken.
//
// What a picture can show is what a frame draws, and a page may show something in that frame alone. So from the opening look
// to the closing one the document is looked at in every frame, behind whatever the page's own scripts did in it: a resize
// observer that is made in a frame is told last in that frame, when nothing is left to do but to draw. What differs from the
// walk that the driver has is told to it, and whoever knows what must not be seen judges it.

/** The walks that the driver may have: its last one, and the one for a picture. */
let told = null;
let peeked = null;
let still = null;
let lastStill = 0;

/** A walk that takes longer (ms) is made again only where something was noticed. */
const DEAR = 8;
/** The most time (ms) that looking may take in all, and the most looks and nodes that may be told. */
const PATIENCE = 1000, MOST = 64, MOST_NODES = 100000;
/** Nobody waits for a picture for so long (ms). */
const FORGOTTEN = 30000;
const WATCHED = { childList: true, attributes: true, characterData: true, subtree: true };
const FIELDS = 'input,textarea,select';

/** Everything of a walk by which it is judged whether something must not be seen; not where it is. */
const keyOf = (list) => JSON.stringify(list.map((n) => [n[0], n[2], n[3], n[4], n[5] & ~FOCUSED, n[11], n[13]]));

/** What fields hold: scripts change it without a mutation. */
const fieldValues = () => {
  let all = '';
  for (const root of everyRoot()) {
    for (const el of queryAll(root, FIELDS)) {
      const tag = localName(el);
      const value = el instanceof HTMLInputElement ? `${inputType(el)}\u0000${inputValue(el)}`
        : el instanceof HTMLTextAreaElement ? areaValue(el)
          : el instanceof HTMLSelectElement ? selectedText(el).join('\n') : tag;
      all += `${value}\u0001`;
    }
  }
  return all;
};

/** Roots that came since the last walk: attaching one is no mutation. */
const hasNewRoots = (known) => {
  for (const root of everyRoot()) {
    for (const el of queryAll(root, '*')) {
      const inner = openRoot(el);
      if (inner && !known.has(inner)) return true;
    }
  }
  return false;
};

const animationsOfDocument = method(DocumentP, 'getAnimations');
const animationsOfRoot = method(ShadowRoot.prototype, 'getAnimations');
const isAnimated = () => everyRoot().some((root) => (root === document ? animationsOfDocument(root) : animationsOfRoot(root)).length > 0);

/** Looks once. `whole`: with a walk, whatever it costs. */
const lookOnce = (at, whole) => {
  if (at.moved) return;
  const began = performance.now();
  const fields = fieldValues();
  const noticed = at.dirty || fields !== at.fields;
  at.fields = fields;
  if (whole || noticed || at.cost <= DEAR || isAnimated() || hasNewRoots(at.roots)) {
    at.dirty = false;
    const seen = walk({});
    const texts = at.any ? generatedTexts() : [];
    const key = keyOf(seen.nodes) + JSON.stringify(texts);
    if (!at.keys.has(key)) {
      at.keys.add(key);
      at.size += seen.nodes.length;
      at.looks.push({ w: { nodes: seen.nodes }, t: texts });
    }
    for (const root of roots) {
      if (at.roots.has(root)) continue;
      at.roots.add(root);
      at.observer.observe(root, WATCHED);
    }
    at.cost = performance.now() - began;
  }
  const now = places(at.ids, at.any);
  const held = JSON.stringify([now.b, now.p, now.o, now.v, now.f.map((frame) => [frame[0], frame[3]])]);
  const framed = JSON.stringify([now.f, now.w]);
  if (at.held === null) [at.held, at.framed] = [held, framed];
  at.moved ||= held !== at.held;
  at.shifted ||= framed !== at.framed;
  at.spent += performance.now() - began;
  at.moved ||= at.spent > PATIENCE || at.looks.length > MOST || at.size > MOST_NODES;
};

const inFrame = (at) => {
  if (at !== still) return;
  if (performance.now() - at.since > FORGOTTEN) {
    endStill(at);
    return;
  }
  at.frames += 1;
  at.due = true;
  const last = new ResizeObserver(() => {
    last.disconnect();
    if (at !== still || !at.due) return;
    at.due = false;
    at.late = true;
    lookOnce(at, false);
  });
  const root = documentElement(document);
  if (root) last.observe(root);
  at.channel.port2.postMessage(0);
  requestAnimationFrame(() => inFrame(at));
};

/** Behind the frame. */
const afterFrame = (at) => {
  at.late = false;
  if (at !== still || !at.due) return;
  // A document without a box is told no size.
  at.due = false;
  lookOnce(at, false);
};

const noticedIn = (at) => {
  at.dirty = true;
  at.changes += 1;
  // Behind our look at this frame, and before it is drawn.
  if (at.late && at === still) lookOnce(at, false);
};

const endStill = (at) => {
  at.observer.disconnect();
  at.channel.port1.close();
  if (at === still) still = null;
};

/** A walk for a picture: what the driver knows of the document stays as it was. */
const peek = () => {
  const { nodes, number } = walk({});
  peeked = { nodes, number };
  return JSON.stringify(peeked);
};

/** Two frames, so that what is drawn by now is drawn from the state of now; where none are drawn, not for long. */
const twoFrames = () => new Promise((done) => {
  setTimeout(done, 150);
  requestAnimationFrame(() => requestAnimationFrame(done));
});

/**
 * The opening look. `ids`: nodes that must not be seen, by the walk of that number; `any`: there are values that images and
 * style sheets may show; `apart`: the document is drawn by a process of its own, at times of its own.
 */
const openStill = (ids, any, number, apart) => {
  if (still) endStill(still);
  const base = [told, peeked].find((one) => one !== null && one.number === number);
  const at = { ids, any, moved: !base, shifted: false, dirty: false, late: false, due: false, held: null, framed: null,
    fields: '', roots: new Set(), keys: new Set(), looks: [], size: 0, cost: 0, spent: 0, frames: 0, changes: 0, since: performance.now() };
  at.observer = new MutationObserver(() => noticedIn(at));
  at.observer.observe(document, WATCHED);
  at.channel = new MessageChannel();
  at.channel.port1.onmessage = () => afterFrame(at);
  at.serial = lastStill += 1;
  const before = base ? keyOf(base.nodes) : '';
  still = at;
  lookOnce(at, true);
  const first = at.looks[0];
  // Nothing need be told twice: texts out of style sheets are told with the places.
  if (first && keyOf(first.w.nodes) === before) at.looks.length = 0;
  const texts = first ? first.t : [];
  requestAnimationFrame(() => inFrame(at));
  const answer = () => JSON.stringify({ n: at.serial, c: { ...places(ids, any), t: texts } });
  if (!apart) return answer();
  return twoFrames().then(answer);
};

/** The closing look: whether anything that must not be seen moved, whether frames did, and what else could be seen meanwhile. */
const shutStill = (serial) => {
  const at = still;
  if (!at || at.serial !== serial) return JSON.stringify({ m: true, s: false, z: 0, l: [] });
  lookOnce(at, true);
  const drawn = globalThis.innerWidth > 0 && globalThis.innerHeight > 0;
  // What changed and was never looked at in a frame may still have been drawn.
  const moved = at.moved || (drawn && at.changes > 0 && at.frames === 0);
  endStill(at);
  return JSON.stringify({ m: moved, s: at.shifted, z: at.frames, l: moved ? [] : at.looks });
};
