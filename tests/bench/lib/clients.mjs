// The clients that are measured: what starts each of them.
import path from 'node:path';

export const HERE = path.resolve(import.meta.dirname, '..');
export const ARTIFACT = path.join(HERE, 'artifacts/meridian.read_accounts.v1.json');
export const PARAMS = path.join(HERE, 'params/teller.json');
export const CONFIG = path.join(HERE, 'config');

/** Our own, as its callers use it: checks and journal on; with a picture after each step, and without. */
export const WAYMARK = 'waymark';
export const WAYMARK_PICTURES = 'waymark, pictures';
/** Input from the page itself, nothing checked: as fast as the browser can be. */
const IN_PAGE = 'floor: in-page script';
export const RUST_RAW = 'floor: rust, trusted input';
export const PLAYWRIGHT = 'playwright';
export const REPLAY = '@puppeteer/replay';

const SCRIPTS = {
  [IN_PAGE]: 'raw-js',
  'node, trusted input': 'raw-input',
  [PLAYWRIGHT]: 'playwright',
  puppeteer: 'puppeteer',
  [REPLAY]: 'replay',
};

export const ALL = [WAYMARK, WAYMARK_PICTURES, RUST_RAW, ...Object.keys(SCRIPTS)];

/** The command of one client; `more` are options that all of them know: `--ws`, `--n`, `--warmup`. */
export function command(client, tools, site, more) {
  if (client === RUST_RAW) return [tools.rustRaw, '--base', `${site}/`, ...more];
  if (client in SCRIPTS) {
    return ['node', path.join(HERE, 'client.mjs'), '--client', SCRIPTS[client], '--base', `${site}/`, ...more];
  }
  const pictures = client === WAYMARK_PICTURES ? ['--pictures'] : [];
  const job = ['--artifact', ARTIFACT, '--params', PARAMS, '--config', CONFIG, '--base-url', site];
  return [tools.repeat, ...job, ...pictures, ...more];
}
