// How long the command line tool takes until it could begin: it checks an artifact of fifty steps.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ARTIFACT } from '../lib/clients.mjs';
import { run } from '../lib/process.mjs';

const STEPS = 50;

export async function startup({ tools, rounds, record, say }) {
  say('start of the command line tool');
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'waymark-bench-'));
  const file = path.join(scratch, 'fifty_steps.json');
  const artifact = JSON.parse(readFileSync(ARTIFACT, 'utf8'));
  const typing = artifact.steps.find((step) => step.action.kind === 'type');
  const more = STEPS - artifact.steps.length;
  artifact.steps.splice(2, 0, ...Array.from({ length: more }, (_, at) => ({ ...typing, id: `type_again_${at + 1}` })));
  try {
    writeFileSync(file, JSON.stringify(artifact));
    for (let round = 0; round <= rounds; round++) {
      const validate = await run([tools.waymark, 'validate', file]);
      // What starting any program takes here.
      const nothing = await run(['/bin/true']);
      const error = validate.code === 0 ? undefined : validate.err.trim().slice(-400);
      if (round > 0) record({ part: 'startup', round, validateMs: validate.wallMs, nothingMs: nothing.wallMs, error });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
