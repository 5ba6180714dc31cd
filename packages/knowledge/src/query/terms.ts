import { isFiller } from '@aish/ranking';

const TOKEN = /[\p{L}\p{N}]+/gu;
const TOKEN_MAX_CHARS = 60;
const TERMS_MAX = 12;

/** Returns the words of a text in comparable form, without case and marks. Queries and the index use only this form. */
export function tokensOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(TOKEN) ?? []).map((token) => token.slice(0, TOKEN_MAX_CHARS));
}

/** Returns the first twelve different words of a query. Each of them also matches every word that begins with it. */
export function termsOf(text: string): string[] {
  return [...new Set(tokensOf(text))].slice(0, TERMS_MAX);
}

/** Returns the words to search for if not all of them were found together. */
export function telling(terms: readonly string[]): string[] {
  return terms.filter((term) => !isFiller(term));
}

/** Whether a word also matches as a prefix. Too many words begin like a short or common word. */
export function isBeginning(term: string): boolean {
  return term.length >= 3 && !isFiller(term);
}

/** One interpretation of a question. The first one with results gives the answer. */
export interface Stage {
  readonly terms: readonly string[];
  /** Whether a node must have all of the words, or any of them. */
  readonly holds: 'all' | 'any';
  readonly isRelaxed: boolean;
}

/**
 * Returns the interpretations of a question, in order: all the words, all the significant words, any of the significant
 * words.
 */
export function stagesOf(terms: readonly string[]): Stage[] {
  const some = telling(terms);
  const stages: Stage[] = [{ terms, holds: 'all', isRelaxed: false }];
  if (some.length > 0 && some.length < terms.length) stages.push({ terms: some, holds: 'all', isRelaxed: true });
  if (some.length > 1) stages.push({ terms: some, holds: 'any', isRelaxed: true });
  return stages;
}
