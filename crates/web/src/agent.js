// The driver's own part of the agent: what only acting across frames needs.

if (!globalThis.wmx) {
  /** Whether a point of this frame lies on the holder of a frame inside it, and where that frame's content begins. */
  const holds = (id, x, y) => {
    const el = elementOf(id);
    return el ? holding(el, x, y) : { gone: true };
  };
  const holding = (el, x, y) => {
    const rect = boundingRect(el);
    const left = rect.left + clientLeft(el) + padding(el, 'paddingLeft');
    const top = rect.top + clientTop(el) + padding(el, 'paddingTop');
    if (x === undefined) return { left, top };
    const at = elementAt(left + x, top + y);
    const inside = left + x >= 0 && top + y >= 0 && left + x < globalThis.innerWidth && top + y < globalThis.innerHeight;
    const hit = inside && at === el;
    return { left, top, hit, by: hit ? '' : inside ? describe(at) : 'outside the viewport' };
  };

  /**
   * Everything that decides a click, at one moment: the node, what it is, and whether its point is hit in every frame around
   * this one. `t` is null where a frame around it is of another origin: there each frame has to be asked for itself.
   */
  const aim = (id) => {
    const l = locate(id, { scroll: true });
    return { l, k: kindOf(id), t: l.hit ? outward(l.px, l.py) : null };
  };
  /** A point of this frame in the window's viewport, and what lies over it on the way. */
  const outward = (x, y) => {
    if (parent === globalThis) return { x, y, hit: true, by: '' };
    const outer = outerAgent('wmx');
    return outer ? outer.through(frameElement, x, y) : null;
  };
  const through = (el, x, y) => {
    const at = holding(el, x, y);
    return at.hit ? outward(at.left + x, at.top + y) : { x, y, hit: false, by: at.by };
  };

  /** What the driver needs to know before it types, chooses or toggles. */
  const kindOf = (id) => {
    const el = elementOf(id);
    if (!el) return { gone: true };
    const tag = localName(el);
    const type = tag === 'input' ? inputType(el) : '';
    const editable = tag === 'textarea' || isEditable(el) === true || (tag === 'input' && !NOT_TYPED.has(type));
    return {
      tag,
      type,
      editable,
      direct: tag === 'input' && SET_DIRECTLY.has(type),
      list: tag === 'select' && (selectMultiple(el) || selectSize(el) > 1),
      open: tag === 'select' && isOpen(el),
      focused: focusedElement() === el || (focusedElement() !== null && contains(el, focusedElement())),
      readonly: hasAttribute(el, 'readonly') || attribute(el, 'aria-readonly') === 'true',
      empty: (liveText(el, tag, type) || '') === '',
      role: roleOf(el, tag, !hasAttributes(el)),
    };
  };
  const isOpen = (el) => CSS.supports('selector(:open)') && matches(el, ':open');
  const NOT_TYPED = new Set(['button', 'checkbox', 'color', 'file', 'hidden', 'image', 'radio', 'range', 'reset', 'submit']);
  const SET_DIRECTLY = new Set(['color', 'date', 'datetime-local', 'month', 'range', 'time', 'week']);

  const setInput = uncurry(Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set);
  const setSelected = uncurry(Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, 'selected').set);
  const told = (el) => {
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    el.dispatchEvent(new Event('change', { bubbles: true }));
  };

  /** Sets a field that takes no text from the keyboard in one go (dates, colours, ranges); false where the value is refused. */
  const put = (id, value) => {
    const el = elementOf(id);
    if (!el || !(el instanceof HTMLInputElement)) return false;
    if (inputValue(el) === value) return true;
    const before = inputValue(el);
    setInput(el, value);
    const taken = inputValue(el) === value || inputType(el) === 'range';
    if (!taken) setInput(el, before);
    else told(el);
    return taken;
  };

  /** Chooses an option where the list does not open for a click. */
  const pick = (id, index) => {
    const el = elementOf(id);
    if (!(el instanceof HTMLSelectElement)) return false;
    const option = selectOptions(el)[index];
    if (!option) return false;
    setSelected(option, true);
    told(el);
    return true;
  };

  /** The options of a list with what can be reached by arrow keys: [text, selected, reachable, id]. */
  const choices = (id) => {
    const el = elementOf(id);
    if (!(el instanceof HTMLSelectElement)) return [];
    return [...selectOptions(el)].map((option) => [
      collapse(attribute(option, 'label') || textContent(option)),
      optionSelected(option),
      !matches(option, ':disabled') && styleOf(option).display !== 'none',
      identify(option),
    ]);
  };

  /** The options of a list that is drawn by the page: [id, text, selected]. `control` is the combobox or the list itself. */
  const drawn = (control) => {
    const el = elementOf(control);
    if (!el) return [];
    const lists = [...referenced(el, 'aria-controls'), ...referenced(el, 'aria-owns'), el];
    for (const list of lists) {
      const found = [...queryAllElement(list, '[role=option]')].filter((option) => checkVisibility(option, RENDERED));
      if (found.length) return found.map((option) => [identify(option), collapse(textContent(option)), attribute(option, 'aria-selected') === 'true']);
    }
    return [];
  };

  /** Resolves when the page's list shows options, or with none after the given time. */
  const whenDrawn = (control, ms) => new Promise((done) => {
    const now = drawn(control);
    if (now.length) return done(now);
    const finish = (list) => { observer2.disconnect(); clearTimeout(timer); done(list); };
    const observer2 = new MutationObserver(() => {
      const list = drawn(control);
      if (list.length) finish(list);
    });
    const timer = setTimeout(() => finish(drawn(control)), ms);
    observer2.observe(document, { childList: true, subtree: true, attributes: true });
  });

  const filesOf = (id) => {
    const el = elementOf(id);
    if (!(el instanceof HTMLInputElement) || inputType(el) !== 'file') return null;
    return [...inputFiles(el)].map((file) => [file.name, file.size]);
  };

  const scrollPage = (id) => {
    const el = id === null ? document.scrollingElement || documentElement(document) : elementOf(id);
    if (!el) return { gone: true };
    const step = Math.max(1, Math.floor((id === null ? globalThis.innerHeight : clientHeight(el)) * 0.9));
    const before = el.scrollTop;
    el.scrollBy({ top: step, behavior: 'instant' });
    return { moved: el.scrollTop !== before };
  };

  const nodeById = (id) => elementOf(id);
  globalThis.wmx = Object.freeze({ aim, through, holds, kindOf, put, pick, choices, drawn, whenDrawn, filesOf, scrollPage, nodeById });
}
