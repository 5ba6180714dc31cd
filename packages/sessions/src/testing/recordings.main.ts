import { readRecordings, replay } from './recording.js';
import { differences, settleRecordings } from './settle-recordings.js';

/**
 * `npm run recordings` shows the decisions of the step machine that differ from the recorded ones. `npm run recordings
 * -- "why"` accepts the new ones and stores the reason.
 */
const why = process.argv.slice(2).join(' ').trim();
const now = readRecordings().map(replay);
const found = why === '' ? differences(now) : settleRecordings(now, why);
for (const { name, lines } of found) console.log(`${name}\n  ${lines.join('\n  ')}`);
const verdict = why === '' ? 'differ; say why to take them' : 'differed and are taken';
console.log(found.length === 0 ? 'every decision is as recorded' : `${found.length} goals ${verdict}`);
process.exitCode = found.length > 0 && why === '' ? 1 : 0;
