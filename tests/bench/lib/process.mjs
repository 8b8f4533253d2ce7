// Starting what is measured, and what the system knows of it.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** Runs a program to its end: `{ code, out, err, wallMs, peakMb }`; `peakMb` is what was seen of it every few milliseconds. */
export function run([program, ...words], { env = {}, limitMs = 600000, watchMemory = false } = {}) {
  return new Promise((done) => {
    const began = performance.now();
    const child = spawn(program, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err, peakMb] = ['', '', 0];
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const look = () => {
      try {
        peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024 || peakMb;
      } catch {
        // It has ended.
      }
    };
    const watch = watchMemory ? setInterval(look, 5) : undefined;
    const ended = (code) => {
      clearTimeout(limit);
      clearInterval(watch);
      done({ code, out, err, wallMs: performance.now() - began, peakMb });
    };
    child.once('error', (error) => {
      err += error;
      ended(-1);
    });
    child.once('close', ended);
  });
}

/** The last line of what a program printed, as JSON; what it said instead where it failed. */
export function lastLine({ code, out, err }) {
  try {
    if (code === 0) return JSON.parse(out.trim().split('\n').pop());
  } catch {
    // Told below.
  }
  return { error: `exit ${code}: ${err.trim().slice(-400)}` };
}

/** Processor time in milliseconds of a process and all below it. */
export function treeCpuMs(root) {
  const processes = new Map();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ').pop().split(' ');
      processes.set(entry, { parent: fields[1], ticks: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) });
    } catch {
      // It ended meanwhile.
    }
  }
  const family = new Set([String(root)]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid, { parent }] of processes) if (family.has(parent)) family.add(pid);
  }
  return [...family].reduce((sum, pid) => sum + (processes.get(pid)?.ticks ?? 0) * 10, 0);
}
