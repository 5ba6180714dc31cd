import { isFiller } from '@aish/ranking';

const TOKEN = /[\p{L}\p{N}]+/gu;
const TOKEN_MAX_CHARS = 60;
const TERMS_MAX = 12;

/** The words of a text as they are compared: without case and marks. Query and index use this and nothing else. */
export function tokensOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(TOKEN) ?? []).map((token) => token.slice(0, TOKEN_MAX_CHARS));
}

/** The different words of a query, the first twelve. Each stands for every word that begins with it. */
export function termsOf(text: string): string[] {
  return [...new Set(tokensOf(text))].slice(0, TERMS_MAX);
}

/** What is left to look for when not all of the words were found together. */
export function telling(terms: readonly string[]): string[] {
  return terms.filter((term) => !isFiller(term));
}

/** Whether a word stands for those that begin with it, too. Short and empty words begin half of a language. */
export function isBeginning(term: string): boolean {
  return term.length >= 3 && !isFiller(term);
}

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
