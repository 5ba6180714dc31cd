import { AishError } from './problems.js';

/**
 * States a condition that is true for any input, and tells the compiler so.
 *   const row = rows[0]; invariant(row !== undefined, 'an insert returns its row');
 * Wrong input or an unavailable service does not break an invariant. Such errors have their own codes.
 *
 * @param what the sentence that must be true. Clients may read it, so it must not contain secrets.
 * @throws AishError `internal` if `condition` is falsy.
 */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new AishError('internal', `Broken invariant: ${what}`);
}
