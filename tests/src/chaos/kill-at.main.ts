import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NEXT_PLAN, type Kill } from './kill-plan.js';

/**
 * This module is loaded into api and worker with `node --import`. It records the boundaries that goals and events pass,
 * in a file for each in KILL_DIR. It kills its process with SIGKILL where the plan of the goal, or of the event's
 * sender, says so. A plan can span several processes.
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

/**
 * Replaces a file in one step. Another process may read the plan at the same moment, and an incomplete plan would crash
 * it.
 */
function replaceFile(file: string, content: string): void {
  const written = `${file}.${process.pid}`;
  writeFileSync(written, content);
  renameSync(written, file);
}

/** Gives one of the prepared plans to a goal with an unknown ID. */
function claimPlan(file: string): void {
  const ready = readdirSync(dir).filter((name) => name.startsWith(NEXT_PLAN));
  if (ready.length === 0 || existsSync(file)) return;
  // If several workers get the same goal, only one of them can create the file.
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
