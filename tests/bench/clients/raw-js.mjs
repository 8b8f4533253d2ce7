// Floor: one Runtime.evaluate per step, DOM set + el.click() from the top frame (untrusted input, in-page polling).
import { CDP } from '../lib/cdp.mjs';
const SETUP = `globalThis.__u=(f,ms=10000)=>new Promise((r,j)=>{const t=performance.now();(function k(){let v;try{v=f()}catch{}if(v)return r(v);if(performance.now()-t>ms)return j(new Error('timeout'));setTimeout(k,1)})()});globalThis.__d=()=>frames.main.document;`;
export async function connect(ws) { return { cdp: await CDP.connect(ws) }; }
export async function job({ cdp }, base) {
  const { browserContextId } = await cdp.send('Target.createBrowserContext');
  const { targetId } = await cdp.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId: s } = await cdp.send('Target.attachToTarget', { targetId, flatten: true });
  const ev = async (e, p = true) => { const r = await cdp.send('Runtime.evaluate', { expression: e, awaitPromise: p, returnByValue: true }, s); if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description || r.exceptionDetails.text); return r.result.value; };
  const t0 = performance.now();
  await cdp.send('Page.enable', {}, s);
  const load = cdp.wait(m => m.sessionId === s && m.method === 'Page.loadEventFired');
  await cdp.send('Page.navigate', { url: base }, s); await load;
  await ev(SETUP + `__u(()=>__d().querySelector('input[name=u]')).then(e=>{e.value='teller1'})`);
  await ev(`__d().querySelector('input[name=p]').value='demo123'`);
  await ev(`__d().querySelector('input[type=submit]').click()`);
  await ev(`__u(()=>__d().readyState!=='loading'&&[...__d().querySelectorAll('b')].some(b=>b.textContent==='Accounts Overview')&&1)`);
  const rows = await ev(`[1,2,3].map(i=>{const r=__d().querySelectorAll('table')[1].rows[i];return[r.cells[0].innerText,r.cells[2].innerText]})`);
  await ev(`[...__d().querySelectorAll('a')].find(a=>a.textContent==='12345').click()`);
  const opened = await ev(`__u(()=>{const c=[...__d().querySelectorAll('td')].find(t=>t.textContent==='DATE OPENED');return c&&c.nextElementSibling.innerText})`);
  await ev(`[...__d().querySelectorAll('a')].find(a=>a.textContent==='Back to Accounts').click();__u(()=>[...__d().querySelectorAll('b')].some(b=>b.textContent==='Accounts Overview')&&1)`);
  const stepsMs = performance.now() - t0;
  await cdp.send('Target.closeTarget', { targetId }).catch(() => {});
  await cdp.send('Target.disposeBrowserContext', { browserContextId });
  return { rows, opened, stepsMs };
}
export const close = c => c.cdp.close();
