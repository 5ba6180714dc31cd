import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEXT_PLAN, type Kill } from './kill-plan.js';

/**
 * Loaded into api and worker with `node --import`: writes down the boundaries that goals and events pass, in a file for each in
 * KILL_DIR, and kills its process with SIGKILL where the plan of the goal, or of the event's sender, says so. A plan holds over
 * several processes.
 */
const dir = process.env['KILL_DIR'] ?? '';

subscribe('aish.boundary', (message) => {
  const { boundary, id } = message as { boundary: string; id: string };
  const passed = { boundary, pid: process.pid, at: Date.now() };
  appendFileSync(join(dir, `${id}.passed`), `${JSON.stringify(passed)}\n`);
  const file = join(dir, `${id}.plan`);
  if (boundary === 'job.taken') claimPlan(file);
  if (!existsSync(file)) return;
  const [next, ...later] = JSON.parse(readFileSync(file, 'utf8')) as Kill[];
  if (next === undefined || next.at !== boundary || (next.pid ?? process.pid) !== process.pid) return;
  const isDue = next.pass <= 1;
  replaceFile(file, JSON.stringify(isDue ? later : [{ ...next, pass: next.pass - 1 }, ...later]));
  if (isDue) process.kill(process.pid, 'SIGKILL');
});

/** Another process may read the plan at the same moment; half of one would end it. */
function replaceFile(file: string, content: string): void {
  const written = `${file}.${process.pid}`;
  writeFileSync(written, content);
  renameSync(written, file);
}

/** A goal whose id nobody knew beforehand takes one of the plans that lie ready. */
function claimPlan(file: string): void {
  const ready = readdirSync(dir).filter((name) => name.startsWith(NEXT_PLAN));
  if (ready.length === 0 || existsSync(file)) return;
  // Of several workers that were given the same goal one makes the file.
  if (!isDone(() => writeFileSync(file, '[]', { flag: 'wx' }))) return;
  ready.some((name) => isDone(() => renameSync(join(dir, name), file)));
}

function isDone(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
