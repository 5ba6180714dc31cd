import { expect, it } from '@jest/globals';
import { dated } from './dates.js';

it.each([
  ['what was on 2026-05-24?', ['on:2026-05-24']],
  ['notes of 24 May 2026', ['on:2026-05-24']],
  ['on May 24th, 2026 and the 3rd of june', ['on:2026-05-24', 'on:06-03']],
  ['what happened in September 2025', ['in:2025-09']],
  ['in 2025-09, in may, in 2024', ['in:2025-09', 'in:05', 'in:2024']],
  ['yesterday or today', ['on:2026-05-31', 'on:2026-05-30']],
  ['may I restart it? march on; port 2026; version 1.2.2026', []],
])('the question %j names the dates %j', (question, tokens) => {
  expect(dated(question, new Date('2026-05-31T12:00:00Z')).tokens.toSorted()).toEqual(tokens.toSorted());
});

it('a question without its dates keeps all other words', () => {
  const { rest } = dated('the NAS on 24 May 2026 or yesterday', new Date());
  expect(rest.split(/\s+/)).toEqual(['the', 'NAS', 'on', 'or', '']);
});
