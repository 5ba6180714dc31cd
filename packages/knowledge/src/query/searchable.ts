import type { KnowledgeNodeFile } from '../node/node.js';
import { tokensOf } from './terms.js';

/** The fields of a word, from the most significant to the least, and their weights. */
export const FIELD_WEIGHTS = { A: 8, B: 4, C: 3, D: 1 } as const;
export type Field = keyof typeof FIELD_WEIGHTS;

/** Maximum number of different words per node. A longer body is found only by its first words. */
const WORDS_MAX = 8_000;

const MONTH = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' });

/** Returns the words of a node, each with its best field: title, tags, properties and months, summary, body. */
export function wordsOf(node: KnowledgeNodeFile): Map<string, Field> {
  const words = new Map<string, Field>();
  const add = (field: Field, text: string): void => {
    for (const token of tokensOf(text)) if (words.size < WORDS_MAX && !words.has(token)) words.set(token, field);
  };
  add('A', node.title);
  add('B', [...node.tags, ...node.projects].join(' '));
  for (const [key, value] of node.properties) if (key !== 'ID') add('B', value);
  // A person searches for May, not for 05.
  for (const at of [node.created, node.updated]) add('B', MONTH.format(new Date(at)));
  add('C', node.summary);
  add('D', node.body);
  return words;
}
