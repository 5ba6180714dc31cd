import type { KnowledgeCurationReport } from '@aish/contracts/knowledge-upkeep';
import type { KnowledgeNodeFile } from '../node/node.js';
import { parseOrg } from '../org/org-document.js';
import { telling, tokensOf } from '../query/terms.js';

export const UNTOUCHED_DAYS = 180;
export const DUE_NODES = 50;
const BROAD_CHARS = 12_000;
const BROAD_HEADLINES = 6;
const LISTED_MAX = 100;
const DAY_MS = 86_400_000;

interface Mention {
  readonly id: string | null;
  readonly path: string;
  readonly title: string;
  readonly why: string;
}

/** Reports the nodes that a person should look at, and whether a curation is due. It changes nothing. */
export function curationReport(
  nodes: readonly KnowledgeNodeFile[],
  rawPaths: ReadonlySet<string>,
  now: Date,
): KnowledgeCurationReport {
  let omitted = 0;
  const cut = <T>(all: readonly T[]): T[] => {
    omitted += Math.max(0, all.length - LISTED_MAX);
    return all.slice(0, LISTED_MAX);
  };
  const superseding = relations(nodes, 'SUPERSEDES');
  const contradicting = relations(nodes, 'CONTRADICTS');
  const linked = new Set(nodes.flatMap((node) => node.links.map(({ id }) => id)));
  const active = nodes.filter(({ status }) => status !== 'superseded');
  const used = new Set(nodes.flatMap(({ sources }) => sources));
  const untouched = active
    .filter((node) => now.getTime() - touchedAt(node) > UNTOUCHED_DAYS * DAY_MS)
    .toSorted((a, b) => touchedAt(a) - touchedAt(b));
  return {
    duplicates: cut(duplicates(active)),
    superseded: cut(
      nodes.flatMap((node) => {
        const by = superseding.get(node.id);
        if (node.status === 'superseded')
          return [mention(node, by === undefined ? 'marked as superseded, but no node supersedes it' : `by ${by}`)];
        return by === undefined ? [] : [mention(node, `${by} supersedes it, but it is not marked`)];
      }),
    ),
    contested: cut(
      active.flatMap((node) => {
        const by = contradicting.get(node.id);
        if (by !== undefined) return [mention(node, `${by} contradicts it`)];
        return node.status === 'contested' ? [mention(node, 'marked as contested')] : [];
      }),
    ),
    orphans: cut(
      active
        .filter((node) => node.links.length === 0 && !linked.has(node.id))
        .map((node) => mention(node, 'no link in or out')),
    ),
    overBroad: cut(active.flatMap((node) => broad(node))),
    rawWithoutNode: cut([...rawPaths].filter((path) => !used.has(path)).toSorted()),
    untouched: cut(
      untouched.map((node) => mention(node, `since ${new Date(touchedAt(node)).toISOString().slice(0, 10)}`)),
    ),
    due: due(nodes, untouched.length),
    omitted,
  };
}

function mention({ id, path, title }: KnowledgeNodeFile, why: string): Mention {
  return { id, path, title, why };
}

function touchedAt(node: KnowledgeNodeFile): number {
  return Math.max(Date.parse(node.updated), node.lastCurated === null ? 0 : Date.parse(node.lastCurated));
}

/** Maps an ID to the title of a node that links to it with the wanted relation. */
function relations(nodes: readonly KnowledgeNodeFile[], wanted: string): Map<string, string> {
  return new Map(
    nodes.flatMap((node) =>
      node.links.flatMap(({ relation, id }) => (relation === wanted ? [[id, node.title] as const] : [])),
    ),
  );
}

/** Finds nodes with the same words in the title, or with the same text. */
function duplicates(nodes: readonly KnowledgeNodeFile[]): { nodes: Mention[]; why: string }[] {
  const groups = new Map<string, KnowledgeNodeFile[]>();
  const put = (key: string, node: KnowledgeNodeFile): void => {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [node]);
    else group.push(node);
  };
  for (const node of nodes) {
    const words = telling([...new Set(tokensOf(node.title))]).toSorted();
    if (words.length > 0) put(`similar titles: ${words.join(' ')}`, node);
    const text = tokensOf(`${node.summary} ${node.body}`);
    if (text.length >= 12) put(`similar texts: ${text.join(' ')}`, node);
  }
  return [...groups].flatMap(([key, group]) =>
    group.length < 2 ? [] : [{ nodes: group.slice(0, 20).map((node) => mention(node, '')), why: key.slice(0, 160) }],
  );
}

function broad(node: KnowledgeNodeFile): Mention[] {
  if (node.body.length > BROAD_CHARS) return [mention(node, `${node.body.length} characters`)];
  const count = parseOrg(node.body).headlines.filter(({ level }) => level === 1).length;
  return count > BROAD_HEADLINES ? [mention(node, `${count} headlines`)] : [];
}

function due(nodes: readonly KnowledgeNodeFile[], untouched: number): string | null {
  const last = newestCuration(nodes);
  const added = nodes.filter((node) => Date.parse(node.created) > last).length;
  if (added >= DUE_NODES) return `${added} nodes were added since the last curation`;
  return untouched >= DUE_NODES ? `${untouched} nodes were not touched for ${UNTOUCHED_DAYS} days` : null;
}

function newestCuration(nodes: readonly KnowledgeNodeFile[]): number {
  let newest = 0;
  for (const { lastCurated } of nodes) if (lastCurated !== null) newest = Math.max(newest, Date.parse(lastCurated));
  return newest;
}
