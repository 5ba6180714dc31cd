import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * This module is loaded into api and workers with `node --import`. It records the events of each goal and the decisions
 * of the machine.
 */
const dir = process.env['RECORD_DIR'] ?? '';

subscribe('aish.norris.advance', (message) => {
  const { goalId, ...decision } = message as { goalId: string };
  appendFileSync(join(dir, `${goalId}.jsonl`), `${JSON.stringify(decision)}\n`);
});
