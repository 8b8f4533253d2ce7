// Who is who: stable integers for nodes, and which fields are secret.

const idOf = new WeakMap();
const refs = [null];
const seenIn = [0]; // id -> number of the walk that last emitted it
let walkNumber = 0;

const identify = (node) => {
  let id = idOf.get(node);
  if (id === undefined) {
    id = refs.length;
    idOf.set(node, id);
    refs.push(new WeakRef(node));
    seenIn.push(0);
  }
  return id;
};

/** The node of an id if it is still part of the document; null when it is gone. */
const nodeOf = (id) => {
  const ref = refs[id];
  const node = ref ? ref.deref() : null;
  return node && isConnected(node) ? node : null;
};
const elementOf = (id) => {
  const node = nodeOf(id);
  return node && nodeType(node) === ELEMENT ? node : null;
};

// A field that was ever a password stays secret when the page turns its type to text ("show password"), and so does a field
// that takes its place under the same name or id.
const secretFields = new WeakSet();
const secretNames = new Set();
const ONE_TIME = /(^|\s)(one-time-code|cc-csc|current-password|new-password)(\s|$)/i;

const keepSecret = (el) => {
  if (secretFields.has(el)) return;
  secretFields.add(el);
  for (const name of [attribute(el, 'name'), attribute(el, 'id')]) if (name) secretNames.add(name);
};

/** `type` is the live type of the input. */
const isSecret = (el, type) => {
  if (type === 'password') {
    keepSecret(el);
    return true;
  }
  if (secretFields.has(el)) return true;
  const complete = attribute(el, 'autocomplete');
  if (complete !== null && ONE_TIME.test(complete)) return true;
  if (secretNames.size === 0 || !TEXT_TYPES.has(type)) return false;
  return secretNames.has(attribute(el, 'name') || '') || secretNames.has(attribute(el, 'id') || '');
};

const TEXT_TYPES = new Set(['text', 'search', 'email', 'tel', 'url', 'number', 'hidden']);

/** From the start of the document on: a password may be shown before anybody looked at the page. */
const watchPasswords = () => {
  const observer = new MutationObserver((records) => {
    for (const record of records) {
      if (record.oldValue && record.oldValue.toLowerCase() === 'password' && record.target instanceof HTMLInputElement) keepSecret(record.target);
    }
  });
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['type'], attributeOldValue: true });
  const note = (event) => {
    const el = event.composedPath()[0];
    if (el instanceof HTMLInputElement && inputType(el) === 'password') keepSecret(el);
  };
  for (const kind of ['focusin', 'input', 'change']) addEventListener(kind, note, { capture: true, passive: true });
};
