import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { RULES } from './catalogue.js';

// A removed rule or program takes its own examples with it, so no other test would notice.
it('no rule and no program of a rule is added, removed or renamed by accident', () => {
  const file = new URL('catalogue.txt', import.meta.url);
  const lines = RULES.map(({ id, tools = ['(every command)'] }) => `${id}: ${tools.toSorted().join(' ')}`).toSorted();
  // To change the catalogue on purpose: UPDATE_RULES=1 npx jest --selectProjects safety -t "no rule and no program"
  if (process.env['UPDATE_RULES'] === '1') writeFileSync(file, `${lines.join('\n')}\n`);
  expect(lines).toEqual(readFileSync(file, 'utf8').trimEnd().split('\n'));
});
