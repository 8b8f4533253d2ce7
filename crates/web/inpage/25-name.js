// The order in which the sources of a name are asked.

const BUTTON_TEXT = { submit: 'Submit', reset: 'Reset', image: 'Submit' };

/** Elements for which the host language has a source of names; most have none. */
const HOST_NAMED = new Set(['input', 'select', 'textarea', 'button', 'meter', 'progress', 'output', 'img', 'area', 'fieldset', 'table', 'optgroup', 'option']);

/** The accessible name of an element; sets `nameSource`. */
const nameOf = (el, tag, role, bare) => {
  nameSource = '';
  if (!bare) {
    const authored = authoredName(el);
    if (authored) return authored;
  }
  let go = null;
  const start = () => {
    go = traversal(false, false, false);
    go.visited.add(el);
    return go;
  };
  if (HOST_NAMED.has(tag) || tag.includes('-') || namespace(el) === SVG) {
    const native = nativeName(el, tag, role, start());
    if (native) return finish(native);
  }
  if (NAMED_BY_CONTENT.has(role) && (bare || !isEditingHost(el))) {
    const text = finish(simpleText(el, tag) ?? contentText(el, tag, go || start()));
    if (text) {
      nameSource = 'content';
      return text;
    }
  }
  if (bare) return '';
  const title = attribute(el, 'title');
  if (title && title.trim() && (!TITLELESS.has(role) || TITLED.has(tag) || isFocusable(el, tag))) {
    nameSource = 'attribute';
    return finish(title);
  }
  if (role === 'textbox' || role === 'searchbox') return finish(fromAttribute(el, 'aria-placeholder'));
  return '';
};

const finish = (text) => cut(collapse(text), NAME_LIMIT);

/** Most links and cells hold one text node; undefined where it takes more. */
const simpleText = (el, tag) => {
  if (generated || tag === 'slot' || openRoot(el)) return undefined;
  const first = firstChild(el);
  if (!first) return undefined;
  return nodeType(first) === TEXT && !nextSibling(first) && !hasAttribute(el, 'aria-owns') ? dataOf(first) : undefined;
};

const authoredName = (el) => {
  if (hasAttribute(el, 'aria-labelledby')) {
    const texts = [];
    const targets = referenced(el, 'aria-labelledby');
    for (const target of targets) {
      const go = traversal(true, false, false);
      const text = textOfReference(target, go);
      if (text) texts.push(text);
    }
    const text = finish(texts.join(' '));
    if (text) {
      nameSource = 'label';
      return text;
    }
  }
  const label = attribute(el, 'aria-label');
  if (label && label.trim()) {
    nameSource = 'label';
    return finish(label);
  }
  return '';
};

/** What the host language says: labels, alt, caption, legend, value, placeholder. Also used for elements inside a name. */
const nativeName = (el, tag, role, go) => {
  if (namespace(el) === SVG) return svgTitle(el);
  if (!isHtml(el)) return '';
  switch (tag) {
    case 'input': return inputName(el, role, go);
    case 'select': case 'meter': case 'progress': case 'output': return labelText(el, tag, go);
    case 'textarea': return labelText(el, tag, go) || placeholderName(el);
    case 'button': return labelText(el, tag, go);
    case 'img': case 'area': return fromAttribute(el, 'alt');
    case 'fieldset': return childName(el, 'legend', go);
    case 'table': return childName(el, 'caption', go) || fromAttribute(el, 'summary');
    case 'optgroup': return fromAttribute(el, 'label');
    case 'option': nameSource = 'content'; return optionText(el);
  }
  return tag.includes('-') ? labelText(el, tag, go) : '';
};

const fromAttribute = (el, name) => {
  const value = attribute(el, name);
  if (!value || !value.trim()) return '';
  nameSource = 'attribute';
  return value;
};

const labelText = (el, tag, go) => {
  if (go.label) return '';
  const labels = labelsOf(el, tag);
  if (!labels.length) return '';
  const texts = [];
  for (const label of labels) {
    if (go.visited.has(label) || isHiddenFromNames(label) || closest(label, '[aria-hidden=true]')) continue;
    go.visited.add(label); // the same label is not read twice within one name
    const inner = traversal(false, false, true);
    inner.visited.add(el);
    const text = textOfReference(label, inner);
    if (text) texts.push(text);
  }
  if (texts.length) nameSource = 'label';
  return texts.join(' ');
};

const placeholderName = (el) => fromAttribute(el, 'title') || fromAttribute(el, 'placeholder') || fromAttribute(el, 'aria-placeholder');

const inputName = (el, role, go) => {
  const label = labelText(el, 'input', go);
  const type = inputType(el);
  switch (type) {
    case 'submit': case 'reset': case 'button': {
      if (label) return label;
      const value = attribute(el, 'value');
      if (value !== null && value.trim()) return fromAttribute(el, 'value');
      return value === null ? BUTTON_TEXT[type] || '' : '';
    }
    case 'image':
      return label || fromAttribute(el, 'alt') || fromAttribute(el, 'value') || fromAttribute(el, 'title') || BUTTON_TEXT.image;
    case 'file': return label || (hasAttribute(el, 'multiple') ? 'Choose Files' : 'Choose File');
    case 'checkbox': case 'radio': case 'range': case 'color': return label;
  }
  return label || placeholderName(el);
};

const childName = (el, wanted, go) => {
  for (let child = firstElement(el); child; child = nextElement(child)) {
    if (localName(child) !== wanted) continue;
    const inner = traversal(go.labelled, go.hidden, go.label);
    const text = textOfReference(child, inner);
    if (text) nameSource = 'child';
    return text;
  }
  return '';
};

const svgTitle = (el) => {
  for (let child = firstElement(el); child; child = nextElement(child)) {
    if (localName(child) === 'title') {
      nameSource = 'child';
      return collapse(textContent(child));
    }
  }
  return '';
};

/** The accessible description: what explains an element beyond its name. */
const descriptionOf = (el, name) => {
  const texts = [];
  for (const target of referenced(el, 'aria-describedby')) {
    const text = textOfReference(target, traversal(true, false, false));
    if (text) texts.push(text);
  }
  const text = finish(texts.join(' ') || attribute(el, 'aria-description') || attribute(el, 'title') || '');
  return text === name ? '' : text;
};
