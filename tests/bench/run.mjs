// Measures everything and writes raw.jsonl and summary.md. `./x bench` builds what is measured and calls this:
// node run.mjs --out DIR --tools JSON [--rounds 10] [--jobs 5] [--runs 1000] [--parts a,b] [--note TEXT]
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { HERE } from './lib/clients.mjs';
import { run } from './lib/process.mjs';
import { cold } from './parts/cold.mjs';
import { commands } from './parts/commands.mjs';
import { memory } from './parts/memory.mjs';
import { seeing } from './parts/seeing.mjs';
import { startup } from './parts/startup.mjs';
import { warm } from './parts/warm.mjs';
import { summary } from './report.mjs';

const PARTS = ['commands', 'startup', 'warm', 'cold', 'seeing', 'memory'];
const { values: given } = parseArgs({
  options: {
    out: { type: 'string' },
    tools: { type: 'string' },
    rounds: { type: 'string', default: '10' },
    jobs: { type: 'string', default: '5' },
    runs: { type: 'string', default: '1000' },
    parts: { type: 'string', default: PARTS.join(',') },
    note: { type: 'string', default: '' },
  },
});
const tools = JSON.parse(given.tools);
const rounds = Number(given.rounds);
const parts = given.parts.split(',');
const unknown = parts.filter((part) => !PARTS.includes(part));
if (unknown.length) throw new Error(`there is no part ${unknown.join(', ')}; parts: ${PARTS.join(', ')}`);

const raw = path.join(given.out, 'raw.jsonl');
mkdirSync(given.out, { recursive: true });
writeFileSync(raw, '');
const lines = [];
const record = (line) => {
  lines.push(line);
  appendFileSync(raw, `${JSON.stringify(line)}\n`);
  if (line.error) say(`!! ${line.part} ${line.client ?? ''}: ${line.error}`);
};
const say = (text) => console.error(`bench: ${text}`);

/** The programs themselves: what lies on the search path may be a script around them. */
const browsers = [
  { name: 'headless shell', program: '/usr/lib/chromium/chromium-headless-shell' },
  { name: 'chromium', program: '/usr/lib/chromium/chromium' },
].filter(({ program }) => existsSync(program));
if (!browsers.length) throw new Error('no chromium is installed in /usr/lib/chromium');

async function machine() {
  const told = async (...words) => (await run(words)).out.trim();
  const changed = (await told('git', '-C', HERE, 'status', '--porcelain')).split('\n').filter(Boolean).length;
  const cpus = os.cpus();
  return {
    commit: await told('git', '-C', HERE, 'rev-parse', 'HEAD'),
    tree: await told('git', '-C', HERE, 'rev-parse', 'HEAD^{tree}'),
    changed,
    command: given.note,
    at: new Date().toISOString(),
    cores: cpus.length,
    processor: cpus[0]?.model ?? '',
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    rust: await told('rustc', '--version'),
    browsers: await Promise.all(
      browsers.map(async ({ name, program }) => ({ name, version: await told(program, '--version', '--no-sandbox') })),
    ),
    peers: Object.fromEntries(
      ['playwright-core', 'puppeteer-core', '@puppeteer/replay'].map((name) => [
        name,
        JSON.parse(readFileSync(path.join(HERE, 'node_modules', name, 'package.json'), 'utf8')).version,
      ]),
    ),
    load: os.loadavg()[0],
    rounds,
    jobs: Number(given.jobs),
  };
}

/** The site, on a free port. */
async function serve() {
  const child = spawn('node', [path.join(HERE, 'site/server.mjs'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((found, fail) => {
    child.stdout.once('data', (data) => found(String(data).trim()));
    child.once('exit', () => fail(new Error('the site ended')));
  });
  return { address, close: () => child.kill() };
}

record({ part: 'machine', ...(await machine()) });
const site = await serve();
const [browser] = browsers;
const common = { tools, site: site.address, browser, record, say };
try {
  if (parts.includes('commands')) await commands(common);
  if (parts.includes('startup')) await startup({ ...common, rounds: rounds * 3 });
  if (parts.includes('warm')) {
    await warm({ ...common, rounds, jobs: given.jobs });
    // Full Chromium for the record; the bars are about the browser that unattended runs use.
    for (const other of browsers.slice(1)) {
      await warm({ ...common, browser: other, rounds: Math.ceil(rounds / 3), jobs: given.jobs });
    }
  }
  if (parts.includes('cold')) await cold({ ...common, rounds });
  if (parts.includes('seeing')) await seeing({ ...common, rounds: 9 });
  if (parts.includes('memory')) await memory({ ...common, runs: Number(given.runs) });
} finally {
  site.close();
}
record({ part: 'end', load: os.loadavg()[0], at: new Date().toISOString() });
const text = summary(lines);
writeFileSync(path.join(given.out, 'summary.md'), text);
console.log(text);
process.exit(lines.some((line) => line.error) ? 1 : 0);
