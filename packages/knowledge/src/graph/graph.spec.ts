import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { SVG_MAX_NODES, drawGraph, selectGraph, toDot, type GraphNode } from './draw-graph.js';

const idOf = (n: number) => `${n}`.repeat(8);
const chain = (n: number): GraphNode[] =>
  Array.from({ length: n }, (_, at) => ({
    id: idOf(at),
    title: `Node ${at}`,
    status: 'active',
    projects: [at % 2 === 0 ? 'even' : 'odd'],
    links: at + 1 < n ? [{ relation: 'RELATES_TO', id: idOf(at + 1) }] : [],
  }));

describe('a graph', () => {
  it('a graph includes nodes up to the requested distance, in both link directions', () => {
    const around = (depth: number) => selectGraph(chain(7), { around: idOf(3), depth }).map(({ id }) => id[0]);
    expect([around(1), around(2)]).toEqual([
      ['2', '3', '4'],
      ['1', '2', '3', '4', '5'],
    ]);
    expect(selectGraph(chain(4), { project: 'even', depth: 1 }).map(({ id }) => id[0])).toEqual(['0', '2']);
    expect(toDot(selectGraph(chain(4), { project: 'even', depth: 1 })).links).toBe(0);
  });

  it('a graph that is too large to read is refused as a drawing and available as text', async () => {
    const many = Array.from({ length: SVG_MAX_NODES + 1 }, (_, n) => ({
      ...(chain(1)[0] as GraphNode),
      id: `id-${n}`,
    }));
    await expect(drawGraph(many, { format: 'svg', depth: 1 })).rejects.toMatchObject({ code: 'invalid_body' });
    expect(await drawGraph(many, { format: 'dot', depth: 1 })).toMatchObject({ nodes: SVG_MAX_NODES + 1, links: 0 });
  });

  it('a graph with any titles can be drawn, and no title becomes markup', async () => {
    const title = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('"', '\\', '\n', '];', '<b>', '\\"', '&amp;')),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(title, async (pieces) => {
        const nodes = chain(2).map((node, n) => (n === 0 ? { ...node, title: pieces.join('') } : node));
        const { text: svg, nodes: drawn, links } = await drawGraph(nodes, { format: 'svg', depth: 1 });
        expect([drawn, links]).toEqual([2, 1]);
        expect(svg).toContain('Node 1');
        expect(svg).not.toContain('<b>');
        expect(svg.match(/class="node"/g)).toHaveLength(2);
      }),
      { numRuns: 60 },
    );
  }, 120_000); // prettier-ignore
});
