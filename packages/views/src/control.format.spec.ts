import { expect, it } from '@jest/globals';
import { formatControl, formatUses } from './control.format.js';

it('formatUses shows how often a grant was used and whether it is still valid', () => {
  expect(formatUses({ uses: 2, binding: 'b', carried: false })).toBe('used 2 times');
  expect(formatUses({ uses: 1, binding: 'b', carried: true })).toBe(
    'used once, with the variables of earlier commands',
  );
  expect(formatUses({ uses: 2, binding: null, carried: false })).toBe('no longer valid: created by an earlier version');
});

it.each([
  [
    '[aish] The user has given goal 10 from this chat. It is worked on elsewhere, and its end is told here:\n| tidy up',
    'goal 10 was given from this chat',
  ],
  ['[aish] Goal 10, given in this chat, has ended: done\n| all is tidy', 'goal 10 has ended: done: all is tidy'],
  ['[aish] Goal 10, given in this chat, has ended: aborted', 'goal 10 has ended: aborted'],
  [
    '[aish] Goal 10, given in this chat, has ended: aborted\n| aborted by ann\nThe last actions that it had run:\n| $ ls',
    'goal 10 has ended: aborted: aborted by ann',
  ],
  ['[aish] Goal 10, given in this chat, has ended: aborted\nIts model wrote last:\n| x', 'goal 10 has ended: aborted'],
  ['[aish] The budget is used up.', 'The budget is used up.'],
])('formatControl rewrites a notice to the model for people: %j', (text, shown) => {
  expect(formatControl({ type: 'goal.noticed', goalId: '00000000-0000-4000-8000-000000000001', text })).toBe(shown);
});
