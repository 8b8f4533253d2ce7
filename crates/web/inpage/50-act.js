// Before an action: where to click and whether the click would land. After it: what the element holds now.

const viewport = () => [globalThis.innerWidth, globalThis.innerHeight];

/** The first rectangle of an element with some of it inside the viewport; null when none is. */
const visibleRect = (el, rects) => {
  const [width, height] = viewport();
  for (const rect of rects) {
    const left = Math.max(rect.left, 0);
    const top = Math.max(rect.top, 0);
    const right = Math.min(rect.right, width);
    const bottom = Math.min(rect.bottom, height);
    if (right - left >= 1 && bottom - top >= 1) return { left, top, right, bottom };
  }
  return null;
};

const boxesOf = (el) => {
  if (localName(el) === 'area' && el instanceof HTMLAreaElement) {
    const map = closest(el, 'map');
    const img = map && queryAll(rootNode(el), 'img[usemap]').item(0);
    for (const candidate of map ? queryAll(rootNode(el), 'img[usemap]') : []) {
      if ((attribute(candidate, 'usemap') || '') !== `#${attribute(map, 'name')}`) continue;
      const [left, top, width, height] = areaBox(el, boundingRect(candidate));
      return [new DOMRect(left, top, width, height)];
    }
    return img ? [...clientRects(img)] : [];
  }
  const rects = [...clientRects(el)].filter((rect) => rect.width > 0 && rect.height > 0);
  if (rects.length) return rects;
  // A box without area (floated content, display: contents) is clicked where its content is.
  const inner = makeRange(document);
  inner.selectNodeContents(el);
  return [...inner.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
};

const isInvisible = (el) => {
  if (checkVisibility(el, RENDERED)) return false;
  return localName(el) !== 'area' && isHiddenFromNames(el);
};

const isDisabled = (el) => (FORM_TAGS.has(localName(el)) && matches(el, ':disabled')) || attribute(el, 'aria-disabled') === 'true';

/** The deepest element at a point, through open shadow roots. */
const elementAt = (x, y) => {
  let at = fromPointDocument(document, x, y);
  for (let root = at && openRoot(at); root; root = openRoot(at)) {
    const inner = fromPointRoot(root, x, y);
    if (!inner || inner === at) break;
    at = inner;
  }
  return at;
};

/** A click on `at` is a click on `el`: itself, something in it, or a label that belongs to it. */
const lands = (el, at) => {
  for (let node = at; node; node = flatParent(node)) {
    if (node === el) return true;
    if (node instanceof HTMLLabelElement && labelControl(node) === el) return true;
  }
  if (el instanceof HTMLAreaElement && at && localName(at) === 'img') return true;
  // The label as target: its control answers for it.
  return el instanceof HTMLLabelElement && at !== null && labelControl(el) === at;
};

const describe = (el) => {
  if (!el) return '';
  const id = attribute(el, 'id');
  const classes = tokens(attribute(el, 'class')).slice(0, 3);
  const text = isHtml(el) && !CONTROLS.has(localName(el)) ? collapse(textContent(el).slice(0, 400)).slice(0, 40) : '';
  const path = localName(el) + (id ? `#${id.slice(0, 40)}` : '') + classes.map((name) => `.${name.slice(0, 40)}`).join('');
  return text ? `${path} (${text})` : path;
};

const locate = (id, options) => {
  const el = elementOf(id);
  if (!el) return { gone: true };
  if (isInvisible(el)) return { hidden: true };
  let rects = boxesOf(el);
  if (!rects.length) rects = labelBoxes(el);
  if (!rects.length) return { hidden: true };
  let seen = visibleRect(el, rects);
  const [width, height] = viewport();
  const outside = (rect) => !rect || centre(rects[0]).some((v, i) => v < 0 || v >= (i ? height : width));
  if (outside(seen) && options.scroll !== false) {
    scrollIntoView(el, { behavior: 'instant', block: 'center', inline: 'nearest' });
    rects = boxesOf(el);
    if (!rects.length) {
      const label = labelsOf(el, localName(el)).find((one) => boxesOf(one).length);
      if (label) scrollIntoView(label, { behavior: 'instant', block: 'center', inline: 'nearest' });
      rects = labelBoxes(el);
    }
    seen = visibleRect(el, rects);
  }
  const [x, y, w, h] = boxOf(el);
  const result = { x, y, w, h, px: 0, py: 0, hit: false, by: '', view: [width, height] };
  if (isDisabled(el)) result.disabled = true;
  if (!seen) {
    result.by = 'outside the viewport';
    return result;
  }
  [result.px, result.py] = centre(seen);
  let at = elementAt(result.px, result.py);
  result.hit = lands(el, at);
  if (!result.hit) {
    const other = labelPoint(el);
    if (other) {
      result.hit = true;
      [result.px, result.py] = other;
    }
  }
  if (!result.hit) result.by = describe(at);
  return result;
};

const centre = (rect) => [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];

/** A control without a box of its own is clicked through its label. */
const labelBoxes = (el) => (CONTROLS.has(localName(el)) ? labelsOf(el, localName(el)).flatMap(boxesOf) : []);

/** A styled checkbox or radio is often a speck under or beside its label: then the label is where a person clicks. */
const labelPoint = (el) => {
  if (!(el instanceof HTMLInputElement) || !['checkbox', 'radio', 'file'].includes(inputType(el))) return null;
  for (const label of labelsOf(el, 'input')) {
    const rect = visibleRect(label, boxesOf(label));
    if (!rect) continue;
    const point = centre(rect);
    const at = elementAt(point[0], point[1]);
    // A link inside the label would take the click for itself.
    const taker = at && closest(at, 'a[href],button,input,select,textarea');
    if (at && lands(el, at) && (!taker || taker === el)) return point;
  }
  return null;
};

const stateOf = (id) => {
  const el = elementOf(id);
  if (!el) return { gone: true };
  const tag = localName(el);
  const type = tag === 'input' ? inputType(el) : '';
  const role = roleOf(el, tag, !hasAttributes(el));
  const secret = (tag === 'input' && isSecret(el, type)) || (tag === 'textarea' && isSecret(el, 'text'));
  const live = liveText(el, tag, type);
  const result = {
    value: secret ? null : valueOf(el, tag, type, role),
    text: secret || CONTROLS.has(tag) ? '' : cut(collapse(textContent(el).slice(0, VALUE_LIMIT * 4)), VALUE_LIMIT),
    checked: type === 'checkbox' || type === 'radio' ? inputChecked(el) : attribute(el, 'aria-checked') === 'true',
    selected: tag === 'select' ? selectedText(el) : [],
    readonly: hasAttribute(el, 'readonly') || attribute(el, 'aria-readonly') === 'true',
    disabled: isDisabled(el),
    focused: focusedElement() === el,
    native: nativeKind(el, tag, type),
    length: live === null ? 0 : live.length,
    validity: CONTROLS.has(tag) && isHtml(el) ? matches(el, ':not(:invalid)') : true,
  };
  if (secret) result.protected = true;
  return result;
};

/** The text a person typed or would see typed; null where there is none. */
const liveText = (el, tag, type) => {
  if (tag === 'input') return type === 'file' ? fileNames(el) : inputValue(el);
  if (tag === 'textarea') return areaValue(el);
  if (tag === 'select') return selectedText(el).join('\n');
  return isEditable(el) ? editableText(el) : null;
};

const matchText = (id, expected) => {
  const el = elementOf(id);
  if (!el) return { gone: true };
  const tag = localName(el);
  return { equal: liveText(el, tag, tag === 'input' ? inputType(el) : '') === expected };
};

const focusOn = (id) => {
  const el = elementOf(id);
  if (!el || !(el instanceof HTMLElement)) return false;
  focusElement(el, { preventScroll: true });
  return focusedElement() === el;
};

const selectAll = (id) => {
  const el = elementOf(id);
  if (!el) return false;
  if (el instanceof HTMLInputElement) selectInput(el);
  else if (el instanceof HTMLTextAreaElement) selectArea(el);
  else {
    const inner = makeRange(document);
    inner.selectNodeContents(el);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(inner);
  }
  return true;
};

const optionsById = (id) => {
  const el = elementOf(id);
  return el instanceof HTMLSelectElement ? optionsOf(el) : [];
};
