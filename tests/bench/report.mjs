// What was measured, as tables, with every bar beside what was reached.
import { PLAYWRIGHT, REPLAY, RUST_RAW, WAYMARK, WAYMARK_PICTURES } from './lib/clients.mjs';
import { grouped, median, quantile } from './lib/numbers.mjs';

const fixed = (value, digits = 2) => (Number.isFinite(value) ? value.toFixed(digits) : '-');
const row = (...cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells)), ''];

/** All that was recorded, asked by part. */
class Records {
  constructor(lines) {
    this.lines = lines;
  }

  of(part, wanted = {}) {
    const fits = (line) => Object.entries(wanted).every(([key, value]) => line[key] === value);
    return this.lines.filter((line) => line.part === part && !line.error && fits(line));
  }

  clients(part) {
    return [...new Set(this.of(part).map((line) => line.client))];
  }

  walls(client, browser) {
    return this.of('warm', { client, browser }).flatMap((line) => line.wall);
  }

  wall(client, browser) {
    return median(this.walls(client, browser));
  }
}

/** `[what, reached, must, aim, unit]` of every bar. */
function bars(records, shell) {
  const wall = (client) => records.wall(client, shell);
  const warm = records.of('warm', { client: WAYMARK, browser: shell });
  const cold = (client) => median(records.of('cold', { client }).map((line) => line.wallMs));
  const [memory] = records.of('memory');
  const looks = records.of('look');
  const look = (least) => looks.find((line) => line.elements >= least)?.ratio;
  const resolves = resolvesOf(records).map(([, ms]) => ms);
  return [
    ['replay wall against Playwright, warm browser', wall(WAYMARK) / wall(PLAYWRIGHT), 0.5, 0.38, ''],
    ['replay wall against @puppeteer/replay', wall(WAYMARK) / wall(REPLAY), 0.6, 0.45, ''],
    ['replay wall against the Rust floor', wall(WAYMARK) / wall(RUST_RAW), 1.35, 1.15, ''],
    ['protocol commands for the job', records.of('commands', { client: WAYMARK })[0]?.commands, 70, 50, ''],
    ['engine CPU per job', median(warm.map((line) => line.cpuMsPerJob)), 40, 20, 'ms'],
    ['peak memory over many runs', memory?.maxRssMb, 25, 12, 'MB'],
    ['growth of memory after the first tenth of the runs', growth(memory), 1, 1, 'MB'],
    ['cold `waymark replay` against Playwright, the same binary', cold('waymark replay') / cold('playwright'), 0.55, 0.4, ''],
    ['start to ready (validate fifty steps)', median(records.of('startup').map((line) => line.validateMs)), 30, 10, 'ms'],
    ['one picture per step, on against off', wall(WAYMARK_PICTURES) / wall(WAYMARK), 1.6, 1.3, ''],
    ['snapshot against getFullAXTree, 1,000 elements', look(900), 0.25, 0.15, ''],
    ['snapshot against getFullAXTree, 10,000 elements', look(9000), 0.25, 0.15, ''],
    ['growth exponent of the snapshot, 100 to 50,000', looks.find((line) => line.exponent)?.exponent, 1.1, 1.1, ''],
    ['resolve one target at 10,000 nodes, median of screens and rungs', median(resolves), 25, 12, 'ms'],
    ['resolve one target at 10,000 nodes, the slowest of them', Math.max(...resolves), 25, 12, 'ms'],
  ];
}

/** Name of screen and rung, and the median milliseconds. */
function resolvesOf(records) {
  const groups = grouped(records.of('resolve'), ({ screen, rung }) => `${screen}, ${rung}`);
  return [...groups].map(([name, lines]) => [name, median(lines.map((line) => line.ms))]);
}

/**
 * By how much memory rises over all runs after the first tenth of them, by the median of the slopes between any two
 * samples (Theil-Sen): a sample that was taken right after a run, before its memory was given back, is no growth.
 */
function growth(memory) {
  const samples = memory?.rssMb ?? [];
  const after = samples.slice(Math.ceil(samples.length / 10));
  const slopes = after.flatMap((from, at) => after.slice(at + 1).map((to, gap) => (to - from) / (gap + 1)));
  return slopes.length ? median(slopes) * (after.length - 1) : NaN;
}

function warmTable(records, browser) {
  const clients = records.clients('warm').sort((a, b) => records.wall(a, browser) - records.wall(b, browser));
  const of = (client, key) => median(records.of('warm', { client, browser }).map((line) => line[key]));
  const steps = (client) => median(records.of('warm', { client, browser }).flatMap((line) => line.steps));
  const head = ['client', 'jobs', 'p10', 'median', 'p90', 'Waymark / it', 'steps', 'CPU ms', 'peak MB', 'connect ms', 'browser CPU ms'];
  const rows = clients.map((client) => {
    const walls = records.walls(client, browser);
    return [
      client,
      walls.length,
      fixed(quantile(walls, 0.1), 0),
      fixed(median(walls), 0),
      fixed(quantile(walls, 0.9), 0),
      fixed(records.wall(WAYMARK, browser) / median(walls)),
      fixed(steps(client), 0),
      fixed(of(client, 'cpuMsPerJob'), 1),
      fixed(of(client, 'maxRssMb'), 1),
      fixed(of(client, 'connectMs'), 1),
      fixed(of(client, 'browserCpuMsPerJob'), 0),
    ];
  });
  return [`### Warm browser: ${browser}`, '', ...table(head, rows)];
}

function commandTable(records) {
  const lines = records.of('commands').sort((a, b) => a.commands - b.commands);
  const head = ['client', 'commands', 'events', 'KB out', 'KB in', 'most often'];
  const rows = lines.map((line) => [
    line.client,
    fixed(line.commands, 1),
    fixed(line.events, 1),
    fixed(line.kbOut, 1),
    fixed(line.kbIn, 1),
    Object.entries(line.methods)
      .slice(0, 6)
      .map(([name, count]) => `${name} ${fixed(count, 1)}`)
      .join(', '),
  ]);
  return ['### Protocol for one job', '', ...table(head, rows)];
}

function coldTable(records) {
  const wall = (client) => median(records.of('cold', { client }).map((line) => line.wallMs));
  const rows = records
    .clients('cold')
    .sort((a, b) => wall(a) - wall(b))
    .map((client) => {
      const lines = records.of('cold', { client });
      return [client, lines.length, fixed(wall(client), 0), fixed(wall(client) / wall('playwright')), fixed(median(lines.map((l) => l.peakMb)), 1)];
    });
  return ['### Cold: start to exit, own browser', '', ...table(['client', 'runs', 'median ms', 'of Playwright', 'peak MB'], rows)];
}

function seeingTables(records) {
  const looks = records.of('look').filter((line) => line.elements);
  return [
    '### A look at a page',
    '',
    ...table(
      ['elements', 'nodes', 'look ms', 'of it in the page', 'getFullAXTree ms', 'ratio'],
      looks.map((line) => [line.elements, line.nodes, fixed(line.look_ms, 1), fixed(line.walk_ms, 1), fixed(line.tree_ms, 1), fixed(line.ratio)]),
    ),
    '### Finding one target on a screen of 10,000 nodes',
    '',
    ...table(['screen, rung', 'median ms'], resolvesOf(records).map(([name, ms]) => [name, fixed(ms)])),
  ];
}

export function summary(lines) {
  const records = new Records(lines);
  const [machine] = records.of('machine');
  const [end] = records.of('end');
  const shell = machine.browsers[0].name;
  const reached = (value, bar) => (Number.isFinite(value) ? (value <= bar ? 'yes' : '**no**') : 'not measured');
  const failures = lines.filter((line) => line.error);
  const startup = records.of('startup');
  return [
    '# What a replay costs, beside its peers',
    '',
    `Measured at ${machine.at} with \`${machine.command || 'node run.mjs'}\` on commit ${machine.commit} (tree ${machine.tree}` +
      `${machine.changed ? `, ${machine.changed} files changed since` : ''}).`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, ${machine.rust}; load ` +
      `${fixed(machine.load, 1)} at the start and ${fixed(end?.load, 1)} at the end.`,
    `Browsers: ${machine.browsers.map(({ name, version }) => `${name} (${version})`).join(', ')}. Peers: ` +
      `${Object.entries(machine.peers)
        .map((peer) => peer.join(' '))
        .join(', ')}.`,
    '',
    `Times are medians of ${machine.rounds} interleaved rounds of ${machine.jobs} jobs; only ratios within one run of this are worth comparing.`,
    'The job: open a frameset, type user and password, sign on, wait for the overview, read three rows of two fields, open one account, read a',
    'date, go back; a new browser context each time, every client checks what it read. Waymark connects anew for each job, checks every step,',
    'and keeps its journal on disk.',
    '',
    '## Bars',
    '',
    ...table(
      ['bar', 'reached', 'must', '', 'aim', ''],
      bars(records, shell).map(([what, value, must, aim, unit]) => [
        what,
        `${fixed(value)} ${unit}`.trim(),
        must,
        reached(value, must),
        aim,
        reached(value, aim),
      ]),
    ),
    ...machine.browsers.filter(({ name }) => records.of('warm', { browser: name }).length).flatMap(({ name }) => warmTable(records, name)),
    ...commandTable(records),
    ...coldTable(records),
    ...(startup.length
      ? [
          `Starting a program that does nothing took ${fixed(median(startup.map((line) => line.nothingMs)), 1)} ms here; checking an artifact of fifty ` +
            `steps ${fixed(median(startup.map((line) => line.validateMs)), 1)} ms.`,
          '',
        ]
      : []),
    ...seeingTables(records),
    ...(failures.length ? ['## What failed', '', ...failures.map((line) => `- ${line.part} ${line.client ?? ''}: ${line.error}`), ''] : []),
  ].join('\n');
}
