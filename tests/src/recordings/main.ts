import { settleRecordings } from '@aish/sessions/testing';
import { record } from './record.js';
import { SCENARIOS } from './scenarios.js';

/**
 * `npm run record -- "why"` records every scenario again, and `npm run record -- "why" name…` records only those. The
 * differences are shown.
 */
const [why, ...names] = process.argv.slice(2);
if (why === undefined) throw new Error('Say why you record them again: npm run record -- "why"');
const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name));
const recordings = await record(chosen, (line) => console.error(line));
for (const { name, lines } of settleRecordings(recordings, why)) {
  console.log(name);
  for (const line of lines) console.log(`  ${line.slice(0, 240)}`);
}
console.log(`${recordings.length} goals recorded`);
