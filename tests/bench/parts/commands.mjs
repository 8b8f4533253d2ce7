// What each client says to the browser for one job: of six jobs what two do not have, by four. Free of noise.
import { ALL, command } from '../lib/clients.mjs';
import { launch } from '../lib/cdp.mjs';
import { lastLine, run } from '../lib/process.mjs';
import { countingProxy } from '../lib/proxy.mjs';

const [FEW, MANY] = [2, 6];

export async function commands({ tools, site, browser, record, say }) {
  const running = await launch(browser.program);
  const proxy = await countingProxy(running.ws);
  try {
    for (const client of ALL) {
      say(`protocol commands of ${client}`);
      const seen = [];
      for (const jobs of [FEW, MANY]) {
        proxy.reset();
        const line = lastLine(await run(command(client, tools, site, ['--ws', proxy.ws, '--n', String(jobs), '--warmup', '0'])));
        if (line.error) record({ part: 'commands', client, error: line.error });
        // What is sent on the way out of the process is still to be counted.
        await new Promise((done) => setTimeout(done, 300));
        seen.push(proxy.counts());
      }
      const [few, many] = seen;
      const each = (of) => (of(many) - of(few)) / (MANY - FEW);
      const names = Object.keys(many.methods);
      const methods = names.map((name) => [name, each((counts) => counts.methods[name] ?? 0)]).filter(([, n]) => n > 0);
      record({
        part: 'commands',
        client,
        commands: each((counts) => counts.commands),
        events: each((counts) => counts.events),
        kbOut: each((counts) => counts.bytesOut) / 1024,
        kbIn: each((counts) => counts.bytesIn) / 1024,
        methods: Object.fromEntries(methods.sort((a, b) => b[1] - a[1])),
      });
    }
  } finally {
    proxy.close();
    await running.close();
  }
}
