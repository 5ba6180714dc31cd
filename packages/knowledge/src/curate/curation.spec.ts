import { describe, expect, it } from '@jest/globals';
import type { KnowledgeOperation } from '@aish/contracts/knowledge-upkeep';
import * as fc from 'fast-check';
import type { KnowledgeNodeFile } from '../node/node.js';
import { readNode } from '../node/read-node.js';
import { newNodeText } from '../node/write-node.js';
import { parseOrg } from '../org/org-document.js';
import { DUE_NODES, UNTOUCHED_DAYS, curationReport } from './curation-report.js';
import { planOperation } from './plan-operation.js';

const NOW = new Date('2026-06-01T00:00:00Z');
const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
type Given = Partial<Parameters<typeof newNodeText>[0]>;

/** Nodes by number, in the form in which they are read from files. */
class Nodes {
  readonly files = new Map<string, string>();

  add(n: number, given: Given = {}): this {
    const path = `nodes/00/${n}.org`;
    const titleOf = (id: string) => `Node ${Number(id.slice(0, 8))}`;
    const input = { id: idOf(n), title: `Node ${n}`, summary: `Summary ${n}.`, createdBy: 'me', now: NOW, sources: [], ...given };
    this.files.set(path, newNodeText(input, path, titleOf));
    return this;
  } // prettier-ignore

  get all(): KnowledgeNodeFile[] {
    return [...this.files].flatMap(([path, text]) => readNode(text, path).node ?? []);
  }

  get byId(): Map<string, KnowledgeNodeFile> {
    return new Map(this.all.map((node) => [node.id, node]));
  }

  async plan(operation: KnowledgeOperation) {
    return planOperation(operation, {
      head: 'x',
      scope: null,
      now: NOW,
      snapshot: { nodes: this.all, rawPaths: new Set(['raw/a.txt']) },
      read: (path) => Promise.resolve(this.files.get(path) ?? null),
    });
  }

  /** Plans an operation and carries it out. */
  async do(operation: KnowledgeOperation): Promise<this> {
    const { files } = await this.plan(operation);
    for (const [path, text] of files) {
      if (text === null) this.files.delete(path);
      else this.files.set(path, text.toString());
    }
    return this;
  }

  /** Returns links without a target node. */
  get dangling(): string[] {
    const { byId } = this;
    return this.all.flatMap(({ links }) => links.filter(({ id }) => !byId.has(id)).map(({ id }) => id));
  }
}

const relates = (...to: number[]) => to.map((n) => ({ relation: 'RELATES_TO' as const, id: idOf(n) }));

describe('the curation report', () => {
  const report = (nodes: Nodes, raw: string[] = [], at = NOW) => curationReport(nodes.all, new Set(raw), at);
  const ids = (mentions: readonly { readonly id: string | null }[]) =>
    mentions.map(({ id }) => Number(id?.slice(0, 8)));

  it('the curation report lists each kind of finding in its own section', () => {
    const nodes = new Nodes()
      .add(1, { title: 'Restart the nginx', links: relates(2) })
      .add(2, { title: 'nginx: restart!', links: relates(1) })
      .add(3, { links: [{ relation: 'SUPERSEDES', id: idOf(4) }] })
      .add(4)
      .add(5, { links: [{ relation: 'CONTRADICTS', id: idOf(6) }] })
      .add(6)
      .add(7)
      .add(8, { body: Array.from({ length: 9 }, (_, n) => `* Part ${n}`).join('\n'), links: relates(1), sources: ['raw/used.txt'] });
    const found = report(nodes, ['raw/used.txt', 'raw/new.txt']);
    expect(found.duplicates.map(({ nodes: its }) => ids(its))).toEqual([[1, 2]]);
    expect([found.superseded, found.contested, found.orphans, found.overBroad].map(ids)).toEqual([[4], [6], [7], [8]]);
    expect([found.rawWithoutNode, found.untouched, found.due, found.omitted]).toEqual([['raw/new.txt'], [], null, 0]);
  }); // prettier-ignore

  it('a curation is due after many new nodes or a long time, and not right after the last one', async () => {
    const nodes = new Nodes();
    for (let n = 1; n <= DUE_NODES; n += 1) nodes.add(n);
    expect(report(nodes).due).toMatch(/were added/);
    await nodes.do({ kind: 'curated', id: idOf(1) });
    // The mark and the nodes have the same minute.
    expect(report(nodes).due).toBeNull();
    const later = new Date(NOW.getTime() + (UNTOUCHED_DAYS + 1) * 86_400_000);
    expect(report(nodes, [], later)).toMatchObject({ due: expect.stringMatching(/were not touched/) });
    expect(report(nodes, [], later).untouched).toHaveLength(DUE_NODES);
  });
});

describe('an operation for people only', () => {
  const graph = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }), { minLength: 6, maxLength: 6 });
  const made = graph.map((links) => {
    const nodes = new Nodes();
    links.forEach((to, n) => nodes.add(n + 1, { links: relates(...to.filter((other) => other !== n + 1)), body: `Body of ${n + 1}.` }));
    return nodes;
  });
  const some = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 3, maxLength: 3 });

  it('no operation leaves a link without a target', async () => {
    await fc.assert(
      fc.asyncProperty(made, some, fc.constantFrom('merge', 'supersede', 'delete', 'repoint'), async (nodes, [a = 1, b = 2, c = 3], kind) => {
        if (kind === 'merge') await nodes.do({ kind, into: idOf(a), from: [idOf(b), idOf(c)] });
        else if (kind === 'supersede') await nodes.do({ kind, id: idOf(a), by: idOf(b) });
        else if (kind === 'delete') await nodes.do({ kind, id: idOf(a) });
        else await nodes.do({ kind: 'delete', id: idOf(a), repointTo: idOf(b) });
        expect(nodes.dangling).toEqual([]);
        for (const node of nodes.all) expect(node.links.filter(({ id }) => id === node.id)).toEqual([]);
        expect(nodes.all).toHaveLength({ merge: 4, supersede: 6, delete: 5, repoint: 5 }[kind]);
      }),
      { numRuns: 150 },
    );
  });

  it('a merge loses no word, and takes the strictest visibility and all projects', async () => {
    await fc.assert(
      fc.asyncProperty(made, some, async (nodes, [a = 1, b = 2, c = 3]) => {
        nodes.add(b, { title: `Node ${b}`, body: `* Deep\nBody of ${b}.\n** Deeper`, visibility: 'private', projects: ['emacs'] });
        await nodes.do({ kind: 'merge', into: idOf(a), from: [idOf(b), idOf(c)] });
        const merged = nodes.byId.get(idOf(a));
        for (const word of [`Body of ${a}.`, `Body of ${b}.`, `Body of ${c}.`, `Summary ${b}.`]) expect(merged?.body).toContain(word);
        expect(merged).toMatchObject({ visibility: 'private', projects: expect.arrayContaining(['general', 'emacs']) });
        expect(parseOrg(merged?.body ?? '').headlines.map(({ level, title }) => [level, title])).toEqual([
          [1, `Node ${b}`], [2, 'Deep'], [3, 'Deeper'], [1, `Node ${c}`],
        ]);
      }),
      { numRuns: 50 },
    );
  });

  it('the ID of a plan changes only if the nodes have changed', async () => {
    const nodes = new Nodes().add(1, { body: '* Part\ntext' }).add(2, { links: relates(1) });
    const operations: readonly KnowledgeOperation[] = [
      { kind: 'split', id: idOf(1), headlines: [] }, { kind: 'delete', id: idOf(1) }, { kind: 'supersede', id: idOf(1), by: idOf(2) },
    ];
    for (const operation of operations) {
      const plan = async () => (await nodes.plan(operation)).plan.planId;
      const before = await plan();
      expect(await plan()).toBe(before);
      nodes.add(1, { body: `* Part\nchanged ${operation.kind}` });
      expect(await plan()).not.toBe(before);
    }
  });

  it('an operation is refused if its nodes are the same or something is missing', async () => {
    const nodes = new Nodes().add(1).add(2);
    await expect(nodes.plan({ kind: 'merge', into: idOf(1), from: [idOf(1)] })).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(nodes.plan({ kind: 'supersede', id: idOf(1), by: idOf(1) })).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(nodes.plan({ kind: 'delete', id: idOf(1), repointTo: idOf(1) })).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(nodes.plan({ kind: 'split', id: idOf(1), headlines: ['none'] })).rejects.toMatchObject({ code: 'invalid_body' });
    await expect(nodes.plan({ kind: 'delete', id: idOf(9) })).rejects.toMatchObject({ code: 'not_found' });
    await expect(nodes.plan({ kind: 'delete-raw', path: 'raw/b.txt' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await nodes.plan({ kind: 'delete-raw', path: 'raw/a.txt' })).plan).toMatchObject({ changes: [] });
  });
}); // prettier-ignore
