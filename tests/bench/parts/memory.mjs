// Very many runs in one process: how much memory it takes at most, and whether that grows.
import { WAYMARK, command } from '../lib/clients.mjs';
import { launch } from '../lib/cdp.mjs';
import { lastLine, run } from '../lib/process.mjs';

export async function memory({ tools, site, browser, runs, record, say }) {
  say(`${runs} runs in one process`);
  const running = await launch(browser.program);
  try {
    const every = String(Math.max(1, Math.floor(runs / 50)));
    const words = ['--ws', running.ws, '--n', String(runs), '--warmup', '1', '--rss-every', every];
    const line = lastLine(await run(command(WAYMARK, tools, site, words), { limitMs: 3600000 }));
    record({ part: 'memory', runs, ...line, wall: undefined, steps: undefined });
  } finally {
    await running.close();
  }
}
