import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { RULES } from './catalogue.js';

// A rule and a program of it take their own examples with them: nothing else misses them when they go.
it('no rule and no program of a rule goes, comes or changes its name by accident', () => {
  const file = new URL('catalogue.txt', import.meta.url);
  const lines = RULES.map(({ id, tools = ['(every command)'] }) => `${id}: ${tools.toSorted().join(' ')}`).toSorted();
  // To change it on purpose: UPDATE_RULES=1 npx jest --selectProjects safety -t "no rule and no program"
  if (process.env['UPDATE_RULES'] === '1') writeFileSync(file, `${lines.join('\n')}\n`);
  expect(lines).toEqual(readFileSync(file, 'utf8').trimEnd().split('\n'));
});
