/** By how many standard deviations a text that answers is nearer than all of them on the whole, as a rule. */
const STANDS_OUT = 5.5;

/**
 * Whether what is nearest probably answers: something comes nearest to any question. A person sees all that was found in
 * any case.
 * @param distance null: nobody can say.
 */
export function standsOut(distance: number | null): boolean {
  return distance === null || distance >= STANDS_OUT;
}
