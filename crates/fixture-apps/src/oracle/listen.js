// Reports events by beacon, before the page's own code sees them. MARKS names the elements a test
// speaks of: [page pattern, name, selector]. In a name, {id} is the id parameter of the element's
// address, {file} its file, {row} the first cell of its row, {form} and {slot} what a form and a field
// of a bank's console are for, whatever a tenant calls them.
(() => {
  const FORMS = {
    signon: "sign_on", "f-desk": "sign_on", inq: "inquiry", "f-search": "inquiry", opnacct: "open", "f-suffix": "open",
    xfer: "transfer", "f-move": "transfer", xconf: "confirm", "f-review": "confirm",
    xconf2: "confirm_again", "f-review-two": "confirm_again", addnote: "note", "f-remark": "note",
    prg: "purge", "f-erase": "purge",
  };
  const SLOTS = {
    OPID: "operator", "usr-code": "operator", OPPW: "password", "usr-phrase": "password",
    MBRNO: "member", "holder-ref": "member", ACTYP: "kind", "product-key": "kind",
    OPDEP: "deposit", "first-sum": "deposit", FRSHR: "from", "out-suffix": "from", TOSHR: "to", "in-suffix": "to",
    TRAMT: "amount", "move-sum": "amount", TRMEMO: "memo", "move-why": "memo", NOTETX: "note", "remark-body": "note",
  };
  const MARKS = [
    [/\/parabank\//, "login.username", "form[name=login] input[name=username]"],
    [/\/parabank\//, "login.password", "form[name=login] input[name=password]"],
    [/\/parabank\//, "login.submit", "form[name=login] input[type=submit]"],
    [/\/parabank\//, "login.form", "form[name=login]"],
    [/\/parabank\//, "nav.{file}", "#leftPanel ul a"],
    [/\/parabank\//, "login_panel.{file}", "#leftPanel a"],
    [/\/parabank\//, "header.{file}", "#headerPanel a, #topPanel a"],
    [/\/parabank\//, "footer.{file}", "#footerPanel a"],
    [/\/parabank\//, "interstitial.continue", "#maintenance input"],
    [/overview\.htm/, "overview.account.{id}", "#accountTable a"],
    [/activity\.htm/, "activity.month", "#month"],
    [/activity\.htm/, "activity.type", "#transactionType"],
    [/activity\.htm/, "activity.go", "#activityForm input[type=submit]"],
    [/activity\.htm/, "activity.form", "#activityForm"],
    [/activity\.htm/, "activity.transaction.{id}", "#transactionTable a"],
    [/transfer\.htm/, "transfer.amount", "#transferForm input[name=input]"],
    [/transfer\.htm/, "transfer.from", "#fromAccountId"],
    [/transfer\.htm/, "transfer.to", "#toAccountId"],
    [/transfer\.htm/, "transfer.submit", "#transferForm input[type=submit]"],
    [/transfer\.htm/, "transfer.form", "#transferForm"],
    [/billpay\.htm/, "billpay.submit", "#billpayForm input[type=button]"],
    [/billpay\.htm/, "billpay.{name}", "#billpayForm input, #billpayForm select"],
    [/openaccount\.htm/, "openaccount.type", "#type"],
    [/openaccount\.htm/, "openaccount.from", "#fromAccountId"],
    [/openaccount\.htm/, "openaccount.submit", "#openAccountForm input[type=button]"],
    [/openaccount\.htm/, "openaccount.new_account", "#newAccountId"],
    [/findtrans\.htm/, "findtrans.by_id", "#findById"],
    [/findtrans\.htm/, "findtrans.by_date", "#findByDate"],
    [/findtrans\.htm/, "findtrans.by_range", "#findByDateRange"],
    [/findtrans\.htm/, "findtrans.by_amount", "#findByAmount"],
    [/findtrans\.htm/, "findtrans.form", "#transactionForm"],
    [/findtrans\.htm/, "findtrans.{elementid}", "#formContainer input, #formContainer select"],
    [/findtrans\.htm/, "findtrans.transaction.{id}", "#transactionTable a"],
    [/requestloan\.htm/, "requestloan.submit", "#requestLoanForm input[type=button]"],
    [/requestloan\.htm/, "requestloan.{elementid}", "#requestLoanForm input, #requestLoanForm select"],
    [/updateprofile\.htm/, "updateprofile.submit", "#updateProfileForm input[type=button]"],
    [/register\.htm/, "register.submit", "#customerForm input[type=submit]"],
    [/lookup\.htm/, "lookup.submit", "#lookupForm input[type=submit]"],
    [/contact\.htm/, "contact.submit", "#contactForm input[type=submit]"],
    [/\/meridian\/nav/, "nav.{file}", "a"],
    [/\/meridian\//, "interstitial.continue", "#mxnote input, #hd-hold button"],
    [/\/meridian\//, "link.{file}", "a"],
    [/\/meridian\//, "{form}.submit", "form input[type=submit], form button"],
    [/\/meridian\//, "{form}.{slot}", "form input, form select, form textarea"],
    [/\/meridian\//, "{form}.form", "form"],
    [/F01_nav/, "F01.nav.loans", "a"],
    [/F01_bar/, "F01.bar.search", "button"],
    [/F01_work/, "F01.work.search", "button"],
    [/F04_in/, "F04.card", "input"],
    [/F04_in/, "F04.pay", "button"],
    [/F06\.html/, "F06.look_up", "button:nth-of-type(1)"],
    [/F06\.html/, "F06.code", "input"],
    [/F06\.html/, "F06.ok", "button:nth-of-type(2)"],
    [/F06_pop/, "F06.popup.ok", "button"],
    [/F07/, "F07.statement", "a"],
    [/L01/, "L01.billing.save", "section:nth-of-type(1) button"],
    [/L01/, "L01.shipping.save", "section:nth-of-type(2) button"],
    [/L02/, "L02.edit.{row}", "button"],
    [/L05/, "L05.{text}", "button"],
    [/L06/, "L06.amount", "input"],
    [/L08/, "L08.open.{row}.{row2}", "a"],
    [/L09/, "L09.{row}.{column}", "input"],
    [/L10/, "L10.pin", "input"],
    [/T01/, "T01.go", "button"],
    [/T02/, "T02.next", "button"],
    [/T02/, "T02.cover", "div"],
    [/T05/, "T05.open", "button"],
    [/E01\.html/, "E01.save", "button"],
    [/E01\.html/, "E01.list", "a"],
    [/E03/, "E03.send", "button"],
    [/E03/, "E03.ref", "input"],
    [/D01/, "D01.delete", "button"],
    [/D02/, "D02.close", "button"],
    [/C01/, "C01.state", "[role=combobox]"],
    [/C01/, "C01.option.{text}", "[role=option]"],
    [/C05/, "C05.payee", "input"],
    [/C05/, "C05.option.{text}", "[role=option]"],
    [/A01/, "A01.next", "a"],
    [/A01/, "A01.log_in", "button"],
    [/A03/, "A03.code", "input"],
    [/A03/, "A03.verify", "button"],
    [/A05/, "A05.password", "input"],
    [/A05/, "A05.show", "button"],
    [/srcdoc/, "frame.{text}", "button"],
  ];

  const words = (text) => text.trim().replace(/\s+/g, " ").slice(0, 60);
  const cells = (element) => [...(element.closest("tr") || { cells: [] }).cells];
  const place = {
    id: (e) => new URL(e.href).searchParams.get("id"),
    file: (e) => (new URL(e.href).pathname.match(/([^/;]+?)(\.\w+)?(;[^/]*)?$/) || [])[1] || "",
    name: (e) => e.name,
    elementid: (e) => e.id,
    form: (e) => { const form = e.form || e; return FORMS[form.name || form.id] || "other"; },
    slot: (e) => SLOTS[e.name] || "other",
    text: (e) => words(e.textContent),
    row: (e) => words(cells(e)[0]?.textContent || ""),
    row2: (e) => words(cells(e)[1]?.textContent || ""),
    column: (e) => words(e.closest("table").rows[0].cells[e.closest("td").cellIndex].textContent),
  };

  function mark(view, path) {
    const address = pathOf(view);
    for (const element of path) {
      if (!element.matches) continue;
      for (const [page, name, selector] of MARKS) {
        if (page.test(address) && element.matches(selector)) {
          return name.replace(/\{(\w+)\}/g, (_, part) => place[part](element));
        }
      }
    }
    return null;
  }

  function pathOf(view) {
    const { protocol, pathname, search, href } = view.location;
    return protocol.startsWith("http") ? pathname.replace(/;[^/]*/g, "") + search : href;
  }

  function describe(element) {
    if (!element || !element.matches) return "document";
    const parts = ["id", "name", "type"].filter((name) => element.getAttribute(name));
    const shown = element.matches("input, select, textarea")
      ? (element.matches("[type=submit], [type=button]") ? element.value : "")
      : words(element.textContent);
    return element.localName
      + parts.map((name) => `[${name}=${element.getAttribute(name)}]`).join("")
      + (shown ? ` "${shown}"` : "");
  }

  function report(view, event) {
    const path = event.composedPath();
    const element = path[0];
    const typed = event.type === "input" || event.type === "change";
    navigator.sendBeacon("/__oracle/event", JSON.stringify({
      type: event.type,
      trusted: event.isTrusted,
      path: pathOf(view),
      frame: view.name,
      element: describe(element),
      mark: mark(view, path),
      key: event.type === "keydown" && event.key && event.key.length > 1 ? event.key : null,
      value: typed && element.type !== "password" ? String(element.value ?? "") : null,
    }));
  }

  function hear(view) {
    for (const type of ["click", "dblclick", "input", "change", "submit", "keydown"]) {
      view.addEventListener(type, (event) => report(view, event), true);
    }
  }

  // Frames written in place are served by nobody, so the page around them listens for them.
  function hearFrame(event) {
    const view = event.target.contentWindow;
    try {
      if (view && view.location.protocol === "about:") hear(view);
    } catch {
      // A frame of another origin has its own listener.
    }
  }

  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const root = attach.call(this, init);
    root.addEventListener("load", hearFrame, true);
    return root;
  };
  document.addEventListener("load", hearFrame, true);
  hear(window);
})();
