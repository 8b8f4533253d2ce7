// Accessible names, by the accname rules as Chromium applies them, before any text-transform.
//
// `nameSource` tells where the last name came from: 'label' (aria-labelledby, aria-label, <label>), 'attribute' (alt, title,
// value, placeholder), 'child' (caption, legend), 'content', or '' for no name.

let nameSource = '';

/** Roles whose own text is their name. */
const NAMED_BY_CONTENT = new Set(('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio ' +
  'option radio rowheader switch tab term tooltip treeitem').split(' '));
/** Roles that a title names only where they can take the focus. */
const TITLELESS = new Set(['caption', 'code', 'definition', 'deletion', 'emphasis', 'generic', 'insertion', 'mark', 'none', 'paragraph', 'strong',
  'subscript', 'superscript', 'suggestion', 'term']);
/** Generic elements whose title counts all the same. */
const TITLED = new Set(['abbr', 'label', 'legend', 'figcaption', 'dl']);
/** Roles that give nothing of their content to the name of an element around them, only a name by their author. */
const CLOSED_ROLES = new Set(('alert alertdialog application article banner blockquote comment complementary contentinfo dialog document feed ' +
  'figure form grid group img log main marquee menu menubar meter navigation note radiogroup row rowgroup scrollbar search sectionfooter ' +
  'sectionheader separator slider spinbutton status suggestion table tablist tabpanel timer toolbar tree treegrid').split(' '));
/** Roles set off by spaces when they stand in a line of text. */
const SPACED_ROLES = new Set(['button', 'checkbox', 'listbox', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'radio', 'switch', 'tab', 'tree',
  'treegrid']);
const SPACED_TAGS = new Set(['img', 'canvas', 'output', 'object']);
/** Elements whose content counts although their role is a closed one: a table without a role is often only layout. */
const OPEN_TAGS = new Set(['address', 'details', 'footer', 'svg', 'table', 'tbody', 'tfoot', 'thead', 'tr']);
/** Elements that never show their content as text. */
const UNRENDERED = new Set(['script', 'style', 'head', 'template', 'noscript', 'meta', 'link', 'title', 'base', 'param', 'source', 'track',
  'datalist', 'audio', 'video', 'iframe', 'frame', 'noframes', 'noembed']);
const SVG_UNRENDERED = new Set(['title', 'desc', 'defs', 'metadata', 'style', 'script', 'symbol',
  'clipPath', 'mask', 'pattern', 'linearGradient', 'radialGradient', 'filter', 'marker']);
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
// Asking every element for ::before is dear, and so is asking every cell whether it is drawn elsewhere; most pages have no such
// rule at all.
let generated = false;
let moved = false;
const sheetFacts = new WeakMap();

const WORST = { generates: true, moves: true };
const factsOf = (sheet, depth) => {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return WORST; // a sheet of another origin cannot be read: assume the worst
  }
  const known = sheetFacts.get(sheet);
  if (known && known.count === rules.length) return known;
  const facts = { count: rules.length, generates: false, moves: false };
  for (const rule of rules) {
    if (rule.styleSheet) {
      const inner = depth < 5 ? factsOf(rule.styleSheet, depth + 1) : WORST;
      facts.generates ||= inner.generates;
      facts.moves ||= inner.moves;
    } else if (rule.cssRules && rule.cssRules.length) {
      const text = rule.cssText;
      facts.generates ||= /:(before|after)/.test(text);
      facts.moves ||= /(^|[\s;{])(transform|all)\s*:/.test(text);
    } else {
      facts.generates ||= !!rule.selectorText && /:(before|after)/.test(rule.selectorText);
      facts.moves ||= !!rule.style && (rule.style.transform !== '' || rule.style.all !== '');
    }
    if (facts.generates && facts.moves) break;
  }
  sheetFacts.set(sheet, facts);
  return facts;
};
const lookForGenerated = (roots) => {
  generated = false;
  moved = documentAnimations(document).length > 0;
  for (const root of [document, ...roots]) noteRoot(root);
};
/** A shadow root met on the way may bring the first such rule. */
const noteRoot = (root) => {
  if (generated && moved) return;
  const sheets = root instanceof Document ? documentSheets(root) : root.styleSheets;
  if (root instanceof ShadowRoot) moved ||= rootAnimations(root).length > 0;
  for (const sheet of [...sheets, ...(root.adoptedStyleSheets || [])]) {
    if (!sheet) continue;
    const facts = factsOf(sheet, 0);
    generated ||= facts.generates;
    moved ||= facts.moves;
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
  for (const part of source.replace(/url\("(?:[^"\\]|\\.)*"\)/g, '').matchAll(/"((?:[^"\\]|\\.)*)"|(open-quote|close-quote)|attr\(\s*([\w-]+)[^)]*\)/g)) {
    if (part[2]) text += part[2] === 'open-quote' ? '“' : '”';
    else if (part[3]) text += attribute(el, part[3]) || '';
    else text += part[1].replace(/\\([0-9a-fA-F]{1,6})\s?|\\(.)/g, (_, code, char) => (code ? String.fromCodePoint(parseInt(code, 16) || 0xfffd) : char));
  }
  return isInlineDisplay(style.display) && !alternative ? text : ` ${text} `;
};

const isInlineDisplay = (display) => display === 'inline' || display === 'contents' || display.startsWith('ruby');

// --- hiding ---------------------------------------------------------------------------------------------------------------
const RENDERED = { visibilityProperty: true };
/** Not rendered or invisible; opacity and clipping hide nothing from the accessibility tree. */
const isHiddenFromNames = (el) => {
  // Within one walk nothing changes, and the cells around a text are named by it one after the other.
  const known = hiddenFromNames ? hiddenFromNames.get(el) : undefined;
  if (known !== undefined) return known;
  const hidden = isUnseen(el);
  if (hiddenFromNames) hiddenFromNames.set(el, hidden);
  return hidden;
};
let hiddenFromNames = null;
const isUnseen = (el) => {
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
  const shadow = openRoot(el);
  if (shadow) noteRoot(shadow);
  if (generated || tag === 'q') add(generatedText(el, '::before'));
  const slotted = slottedNodes(el, tag);
  if (slotted) for (const node of slotted) visit(node);
  else for (let node = firstChild(shadow || el); node && go.room > 0; node = nextSibling(node)) visit(node);
  if (hasAttributes(el) && hasAttribute(el, 'aria-owns')) for (const owned of referenced(el, 'aria-owns')) add(` ${childText(owned, go)} `);
  if (generated || tag === 'q') add(generatedText(el, '::after'));
  return text;
};

/** What an element inside gives to the name of the element around it. */
const childText = (el, go) => {
  const tag = localName(el);
  if (tag === 'br' || tag === 'wbr') return ' ';
  if (namespace(el) === SVG ? SVG_UNRENDERED.has(tag) : UNRENDERED.has(tag)) return '';
  if (go.visited.has(el)) return CONTROLS.has(tag) ? ' ' : '';
  const bare = !hasAttributes(el);
  if (!go.hidden) {
    if (!bare && isAriaHidden(el)) return '';
    if (isHiddenFromNames(el)) return visibleWithin(el, go);
  }
  if (go.depth > MAX_DEPTH) return textContent(el).slice(0, NAME_LIMIT);
  go.visited.add(el);
  go.depth += 1;
  const text = alternative(el, tag, bare, go);
  go.depth -= 1;
  return text;
};

/** Inside an invisible element something may be made visible again. */
const visibleWithin = (el, go) => {
  if (!checkVisibility(el) || go.depth > MAX_DEPTH) return '';
  let text = '';
  go.depth += 1;
  for (let child = firstElement(el); child; child = nextElement(child)) text += childText(child, go);
  go.depth -= 1;
  return text;
};

const alternative = (el, tag, bare, go) => {
  if (!bare) {
    const label = attribute(el, 'aria-label');
    if (label && label.trim() && !(embedsValue(el, tag) && go.visited.size > 1)) return ` ${label} `;
  }
  const role = roleOf(el, tag, bare);
  const value = embeddedValue(el, tag, role, go);
  if (value) return ` ${value} `;
  if (tag === 'img' && attribute(el, 'alt') === '') return '';
  const native = nativeName(el, tag, role, go);
  if (native) return ` ${native} `;
  let text = '';
  if (tag === 'details') text = detailsText(el, go);
  else if (value === null && (go.labelled || !CLOSED_ROLES.has(role) || OPEN_TAGS.has(tag))) text = contentText(el, tag, go);
  const blank = !text.trim();
  if (!bare && blank && (!TITLELESS.has(role) || TITLED.has(tag))) {
    const title = attribute(el, 'title');
    if (title && title.trim()) return ` ${title} `;
  }
  if (SPACED_ROLES.has(role) || SPACED_TAGS.has(tag) || (tag === 'svg' && !blank)) return ` ${text} `;
  const display = styleOf(el).display;
  return isInlineDisplay(display) && display !== 'contents' ? text : ` ${text} `;
};

/** A closed disclosure says its summary, which the browser supplies where the page has none. */
const detailsText = (el, go) => {
  if (hasAttribute(el, 'open')) return contentText(el, 'details', go);
  const summary = firstSummary(el);
  return summary ? childText(summary, go) : 'Details';
};

/** A native text control speaks with its value even where it has a label of its own. */
const embedsValue = (el, tag) => tag === 'textarea' || (tag === 'input' && isTextInput(inputType(el)));

/** A control inside a label speaks with its value, a secret one is silent; null where content counts instead. */
const embeddedValue = (el, tag, role, go) => {
  if (tag === 'input') {
    const type = inputType(el);
    if (type === 'range') return inputValue(el);
    if (!isTextInput(type)) return null;
    return isSecret(el, type) ? '' : inputValue(el);
  }
  if (tag === 'textarea') return areaValue(el);
  if (tag === 'select' && (role === 'combobox' || role === 'listbox')) return selectedText(el).join(' ');
  switch (role) {
    case 'slider': case 'scrollbar': return rangeText(el, '50');
    case 'spinbutton': case 'meter': return rangeText(el, '0');
    case 'progressbar': return rangeText(el, '') || (go.labelled && tag !== 'progress' ? null : '');
    case 'textbox': case 'searchbox': return contentText(el, tag, go);
    case 'combobox': case 'listbox': return chosenText(el, go) || (go.labelled ? null : '');
  }
  return null;
};

const rangeText = (el, otherwise) => attribute(el, 'aria-valuetext') || attribute(el, 'aria-valuenow') || attribute(el, 'value') || otherwise;

/** The chosen options of a choice built from other elements, its own or those it owns. */
const chosenText = (el, go) => {
  const chosen = [];
  for (const list of [el, ...referenced(el, 'aria-owns')]) {
    for (const option of queryAllElement(list, '[role=option][aria-selected=true]')) chosen.push(collapse(contentText(option, '', go)));
  }
  if (!chosen.length && attribute(el, 'role') === 'combobox') {
    const field = queryAllElement(el, 'input')[0];
    if (field && !isSecret(field, inputType(field))) return inputValue(field);
  }
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
