import * as z from 'zod';

/**
 * How much commands may do without a question. `ask`: aish asks first, as the rules say. `undoable`: a command runs if
 * it destroys only files of a workspace with layers, because that can be undone. A command with further access always
 * waits.
 */
export const Trust = z.enum(['ask', 'undoable']);
export type Trust = z.infer<typeof Trust>;

/** Returns the effective trust if an admin allows no more than `most`. */
export function limitTrust(most: Trust, asked: Trust): Trust {
  return most === 'ask' ? 'ask' : asked;
}
