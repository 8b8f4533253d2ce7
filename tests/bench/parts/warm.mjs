// The job in a browser that runs already: every client in turn, in another order each round.
import os from 'node:os';
import { ALL, command } from '../lib/clients.mjs';
import { launch } from '../lib/cdp.mjs';
import { shuffled } from '../lib/numbers.mjs';
import { lastLine, run, treeCpuMs } from '../lib/process.mjs';

export async function warm({ tools, site, browser, rounds, jobs, record, say }) {
  const running = await launch(browser.program);
  try {
    for (let round = 1; round <= rounds; round++) {
      say(`${browser.name}: round ${round} of ${rounds}`);
      for (const client of shuffled(ALL)) {
        const load = os.loadavg()[0];
        const before = treeCpuMs(running.pid);
        const words = ['--ws', running.ws, '--n', String(jobs), '--warmup', '1'];
        const line = lastLine(await run(command(client, tools, site, words), { limitMs: 300000 }));
        const browserCpuMsPerJob = (treeCpuMs(running.pid) - before) / (jobs + 1);
        record({ part: 'warm', browser: browser.name, round, load, browserCpuMsPerJob, ...line, client });
      }
    }
  } finally {
    await running.close();
  }
}
