import { expect, it } from '@jest/globals';
import type { ShownTurn } from '@aish/contracts/sessions';
import { compose } from './compose.js';
import { withThoughts } from './thoughts.js';

const TURNS: readonly ShownTurn[] = [
  { seq: 1, role: 'user', content: 'do it' },
  { seq: 2, role: 'assistant', content: 'CMD: ls', meta: { reasoning: 'first' } },
  { seq: 3, role: 'output', content: '[exec] $ ls' },
  { seq: 4, role: 'assistant', content: 'CMD: pwd', meta: { reasoning: 'second' } },
  { seq: 5, role: 'output', content: '[exec] $ pwd' },
];

it.each([
  ['none', [undefined, undefined]],
  ['last', [undefined, 'second']],
  ['all', ['first', 'second']],
] as const)('compose sends back the selected earlier thoughts: %s', (which, expected) => {
  const messages = compose('S', withThoughts(TURNS, which), 1_000);
  expect(messages.filter(({ role }) => role === 'assistant').map(({ reasoning }) => reasoning)).toEqual(expected);
});

it('thoughts use tokens of the window', () => {
  const long = TURNS.map((turn) => (turn.seq === 2 ? { ...turn, meta: { reasoning: 'x'.repeat(6_000) } } : turn));
  expect(compose('S', withThoughts(long, 'all'), 1_000)).toHaveLength(4);
  expect(compose('S', withThoughts(long, 'none'), 1_000)).toHaveLength(6);
});
