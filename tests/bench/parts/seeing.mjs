// A look beside the browser's own accessibility tree, and finding one target on a large screen.
import { run } from '../lib/process.mjs';

const RUNGS = ['role_name', 'normalized', 'label', 'cell', 'row', 'column', 'adjacent'];

export async function seeing({ tools, rounds, record, say }) {
  say('looks at pages of 100 to 50,000 elements');
  const looks = await run([tools.snapshotSpeed, String(rounds)]);
  for (const line of looks.out.trim().split('\n').filter(Boolean)) record({ part: 'look', ...JSON.parse(line) });
  if (looks.code !== 0) record({ part: 'look', error: looks.err.trim().slice(-400) });

  say('finding one target on screens of 10,000 nodes');
  for (let round = 0; round < 3; round++) {
    const found = await run([tools.largeScreen]);
    if (found.code !== 0) record({ part: 'resolve', error: found.err.trim().slice(-400) });
    let screen = '';
    for (const line of found.out.split('\n')) {
      const named = /^(\S.*): (\d+) nodes$/.exec(line);
      if (named) screen = named[1];
      const timed = /^ {2}(\S.*?) +([\d.]+) ms/.exec(line);
      if (timed && RUNGS.includes(timed[1])) record({ part: 'resolve', screen, rung: timed[1], ms: Number(timed[2]) });
    }
  }
}
