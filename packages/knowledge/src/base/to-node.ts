import { KNOWLEDGE_LIMITS, type KnowledgeNode } from '@aish/contracts/knowledge';
import type { KnowledgeNodeFile } from '../node/node.js';
import { toHit } from '../query/search-nodes.js';

/** A node as its reader sees it: `readable` are all nodes that they may see. */
export function toNode(node: KnowledgeNodeFile, source: string, readable: readonly KnowledgeNodeFile[]): KnowledgeNode {
  const titles = new Map(readable.map(({ id, title }) => [id, title]));
  return {
    ...toHit(node),
    created: node.created,
    lastCurated: node.lastCurated,
    createdBy: node.createdBy,
    confidence: node.confidence,
    visibility: node.visibility,
    body: node.body.slice(0, KNOWLEDGE_LIMITS.bodyMaxChars),
    source,
    links: node.links.map((link) => ({ ...link, title: titles.get(link.id) ?? null })),
    backlinks: readable.flatMap((other) =>
      other.links
        .filter(({ id }) => id === node.id)
        .map(({ relation }) => ({ relation, id: other.id, title: other.title })),
    ),
  };
}
