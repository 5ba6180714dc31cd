import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnowledgeFinding } from '@aish/contracts/knowledge-lint';
import { checkBase, type BaseFiles } from '../lint/lint-base.js';
import { checkFile } from '../lint/lint-files.js';
import { isIndexPath, isNodePath, isRawPath, type KnowledgeNodeFile } from '../node/node.js';
import { finding, readNode } from '../node/read-node.js';

/** The parsed content of all files of a base. */
export interface Snapshot extends BaseFiles {
  readonly findings: readonly KnowledgeFinding[];
}

const AT_ONCE = 64;

/** Reads and checks every file in `paths`. This is the lint of the whole base. */
export async function readSnapshot(dir: string, paths: readonly string[], signal?: AbortSignal): Promise<Snapshot> {
  const nodes: KnowledgeNodeFile[] = [];
  const ids: { path: string; id: string }[] = [];
  const findings: KnowledgeFinding[] = [];
  const rawPaths = new Set(paths.filter((path) => isRawPath(path)));
  const index = new Map<string, string>();
  await eachFile(dir, paths, signal, async (path, content) => {
    if (content === null) return;
    if (isIndexPath(path)) {
      index.set(path, content.toString('utf8'));
      return;
    }
    const checked = await checkFile(path, content);
    findings.push(...checked.findings);
    if (checked.node !== null) nodes.push(checked.node);
    if (checked.id !== null) ids.push({ path, id: checked.id });
  });
  findings.push(...checkBase({ nodes, ids, rawPaths, index }));
  if (!index.has('index.org') && nodes.length === 0 && paths.length === 0) {
    findings.push(
      finding('index-missing', 'index.org', null, 'there is no index; create it with `aish kb sync --files`'),
    );
  }
  return { nodes, ids, rawPaths, index, findings };
}

/** Reads only the valid nodes, without checks for secrets and links. */
export async function readNodes(
  dir: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<KnowledgeNodeFile[]> {
  const nodes: KnowledgeNodeFile[] = [];
  await eachFile(
    dir,
    paths.filter((path) => isNodePath(path)),
    signal,
    async (path, content) => {
      const node = content === null ? null : readNode(content.toString('utf8'), path).node;
      if (node !== null) nodes.push(node);
    },
  );
  return nodes;
}

async function eachFile(
  dir: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
  use: (path: string, content: Buffer | null) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    signal?.throwIfAborted();
    const batch = paths.slice(at, at + AT_ONCE);
    const contents = await Promise.all(batch.map((path) => readFile(join(dir, path)).catch(() => null)));
    for (const [n, path] of batch.entries()) await use(path, contents[n] ?? null);
  }
}
