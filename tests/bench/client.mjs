// Runs the job again and again with one of the scripts in clients/, and prints one JSON line.
// node client.mjs --client NAME (--ws ADDRESS | --own) [--base URL] [--n 5] [--warmup 1]
import { parseArgs } from 'node:util';

const { values: given } = parseArgs({
  options: {
    client: { type: 'string' },
    ws: { type: 'string' },
    own: { type: 'boolean', default: false },
    base: { type: 'string', default: 'http://127.0.0.1:4780/' },
    n: { type: 'string', default: '5' },
    warmup: { type: 'string', default: '1' },
  },
});
const runs = Number(given.n);
const rounded = (value) => Number(value.toFixed(2));

/** Every client must have read the same; @puppeteer/replay cannot return values and answers with what it waited for. */
function check({ rows, opened }) {
  if (rows.length !== 3 || rows[0][0] !== '12345' || rows[0][1] !== '$1000.50' || !/^\d\d\/15\/200\d$/.test(opened)) {
    throw new Error(`wrong result ${JSON.stringify({ rows, opened })}`);
  }
}

const client = await import(`./clients/${given.client}.mjs`);
const importMs = performance.now();
const connecting = performance.now();
const handle = given.own ? await client.launchOwn() : await client.connect(given.ws);
const connectMs = performance.now() - connecting;

for (let at = 0; at < Number(given.warmup); at++) check(await client.job(handle, given.base));
const cpuBefore = process.cpuUsage();
const wall = [];
const steps = [];
for (let at = 0; at < runs; at++) {
  const began = performance.now();
  const done = await client.job(handle, given.base);
  wall.push(rounded(performance.now() - began));
  steps.push(rounded(done.stepsMs));
  check(done);
}
const cpu = process.cpuUsage(cpuBefore);
await (given.own ? client.closeOwn(handle) : client.close(handle));
const all = process.cpuUsage();
console.log(
  JSON.stringify({
    client: given.client,
    n: runs,
    wall,
    steps,
    cpuMsPerJob: rounded((cpu.user + cpu.system) / 1000 / runs),
    maxRssMb: rounded(process.resourceUsage().maxRSS / 1024),
    connectMs: rounded(connectMs),
    importMs: rounded(importMs),
    processCpuMs: rounded((all.user + all.system) / 1000),
  }),
);
process.exit(0);
