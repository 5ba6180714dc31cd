import type { KnowledgeFinding } from '@aish/contracts/knowledge-lint';
import { dividedShards, parseRoot, parseRows, renderIndex } from '../index-file/index-file.js';
import { INDEX_FILE, type KnowledgeNodeFile } from '../node/node.js';
import { finding } from '../node/read-node.js';
import { orgFaults } from '../org/org-document.js';

export interface BaseFiles {
  readonly nodes: readonly KnowledgeNodeFile[];
  /** Every ID in a file, including those of broken nodes. */
  readonly ids: readonly { readonly path: string; readonly id: string }[];
  readonly rawPaths: ReadonlySet<string>;
  /** The files of the index, by path. */
  readonly index: ReadonlyMap<string, string>;
}

/** Runs the checks that need all files: duplicates, links, and whether the index matches the nodes. */
export function checkBase(base: BaseFiles): KnowledgeFinding[] {
  return [...checkIds(base), ...checkLinks(base), ...checkTitles(base), ...checkIndex(base)];
}

function checkIds({ ids }: BaseFiles): KnowledgeFinding[] {
  const paths = new Map<string, string[]>();
  for (const { id, path } of ids) paths.set(id, [...(paths.get(id) ?? []), path]);
  return [...paths].flatMap(([id, all]) =>
    all.length < 2
      ? []
      : all.map((path) =>
          finding('id-duplicate', path, null, `${id} is also the id of ${all.filter((p) => p !== path).join(', ')}`),
        ),
  );
}

function checkLinks({ nodes, ids, rawPaths }: BaseFiles): KnowledgeFinding[] {
  const known = new Set(ids.map(({ id }) => id));
  return nodes.flatMap((node) => [
    ...node.links
      .filter(({ id }) => !known.has(id))
      .map(({ id }) => finding('link-broken', node.path, null, `[[id:${id.slice(0, 60)}]] points to no node`)),
    ...node.sources
      .filter((source) => !rawPaths.has(source))
      .map((source) => finding('source-missing', node.path, null, `${source} is missing`)),
  ]);
}

function checkTitles({ nodes }: BaseFiles): KnowledgeFinding[] {
  const first = new Map<string, string>();
  return nodes.flatMap((node) => {
    const title = node.title.toLowerCase();
    const other = first.get(title);
    if (other === undefined) first.set(title, node.path);
    return other === undefined ? [] : [finding('title-duplicate', node.path, null, `${other} has the same title`)];
  });
}

/** Compares the index with a newly generated one, and reports missing, extra and different rows. */
export function checkIndex({ nodes, index }: Pick<BaseFiles, 'nodes' | 'index'>): KnowledgeFinding[] {
  const text = index.get(INDEX_FILE);
  if (text === undefined) {
    return nodes.length === 0
      ? []
      : [finding('index-missing', INDEX_FILE, null, 'there is no index; create it with `aish kb sync --files`')];
  }
  const root = parseRoot(text);
  if (root === null) return [finding('index-stale', INDEX_FILE, null, 'aish did not generate this index')];
  const findings: KnowledgeFinding[] = [];
  for (const [path, content] of index) {
    for (const fault of orgFaults(content)) findings.push(finding('org-invalid', path, fault.line, fault.message));
  }
  const listed = new Set([...index].flatMap(([, content]) => (parseRows(content) ?? []).map((row) => row.path)));
  for (const node of nodes) {
    if (!listed.has(node.path)) findings.push(finding('index-missing', node.path, null, 'the index does not list it'));
  }
  const wanted = renderIndex(nodes, root, dividedShards(index));
  for (const [path, content] of wanted) {
    if (index.get(path) !== content) findings.push(finding('index-stale', path, null, 'it does not match the nodes'));
  }
  for (const path of index.keys()) {
    if (!wanted.has(path)) findings.push(finding('index-stale', path, null, 'no node belongs in it'));
  }
  return findings;
}
