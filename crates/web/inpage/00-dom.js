// Reading the DOM of a page that may be hostile.
//
// The isolated world has prototypes of its own, but named form controls and images shadow properties of forms and of the
// document ("DOM clobbering": <input name="parentNode">). Nothing here reads a property off a node; every read goes through
// the prototype's getter or method, captured once.

const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const getter = (proto, name) => uncurry(Object.getOwnPropertyDescriptor(proto, name).get);
const method = (proto, name) => uncurry(proto[name]);

const NodeP = Node.prototype;
const ElementP = Element.prototype;
const HtmlP = HTMLElement.prototype;
const DocumentP = Document.prototype;

const baseUri = getter(NodeP, 'baseURI');
const nodeType = getter(NodeP, 'nodeType');
const parentNode = getter(NodeP, 'parentNode');
const firstChild = getter(NodeP, 'firstChild');
const nextSibling = getter(NodeP, 'nextSibling');
const childNodes = getter(NodeP, 'childNodes');
const textContent = getter(NodeP, 'textContent');
const isConnected = getter(NodeP, 'isConnected');
const rootNode = method(NodeP, 'getRootNode');
const contains = method(NodeP, 'contains');
const firstElement = getter(ElementP, 'firstElementChild');
const nextElement = getter(ElementP, 'nextElementSibling');
const previousElement = getter(ElementP, 'previousElementSibling');
const localName = getter(ElementP, 'localName');
const namespace = getter(ElementP, 'namespaceURI');
const openRoot = getter(ElementP, 'shadowRoot');
const assignedSlot = getter(ElementP, 'assignedSlot');
const textSlot = getter(Text.prototype, 'assignedSlot');
const assignedNodes = method(HTMLSlotElement.prototype, 'assignedNodes');
const shadowHost = getter(ShadowRoot.prototype, 'host');
const attributeOf = method(ElementP, 'getAttribute');
const hasAttribute = method(ElementP, 'hasAttribute');
const hasAttributes = method(ElementP, 'hasAttributes');
const matches = method(ElementP, 'matches');
const closest = method(ElementP, 'closest');
const checkVisibility = method(ElementP, 'checkVisibility');
const boundingRect = method(ElementP, 'getBoundingClientRect');
const clientRects = method(ElementP, 'getClientRects');
const clientHeight = getter(ElementP, 'clientHeight');
const clientWidth = getter(ElementP, 'clientWidth');
const scrollIntoView = method(ElementP, 'scrollIntoView');
const isEditable = getter(HtmlP, 'isContentEditable');
const focusElement = method(HtmlP, 'focus');
const charData = getter(CharacterData.prototype, 'data');
const charLength = getter(CharacterData.prototype, 'length');
const substring = method(CharacterData.prototype, 'substringData');

const queryAllDocument = method(DocumentP, 'querySelectorAll');
const queryAllElement = method(ElementP, 'querySelectorAll');
const queryAllFragment = method(DocumentFragment.prototype, 'querySelectorAll');
const documentElement = getter(DocumentP, 'documentElement');
const readyState = getter(DocumentP, 'readyState');
const titleOf = getter(DocumentP, 'title');
const documentSheets = getter(DocumentP, 'styleSheets');
const documentAnimations = method(DocumentP, 'getAnimations');
const rootAnimations = method(ShadowRoot.prototype, 'getAnimations');
const activeInDocument = getter(DocumentP, 'activeElement');
const activeInRoot = getter(ShadowRoot.prototype, 'activeElement');
const byIdInDocument = method(DocumentP, 'getElementById');
const byIdInFragment = method(DocumentFragment.prototype, 'getElementById');
const fromPointDocument = method(DocumentP, 'elementFromPoint');
const fromPointRoot = method(ShadowRoot.prototype, 'elementFromPoint');
const makeRange = method(DocumentP, 'createRange');

const inputType = getter(HTMLInputElement.prototype, 'type');
const inputValue = getter(HTMLInputElement.prototype, 'value');
const inputChecked = getter(HTMLInputElement.prototype, 'checked');
const inputMixed = getter(HTMLInputElement.prototype, 'indeterminate');
const inputFiles = getter(HTMLInputElement.prototype, 'files');
const inputList = getter(HTMLInputElement.prototype, 'list');
const selectInput = method(HTMLInputElement.prototype, 'select');
const areaValue = getter(HTMLTextAreaElement.prototype, 'value');
const selectArea = method(HTMLTextAreaElement.prototype, 'select');
const selectOptions = getter(HTMLSelectElement.prototype, 'options');
const selectMultiple = getter(HTMLSelectElement.prototype, 'multiple');
const selectSize = getter(HTMLSelectElement.prototype, 'size');
const buttonType = getter(HTMLButtonElement.prototype, 'type');
const optionSelected = getter(HTMLOptionElement.prototype, 'selected');
const optionValue = getter(HTMLOptionElement.prototype, 'value');
const labelControl = getter(HTMLLabelElement.prototype, 'control');
const tableRows = getter(HTMLTableElement.prototype, 'rows');
const linkHref = getter(HTMLAnchorElement.prototype, 'href');
const areaHref = getter(HTMLAreaElement.prototype, 'href');

const ELEMENT = 1;
const TEXT = 3;
const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const NAME_LIMIT = 1000;
const VALUE_LIMIT = 10000;
const CUT = '…[cut]';

const isHtml = (el) => namespace(el) === HTML;
/** A long text is cut with a marker: a megabyte in an attribute must not travel with every snapshot. */
const cut = (text, limit) => (text.length > limit ? text.slice(0, limit) + CUT : text);
/** White space as HTML collapses it; a no-break space counts as a space, since nobody can see the difference. */
const collapse = (text) => text.replace(/[\s\u00a0]+/g, ' ').trim();
/** An attribute is read whole but never worked on whole. */
const attribute = (el, name) => {
  const value = attributeOf(el, name);
  return value !== null && value.length > VALUE_LIMIT ? value.slice(0, VALUE_LIMIT) : value;
};
const tokens = (value) => (value ? value.trim().split(/\s+/) : []);
/** The text of a text node; a node of many megabytes is read from its start only. */
const dataOf = (node) => (charLength(node) > 100000 ? substring(node, 0, 100000) : charData(node));

/** The parent in the flat tree: through slots and open shadow roots; null at the top. */
const flatParent = (node) => {
  const slot = nodeType(node) === ELEMENT ? assignedSlot(node) : nodeType(node) === TEXT ? textSlot(node) : null;
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return null;
  if (nodeType(parent) === 11) return parent instanceof ShadowRoot ? shadowHost(parent) : null;
  return nodeType(parent) === ELEMENT ? parent : null;
};

/** Children in the flat tree where they are not simply the child nodes; null: walk firstChild/nextSibling. */
const slottedNodes = (el, tag) => {
  if (tag !== 'slot' || !(el instanceof HTMLSlotElement)) return null;
  const nodes = assignedNodes(el);
  return nodes.length ? nodes : null;
};

const byId = (el, id) => {
  const root = rootNode(el);
  if (root instanceof Document) return byIdInDocument(root, id);
  return root instanceof DocumentFragment ? byIdInFragment(root, id) : null;
};

/** The elements an IDREF list names, in its order, each once. */
const referenced = (el, name) => {
  const found = [];
  for (const id of tokens(attribute(el, name))) {
    const target = byId(el, id);
    if (target && !found.includes(target)) found.push(target);
  }
  return found;
};

const styleOf = (el, pseudo) => getComputedStyle(el, pseudo);

/** What is in the focus, through open shadow roots. */
const focusedElement = () => {
  let at = activeInDocument(document);
  for (let root = at && openRoot(at); root; root = openRoot(at)) {
    const inner = activeInRoot(root);
    if (!inner) break;
    at = inner;
  }
  return at;
};
