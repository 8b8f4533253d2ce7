// A proxy in front of a browser that counts what a client says to it.
import http from 'node:http';
import WebSocket, { WebSocketServer } from 'ws';

const OPTIONS = { perMessageDeflate: false, maxPayload: 1 << 30 };

/** `{ ws, counts, reset, close }`: clients connect to `ws`. */
export async function countingProxy(upstream) {
  let counts;
  const reset = () => {
    counts = { commands: 0, events: 0, bytesOut: 0, bytesIn: 0, methods: {} };
  };
  reset();
  const { pathname } = new URL(upstream);
  const server = http.createServer((_, answer) => {
    const { port } = server.address();
    answer.setHeader('content-type', 'application/json');
    answer.end(
      JSON.stringify({
        Browser: 'Chrome',
        'Protocol-Version': '1.3',
        webSocketDebuggerUrl: `ws://127.0.0.1:${port}${pathname}`,
      }),
    );
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const sockets = new WebSocketServer({ server, ...OPTIONS });
  sockets.on('connection', (client) => {
    const browser = new WebSocket(upstream, OPTIONS);
    const early = [];
    browser.on('open', () => early.splice(0).forEach((text) => browser.send(text)));
    client.on('message', (data) => {
      const text = data.toString();
      const method = /"method":"([\w.]+)"/.exec(text)?.[1];
      counts.commands++;
      counts.bytesOut += text.length;
      counts.methods[method] = (counts.methods[method] || 0) + 1;
      if (browser.readyState === WebSocket.OPEN) browser.send(text);
      else early.push(text);
    });
    browser.on('message', (data) => {
      const text = data.toString();
      counts.bytesIn += text.length;
      if (!text.startsWith('{"id":')) counts.events++;
      if (client.readyState === WebSocket.OPEN) client.send(text);
    });
    client.on('close', () => browser.close());
    browser.on('close', () => client.close());
    // An error is followed by a close.
    client.on('error', () => {});
    browser.on('error', () => {});
  });
  return {
    ws: `ws://127.0.0.1:${server.address().port}${pathname}`,
    counts: () => structuredClone(counts),
    reset,
    close: () => {
      sockets.clients.forEach((client) => client.terminate());
      server.close();
    },
  };
}
