import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '../statistics.js';

/** Loaded into a worker with `node --import`: when its goals pass which boundary, written now and then, off their way. */
const dir = process.env['BOUNDARIES_DIR'] ?? '';
let lines = '';

subscribe('aish.norris.boundary', (message) => {
  const passed = message as { boundary: string; goalId: string };
  lines += `${JSON.stringify({ ...passed, pid: process.pid, at: now() })}\n`;
});

setInterval(() => {
  if (lines !== '') appendFileSync(join(dir, `${process.pid}.jsonl`), lines);
  lines = '';
}, 100).unref();
