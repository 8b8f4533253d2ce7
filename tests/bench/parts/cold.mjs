// From the start of the program to its end, its own browser and one job in between; the same browser binary for all.
import os from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ARTIFACT, CONFIG, HERE, PARAMS } from '../lib/clients.mjs';
import { shuffled } from '../lib/numbers.mjs';
import { run } from '../lib/process.mjs';

export async function cold({ tools, site, browser, rounds, record, say }) {
  const evidence = mkdtempSync(path.join(os.tmpdir(), 'waymark-bench-'));
  const waymark = [
    tools.waymark,
    'replay',
    ...['--artifact', ARTIFACT, '--params-file', PARAMS, '--config', CONFIG, '--base-url', site],
    ...['--browser', browser.program, '--evidence', evidence, '--mode', 'unattended', '--json'],
  ];
  const script = (name) => ['node', path.join(HERE, 'client.mjs'), '--client', name, '--own', '--base', `${site}/`];
  const once = ['--n', '1', '--warmup', '0'];
  const clients = {
    'waymark replay': [...waymark, '--no-pictures'],
    'waymark replay, pictures': waymark,
    playwright: [...script('playwright'), ...once],
    puppeteer: [...script('puppeteer'), ...once],
    '@puppeteer/replay': [...script('replay'), ...once],
  };
  const flags = '--headless=new --no-sandbox --no-first-run --disable-background-networking';
  try {
    for (let round = 1; round <= rounds; round++) {
      say(`cold start: round ${round} of ${rounds}`);
      for (const client of shuffled(Object.keys(clients))) {
        const env = { CHROME: browser.program, FLAGS: flags };
        const { code, wallMs, peakMb, err, out } = await run(clients[client], { env, limitMs: 120000, watchMemory: true });
        const error = code === 0 ? undefined : `exit ${code}: ${(err || out).trim().slice(-400)}`;
        record({ part: 'cold', client, round, wallMs, peakMb, error });
      }
    }
  } finally {
    rmSync(evidence, { recursive: true, force: true });
  }
}
