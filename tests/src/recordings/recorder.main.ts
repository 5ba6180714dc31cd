import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Loaded into api and workers with `node --import`: writes down what happens to each goal and what the machine decides. */
const dir = process.env['RECORD_DIR'] ?? '';

subscribe('aish.norris.advance', (message) => {
  const { goalId, ...decision } = message as { goalId: string };
  appendFileSync(join(dir, `${goalId}.jsonl`), `${JSON.stringify(decision)}\n`);
});
