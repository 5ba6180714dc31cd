import { isAishError } from '@aish/contracts/problems';
import { IndexEditor } from '../index-file/index-editor.js';
import type { ChangedFile } from '../lint/lint-change.js';
import { isNodePath } from '../node/node.js';
import { readNode } from '../node/read-node.js';

type ReadText = (path: string) => Promise<string | null>;

/**
 * Whether an index from elsewhere equals the index that aish would generate for the nodes that came with it. If not, it
 * may still be right, for example if it was split differently. Then all nodes must be checked.
 *
 * @param paths the index files that came in.
 * @param before reads the last state known to be good, `now` the current one.
 */
export async function isIndexAsExpected(
  paths: readonly string[],
  foreign: readonly ChangedFile[],
  { before, now }: { readonly before: ReadText; readonly now: ReadText },
): Promise<boolean> {
  const editor = new IndexEditor(before);
  try {
    for (const { path, oldId } of foreign) if (oldId !== null) await editor.remove(path, oldId);
    for (const { path, content } of foreign) {
      const node = isNodePath(path) && content !== null ? readNode(content.toString('utf8'), path).node : null;
      if (node !== null) await editor.put(node);
    }
    const expected = await editor.finish();
    for (const path of new Set([...paths, ...expected.keys()])) {
      const wanted = expected.has(path) ? (expected.get(path) ?? null) : await before(path);
      if (wanted !== (await now(path))) return false;
    }
    return true;
  } catch (error) {
    if (isAishError(error, 'knowledge_index')) return false;
    throw error;
  }
}
