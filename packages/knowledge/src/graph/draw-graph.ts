import type { KnowledgeGraph, KnowledgeGraphQuery } from '@aish/contracts/knowledge';
import { AishError } from '@aish/contracts/problems';
import { selectGraph, toDot, type GraphNode } from './dot.js';

/** Laying out more takes minutes, and nobody could read it. */
export const SVG_MAX_NODES = 400;

/** The graph as DOT, or drawn as SVG by Graphviz in WebAssembly. @throws AishError `invalid_body` when it is too large to draw. */
export async function drawGraph(nodes: readonly GraphNode[], query: KnowledgeGraphQuery): Promise<KnowledgeGraph> {
  const chosen = selectGraph(nodes, query);
  const { text, links } = toDot(chosen);
  const counts = { nodes: chosen.length, links };
  if (query.format === 'dot') return { format: 'dot', text, ...counts };
  if (chosen.length > SVG_MAX_NODES) {
    const message = `${chosen.length} nodes are too many to draw (${SVG_MAX_NODES} at most); name a project or a node to look around`;
    throw new AishError('invalid_body', message);
  }
  // Loaded only here: it is large, and most processes never draw.
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  return { format: 'svg', text: viz.renderString(text, { format: 'svg' }), ...counts };
}
