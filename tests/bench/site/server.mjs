// Legacy-like target: frameset, table layout, no labels/ids/ARIA, session cookie. Fictional data only.
// node server.mjs [port, 0 for a free one]; prints its address. DELAY_MS adds latency to every answer.
import http from 'node:http';
import { randomBytes } from 'node:crypto';
const PORT = Number(process.argv[2] ?? 4780), DELAY = Number(process.env.DELAY_MS || 0);
const sessions = new Set();
let hits = 0;
const ACC = Array.from({ length: 12 }, (_, i) => ({ id: String(12345 + i * 111), type: i % 3 ? 'SAVINGS' : 'CHECKING', bal: '$' + (1000.5 + i * 37.25).toFixed(2), avail: '$' + (900.25 + i * 37.25).toFixed(2), opened: `0${1 + i % 9}/15/200${i % 10}` }));
const page = (body, title = 'Meridian Core') => `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html><head><title>${title}</title></head><body bgcolor="#ffffff">${body}</body></html>`;
const login = (msg = '') => page(`<table width="100%" border="0"><tr><td bgcolor="#003366"><font color="white" size="4"><b>MERIDIAN CORE 4.2</b></font></td><td align="right"><font size="1">MI0100</font></td></tr></table>
<br><form action="/login" method="post"><table border="0" cellpadding="4"><tr><td colspan="2"><font color="red">${msg}</font></td></tr>
<tr><td><b>USER ID</b></td><td><input name="u" size="12"></td></tr>
<tr><td><b>PASSWORD</b></td><td><input name="p" type="password" size="12"></td></tr>
<tr><td></td><td><input type="submit" value="Log In"></td></tr></table></form>`, 'Sign on');
const overview = () => page(`<table width="100%"><tr><td><font size="4"><b>Accounts Overview</b></font></td><td align="right"><font size="1">SA0200</font></td></tr></table>
<table border="1" cellpadding="3" width="640"><tr bgcolor="#cccccc"><td><b>Account</b></td><td><b>Type</b></td><td><b>Balance*</b></td><td><b>Available</b></td></tr>
${ACC.map(a => `<tr><td><a href="/account?id=${a.id}">${a.id}</a></td><td>${a.type}</td><td align="right">${a.bal}</td><td align="right">${a.avail}</td></tr>`).join('\n')}</table>
<p><font size="1">*Balance includes deposits that may be subject to holds</font></p>`, 'Accounts Overview');
const detail = a => page(`<table width="100%"><tr><td><font size="4"><b>Account Details</b></font></td><td align="right"><font size="1">SA0320</font></td></tr></table>
<table border="0" cellpadding="3"><tr><td><b>ACCOUNT NUMBER</b></td><td>${a.id}</td></tr><tr><td><b>TYPE</b></td><td>${a.type}</td></tr><tr><td><b>DATE OPENED</b></td><td>${a.opened}</td></tr><tr><td><b>BALANCE</b></td><td>${a.bal}</td></tr><tr><td><b>AVAILABLE</b></td><td>${a.avail}</td></tr></table>
<p><a href="/overview">Back to Accounts</a></p>`, 'Account Details');
// generated page with about N elements: a legacy data grid (links, inputs, selects, text cells)
function gen(n) {
  const rows = Math.max(1, Math.round((n - 12) / 8)); let s = '';
  for (let i = 0; i < rows; i++) // tr + 4 td + a + input + b = 8 elements
    s += `<tr><td><b>ITEM ${i}</b></td><td><a href="/item?id=${i}">Open ${100000 + i}</a></td><td><input name="qty${i}" size="4" value="${i % 7}"></td><td>$${(i * 1.25).toFixed(2)}</td></tr>`;
  return page(`<h2>Inventory ${n}</h2><form action="/gen?n=${n}"><table border="1"><tr><td><b>ITEM</b></td><td><b>LINK</b></td><td><b>QTY</b></td><td><b>AMOUNT</b></td></tr>${s}</table><input type="submit" value="Save all"></form>`, `Inventory ${n}`);
}
const genCache = new Map();
const srv = http.createServer((req, res) => {
  hits++;
  const u = new URL(req.url, 'http://x'), sid = /sid=(\w+)/.exec(req.headers.cookie || '')?.[1], ok = sid && sessions.has(sid);
  const html = (b, h = {}, c = 200) => { const go = () => { res.writeHead(c, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...h }); res.end(b); }; DELAY ? setTimeout(go, DELAY) : go(); };
  switch (u.pathname) {
    case '/': return html(`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Frameset//EN"><html><head><title>Meridian Core 4.2</title></head><frameset cols="180,*"><frame name="nav" src="/nav"><frame name="main" src="/login"></frameset></html>`);
    case '/nav': return html(page(`<font size="2"><b>MENU</b><br><a href="/overview" target="main">Accounts</a><br><a href="/login" target="main">Sign on</a></font>`, 'Menu'));
    case '/login':
      if (req.method === 'POST') { let b = ''; req.on('data', d => b += d); req.on('end', () => { const q = new URLSearchParams(b); if (q.get('u') === 'teller1' && q.get('p') === 'demo123') { const s = randomBytes(8).toString('hex'); sessions.add(s); if (sessions.size > 5000) sessions.delete(sessions.values().next().value); html('', { location: '/overview', 'set-cookie': `sid=${s}; Path=/` }, 302); } else html(login('MI-0001 INVALID CREDENTIALS')); }); return; }
      return html(login());
    case '/overview': return ok ? html(overview()) : html(login('SEC-0401 SESSION EXPIRED'));
    case '/account': { const a = ACC.find(a => a.id === u.searchParams.get('id')); return ok ? html(a ? detail(a) : page('<b>MI-0011 NO SUCH ACCOUNT</b>')) : html(login('SEC-0401 SESSION EXPIRED')); }
    case '/gen': { const n = Number(u.searchParams.get('n') || 100); if (!genCache.has(n)) genCache.set(n, gen(n)); return html(genCache.get(n)); }
    case '/flat': return html(overview()); // overview without session, for token/snapshot measurements
    case '/flatlogin': return html(login());
    case '/stats': res.end(JSON.stringify({ hits })); return;
    case '/favicon.ico': res.writeHead(204); return res.end();
    default: return html(page('<b>404</b>'), {}, 404);
  }
});
srv.keepAliveTimeout = 60000;
srv.listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${srv.address().port}`));
