// In each page of a stand-in, for the time of one run: who is touched is reported, and one page is changed as the order says.
// Whoever looks at the page finds no trace of this: no attribute, no element, no name in the window.
(order => {
  document.currentScript.remove();

  // What each element was on the untouched page, by the way to it. It holds the elements weakly and is seen by nobody.
  let known = null;
  const added = new WeakSet();
  const stand_in_for = new WeakMap();

  // Reports overtake each other on their way.
  let count = 0;
  const report = what => {
    const body = JSON.stringify({ doc: order.doc, n: ++count, ...what });
    if (navigator.sendBeacon("/__oracle/guest", body)) return;
    // Too much for a beacon.
    const request = new XMLHttpRequest();
    request.open("POST", "/__oracle/guest", false);
    request.send(body);
  };

  const words = text => (text || "").replace(/\s+/g, " ").trim();
  const children = element => [...element.children];
  function wayTo(element) {
    const way = [];
    for (let at = element; at && at.parentElement; at = at.parentElement) way.unshift(children(at.parentElement).indexOf(at));
    return way.join(".");
  }
  function at(way) {
    let element = document.documentElement;
    for (const index of way === "" ? [] : way.split(".")) element = element && element.children[Number(index)];
    return element || null;
  }
  const buttons = "[type=submit],[type=button],[type=reset],[type=image]";
  function looks(element) {
    const text = element.matches("input") ? (element.matches(buttons) ? element.getAttribute("value") : "") : element.textContent;
    return [element.localName, element.getAttribute("type"), element.getAttribute("name"), words(text).slice(0, 2000)].join("|");
  }
  const shown = element => element.getClientRects().length > 0;

  // --- who is touched ---

  const touchable = "a,button,input,select,textarea,summary,area";
  function key(element) {
    if (!known) return wayTo(element);
    if (known.has(element)) return known.get(element);
    if (added.has(element)) return "added";
    // The page made it later: counted among what the page has, without what was added here.
    const parent = element.parentElement;
    const of = stand_in_for.get(parent) || parent;
    const above = parent ? known.get(of) ?? key(parent) : "";
    const place = parent ? children(parent).filter(child => !added.has(child)).indexOf(element) : 0;
    return above === "" ? String(place) : above + "." + place;
  }
  for (const type of ["click", "input", "change"]) {
    window.addEventListener(type, event => {
      const first = event.composedPath()[0];
      if (!(first instanceof Element)) return;
      const element = first.closest(touchable) || first;
      report({ kind: "event", type, way: key(element), looks: looks(element), was: wayTo(element) });
    }, true);
  }

  // --- the untouched run: what stands there ---

  if (order.tells) {
    let due = false;
    const tell = () => { due = false; report({ kind: "text", text: words(document.body.textContent).slice(0, 40000) }); };
    const soon = () => { if (!due) { due = true; setTimeout(tell, 0); } };
    new MutationObserver(soon).observe(document, { childList: true, subtree: true, characterData: true });
    soon();
  }
  if (!order.change) return;

  // --- the change ---

  // As the seed says and nothing else.
  let state = order.seed >>> 0;
  function chance() {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  const below = count => Math.floor(chance() * count);
  const pick = list => list[below(list.length)];
  function some(list, count) {
    const left = [...list];
    const taken = [];
    while (left.length && taken.length < count) taken.push(...left.splice(below(left.length), 1));
    return taken;
  }
  const make = (name, text) => {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    added.add(element);
    return element;
  };
  const mark = element => { added.add(element); element.querySelectorAll("*").forEach(inner => added.add(inner)); return element; };

  const plain = text => words(text).replace(/,/g, "");
  const holds = (element, values) => { const text = plain(element.textContent); return values.every(value => text.includes(value)); };
  function target() {
    if (order.way !== null) {
      const element = at(order.way);
      return element && looks(element) === order.looks ? element : null;
    }
    if (order.values.length) {
      const all = [...document.body.querySelectorAll(order.table ? "table" : "*")].filter(e => shown(e) && !e.matches("script,style") && holds(e, order.values));
      const inmost = all.filter(e => !all.some(other => other !== e && e.contains(other)));
      const exact = inmost.filter(e => order.table || plain(e.textContent).replace(/^[-$ ]+/, "") === order.values[0]);
      return exact[0] || inmost[0] || null;
    }
    // A step without an element: something that stands there.
    return document.body.querySelector("h1,h2,form,table") || document.body.firstElementChild;
  }

  const isData = table => !!table && !!table.querySelector("th");
  const reads = order.way === null;
  const tableParts = "td,th,tr,tbody,thead,tfoot,option,optgroup,body,html,head,frame";

  // The caption and the field that belong together, moved as one.
  function group(element) {
    const row = element.closest("tr");
    if (row && !isData(row.closest("table"))) return [row];
    const block = element.parentElement;
    const before = block && block.previousElementSibling;
    const field = element.matches("input:not([type=submit]):not([type=button]),select,textarea");
    if (field && block && !block.matches("form,td,body") && block.querySelectorAll("input,select,textarea").length === 1) {
      if ([...block.childNodes].some(node => node !== element && words(node.textContent))) return [block];
      if (before && !before.querySelector("input,select,textarea,a")) return [before, block];
    }
    return [element];
  }

  const changes = {
    rename_names() {
      const ids = new Map();
      const classes = new Map();
      const fresh = () => "n" + Math.floor(chance() * 1e9).toString(36);
      for (const element of document.querySelectorAll("[id],[class]")) {
        if (element.id) {
          if (!ids.has(element.id)) ids.set(element.id, fresh());
          element.id = ids.get(element.id);
        }
        for (const name of [...element.classList]) {
          if (!classes.has(name)) classes.set(name, fresh());
          element.classList.replace(name, classes.get(name));
        }
      }
      for (const [attribute] of [["for"], ["aria-labelledby"], ["aria-describedby"], ["headers"]]) {
        for (const element of document.querySelectorAll(`[${attribute}]`)) {
          element.setAttribute(attribute, element.getAttribute(attribute).split(" ").map(id => ids.get(id) || id).join(" "));
        }
      }
      // The page's own code was changed with it.
      const byId = Document.prototype.getElementById;
      Document.prototype.getElementById = function (id) { return byId.call(this, ids.get(id) || id); };
      for (const kind of [Document.prototype, Element.prototype]) {
        for (const name of ["querySelector", "querySelectorAll"]) {
          const find = kind[name];
          kind[name] = function (selector) {
            const now = selector.replace(/#([\w-]+)/g, (all, id) => "#" + (ids.get(id) || id)).replace(/\.([a-zA-Z][\w-]*)/g, (all, c) => "." + (classes.get(c) || c));
            return find.call(this, now);
          };
        }
      }
      return ids.size + classes.size ? `${ids.size} ids, ${classes.size} classes` : null;
    },

    wrap(element) {
      const around = one => {
        const into = make(one.parentElement.matches("p,b,font,span,a") ? pick(["span", "font", "b"]) : pick(["div", "span", "center", "font"]));
        if (one.matches(tableParts)) { into.append(...one.childNodes); one.append(into); } else { one.replaceWith(into); into.append(one); }
      };
      const times = 1 + below(3);
      for (let time = 0; time < times; time++) around(element);
      some([...document.body.querySelectorAll("a,b,h1,h2,input:not([type=hidden]),select,td")].filter(e => e !== element), 6).forEach(around);
      return `${times} deep`;
    },

    unwrap(element) {
      const loose = one => one && one.matches("span,font,b,i,div,center,p,strong,em,u,small") && !one.id && one.parentElement && !one.hasAttribute("onclick");
      let times = 0;
      const open = one => { one.replaceWith(...one.childNodes); times++; };
      for (let depth = 1 + below(2); depth > 0 && loose(element.parentElement); depth--) open(element.parentElement);
      const others = [...document.body.querySelectorAll("span,font,b,i,div,center,p")].filter(e => loose(e) && !e.contains(element) && !element.contains(e) && shown(e));
      some(others, 3).forEach(open);
      return times ? `${times}` : null;
    },

    reorder(element) {
      const ways = [];
      const moveAmong = (one, fit) => {
        const others = children(one.parentElement).filter(e => e !== one && fit(e));
        if (others.length) ways.push(() => { const other = pick(others); if (below(2)) other.before(one); else other.after(one); return `${one.localName} among ${others.length + 1}`; });
      };
      const row = element.closest("tr");
      if (row && !order.table && !row.querySelector("th")) moveAmong(row, e => e.matches("tr") && !e.querySelector("th"));
      const item = element.closest("li");
      if (item) moveAmong(item, e => e.matches("li"));
      const table = element.closest("table");
      if (isData(table)) {
        const count = table.rows[0].cells.length;
        const whole = [...table.rows].filter(r => r.cells.length === count);
        if (count > 1 && whole.length === [...table.rows].filter(r => r.cells.length > 1).length) {
          ways.push(() => {
            const from = below(count);
            const to = (from + 1 + below(count - 1)) % count;
            for (const r of whole) { const cell = r.cells[from]; const other = r.cells[to]; if (from < to) other.after(cell); else other.before(cell); }
            return `column ${from} to ${to}`;
          });
        }
      }
      for (let up = element; up && up !== document.body; up = up.parentElement) {
        if (up.matches("div,form,table,fieldset,section,ul,center") && (up.matches("form,table") || up.querySelector("form,table,h1,h2,h3"))) {
          moveAmong(up, e => e.matches("div,form,table,fieldset,section,ul,center,h1,h2,p"));
        }
      }
      return ways.length ? pick(ways)() : null;
    },

    tables_to_divs(element) {
      const table = element.closest("table") || document.body.querySelector("table");
      if (!table) return null;
      const display = { table: "table", tbody: "table-row-group", thead: "table-header-group", tfoot: "table-footer-group", tr: "table-row", td: "table-cell", th: "table-cell", caption: "table-caption" };
      const parts = [...table.querySelectorAll("tbody,thead,tfoot,tr,td,th,caption")].filter(e => e.closest("table") === table);
      for (const part of [...parts.reverse(), table]) {
        const div = make("div");
        if (part.id) div.id = part.id;
        if (part.className) div.className = part.className;
        div.style.display = display[part.localName];
        if (part.style.display === "none") div.style.display = "none";
        div.append(...part.childNodes);
        part.replaceWith(div);
        stand_in_for.set(div, part);
        if (part === element) now = div;
      }
      return `${parts.length} parts`;
    },

    look_alike_before: element => alike(element, true),
    look_alike_after: element => alike(element, false),

    translate_labels(element) {
      let whole = below(3) > 0;
      const own = group(element);
      const kept = text => !/[a-z]/i.test(text) || /\d/.test(text) || order.keep.some(value => value && words(text).includes(value));
      const word = w => WORDS[w.toLowerCase()] ? cased(w, WORDS[w.toLowerCase()]) : w.length > 3 ? w.slice(2) + w.slice(0, 2).toLowerCase() + "en" : w;
      const cased = (like, text) => like === like.toUpperCase() ? text.toUpperCase() : like[0] === like[0].toUpperCase() ? text[0].toUpperCase() + text.slice(1) : text;
      const said = text => text.replace(/[A-Za-z]+/g, word);
      let count = 0;
      const translate = root => {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        const texts = [];
        while (walker.nextNode()) texts.push(walker.currentNode);
        for (const text of texts) {
          if (!words(text.data) || kept(text.data) || text.parentElement.closest("script,style,option")) continue;
          text.data = said(text.data);
          count++;
        }
        for (const e of [root, ...root.querySelectorAll("*")]) {
          for (const name of ["value", "alt", "title", "placeholder", "aria-label"]) {
            const value = e.getAttribute(name);
            if (!value || kept(value) || (name === "value" && !e.matches(buttons))) continue;
            e.setAttribute(name, said(value));
            count++;
          }
        }
      };
      if (!whole) own.forEach(translate);
      if (!count) { whole = true; translate(document.body); }
      return count ? `${whole ? "the page" : "its own"}: ${count}` : null;
    },

    move_field(element) {
      const table = element.closest("table");
      const whole = reads && table ? [table] : group(element);
      const box = make(pick(["fieldset", "fieldset", "div"]));
      if (box.matches("fieldset")) box.append(make("legend", pick(["Further details", "Additional data", "Options"])));
      const form = element.closest("form");
      const home = form || element.closest("div,center") || document.body;
      const first = below(2) === 0;
      if (home === element) return null;
      const outer = whole[0].parentElement;
      let inner = box;
      if (whole[0].matches("tr")) {
        const rows = make("table");
        inner = make("tbody");
        rows.append(inner);
        box.append(rows);
      }
      if (first) home.prepend(box); else home.append(box);
      inner.append(...whole);
      return `${whole[0].localName} from ${outer.localName} to the ${first ? "beginning" : "end"} of ${home.localName}`;
    },

    delete_target(element) { element.remove(); return element.localName; },

    banner(element) {
      const box = make("div");
      box.append(make("b", "Please note"), " Our services will be improved this weekend. ");
      const kind = below(5);
      if (kind === 1) { const more = make("a", "Read more"); more.href = "#"; const close = make("button", "Close"); close.type = "button"; box.append(more, " ", close); }
      box.style.cssText = "background:#ffd;border:1px solid #990;padding:8px";
      if (kind === 2) box.style.cssText += ";position:fixed;left:0;right:0;bottom:0;height:12%";
      if (kind === 4) box.style.cssText += ";position:fixed;left:0;right:0;top:0;height:60px";
      if (kind === 3) { const row = element.closest("table") || group(element)[0]; row.before(box); } else document.body.prepend(box);
      return ["text", "link and button", "fixed below", "before the part", "fixed above"][kind];
    },

    delay(element) {
      const row = element.closest("tr") || element;
      const parts = [element, row, element.closest("form"), element.closest("table")].filter(e => e && e.parentNode && e !== document.body);
      const part = pick(parts);
      // It stays where the page's own scripts look for it: without it there, the page would break, and not only be late.
      const [was, how] = [part.style.getPropertyValue("display"), part.style.getPropertyPriority("display")];
      const back = () => { if (was) part.style.setProperty("display", was, how); else part.style.removeProperty("display"); };
      part.style.setProperty("display", "none", "important");
      // By a request that is open so long, or by a timer that nobody else can see: shorter than what is not there has to
      // stay away before that is believed.
      if (below(3)) {
        const wait = 100 + below(1400);
        const request = new XMLHttpRequest();
        request.open("GET", "/__oracle/late?ms=" + wait);
        request.onload = back;
        request.send();
        return `${part.localName} for ${wait} ms, by a request`;
      }
      const wait = 20 + below(1200);
      setTimeout(back, wait);
      return `${part.localName} for ${wait} ms, by a timer`;
    },

    // Planted by tests: what the engine goes by is exchanged with another element's, so that it has to be wrong.
    planted(element) {
      if (reads) {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) walker.currentNode.data = otherDigits(walker.currentNode.data);
        return "other figures";
      }
      const kind = element.matches("input:not([type=submit]):not([type=button])") ? "input:not([type=submit]):not([type=button]):not([type=hidden])" : element.matches("input") ? "input[type=submit],input[type=button]" : element.localName;
      const others = [...document.querySelectorAll(kind)].filter(e => e !== element && shown(e));
      const fields = element.matches("input,select,textarea") && !element.matches(buttons);
      if (!others.length) {
        const double = mark(element.cloneNode(true));
        element.replaceWith(double);
        double.after(element);
        element.style.display = "none";
        return "a double in its place";
      }
      const other = others[0];
      if (fields) {
        const place = document.createComment("");
        other.replaceWith(place);
        element.replaceWith(other);
        place.replaceWith(element);
      } else if (element.matches("input")) {
        const value = element.value; element.value = other.value; other.value = value;
      } else {
        const own = [...element.childNodes];
        const theirs = [...other.childNodes];
        element.replaceChildren(...theirs);
        other.replaceChildren(...own);
      }
      return "exchanged";
    },
  };

  const otherDigits = text => text.replace(/\d/g, digit => (Number(digit) + 1) % 10);

  function alike(element, before) {
    const kind = below(4);
    const whole = kind === 2 ? group(element) : [element];
    const doubles = whole.map(one => mark(one.cloneNode(true)));
    for (const double of doubles) {
      for (const e of [double, ...double.querySelectorAll("*")]) {
        e.removeAttribute("id");
        // The server is not to be told twice.
        if (e.name && !e.matches("[type=submit]")) e.setAttribute("name", e.getAttribute("name") + "_2");
        if (e.checked) e.checked = false;
      }
    }
    if (reads) {
      for (const double of doubles) {
        const walker = document.createTreeWalker(double, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) walker.currentNode.data = otherDigits(walker.currentNode.data);
      }
    } else if (kind === 1) {
      const double = doubles[0];
      const more = text => /\d\s*$/.test(text) ? text + "0" : text + " Now";
      if (double.matches(buttons)) double.setAttribute("value", more(double.getAttribute("value") || ""));
      else if (double.matches("a,button")) double.append(more(words(double.textContent)).slice(words(double.textContent).length));
    }
    const far = kind === 3 && (element.closest("form") || element.closest("table"));
    const place = far && far !== element && far.contains(element) ? far : whole[before ? 0 : whole.length - 1];
    if (before) place.before(...doubles); else place.after(...doubles);
    return ["the same", "other words", "with its caption", "further away"][kind];
  }

  const WORDS = {
    account: "konto", accounts: "konten", username: "benutzername", password: "kennwort", log: "melden", in: "an", transfer: "überweisung", funds: "geld",
    balance: "saldo", amount: "betrag", date: "datum", transaction: "buchung", from: "von", to: "nach", overview: "übersicht", activity: "umsätze",
    customer: "kunde", login: "anmeldung", member: "mitglied", number: "nummer", operator: "bediener", savings: "sparen", search: "suche", go: "los",
    type: "art", period: "zeitraum", available: "verfügbar", total: "summe", continue: "weiter", open: "öffnen", deposit: "einlage", sign: "melden", on: "an",
  };

  // The page as text for other tools: styles in it, the element marked in the copy alone.
  function copy(element) {
    const html = document.documentElement.cloneNode(true);
    const way = element && element.isConnected ? wayTo(element) : null;
    if (way !== null) {
      let one = html;
      for (const index of way === "" ? [] : way.split(".")) one = one.children[Number(index)];
      one.setAttribute("data-intended", "");
    }
    const originals = [...document.querySelectorAll("link")];
    [...html.querySelectorAll("link")].forEach((link, index) => {
      const sheet = originals[index].sheet;
      if (!sheet) return;
      const style = document.createElement("style");
      try { style.textContent = [...sheet.cssRules].map(rule => rule.cssText).join("\n"); } catch { return; }
      link.replaceWith(style);
    });
    html.querySelectorAll("script").forEach(script => { script.textContent = ""; });
    return "<!DOCTYPE html>" + html.outerHTML;
  }

  let now = null;
  let watch = null;
  function strike() {
    const element = target();
    if (!element) return false;
    if (watch) watch.disconnect();
    const pristine = order.copies ? copy(element) : "";
    known = new WeakMap();
    document.querySelectorAll("*").forEach(e => known.set(e, wayTo(e)));
    known.set(document.documentElement, "");
    now = element;
    let note = null;
    try { note = changes[order.change](element); } catch (error) { note = null; report({ kind: "fault", text: String(error) }); }
    // What is only late is there in the end as it was.
    const mutated = !order.copies ? "" : order.change === "delay" ? pristine : copy(now);
    report({ kind: "struck", note, pristine });
    report({ kind: "mutated", mutated });
    return true;
  }
  if (!strike()) {
    watch = new MutationObserver(() => strike());
    watch.observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
  }
})(/* order */);
