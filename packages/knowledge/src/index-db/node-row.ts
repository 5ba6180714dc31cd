import type { KnowledgeNodeRow } from '@aish/database/knowledge-nodes.repository';
import type { NodeTexts, NodePassage } from '@aish/database/recall-texts.repository';
import { piecesOf } from '@aish/ranking';
import type { KnowledgeNodeFile } from '../node/node.js';
import { UUID } from '../node/read-node.js';
import { parseOrg } from '../org/org-document.js';
import { tokensOf } from '../query/terms.js';
import { lexemesOf } from './lexemes.js';

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

/** Of one node: about 60 KB. What stands behind it is found by words alone. */
const PASSAGES_MAX = 40;

/** A node in parts that are found by themselves: its title with the summary first, then its body by headlines. */
export function passagesOf({
  title,
  summary,
  body,
}: Pick<KnowledgeNodeFile, 'title' | 'summary' | 'body'>): NodePassage[] {
  const headlines = parseOrg(body).headlines;
  const starts = [
    { heading: '', start: 0 },
    ...headlines.map((each) => ({ heading: each.title, start: each.span.start })),
  ];
  const parts = starts.flatMap(({ heading, start }, n): NodePassage[] => {
    const text = body.slice(start, starts[n + 1]?.start ?? body.length);
    const isHeaded = n > 0;
    const pieces = piecesOf(isHeaded ? text.replace(/^.*(?:\n|$)/, '') : text);
    const named = heading === '' ? title : `${title}: ${heading}`;
    // A headline with nothing below says something, too.
    if (isHeaded && pieces.length === 0) return [{ title: named, content: '' }];
    return pieces.map((piece) => ({ title: named, content: piece.text }));
  });
  const all = [{ title, content: summary }, ...parts];
  return [...new Map(all.map((each) => [`${each.title}\n${each.content}`, each])).values()].slice(0, PASSAGES_MAX);
}
