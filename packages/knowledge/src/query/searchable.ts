import type { KnowledgeNodeFile } from '../node/node.js';
import { isBeginning, tokensOf } from './terms.js';

/** Where a word was found, from the most telling place to the least, and what it counts for. */
export const FIELD_WEIGHTS = { A: 8, B: 4, C: 3, D: 1 } as const;
export type Field = keyof typeof FIELD_WEIGHTS;

/** Different words that one node is found by, at most; longer bodies are found by their first ones. */
const WORDS_MAX = 8_000;

/** The words that a node is found by, each with its best field: title, tags and properties, summary, body. */
export function wordsOf(node: KnowledgeNodeFile): Map<string, Field> {
  const words = new Map<string, Field>();
  const add = (field: Field, text: string): void => {
    for (const token of tokensOf(text)) if (words.size < WORDS_MAX && !words.has(token)) words.set(token, field);
  };
  add('A', node.title);
  add('B', [...node.tags, ...node.projects].join(' '));
  for (const [key, value] of node.properties) if (key !== 'ID') add('B', value);
  add('C', node.summary);
  add('D', node.body);
  return words;
}

/** The words as Postgres writes a `tsvector`: fields are weights, and no parser of its own comes in between. */
export function toTsvector(words: ReadonlyMap<string, Field>): string {
  // Tokens hold letters and digits alone, so nothing needs escaping. A weight needs a position; all have the first.
  return [...words].map(([word, field]) => `'${word}':1${field}`).join(' ');
}

/** Terms as Postgres writes a `tsquery`: themselves, or whatever begins with them. */
export function toTsquery(terms: readonly string[], operator: '&' | '|', form: 'exact' | 'prefix'): string {
  return terms
    .map((term) => (form === 'prefix' && isBeginning(term) ? `'${term}':*` : `'${term}'`))
    .join(` ${operator} `);
}
