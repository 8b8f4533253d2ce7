// The agent's whole surface. Installed once per document; a second run leaves the first in place.

if (!globalThis.wm) {
  const parse = (options) => (typeof options === 'string' ? JSON.parse(options || '{}') : options || {});
  globalThis.wm = Object.freeze({
    walk: (options) => {
      const result = walk(parse(options));
      told = result;
      arm();
      return result;
    },
    locate: (id, options) => locate(id, parse(options)),
    state: stateOf,
    match: matchText,
    focus: focusOn,
    selectAll,
    options: optionsById,
    frameIds,
    adopt: identify,
    word,
    holder,
    watch,
    rects: rectsOf,
    peek,
    open: openStill,
    shut: shutStill,
    hint: hintOf,
  });
  watchPasswords();
}
