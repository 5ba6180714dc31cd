import type { Held } from './bm25.js';

/** Of what a question's words weigh, the share that a text holds which answers it, as a rule. */
const MOST = 0.65;
/** So much does if it is much in itself: people ask in more words than notes have. */
const [HALF, MUCH] = [0.5, 1.5];

/**
 * Whether a text probably answers, by the words that it holds. Something has words of any question, also of one that nothing
 * answers. The limits were chosen with the questions of `bench -- recall` and of LoCoMo in view.
 */
export function probablyAnswers({ coverage, evidence }: Held): boolean {
  return coverage >= MOST || (coverage >= HALF && evidence >= MUCH);
}
