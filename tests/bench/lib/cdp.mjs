// A bare protocol client over one WebSocket, and how the measured browsers are started.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';

export class CDP {
  #last = 0;
  #waiting = new Map();
  #listeners = new Set();

  static async connect(address) {
    const client = new CDP();
    client.socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: 1 << 30 });
    await new Promise((open, fail) => {
      client.socket.once('open', open);
      client.socket.once('error', fail);
    });
    client.socket._socket.setNoDelay(true);
    client.socket.on('message', (data) => client.#received(data));
    client.socket.on('close', () => client.#failed(new Error('the connection was closed')));
    return client;
  }

  #failed(error) {
    for (const { fail } of this.#waiting.values()) fail(error);
    this.#waiting.clear();
  }

  #received(data) {
    const message = JSON.parse(data);
    if (!message.id) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const asked = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (!asked) return;
    if (message.error) asked.fail(new Error(`${asked.method}: ${message.error.message}`));
    else asked.done(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    return new Promise((done, fail) => {
      this.#waiting.set(id, { done, fail, method });
      this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  wait(wanted, ms = 10000) {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        off();
        fail(new Error('the event did not come'));
      }, ms);
      const off = this.on((message) => {
        if (!wanted(message)) return;
        clearTimeout(timer);
        off();
        done(message);
      });
    });
  }

  close() {
    this.socket.close();
  }
}

/** The browser that a client with `--own` starts. */
export const CHROME = process.env.CHROME || '/usr/lib/chromium/chromium-headless-shell';

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-hang-monitor',
  '--disable-ipc-flooding-protection',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-quic',
  '--disable-sync',
  '--metrics-recording-only',
  '--password-store=basic',
  '--use-mock-keychain',
  '--mute-audio',
  '--force-color-profile=srgb',
  '--disable-features=Translate,AcceptCHFrame,MediaRouter,OptimizationHints,PaintHolding',
];

/** The groups and profiles of browsers that run: none outlives this process, however it ends. */
const running = new Map();
process.on('exit', () => {
  for (const [pid, profile] of running) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** Starts a browser with a port and a profile of its own: `{ ws, pid, close }`. */
export async function launch(program) {
  const profile = mkdtempSync(path.join(tmpdir(), 'waymark-bench-'));
  const flags = FLAGS.filter((flag) => flag !== '--headless=new' || !program.includes('headless-shell'));
  const child = spawn(
    program,
    [...flags, `--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank'],
    // A group of its own, so that all of its processes can be ended.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  if (child.pid) running.set(child.pid, profile);
  const ended = new Promise((done) => child.once('exit', done));
  const close = async () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
    await ended;
    running.delete(child.pid);
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  const ws = await new Promise((found, fail) => {
    let said = '';
    child.stderr.on('data', (data) => {
      said += data;
      const address = /ws:\/\/\S+/.exec(said);
      if (address) found(address[0]);
    });
    child.once('error', fail);
    child.once('exit', () => fail(new Error(`${program} ended: ${said.slice(-400)}`)));
  });
  return { ws, pid: child.pid, close };
}
