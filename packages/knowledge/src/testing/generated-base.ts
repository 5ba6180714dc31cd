import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invariant } from '@aish/contracts/invariant';
import type { KnowledgeBase } from '../base/knowledge-base.js';
import { gitText } from '../git/git.js';
import { renderIndex } from '../index-file/index-file.js';
import { readNode } from '../node/read-node.js';
import { generatedNode } from './generated-nodes.js';

/** Fills a new base with `count` nodes, generated or given, and a correct index, in one commit. */
export async function makeGeneratedBase(
  base: KnowledgeBase,
  count: number,
  nodeOf: (n: number) => { readonly path: string; readonly text: string } = generatedNode,
): Promise<void> {
  const { repository } = base;
  const nodes = [];
  for (let n = 0; n < count; n += 1) {
    const { path, text } = nodeOf(n);
    const { node } = readNode(text, path);
    invariant(node !== null, `generated node ${n} is valid`);
    nodes.push(node);
    await put(join(repository.dir, path), text);
  }
  for (const [path, text] of renderIndex(nodes, null)) await put(join(repository.dir, path), text);
  const options = repository.git({}, { timeoutMs: 600_000 });
  await gitText(['add', '--all'], options);
  const who = ['-c', 'user.name=generator', '-c', 'user.email=generator@localhost'];
  await gitText([...who, 'commit', '--quiet', '--message', 'generated'], options);
  await gitText(['repack', '-a', '-d', '-q'], options);
  const head = await repository.head();
  if (head !== null) await repository.verified.write({ commit: head });
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
