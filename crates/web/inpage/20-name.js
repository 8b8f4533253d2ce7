// Accessible names, by the accname rules as Chromium applies them, before any text-transform.
//
// `nameSource` tells where the last name came from: 'label' (aria-labelledby, aria-label, <label>), 'attribute' (alt, title,
// value, placeholder), 'child' (caption, legend), 'content', or '' for no name.

let nameSource = '';

/** Roles whose own text is their name. */
const NAMED_BY_CONTENT = new Set(('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio ' +
  'option radio rowheader switch tab tooltip treeitem').split(' '));
/** Roles that may not carry a name of their own. */
const NAMELESS = new Set(['caption', 'code', 'deletion', 'emphasis', 'insertion', 'mark', 'none', 'paragraph', 'strong',
  'subscript', 'superscript', 'suggestion', 'term', 'time', 'definition']);
/** Elements that never show their content as text. */
const UNRENDERED = new Set(['script', 'style', 'head', 'template', 'noscript', 'meta', 'link', 'title', 'base', 'param', 'source', 'track',
  'datalist', 'audio', 'video', 'canvas', 'iframe', 'frame', 'noframes', 'noembed']);
const SVG_UNRENDERED = new Set(['title', 'desc', 'defs', 'metadata', 'style', 'script', 'symbol', 'clipPath', 'mask', 'pattern', 'linearGradient', 'radialGradient', 'filter', 'marker']);
const MAX_DEPTH = 300;

// --- labels -------------------------------------------------------------------------------------------------------------
// `element.labels` searches the whole tree for every control; one pass over the labels of a tree serves all its controls.
let labelIndex = new Map();

const labelsIn = (root) => {
  let index = labelIndex.get(root);
  if (index) return index;
  index = new Map();
  labelIndex.set(root, index);
  for (const label of queryAll(root, 'label')) {
    if (!(label instanceof HTMLLabelElement)) continue;
    const control = labelControl(label);
    if (!control) continue;
    const list = index.get(control);
    if (list) list.push(label);
    else index.set(control, [label]);
  }
  return index;
};
const queryAll = (root, css) => {
  if (root instanceof Document) return queryAllDocument(root, css);
  if (root instanceof DocumentFragment) return queryAllFragment(root, css);
  return queryAllElement(root, css);
};
const LABELABLE = new Set(['input', 'select', 'textarea', 'button', 'meter', 'progress', 'output']);
/** Custom elements may be labelled too: form-associated ones. */
const labelsOf = (el, tag) => (LABELABLE.has(tag) || tag.includes('-') ? labelsIn(rootNode(el)).get(el) || [] : []);

// --- generated content ----------------------------------------------------------------------------------------------------
// Asking every element for ::before is dear; most pages have no such rule at all.
let generated = false;
const sheetFacts = new WeakMap();

const hasGenerated = (sheet, depth) => {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return true; // a sheet of another origin cannot be read: assume the worst
  }
  const known = sheetFacts.get(sheet);
  if (known && known.count === rules.length) return known.found;
  let found = false;
  for (const rule of rules) {
    if (rule.selectorText ? /:(before|after)/.test(rule.selectorText) : false) found = true;
    else if (rule.styleSheet && depth < 5) found = hasGenerated(rule.styleSheet, depth + 1);
    else if (rule.cssRules && rule.cssRules.length) found = /:(before|after)/.test(rule.cssText);
    if (found) break;
  }
  sheetFacts.set(sheet, { count: rules.length, found });
  return found;
};
const lookForGenerated = (roots) => {
  generated = false;
  for (const root of [document, ...roots]) {
    const sheets = root instanceof Document ? documentSheets(root) : root.styleSheets;
    for (const sheet of [...sheets, ...(root.adoptedStyleSheets || [])]) {
      if (sheet && hasGenerated(sheet, 0)) {
        generated = true;
        return;
      }
    }
  }
};

const generatedText = (el, pseudo) => {
  const style = styleOf(el, pseudo);
  const content = style.content;
  if (!content || content === 'none' || content === 'normal') return '';
  if (style.display === 'none' || style.visibility !== 'visible') return '';
  let text = '';
  const alternative = /\/\s*((?:"(?:[^"\\]|\\.)*"\s*|attr\([^)]*\)\s*)+)$/.exec(content);
  const source = alternative ? alternative[1] : content;
  for (const part of source.matchAll(/"((?:[^"\\]|\\.)*)"|(open-quote|close-quote)|attr\(\s*([\w-]+)[^)]*\)/g)) {
    if (part[2]) text += part[2] === 'open-quote' ? '“' : '”';
    else if (part[3]) text += attribute(el, part[3]) || '';
    else text += part[1].replace(/\\([0-9a-fA-F]{1,6})\s?|\\(.)/g, (_, code, char) => (code ? String.fromCodePoint(parseInt(code, 16) || 0xfffd) : char));
  }
  return isInlineDisplay(style.display) ? text : ` ${text} `;
};

const isInlineDisplay = (display) => display === 'inline' || display === 'contents' || display.startsWith('ruby');
const isInlineLevel = (display) => isInlineDisplay(display) || display.startsWith('inline');

// --- hiding ---------------------------------------------------------------------------------------------------------------
const RENDERED = { visibilityProperty: true };
/** Not rendered or invisible; opacity and clipping hide nothing from the accessibility tree. */
const isHiddenFromNames = (el) => {
  if (checkVisibility(el, RENDERED)) return false;
  const style = styleOf(el);
  if (style.display === 'contents') {
    const parent = flatParent(el);
    return style.visibility !== 'visible' || !parent || (parent !== documentElement(document) && isHiddenFromNames(parent));
  }
  const tag = localName(el);
  if ((tag === 'option' || tag === 'optgroup') && style.display !== 'none') return false;
  return true;
};
const isAriaHidden = (el) => attribute(el, 'aria-hidden') === 'true';

// --- text of content --------------------------------------------------------------------------------------------------------
/** How a name is being gathered: `visited` elements, in a labelledby or label traversal, hidden nodes allowed, text so far. */
const traversal = (labelled, hidden, label) => ({ visited: new Set(), labelled, hidden, label, room: NAME_LIMIT + 200, depth: 0 });

const contentText = (el, tag, go) => {
  let text = '';
  const add = (part) => {
    text += part;
    go.room -= part.length;
  };
  const visit = (node) => {
    const type = nodeType(node);
    if (type === TEXT) add(dataOf(node));
    else if (type === ELEMENT) add(childText(node, go));
  };
  if (generated || tag === 'q') add(generatedText(el, '::before'));
  const slotted = slottedNodes(el, tag);
  if (slotted) for (const node of slotted) visit(node);
  else for (let node = firstFlat(el); node && go.room > 0; node = nextSibling(node)) visit(node);
  if (hasAttributes(el) && hasAttribute(el, 'aria-owns')) for (const owned of referenced(el, 'aria-owns')) add(` ${childText(owned, go)} `);
  if (generated || tag === 'q') add(generatedText(el, '::after'));
  return text;
};

/** What an element inside gives to the name of the element around it. */
const childText = (el, go) => {
  const tag = localName(el);
  if (tag === 'br') return ' ';
  if (namespace(el) === SVG ? SVG_UNRENDERED.has(tag) : UNRENDERED.has(tag)) return '';
  if (go.visited.has(el)) return '';
  const bare = !hasAttributes(el);
  if (!go.hidden && ((!bare && isAriaHidden(el)) || isHiddenFromNames(el))) return '';
  if (go.hidden && tag === 'noscript') return '';
  if (go.depth > MAX_DEPTH) return textContent(el).slice(0, NAME_LIMIT);
  go.visited.add(el);
  go.depth += 1;
  const text = alternative(el, tag, bare, go);
  go.depth -= 1;
  return text;
};

const alternative = (el, tag, bare, go) => {
  if (!bare) {
    const label = attribute(el, 'aria-label');
    if (label && label.trim()) return ` ${label} `;
  }
  const role = roleOf(el, tag, bare);
  const value = embeddedValue(el, tag, role, go);
  if (value !== null) return ` ${value} `;
  const native = nativeName(el, tag, role, go);
  if (native) return ` ${native} `;
  const display = styleOf(el).display;
  const text = contentText(el, tag, go);
  if (!bare && !text.trim()) {
    const title = attribute(el, 'title');
    if (title && title.trim()) return ` ${title} `;
  }
  return isInlineDisplay(display) ? text : ` ${text} `;
};

/** A control inside a label speaks with its value; a secret one is silent. */
const embeddedValue = (el, tag, role, go) => {
  switch (role) {
    case 'textbox': case 'searchbox': case 'spinbutton': case 'slider': case 'scrollbar': case 'progressbar': case 'meter':
    case 'date': case 'time': case 'datetime': case 'combobox': case 'listbox': break;
    default: return null;
  }
  if (tag === 'select') return selectedText(el).join(' ');
  if (tag === 'input') return isSecret(el, inputType(el)) ? '' : inputValue(el);
  if (tag === 'textarea') return areaValue(el);
  if (tag === 'progress' || tag === 'meter') return attribute(el, 'value') || '';
  if (role === 'slider' || role === 'spinbutton' || role === 'scrollbar' || role === 'progressbar' || role === 'meter') {
    return attribute(el, 'aria-valuetext') || attribute(el, 'aria-valuenow') || '';
  }
  if (role === 'textbox' || role === 'searchbox') return contentText(el, tag, go);
  const chosen = [];
  for (const option of queryAllElement(el, '[role=option][aria-selected=true]')) chosen.push(collapse(contentText(option, '', go)));
  return chosen.join(' ');
};

const optionText = (option) => collapse(attribute(option, 'label') || textContent(option).slice(0, NAME_LIMIT));
const selectedText = (select) => {
  const texts = [];
  for (const option of selectOptions(select)) if (optionSelected(option)) texts.push(optionText(option));
  return texts;
};

/** The text of another element that names this one. */
const textOfReference = (target, go) => {
  const tag = localName(target);
  const hidden = isHiddenFromNames(target) || (go.labelled && isAriaHidden(target));
  const inner = { ...go, hidden, room: NAME_LIMIT + 200, depth: go.depth + 1 };
  if (inner.depth > MAX_DEPTH) return '';
  inner.visited.add(target);
  return collapse(alternative(target, tag, !hasAttributes(target), inner));
};
