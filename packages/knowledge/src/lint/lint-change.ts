import type { KnowledgeFinding } from '@aish/contracts/knowledge-lint';
import { IndexEditor, type ReadText } from '../index-file/index-editor.js';
import { isIndexPath, isNodePath, isRawPath, type KnowledgeNodeFile } from '../node/node.js';
import { finding } from '../node/read-node.js';
import { orgFaults } from '../org/org-document.js';
import { checkFile, type CheckedFile } from './lint-files.js';

/** A changed file: its old ID, and its new content. */
export interface ChangedFile {
  readonly path: string;
  /** The ID of the old node; null if there was none. */
  readonly oldId: string | null;
  /** The new content; null if the file is removed. */
  readonly content: Buffer | null;
}

export interface ChangeView {
  /** Reads any file with the change applied. */
  readonly read: (path: string) => Promise<Buffer | null>;
  /** Returns unchanged nodes that link to any of these IDs. It is called only if IDs disappear. */
  readonly linkingTo: (ids: readonly string[]) => Promise<readonly { readonly path: string; readonly id: string }[]>;
}

export interface CheckedChange {
  readonly findings: readonly KnowledgeFinding[];
  /** The index files after the change; null for those that are removed. */
  readonly index: ReadonlyMap<string, string | null>;
  readonly nodes: readonly KnowledgeNodeFile[];
}

/**
 * Runs the full lint of a change, including the index. Every change must pass it. `files` are all paths that differ
 * from a state known to be good, so if they and their neighbours are valid, everything is. The cost does not depend on
 * the number of nodes.
 */
export async function checkChange(files: readonly ChangedFile[], view: ChangeView): Promise<CheckedChange> {
  const findings: KnowledgeFinding[] = [];
  const readText: ReadText = async (path) => (await view.read(path))?.toString('utf8') ?? null;
  const index = new IndexEditor(readText);
  const checked: CheckedFile[] = [];
  for (const file of files) {
    if (file.content !== null && !isIndexPath(file.path)) checked.push(await checkFile(file.path, file.content));
  }
  for (const file of files) if (file.oldId !== null) await index.remove(file.path, file.oldId);
  const nodes = checked.flatMap(({ node }) => node ?? []);
  for (const node of nodes) await index.put(node);
  for (const file of checked) findings.push(...file.findings);
  findings.push(...(await duplicates(checked, index)), ...(await brokenLinks(nodes, index)));
  findings.push(...(await vanished(files, nodes, index, view)), ...(await lostSources(nodes, view)));
  const written = await index.finish();
  for (const [path, text] of written) {
    // The regenerated index is checked like every org file.
    for (const fault of text === null ? [] : orgFaults(text)) {
      findings.push(finding('org-invalid', path, fault.line, fault.message));
    }
  }
  return { findings, index: written, nodes };
}

async function duplicates(checked: readonly CheckedFile[], index: IndexEditor): Promise<KnowledgeFinding[]> {
  const findings: KnowledgeFinding[] = [];
  for (const { path, id } of checked) {
    if (id === null) continue;
    const others = new Set([
      ...(await index.rowsOf(id)).map((row) => row.path),
      ...checked.filter((other) => other.id === id).map((other) => other.path),
    ]);
    others.delete(path);
    if (others.size > 0)
      findings.push(finding('id-duplicate', path, null, `${id} is also the id of ${[...others].join(', ')}`));
  }
  return findings;
}

async function brokenLinks(nodes: readonly KnowledgeNodeFile[], index: IndexEditor): Promise<KnowledgeFinding[]> {
  const findings: KnowledgeFinding[] = [];
  for (const node of nodes) {
    for (const { id } of node.links) {
      if ((await index.rowsOf(id)).length > 0) continue;
      findings.push(finding('link-broken', node.path, null, `[[id:${id.slice(0, 60)}]] points to no node`));
    }
  }
  return findings;
}

/** Reports unchanged files that link to removed nodes. */
async function vanished(
  files: readonly ChangedFile[],
  nodes: readonly KnowledgeNodeFile[],
  index: IndexEditor,
  view: ChangeView,
): Promise<KnowledgeFinding[]> {
  const gone: string[] = [];
  for (const { oldId } of files) {
    if (oldId !== null && !gone.includes(oldId) && (await index.rowsOf(oldId)).length === 0) gone.push(oldId);
  }
  if (gone.length === 0) return [];
  const changed = new Set([...files.map(({ path }) => path), ...nodes.map(({ path }) => path)]);
  const linking = await view.linkingTo(gone);
  return linking
    .filter(({ path }) => !changed.has(path))
    .map(({ path, id }) =>
      finding('link-broken', path, null, `[[id:${id}]] points to a node that this change removes`),
    );
}

async function lostSources(nodes: readonly KnowledgeNodeFile[], view: ChangeView): Promise<KnowledgeFinding[]> {
  const findings: KnowledgeFinding[] = [];
  for (const node of nodes) {
    for (const source of node.sources) {
      if ((await view.read(source)) === null)
        findings.push(finding('source-missing', node.path, null, `${source} is missing`));
    }
  }
  return findings;
}

/** Whether the lint checks this path at all. */
export function isChecked(path: string): boolean {
  return isNodePath(path) || isRawPath(path) || isIndexPath(path) || path.endsWith('.org');
}
