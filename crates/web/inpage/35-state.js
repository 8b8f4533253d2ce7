// Values, states and the extra facts of single elements.

const DISABLED = 1, CHECKED = 2, MIXED = 4, EXPANDED = 8, COLLAPSED = 16, SELECTED = 32, FOCUSED = 64, READONLY = 128, REQUIRED = 256,
  INVALID = 512, BUSY = 1024, PROTECTED = 2048, FOCUSABLE = 4096, MULTILINE = 8192, MULTISELECTABLE = 16384, HASPOPUP = 32768,
  PRESSED = 65536, UNEXPOSED = 131072, MODAL = 262144, INTERACTIVE = 524288;

const FORM_TAGS = new Set(['input', 'select', 'textarea', 'button', 'option', 'optgroup', 'fieldset']);
const EDIT_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

const isTextInput = (type) => !['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'file', 'range', 'color', 'hidden'].includes(type);

/** States of an element. `type` is the live type of an input, else ''. */
const statesOf = (el, tag, type, role, bare, focused) => {
  let bits = 0;
  const form = FORM_TAGS.has(tag) && isHtml(el);
  if (form) {
    if (matches(el, ':disabled')) bits |= DISABLED;
    if (tag === 'input') {
      if (type === 'checkbox' || type === 'radio') {
        if (inputChecked(el)) bits |= CHECKED;
        if (type === 'checkbox' && inputMixed(el)) bits |= MIXED;
      } else if (isSecret(el, type)) bits |= PROTECTED;
    } else if (tag === 'textarea') bits |= MULTILINE;
    else if (tag === 'select' && selectMultiple(el)) bits |= MULTISELECTABLE;
    else if (tag === 'option' && optionSelected(el)) bits |= SELECTED;
    if (!bare && tag !== 'button') {
      if (hasAttribute(el, 'readonly') && (tag === 'textarea' || (tag === 'input' && isTextInput(type)))) bits |= READONLY;
      if (hasAttribute(el, 'required')) bits |= REQUIRED;
    }
  } else if (tag === 'details') bits |= hasAttribute(el, 'open') ? EXPANDED : COLLAPSED;
  else if (tag === 'summary' && role === 'button') bits |= hasAttribute(parentNode(el), 'open') ? EXPANDED : COLLAPSED;
  else if (tag === 'dialog' && matches(el, ':modal')) bits |= MODAL;
  if (el === focused) bits |= FOCUSED;
  if (bare) return form && !(bits & DISABLED) && tag !== 'option' && tag !== 'optgroup' && tag !== 'fieldset' ? bits | FOCUSABLE : bits;
  if (isFocusable(el, tag)) bits |= FOCUSABLE;
  if (!form && isEditingHost(el)) bits |= MULTILINE;
  return bits | ariaStates(el, role, form);
};

const ariaStates = (el, role, form) => {
  let bits = 0;
  const is = (name, value) => attribute(el, name) === value;
  if (is('aria-disabled', 'true')) bits |= DISABLED;
  if (!form) {
    const checked = attribute(el, 'aria-checked');
    if (checked === 'true') bits |= CHECKED;
    else if (checked === 'mixed') bits |= MIXED;
  }
  const expanded = attribute(el, 'aria-expanded');
  if (expanded === 'true') bits |= EXPANDED;
  else if (expanded === 'false') bits |= COLLAPSED;
  if (is('aria-selected', 'true')) bits |= SELECTED;
  if (is('aria-readonly', 'true')) bits |= READONLY;
  if (is('aria-required', 'true')) bits |= REQUIRED;
  const invalid = attribute(el, 'aria-invalid');
  if (invalid !== null && invalid !== '' && invalid !== 'false') bits |= INVALID;
  if (is('aria-busy', 'true')) bits |= BUSY;
  if (EDIT_ROLES.has(role) && is('aria-multiline', 'true')) bits |= MULTILINE;
  if (is('aria-multiselectable', 'true')) bits |= MULTISELECTABLE;
  const popup = attribute(el, 'aria-haspopup');
  if (popup !== null && popup !== '' && popup !== 'false') bits |= HASPOPUP;
  const pressed = attribute(el, 'aria-pressed');
  if (pressed === 'true') bits |= PRESSED;
  else if (pressed === 'mixed') bits |= MIXED;
  if (is('aria-modal', 'true')) bits |= MODAL;
  return bits;
};

/** The current value of a control as a person reads it; null where there is none, and always null for a secret. */
const valueOf = (el, tag, type, role) => {
  if (tag === 'input') {
    switch (type) {
      case 'checkbox': case 'radio': case 'submit': case 'reset': case 'button': case 'image': return null;
      case 'file': return fileNames(el);
    }
    return isSecret(el, type) ? null : cut(inputValue(el), VALUE_LIMIT);
  }
  if (tag === 'select') return cut(selectedText(el).join('\n'), VALUE_LIMIT);
  if (tag === 'textarea') return isSecret(el, 'text') ? null : cut(areaValue(el), VALUE_LIMIT);
  if (tag === 'progress' || tag === 'meter') return attribute(el, 'value');
  switch (role) {
    case 'slider': case 'spinbutton': case 'scrollbar': case 'progressbar': case 'meter':
      return attribute(el, 'aria-valuetext') || attribute(el, 'aria-valuenow');
    case 'textbox': case 'searchbox': case 'combobox':
      return role === 'combobox' && !isEditingHost(el) ? null : cut(editableText(el), VALUE_LIMIT);
  }
  return isEditingHost(el) ? cut(editableText(el), VALUE_LIMIT) : null;
};

const fileNames = (el) => {
  const files = inputFiles(el);
  return files ? [...files].map((file) => file.name).join('\n') : '';
};
const editableText = (el) => {
  const text = el instanceof HTMLElement ? innerText(el) : textContent(el);
  return text.replace(/\u00a0/g, ' ').replace(/\n$/, '');
};
const innerText = getter(HtmlP, 'innerText');

/** [[text, value, selected, disabled], ...] */
const optionsOf = (select) => {
  const list = [];
  for (const option of selectOptions(select)) {
    if (list.length >= 2000) break;
    list.push([optionText(option), cut(optionValue(option), NAME_LIMIT), optionSelected(option), matches(option, ':disabled')]);
  }
  return list;
};

let origin = ''; // of relative links in this document; '' where it must be asked link by link

const findOrigin = () => {
  const base = baseUri(document);
  origin = /^https?:/.test(base) ? new URL(base).origin : '';
};
/** Where a link leads. Resolving is dear; a plain path needs none. */
const addressOf = (link) => {
  const href = attribute(link, 'href') || '';
  if (origin && /^\/(?!\/)[\w\-/?=&+,;:@.]*$/.test(href) && !href.includes('/.')) return origin + cut(href, NAME_LIMIT * 2);
  return cut(linkHref(link), NAME_LIMIT * 2);
};

/** Facts only some nodes have; null where there are none. */
const extraOf = (el, tag, type, role, bare, name) => {
  let extra = null;
  const put = (key, value) => {
    extra ||= {};
    extra[key] = value;
  };
  if (role === 'heading') put('level', positive(el, 'aria-level') || (/^h[1-6]$/.test(tag) ? Number(tag[1]) : 2));
  if (tag === 'select') put('options', optionsOf(el));
  if (nameSource === 'label') put('label', 1);
  if (!bare) {
    if (hasAttribute(el, 'aria-describedby') || hasAttribute(el, 'aria-description') || hasAttribute(el, 'title')) {
      const description = descriptionOf(el, name);
      if (description) put('desc', description);
    }
    if (tag === 'input' || tag === 'textarea' || EDIT_ROLES.has(role)) {
      const placeholder = attribute(el, 'placeholder') || attribute(el, 'aria-placeholder');
      if (placeholder) put('placeholder', cut(placeholder, NAME_LIMIT));
    }
    if (tag === 'a' && role === 'link' && el instanceof HTMLAnchorElement) put('href', addressOf(el));
    else if (tag === 'area' && el instanceof HTMLAreaElement) put('href', cut(areaHref(el), NAME_LIMIT * 2));
    if (role === 'frame') put('frameName', attribute(el, 'name') || '');
  } else if (role === 'frame') put('frameName', '');
  if (LABELABLE.has(tag)) {
    const labels = labelsOf(el, tag);
    if (labels.length) put('labelIds', labels.map(identify));
  }
  return extra;
};
