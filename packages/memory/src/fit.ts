import type { Place } from '@aish/ranking';

/** Of what the words of a question weigh, the share that a text holds which answers it, as a rule. */
const COVERS = 0.7;
/** By how many standard deviations a text that answers is nearer than all of them on the whole, as a rule. */
const STANDS_OUT = 5.5;

/**
 * Whether a ranking probably holds an answer. Something comes nearest to any question, also to one that nothing answers.
 * Both limits were chosen with the questions of `bench -- recall` in view; a person sees all that was found in any case.
 */
export function coversEnough(words: readonly Place[]): boolean {
  return words.some(({ trust }) => trust >= COVERS);
}

/** @param distance null: nobody can say. */
export function standsOut(distance: number | null): boolean {
  return distance === null || distance >= STANDS_OUT;
}
