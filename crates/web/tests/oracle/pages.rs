//! The pages that are compared, and what is done on each before it is.

/// A page of an application: what its address ends with, and a script that is run on it first; empty for none.
pub type Visit = (&'static str, &'static str);

/// A click on the one button of a page's content.
const SEND: &str = "document.querySelector('#rightPanel [type=submit], #rightPanel [type=button]').click()";
/// Something in every field, then the same.
const FILL: &str = "document.querySelectorAll('#rightPanel input[type=text], #rightPanel input[type=password], \
    #rightPanel input:not([type]), #rightPanel textarea').forEach(field => { field.value = '12' }); \
    document.querySelector('#rightPanel [type=submit], #rightPanel [type=button]').click()";
/// Finds the login of the customer himself.
const FIND_JOHN: &str = "const form = document.getElementById('lookupForm'); \
    ['John', 'Smith', '1431 Main St', 'Beverly Hills', 'CA', '90210', '622-11-9999'].forEach((text, at) => { form.elements[at].value = text }); \
    form.querySelector('[type=submit]').click()";
const PLAIN: &str = "";

/// The bank as a stranger sees it.
pub const OUTSIDE: &[Visit] = &[
    ("index.htm", PLAIN),
    ("about.htm", PLAIN),
    ("services.htm", PLAIN),
    ("products.htm", PLAIN),
    ("locations.htm", PLAIN),
    ("forum.htm", PLAIN),
    ("sitemap.htm", PLAIN),
    ("admin.htm", PLAIN),
    ("error.htm", PLAIN),
    ("nowhere.htm", PLAIN),
    ("contact.htm", PLAIN),
    ("contact.htm", SEND),
    ("contact.htm", FILL),
    ("lookup.htm", PLAIN),
    ("lookup.htm", SEND),
    ("lookup.htm", FILL),
    ("register.htm", PLAIN),
    ("register.htm", SEND),
    // A protected page shows the login form at its own address.
    ("transfer.htm", PLAIN),
    ("index.htm", "document.querySelector('[name=login] [type=submit]').click()"),
];

/// Signs on; the overview comes.
pub const SIGN_ON: Visit = (
    "index.htm",
    "document.querySelector('[name=username]').value = 'john'; \
    document.querySelector('[name=password]').value = 'demo'; \
    document.querySelector('[name=login] [type=submit]').click()",
);

/// The bank as its customer sees it; `{account}` and `{transaction}` are filled in.
pub const INSIDE: &[Visit] = &[
    ("overview.htm", PLAIN),
    ("activity.htm?id={account}", PLAIN),
    ("activity.htm?id={account}", SEND),
    ("activity.htm?id=1", PLAIN),
    ("activity.htm", PLAIN),
    ("transaction.htm?id={transaction}", PLAIN),
    ("transaction.htm", PLAIN),
    ("findtrans.htm", PLAIN),
    ("findtrans.htm", SEND),
    ("findtrans.htm", "amount.value = '1000'; findByAmount.click()"),
    ("transfer.htm", PLAIN),
    ("transfer.htm", SEND),
    ("transfer.htm", FILL),
    ("billpay.htm", PLAIN),
    ("billpay.htm", SEND),
    ("billpay.htm", FILL),
    ("openaccount.htm", PLAIN),
    ("openaccount.htm", SEND),
    ("requestloan.htm", PLAIN),
    ("requestloan.htm", SEND),
    ("requestloan.htm", FILL),
    ("updateprofile.htm", PLAIN),
    ("updateprofile.htm", SEND),
    ("index.htm", PLAIN),
    ("register.htm", PLAIN),
    ("register.htm", FILL),
    ("lookup.htm", FIND_JOHN),
];

/// States of the small hard pages beyond the one they open with.
pub const CASES: &[Visit] = &[
    ("A01.html", PLAIN),
    ("A01.html", PLAIN),
    ("A03.html", "document.querySelector('button').click()"),
    ("A05.html", "p.value = 'x'; document.querySelector('button').click()"),
    ("C01.html", "c.click()"),
    ("C01.html", "c.click(); document.querySelector('[role=option]').click()"),
    ("C03.html", "d.click()"),
    ("C05.html", "q.value = 'Acme'; q.oninput()"),
    ("C08.html", "c.click()"),
    ("E03.html", "document.querySelector('button').click()"),
    ("L02.html?n=100", PLAIN),
    ("L05.html?v2", PLAIN),
    ("T01.html", "new Promise(done => new MutationObserver(done).observe(d, { childList: true }))"),
    ("T02.html", "o.remove()"),
    ("X01.html", "v.scrollTop = 400; new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"),
];
