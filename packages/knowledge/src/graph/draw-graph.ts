import type { KnowledgeGraph, KnowledgeGraphQuery, KnowledgeStatus } from '@aish/contracts/knowledge';
import { AishError } from '@aish/contracts/problems';

/** The maximum number of nodes in a drawing. A larger layout takes minutes, and nobody could read it. */
export const SVG_MAX_NODES = 400;

/**
 * Returns the graph as DOT, or as SVG drawn by Graphviz in WebAssembly.
 *
 * @throws AishError `invalid_body` if the graph is too large to draw.
 */
export async function drawGraph(nodes: readonly GraphNode[], query: KnowledgeGraphQuery): Promise<KnowledgeGraph> {
  const chosen = selectGraph(nodes, query);
  const { text, links } = toDot(chosen);
  const counts = { nodes: chosen.length, links };
  if (query.format === 'dot') return { format: 'dot', text, ...counts };
  if (chosen.length > SVG_MAX_NODES) {
    const message = `${chosen.length} nodes are too many to draw (${SVG_MAX_NODES} at most); name a project or a node to look around`;
    throw new AishError('invalid_body', message);
  }
  // The module is loaded only here, because it is large and most processes never draw.
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  return { format: 'svg', text: viz.renderString(text, { format: 'svg' }), ...counts };
}

export interface GraphNode {
  readonly id: string;
  readonly title: string;
  readonly status: KnowledgeStatus;
  readonly projects: readonly string[];
  readonly links: readonly { readonly relation: string; readonly id: string }[];
}

/** Returns the nodes to show, and the links between them. */
export function selectGraph(nodes: readonly GraphNode[], query: Omit<KnowledgeGraphQuery, 'format'>): GraphNode[] {
  const { project, around, depth } = query;
  const chosen = project === undefined ? [...nodes] : nodes.filter(({ projects }) => projects.includes(project));
  if (around === undefined) return chosen;
  const near = within(chosen, around.toLowerCase(), depth);
  return chosen.filter(({ id }) => near.has(id));
}

function within(nodes: readonly GraphNode[], start: string, depth: number): Set<string> {
  const neighbours = new Map<string, string[]>();
  const join = (a: string, b: string): void => void neighbours.set(a, [...(neighbours.get(a) ?? []), b]);
  for (const node of nodes) {
    for (const { id } of node.links) {
      join(node.id, id);
      join(id, node.id);
    }
  }
  const seen = new Set([start]);
  let edge = [start];
  for (let step = 0; step < depth; step += 1) {
    edge = edge.flatMap((id) => neighbours.get(id) ?? []).filter((id) => !seen.has(id));
    for (const id of edge) seen.add(id);
  }
  return seen;
}

const STYLE = {
  active: '',
  contested: ', style=bold, color=orange',
  superseded: ', style=dashed, color=gray',
} as const;

/** Returns the graph in Graphviz' language. */
export function toDot(nodes: readonly GraphNode[]): { readonly text: string; readonly links: number } {
  const shown = new Set(nodes.map(({ id }) => id));
  const lines = nodes.map(({ id, title, status }) => `  "${id}" [label="${label(title)}"${STYLE[status]}];`);
  let links = 0;
  for (const node of nodes) {
    for (const { id, relation } of node.links) {
      if (!shown.has(id)) continue;
      links += 1;
      lines.push(`  "${node.id}" -> "${id}"${relation === 'RELATES_TO' ? '' : ` [label="${label(relation)}"]`};`);
    }
  }
  const head =
    '  rankdir=LR;\n  node [shape=box, fontname="sans-serif"];\n  edge [fontname="sans-serif", fontsize=10];';
  return { text: `digraph knowledge {\n${head}\n${lines.join('\n')}\n}\n`, links };
}

function label(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}
