import { expect, it } from '@jest/globals';
import { invariant } from './invariant.js';
import { AishError } from './problems.js';

it('invariant accepts a true condition and narrows its type', () => {
  const rows: readonly string[] = ['first'];
  const row = rows[0];
  invariant(row !== undefined, 'there is a row');
  expect(row.length).toBe(5);
});

it.each([false, null, undefined, 0, ''])(
  'invariant throws an internal error with the given sentence for %p',
  (value) => {
    const check = (): void => {
      invariant(value, 'an insert returns its row');
    };
    expect(check).toThrow(AishError);
    expect(check).toThrow(
      expect.objectContaining({ code: 'internal', message: 'Broken invariant: an insert returns its row' }),
    );
  },
);
