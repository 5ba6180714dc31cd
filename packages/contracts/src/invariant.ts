import { AishError } from './problems.js';

/**
 * States what must hold here for any input, and tells the compiler so.
 *
 *     const row = rows[0];
 *     invariant(row !== undefined, 'an insert returns its row');
 *
 * Wrong input, an unavailable service and the like are no broken invariants: they have codes of their own.
 *
 * @param what the sentence that holds; clients may read it, so it has nothing secret.
 * @throws AishError `internal` if `condition` is falsy.
 */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new AishError('internal', `Broken invariant: ${what}`);
}
