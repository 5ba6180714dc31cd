import { knowledgeApi } from '@aish/contracts/endpoints/knowledge';
import type { KnowledgeHit, KnowledgeLink, KnowledgeNode } from '@aish/contracts/knowledge';
import { formatAge, formatMoment } from '@aish/views/duration.format';
import type { DetailLink, Row } from '../view-state.js';
import { span } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import type { AreaSource } from './area.js';

const LIMIT = 100;

/** The nodes that match the filter, best first. Without a filter, all nodes, newest first. */
export const knowledgeArea: AreaSource = {
  async rows(client, filter, signal) {
    const { items } = await client.call(knowledgeApi.query, { query: { text: filter, limit: LIMIT } }, signal);
    const nowMs = Date.now();
    return items.map((hit) => rowOf(hit, nowMs));
  },
  async detail(client, key, signal) {
    const node = await client.call(knowledgeApi.read, { params: { id: key } }, signal);
    const links = [...linksOf('links to', node.links), ...linksOf('linked from', node.backlinks)];
    return { key, title: oneLine(node.title), kind: 'text', text: textOf(node), links };
  },
};

function rowOf({ id, title, summary, projects, status, updated }: KnowledgeHit, nowMs: number): Row {
  return {
    key: id,
    line: [
      span(` ${formatAge(updated, nowMs).padStart(4)}  `, 'dim'),
      span(oneLine(title), 'bold'),
      span(status === 'active' ? '' : `  ${status}`, 'warn'),
      span(`  ${projects.map((project) => oneLine(project)).join(' ')}`, 'accent'),
      span(`  ${oneLine(summary)}`, 'dim'),
    ],
    find: title,
  };
}

function textOf(node: KnowledgeNode): string {
  const facts = [node.status, node.confidence, node.visibility, ...node.projects, ...node.tags.map((tag) => `#${tag}`)];
  return [
    `${facts.join('  ')}\nchanged ${formatMoment(node.updated)} · ${node.createdBy}\n${node.path}\n${node.id}`,
    node.summary,
    node.body.trim(),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function linksOf(title: string, links: readonly KnowledgeLink[]): readonly DetailLink[] {
  return links.map(({ relation, id, title: name }) => ({
    key: id,
    label: `${title}  ${relation.toLowerCase()}  ${oneLine(name ?? id)}`,
  }));
}
