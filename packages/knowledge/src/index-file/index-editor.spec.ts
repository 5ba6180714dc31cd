import { describe, expect, it } from '@jest/globals';
import { invariant } from '@aish/contracts/invariant';
import { checkIndex } from '../lint/lint-base.js';
import type { KnowledgeNodeFile } from '../node/node.js';
import { readNode } from '../node/read-node.js';
import { generatedNode } from '../testing/generated-nodes.js';
import { IndexEditor } from './index-editor.js';
import { SHARD_MAX_NODES, SINGLE_MAX_NODES, renderIndex } from './index-file.js';

/** Returns the nth node. Nodes below `crowd` have IDs that begin with 3f. */
function nodeOf(n: number, crowd = 0): KnowledgeNodeFile {
  const { path, text } = generatedNode(n);
  const { node } = readNode(text, path);
  invariant(node !== null, `generated node ${n} is valid`);
  return n < crowd ? { ...node, id: `3f${node.id.slice(2)}`, links: [] } : { ...node, links: [] };
}

class Files {
  constructor(readonly all: Map<string, string>) {}

  /** Changes the index and returns the files that the change touched. */
  async edit(change: (editor: IndexEditor) => Promise<void>): Promise<string[]> {
    const editor = new IndexEditor((path) => Promise.resolve(this.all.get(path) ?? null));
    await change(editor);
    const files = await editor.finish();
    for (const [path, text] of files) {
      if (text === null) this.all.delete(path);
      else this.all.set(path, text);
    }
    return [...files.keys()].toSorted();
  }
}

describe('IndexEditor', () => {
  it('the edited index always matches the nodes, from one file to shards to parts, and back to an empty index', async () => {
    const files = new Files(renderIndex([], null));
    const crowd = 2 * SHARD_MAX_NODES;
    const nodes: KnowledgeNodeFile[] = [];
    for (let n = 0; n < SINGLE_MAX_NODES + 10; n += 1) {
      const node = nodeOf(n, crowd);
      await files.edit((editor) => editor.put(node));
      nodes.push(node);
    }
    expect(files.all.get('index/3f.org')).toContain('#+layout: parts');
    expect(checkIndex({ nodes, index: files.all })).toEqual([]);
    while (nodes.length > 0) {
      const { path, id } = nodes.shift() as KnowledgeNodeFile;
      const last = nodes.every((node) => node.id.slice(0, 3) !== id.slice(0, 3));
      const touched = await files.edit((editor) => editor.remove(path, id));
      if (nodes.length > SINGLE_MAX_NODES - crowd && !last) expect(touched).toEqual([`index/3f/${id.slice(0, 3)}.org`]);
      expect(checkIndex({ nodes, index: files.all })).toEqual([]);
    }
    expect([...files.all.keys()]).toEqual(['index.org']);
  });

  it('the editor finds an ID in a part, and an invalid ID in no file', async () => {
    const nodes = Array.from({ length: SINGLE_MAX_NODES + 1 }, (_, n) => nodeOf(n, SHARD_MAX_NODES + 1));
    const files = new Files(renderIndex(nodes, null));
    await files.edit(async (editor) => {
      for (const { id, path } of nodes) expect((await editor.rowsOf(id)).map((row) => row.path)).toEqual([path]);
      for (const id of ['', '3', '3f', '3f/', '../../..', '3fz']) expect(await editor.rowsOf(id)).toEqual([]);
    });
  });

  it('the editor accepts a shard that was never split, and splits it with the next change', async () => {
    const nodes = Array.from({ length: SINGLE_MAX_NODES + 1 }, (_, n) => nodeOf(n, 200));
    const files = new Files(renderIndex(nodes, null, new Map([['3f', false]])));
    expect(checkIndex({ nodes, index: files.all })).toEqual([]);
    const changed = { ...(nodes[0] as KnowledgeNodeFile), summary: 'Another.' };
    const touched = await files.edit((editor) => editor.put(changed));
    expect(touched.filter((path) => !path.startsWith('index/3f/'))).toEqual(['index/3f.org']);
    expect(checkIndex({ nodes: [changed, ...nodes.slice(1)], index: files.all })).toEqual([]);
  });
});
