import * as z from 'zod';

/**
 * How far commands go without a question. `ask`: words first, as rules say. `undoable`: what destroys nothing but files of a
 * workspace of layers runs, because it can be taken back. Whatever leaves the workspace is asked about either way.
 */
export const Trust = z.enum(['ask', 'undoable']);
export type Trust = z.infer<typeof Trust>;

/** The trust that applies where an admin allows no more than `most`. */
export function trustUpTo(most: Trust, asked: Trust): Trust {
  return most === 'ask' ? 'ask' : asked;
}
