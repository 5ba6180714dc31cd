import type { KnowledgeNodeRow } from '@aish/database';
import type { KnowledgeNodeFile } from '../node/node.js';
import { UUID } from '../node/read-node.js';
import { toTsvector, wordsOf } from '../query/searchable.js';
import { tokensOf } from '../query/terms.js';

/** A node as Postgres keeps it. */
export function toRow(node: KnowledgeNodeFile): KnowledgeNodeRow {
  const titleWords = tokensOf(node.title);
  // Body, properties and what else only the file has is found through `search`, and read from git.
  const { body: _body, properties: _properties, links, ...columns } = node;
  return {
    ...columns,
    titleKey: titleWords.join(' '),
    search: toTsvector(wordsOf(node)),
    titleSearch: toTsvector(new Map([...new Set(titleWords)].map((word) => [word, 'A' as const]))),
    // A link to what is no UUID is broken, and the lint's business.
    links: links.filter(({ id }) => UUID.test(id)),
  };
}
