import type { KnowledgeNodeRow } from '@aish/database/knowledge-nodes.repository';
import type { NodeTexts, NodePassage } from '@aish/database/recall-texts.repository';
import { piecesOf } from '@aish/ranking';
import type { KnowledgeNodeFile } from '../node/node.js';
import { UUID } from '../node/read-node.js';
import { parseOrg } from '../org/org-document.js';
import { tokensOf } from '../query/terms.js';
import { lexemesOf } from './lexemes.js';

/** Converts a node to a row for Postgres. */
export function toRow(node: KnowledgeNodeFile): KnowledgeNodeRow {
  // `search` finds the body, the properties and other content of the file. That content itself is read from git.
  const { body: _body, properties: _properties, owner: _owner, links, ...columns } = node;
  return {
    ...columns,
    titleKey: tokensOf(node.title).join(' '),
    search: lexemesOf(node),
    // A link to something other than a UUID is broken. The lint reports it.
    links: links.filter(({ id }) => UUID.test(id)),
  };
}

/** Converts a node to the texts for recall. */
export function toTexts(node: KnowledgeNodeFile): NodeTexts {
  return { id: node.id, by: node.createdBy, at: node.updated, passages: passagesOf(node) };
}

/** Maximum number of parts per node, about 60 KB. Later text is found only by keywords. */
const PASSAGES_MAX = 40;

/** Returns the searchable parts of a node: first its title with the summary, then its body by headlines. */
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
    // A headline without text is information, too.
    if (isHeaded && pieces.length === 0) return [{ title: named, content: '' }];
    return pieces.map((piece) => ({ title: named, content: piece.text }));
  });
  const all = [{ title, content: summary }, ...parts];
  return [...new Map(all.map((each) => [`${each.title}\n${each.content}`, each])).values()].slice(0, PASSAGES_MAX);
}
