import type { KnowledgeNodeRow } from '@aish/database/knowledge-nodes.repository';
import type { NodeTexts } from '@aish/database/recall-texts.repository';
import type { KnowledgeNodeFile } from '../node/node.js';
import { UUID } from '../node/read-node.js';
import { tokensOf } from '../query/terms.js';
import { lexemesOf } from './lexemes.js';
import { passagesOf } from './passages.js';

/** A node as Postgres keeps it. */
export function toRow(node: KnowledgeNodeFile): KnowledgeNodeRow {
  // Body, properties and what else only the file has is found through `search`, and read from git.
  const { body: _body, properties: _properties, owner: _owner, links, ...columns } = node;
  return {
    ...columns,
    titleKey: tokensOf(node.title).join(' '),
    search: lexemesOf(node),
    // A link to what is no UUID is broken, and the lint's business.
    links: links.filter(({ id }) => UUID.test(id)),
  };
}

/** A node as recall finds it. */
export function toTexts(node: KnowledgeNodeFile): NodeTexts {
  return { id: node.id, by: node.createdBy, at: node.updated, passages: passagesOf(node) };
}
