import type { KnowledgeNodeFile } from '../node/node.js';
import { tokensOf } from './terms.js';

/** Where a word was found, from the most telling place to the least, and what it counts for. */
export const FIELD_WEIGHTS = { A: 8, B: 4, C: 3, D: 1 } as const;
export type Field = keyof typeof FIELD_WEIGHTS;

/** Different words that one node is found by, at most; longer bodies are found by their first ones. */
const WORDS_MAX = 8_000;

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' });

/** The words that a node is found by, each with its best field: title, tags, properties and months, summary, body. */
export function wordsOf(node: KnowledgeNodeFile): Map<string, Field> {
  const words = new Map<string, Field>();
  const add = (field: Field, text: string): void => {
    for (const token of tokensOf(text)) if (words.size < WORDS_MAX && !words.has(token)) words.set(token, field);
  };
  add('A', node.title);
  add('B', [...node.tags, ...node.projects].join(' '));
  for (const [key, value] of node.properties) if (key !== 'ID') add('B', value);
  // A person asks for May, not for 05.
  for (const at of [node.created, node.updated]) add('B', MONTH.format(new Date(at)));
  add('C', node.summary);
  add('D', node.body);
  return words;
}
