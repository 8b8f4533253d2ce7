// Roles, as Chromium's accessibility tree computes them from the DOM.
//
// Where ARIA has no word the native kind is the role: date, time, datetime (also month and week), color, file. A label element is
// `generic` here: it acts on its control.

const ARIA_ROLES = new Set(('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader ' +
  'combobox comment complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell group ' +
  'heading img image insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox ' +
  'menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader ' +
  'scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist ' +
  'tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem').split(' '));

/** Roles a person acts on. */
const WIDGETS = new Set(('button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton menuitem ' +
  'menuitemcheckbox menuitemradio tab treeitem scrollbar date time datetime color file').split(' '));

/** Roles that only decorate text: emitted where they can be focused or clicked, else their text says it all. */
const QUIET = new Set(['generic', 'none', 'strong', 'emphasis', 'code', 'mark', 'subscript', 'superscript', 'insertion', 'deletion', 'suggestion']);
/** Words of other vocabularies, and `time`, which here means a time field: an element <time> is plain text. */
const SYNONYMS = { image: 'img', directory: 'list', time: 'generic', 'doc-backlink': 'link', 'doc-biblioref': 'link', 'doc-glossref': 'link',
  'doc-noteref': 'link', 'graphics-document': 'img', 'graphics-symbol': 'img', 'graphics-object': 'group' };

const BY_TAG = {
  address: 'group', article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', caption: 'caption',
  code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dir: 'list', dt: 'term',
  em: 'emphasis', fieldset: 'group', figure: 'figure', frame: 'frame', h1: 'heading', h2: 'heading', h3: 'heading',
  h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator', iframe: 'frame', ins: 'insertion', main: 'main',
  mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option',
  output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search', strong: 'strong', sub: 'subscript', sup: 'superscript',
  table: 'table', tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', tr: 'row', ul: 'list',
};

const BY_INPUT = {
  button: 'button', checkbox: 'checkbox', color: 'color', date: 'date', 'datetime-local': 'datetime', email: 'textbox', file: 'file',
  image: 'button', month: 'datetime', number: 'spinbutton', password: 'textbox', radio: 'radio', range: 'slider', reset: 'button',
  search: 'searchbox', submit: 'button', tel: 'textbox', text: 'textbox', time: 'time', url: 'textbox', week: 'datetime',
};

const SECTIONING = 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]';
const GLOBAL_ARIA = ['aria-label', 'aria-labelledby', 'aria-description', 'aria-describedby', 'aria-live', 'aria-controls', 'aria-owns',
  'aria-atomic', 'aria-busy', 'aria-details', 'aria-flowto', 'aria-relevant', 'aria-current', 'aria-keyshortcuts', 'aria-roledescription', 'aria-braillelabel'];

const isEditingHost = (el) => {
  const value = attribute(el, 'contenteditable');
  if (value === null) return false;
  const word = value.trim().toLowerCase();
  return word === '' || word === 'true' || word === 'plaintext-only';
};

/** Can take the focus (by a click, a key or script). `tag` is the local name. */
const isFocusable = (el, tag) => {
  const tab = attribute(el, 'tabindex');
  const tabbable = tab !== null && /^\s*[+-]?\d/.test(tab);
  switch (tag) {
    case 'a': case 'area': if (hasAttribute(el, 'href')) return true; break;
    case 'button': case 'select': case 'textarea': return isHtml(el) && !matches(el, ':disabled');
    case 'input': return inputType(el) !== 'hidden' && !matches(el, ':disabled');
    case 'iframe': case 'frame': case 'embed': case 'object': return tabbable || tag === 'iframe' || tag === 'frame';
    case 'summary': if (isSummary(el)) return true; break;
    case 'audio': case 'video': if (hasAttribute(el, 'controls')) return true; break;
  }
  return tabbable || isEditingHost(el);
};

const isSummary = (el) => {
  const parent = parentNode(el);
  if (!parent || nodeType(parent) !== ELEMENT || localName(parent) !== 'details') return false;
  return firstSummary(parent) === el;
};
const firstSummary = (details) => {
  for (let child = firstElement(details); child; child = nextElement(child)) if (localName(child) === 'summary') return child;
  return null;
};

/** Named by its author, which makes a section a region and a form a form. */
const isAuthored = (el) => {
  const label = attribute(el, 'aria-label');
  if (label && label.trim()) return true;
  if (hasAttribute(el, 'aria-labelledby') && referenced(el, 'aria-labelledby').some((target) => collapse(textContent(target)))) return true;
  const title = attribute(el, 'title');
  return !!(title && title.trim());
};

/** Roles that mean nothing outside their container. */
const CONTEXT = {
  listitem: '[role=list],[role=directory],ul,ol,menu,dir',
  option: '[role=listbox],[role=combobox],select',
  treeitem: '[role=tree],[role=treegrid],[role=group]',
};
const inContext = (el, containers) => {
  if (closest(el, containers)) return true;
  if (rootNode(el) !== document) return true; // the container may be around the shadow root
  for (let at = el, steps = 0; at && steps < 8; at = flatParent(at), steps += 1) {
    const id = attribute(at, 'id');
    if (id && queryAllDocument(document, `[aria-owns~="${CSS.escape(id)}"]`).length) return true;
  }
  return false;
};

const explicitRole = (el, tag, value) => {
  for (const word of tokens(value.toLowerCase())) {
    if (SYNONYMS[word]) return SYNONYMS[word];
    if (!ARIA_ROLES.has(word)) continue;
    if (word === 'none' || word === 'presentation') {
      // A focusable element, or one that its author described, cannot be made presentational.
      if (isFocusable(el, tag) || GLOBAL_ARIA.some((name) => hasAttribute(el, name))) return null;
      return 'none';
    }
    if ((word === 'region' || word === 'form') && !isAuthored(el)) continue;
    if (word === 'cell') return cellRole(el);
    if (CONTEXT[word] && !inContext(el, CONTEXT[word])) continue;
    return word;
  }
  return null;
};

const roleOf = (el, tag, bare) => {
  if (!bare) {
    const role = attribute(el, 'role');
    if (role) {
      const explicit = explicitRole(el, tag, role);
      if (explicit) return explicit;
    }
  }
  return implicitRole(el, tag, bare);
};

const implicitRole = (el, tag, bare) => {
  switch (tag) {
    case 'div': case 'span': case 'b': case 'i': case 'font': case 'center': case 'label': return 'generic';
    case 'a': return !bare && (hasAttribute(el, 'href') || hasAttribute(el, 'onclick')) ? 'link' : 'generic';
    case 'area': return hasAttribute(el, 'href') ? 'link' : 'generic';
    case 'td': return cellRole(el);
    case 'th': return headerRole(el);
    case 'li': return listItemRole(el);
    case 'input': return inputRole(el);
    case 'select': return selectMultiple(el) || selectSize(el) > 1 ? 'listbox' : 'combobox';
    case 'img': return imageRole(el);
    case 'svg': return 'img';
    case 'summary': return isSummary(el) ? 'button' : 'generic';
    case 'section': return isAuthored(el) ? 'region' : 'generic';
    case 'form': return 'form';
    case 'header': case 'footer': return landmarkRole(el, tag);
    case 'object': case 'embed': return 'generic';
  }
  return (isHtml(el) && BY_TAG[tag]) || 'generic';
};

const inputRole = (el) => {
  const type = inputType(el);
  const role = BY_INPUT[type] || 'textbox';
  if ((role === 'textbox' || role === 'searchbox' || role === 'spinbutton') && type !== 'password' && inputList(el)) return 'combobox';
  return role;
};

const imageRole = (el) => {
  const alt = attribute(el, 'alt');
  if (alt !== null && alt.trim() === '' && !isAuthored(el) && !isFocusable(el, 'img')) return 'none';
  return 'img';
};

const landmarkRole = (el, tag) => {
  const parent = parentNode(el);
  if (parent && nodeType(parent) === ELEMENT && closest(parent, SECTIONING)) return 'generic';
  return tag === 'header' ? 'banner' : 'contentinfo';
};

/** The items of a presentational list are presentational too. */
const listItemRole = (el) => {
  const parent = flatParent(el);
  const role = parent && hasAttributes(parent) ? attribute(parent, 'role') : null;
  return role && explicitRole(parent, localName(parent), role) === 'none' ? 'none' : 'listitem';
};

/** The cells of a grid are grid cells, whatever they call themselves. */
const cellRole = (el) => {
  const table = closest(el, 'table,[role=table],[role=grid],[role=treegrid]');
  const role = table ? attribute(table, 'role') : null;
  if (!role) return 'cell';
  const word = explicitRole(table, localName(table), role);
  return word === 'grid' || word === 'treegrid' ? 'gridcell' : 'cell';
};

/** Column or row header: its scope, else what stands beside it. */
const headerRole = (el) => {
  const scope = (attribute(el, 'scope') || '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  const before = previousElement(el);
  const after = nextElement(el);
  const header = (other) => !!other && localName(other) === 'th';
  if (!before && !after) return 'columnheader';
  if (header(before) && header(after)) return 'columnheader';
  if ((before && !header(before)) || (after && !header(after))) return 'rowheader';
  return 'columnheader';
};
