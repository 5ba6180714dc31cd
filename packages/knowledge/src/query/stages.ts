import { telling } from './terms.js';

/** One way to read a question. The first one that finds anything gives the answer. */
export interface Stage {
  readonly terms: readonly string[];
  /** Whether a node must hold all of the words, or any of them. */
  readonly holds: 'all' | 'any';
  readonly isRelaxed: boolean;
}

/** All the words; else all the telling ones; else any of these. */
export function stagesOf(terms: readonly string[]): Stage[] {
  const some = telling(terms);
  const stages: Stage[] = [{ terms, holds: 'all', isRelaxed: false }];
  if (some.length > 0 && some.length < terms.length) stages.push({ terms: some, holds: 'all', isRelaxed: true });
  if (some.length > 1) stages.push({ terms: some, holds: 'any', isRelaxed: true });
  return stages;
}
