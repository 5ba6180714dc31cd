import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kill } from './kill-plan.js';

/**
 * Loaded into a worker with `node --import`: writes down the boundaries that its goals pass, in a file per goal in KILL_DIR,
 * and kills the worker with SIGKILL where the goal's plan says so. A plan holds over several workers.
 */
const dir = process.env['KILL_DIR'] ?? '';

subscribe('aish.boundary', (message) => {
  const { boundary, id } = message as { boundary: string; id: string };
  const passed = { boundary, pid: process.pid, at: Date.now() };
  appendFileSync(join(dir, `${id}.passed`), `${JSON.stringify(passed)}\n`);
  const file = join(dir, `${id}.plan`);
  if (!existsSync(file)) return;
  const [next, ...later] = JSON.parse(readFileSync(file, 'utf8')) as Kill[];
  if (next === undefined || next.at !== boundary) return;
  const isDue = next.pass <= 1;
  writeFileSync(file, JSON.stringify(isDue ? later : [{ ...next, pass: next.pass - 1 }, ...later]));
  if (isDue) process.kill(process.pid, 'SIGKILL');
});
