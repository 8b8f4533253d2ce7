// A careful engine's shape: trusted Input.* events, per-step resolve+hit-test in the frame's isolated world, event-driven waits, one read per field.
import { CDP, launch } from '../lib/cdp.mjs';
export async function connect(ws) { return { cdp: typeof ws === 'string' ? await CDP.connect(ws) : ws }; }
const LIB = `(()=>{ if(globalThis.__cap) return; const vis=e=>{const r=e.getBoundingClientRect();return r.width>0&&r.height>0&&getComputedStyle(e).visibility!=='hidden'};
const norm=s=>(s||'').replace(/\\s+/g,' ').trim();
const name=e=>norm(e.getAttribute('aria-label')|| (e.labels&&e.labels[0]&&e.labels[0].innerText) || (e.tagName==='INPUT'&&/submit|button|reset/.test(e.type)?e.value:'') || (/^(A|BUTTON)$/.test(e.tagName)?e.innerText:'') || e.placeholder || (e.closest('td')?.previousElementSibling?.innerText) || '');
globalThis.__cap={ find(role,nm){const q={textbox:'input:not([type]),input[type=text],input[type=password],textarea',button:'button,input[type=submit],input[type=button]',link:'a[href]'}[role];const m=[...document.querySelectorAll(q)].filter(e=>vis(e)&&name(e)===nm);return m},
 point(role,nm){const m=this.find(role,nm);if(m.length!==1)return{n:m.length};const e=m[0];e.scrollIntoView({block:'nearest'});const r=e.getBoundingClientRect();let x=r.left+r.width/2,y=r.top+r.height/2;const h=document.elementFromPoint(x,y);const hit=h===e||e.contains(h);if(/INPUT|TEXTAREA/.test(e.tagName)&&role==='textbox')e.focus({preventScroll:true});for(let w=window;w!==w.parent;w=w.parent){const f=w.frameElement?.getBoundingClientRect();if(!f)break;x+=f.left;y+=f.top}return{n:1,x,y,hit,tag:e.tagName,val:e.value}},
 text(t){return document.body&&document.body.innerText.includes(t)}, cell(ti,r,c){return norm(document.querySelectorAll('table')[ti].rows[r].cells[c].innerText)}, beside(l){const c=[...document.querySelectorAll('td')].find(t=>norm(t.innerText)===l);return c&&norm(c.nextElementSibling.innerText)} } })();`;
export async function job({ cdp }, base) {
  const { browserContextId } = await cdp.send('Target.createBrowserContext');
  const { targetId } = await cdp.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId: s } = await cdp.send('Target.attachToTarget', { targetId, flatten: true });
  const t0 = performance.now();
  const ctx = new Map(); const wake = new Set();
  const off = cdp.on(m => { if (m.sessionId !== s) return; const p = m.params; if (m.method === 'Runtime.executionContextCreated' && p.context.name === 'cap') ctx.set(p.context.auxData.frameId, p.context.id); else if (m.method === 'Runtime.executionContextsCleared') ctx.clear(); else if (m.method === 'Runtime.executionContextDestroyed') { for (const [k, v] of ctx) if (v === p.executionContextId) ctx.delete(k); } else if (m.method === 'Page.frameNavigated' && p.frame.name === 'main') mainFrame = p.frame.id; for (const w of [...wake]) w(m); });
  let mainFrame;
  await Promise.all([cdp.send('Page.enable', {}, s), cdp.send('Page.setLifecycleEventsEnabled', { enabled: true }, s), cdp.send('Runtime.enable', {}, s), cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: LIB, worldName: 'cap', runImmediately: true }, s)]);
  const ev = async e => { const c = ctx.get(mainFrame); if (!c) return { gone: 1 }; try { const r = await cdp.send('Runtime.evaluate', { expression: e, contextId: c, returnByValue: true }, s); if (r.exceptionDetails) return { gone: 1 }; return { v: r.result.value }; } catch (e) { return { gone: 1 }; } };
  // retry on lifecycle events (no fixed sleep), plus a 15 ms fallback tick
  const until = async (e, ok, ms = 10000) => { const t = Date.now(); for (;;) { const r = await ev(e); if (!r.gone && ok(r.v)) return r.v; if (Date.now() - t > ms) throw new Error('timeout ' + e + ' ' + JSON.stringify(r)); await new Promise(res => { const to = setTimeout(done, 15); function w(m) { if (/^Page\.(lifecycleEvent|frameStoppedLoading|domContentEventFired)|^Runtime\.executionContextCreated/.test(m.method)) done(); } function done() { clearTimeout(to); wake.delete(w); res(); } wake.add(w); }); } };
  const point = (r, n) => until(`__cap.point(${JSON.stringify(r)},${JSON.stringify(n)})`, v => v && v.n === 1 && v.hit);
  const click = async (r, n) => { const { x, y } = await point(r, n); const b = { x, y, button: 'left', clickCount: 1 }; await Promise.all([cdp.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y }, s), cdp.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...b }, s), cdp.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...b }, s)]); };
  const type = async (r, n, t) => { await point(r, n); await cdp.send('Input.insertText', { text: t }, s); await until(`__cap.find(${JSON.stringify(r)},${JSON.stringify(n)})[0]?.value`, v => v === t); };
  const read = e => until(e, v => typeof v === 'string' && v.length > 0);
  await cdp.send('Page.navigate', { url: base }, s);
  await type('textbox', 'USER ID', 'teller1');
  await type('textbox', 'PASSWORD', 'demo123');
  await click('button', 'Log In');
  await until(`__cap.text('Accounts Overview')`, v => v === true);
  const rows = []; for (let i = 1; i <= 3; i++) rows.push([await read(`__cap.cell(1,${i},0)`), await read(`__cap.cell(1,${i},2)`)]);
  await click('link', '12345');
  const opened = await read(`__cap.beside('DATE OPENED')`);
  await click('link', 'Back to Accounts'); await until(`__cap.text('Accounts Overview')`, v => v === true);
  off(); const stepsMs = performance.now() - t0;
  await cdp.send('Target.closeTarget', { targetId }).catch(() => {});
  await cdp.send('Target.disposeBrowserContext', { browserContextId });
  return { rows, opened, stepsMs };
}
export const close = c => c.cdp.close();
export async function launchOwn() { const b = await launch({ pipe: !!process.env.PIPE }); return { cdp: b.cdp || await CDP.connect(b.ws), b }; }
export const closeOwn = async c => { await c.b.close(); };
