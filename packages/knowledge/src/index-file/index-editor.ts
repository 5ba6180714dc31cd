import { AishError } from '@aish/contracts/problems';
import { INDEX_FILE, type KnowledgeNodeFile } from '../node/node.js';
import {
  EMPTY_INDEX,
  SHARD_MAX_NODES,
  SINGLE_MAX_NODES,
  parseRoot,
  parseRows,
  parseShard,
  partOf,
  renderParts,
  renderRoot,
  renderRows,
  renderShard,
  renderSharded,
  rowOf,
  shardOf,
  shardPath,
  type IndexRoot,
  type IndexRow,
} from './index-file.js';

/** Returns the new text of a file; null if the file will not exist. */
export type ReadText = (path: string) => Promise<string | null>;

/**
 * Reads and changes the index one node at a time, and touches only the files that contain the node. The cost of a write
 * does not depend on the number of nodes.
 *
 * @throws AishError `knowledge_index` if an index file was not generated.
 */
export class IndexEditor {
  private root: IndexRoot | null = null;
  /** The split shards, among those that were read. */
  private readonly parts = new Map<string, readonly string[]>();
  /** The rows by shard or part, or by the empty name in the single layout. */
  private readonly rows = new Map<string, readonly IndexRow[]>();
  private readonly touched = new Set<string>();
  private rootTouched = false;

  constructor(private readonly read: ReadText) {}

  /** Returns every row with this ID. More than one row is a fault that the lint reports. */
  async rowsOf(id: string): Promise<readonly IndexRow[]> {
    const rows = await this.load(await this.keyOf(id));
    return rows.filter((row) => row.id === id);
  }

  /** Removes the row of `path` and `id`. */
  async remove(path: string, id: string): Promise<void> {
    const key = await this.keyOf(id);
    const rows = await this.load(key);
    const left = rows.filter((row) => row.path !== path);
    if (left.length === rows.length) return;
    this.rows.set(key, left);
    this.touched.add(key);
  }

  async put(node: KnowledgeNodeFile): Promise<void> {
    const key = await this.keyOf(node.id);
    const rows = await this.load(key);
    this.rows.set(key, [...rows.filter((row) => row.path !== node.path), rowOf(node)]);
    this.touched.add(key);
    const root = await this.loadRoot();
    const unknown = node.projects.filter((project) => !root.projects.includes(project));
    if (unknown.length === 0) return;
    this.root = { ...root, projects: [...root.projects, ...unknown] };
    this.rootTouched = true;
  }

  /** Returns the changed files of the index with their new texts, or null for those that are removed. */
  async finish(): Promise<Map<string, string | null>> {
    const files = new Map<string, string | null>();
    const root = await this.loadRoot();
    if (root.layout === 'single') {
      if (this.touched.size === 0 && !this.rootTouched) return files;
      const rows = this.rows.get('') ?? [];
      if (rows.length > SINGLE_MAX_NODES) return renderSharded(root.projects, rows, new Map());
      return files.set(INDEX_FILE, renderRoot({ ...root, rows }));
    }
    const shards = new Set(root.shards);
    for (const shard of new Set([...this.touched].map(shardOf))) {
      for (const [path, text] of this.finishShard(shard)) files.set(path, text);
      if (files.get(shardPath(shard)) === null) shards.delete(shard);
      else shards.add(shard);
    }
    if (this.rootTouched || shards.size !== root.shards.length) {
      files.set(INDEX_FILE, renderRoot({ ...root, shards: [...shards] }));
    }
    return files;
  }

  private finishShard(shard: string): Map<string, string | null> {
    const known = this.parts.get(shard);
    if (known === undefined) {
      const rows = this.rows.get(shard) ?? [];
      if (rows.length === 0) return new Map([[shardPath(shard), null]]);
      return renderShard(shard, rows, rows.length > SHARD_MAX_NODES);
    }
    const files = new Map<string, string | null>();
    const parts = new Set(known);
    for (const part of [...this.touched].filter((key) => shardOf(key) === shard)) {
      const rows = this.rows.get(part) ?? [];
      files.set(shardPath(part), rows.length === 0 ? null : renderRows(part, rows));
      if (rows.length === 0) parts.delete(part);
      else parts.add(part);
    }
    if (parts.size === 0) files.set(shardPath(shard), null);
    else if (parts.size !== known.length || known.some((part) => !parts.has(part))) {
      files.set(shardPath(shard), renderParts(shard, [...parts]));
    }
    return files;
  }

  private async keyOf(id: string): Promise<string> {
    if ((await this.loadRoot()).layout === 'single') return '';
    const shard = shardOf(id);
    await this.loadShard(shard);
    return this.parts.has(shard) ? partOf(id) : shard;
  }

  private async loadRoot(): Promise<IndexRoot> {
    if (this.root !== null) return this.root;
    const text = await this.read(INDEX_FILE);
    const root = text === null ? EMPTY_INDEX : parseRoot(text);
    if (root === null) throw unusable(INDEX_FILE);
    if (root.layout === 'single') this.rows.set('', [...root.rows]);
    return (this.root = root);
  }

  private async loadShard(shard: string): Promise<void> {
    if (this.parts.has(shard) || this.rows.has(shard)) return;
    const text = await this.read(shardPath(shard));
    const found = text === null ? { parts: null, rows: [] } : parseShard(text);
    if (found === null) throw unusable(shardPath(shard));
    if (found.parts === null) this.rows.set(shard, found.rows);
    else this.parts.set(shard, found.parts);
  }

  /** Returns the rows for a name from `keyOf`. Only the rows of a part may not be loaded yet. */
  private async load(key: string): Promise<readonly IndexRow[]> {
    const known = this.rows.get(key);
    if (known !== undefined) return known;
    const text = key === '' ? null : await this.read(shardPath(key));
    const rows = text === null ? [] : parseRows(text);
    if (rows === null) throw unusable(shardPath(key));
    this.rows.set(key, rows);
    return rows;
  }
}

function unusable(path: string): AishError {
  return new AishError(
    'knowledge_index',
    `aish did not generate the index ${path}. Rebuild it with \`aish kb sync --files\``,
  );
}
