import { expect, it } from '@jest/globals';
import { formatUses } from './control.format.js';

it('a grant tells what it is worth', () => {
  expect(formatUses({ uses: 2, binding: 'b', carried: false })).toBe('used 2 times');
  expect(formatUses({ uses: 1, binding: 'b', carried: true })).toBe(
    'used once, with the variables of earlier commands',
  );
  expect(formatUses({ uses: 2, binding: null, carried: false })).toBe('covers nothing: it is of an earlier version');
});
