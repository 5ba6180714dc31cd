import { AishError } from '@aish/contracts';
import { INDEX_FILE, type KnowledgeNodeFile } from '../node/node.js';
import {
  EMPTY_INDEX,
  SINGLE_MAX_NODES,
  parseRoot,
  parseRows,
  renderRoot,
  renderShard,
  rowOf,
  shardOf,
  shardPath,
  type IndexRoot,
  type IndexRow,
} from './index-file.js';

/** The text of a file as it will be; null when it will not be there. */
export type ReadText = (path: string) => Promise<string | null>;

/**
 * Reads and changes the index a node at a time, touching only the files that hold it: what a write costs does not
 * depend on how many nodes there are. @throws AishError `knowledge_index` when an index file is none that was generated.
 */
export class IndexEditor {
  private root: IndexRoot | null = null;
  private readonly rows = new Map<string, IndexRow[]>();
  private readonly touched = new Set<string>();
  private rootTouched = false;

  constructor(private readonly read: ReadText) {}

  /** Every row that has this id: more than one is a fault that the lint finds. */
  async rowsOf(id: string): Promise<readonly IndexRow[]> {
    const rows = await this.load(await this.keyOf(id));
    return rows.filter((row) => row.id === id);
  }

  /** Forgets what stood at `path`, under `id`. */
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

  /** The files of the index that change: their new texts, null for those that go. */
  async finish(): Promise<Map<string, string | null>> {
    const files = new Map<string, string | null>();
    const root = await this.loadRoot();
    if (root.layout === 'single') {
      if (this.touched.size === 0 && !this.rootTouched) return files;
      const rows = this.rows.get('') ?? [];
      if (rows.length > SINGLE_MAX_NODES) return this.split(root, rows);
      return files.set(INDEX_FILE, renderRoot({ ...root, rows }));
    }
    const shards = new Set(root.shards);
    for (const shard of this.touched) {
      const rows = this.rows.get(shard) ?? [];
      files.set(shardPath(shard), rows.length === 0 ? null : renderShard(shard, rows));
      if (rows.length === 0) shards.delete(shard);
      else shards.add(shard);
    }
    if (this.rootTouched || shards.size !== root.shards.length) {
      files.set(INDEX_FILE, renderRoot({ ...root, shards: [...shards] }));
    }
    return files;
  }

  private split(root: IndexRoot, rows: readonly IndexRow[]): Map<string, string> {
    const shards = new Map<string, IndexRow[]>();
    for (const row of rows) shards.set(shardOf(row.id), [...(shards.get(shardOf(row.id)) ?? []), row]);
    const files = new Map([
      [INDEX_FILE, renderRoot({ layout: 'sharded', projects: root.projects, rows: [], shards: [...shards.keys()] })],
    ]);
    for (const [shard, its] of shards) files.set(shardPath(shard), renderShard(shard, its));
    return files;
  }

  private async keyOf(id: string): Promise<string> {
    return (await this.loadRoot()).layout === 'single' ? '' : shardOf(id);
  }

  private async loadRoot(): Promise<IndexRoot> {
    if (this.root !== null) return this.root;
    const text = await this.read(INDEX_FILE);
    const root = text === null ? EMPTY_INDEX : parseRoot(text);
    if (root === null) throw unusable(INDEX_FILE);
    if (root.layout === 'single') this.rows.set('', [...root.rows]);
    return (this.root = root);
  }

  private async load(key: string): Promise<readonly IndexRow[]> {
    await this.loadRoot();
    const known = this.rows.get(key);
    if (known !== undefined) return known;
    const text = await this.read(shardPath(key));
    const rows = text === null ? [] : parseRows(text);
    if (rows === null) throw unusable(shardPath(key));
    this.rows.set(key, rows);
    return rows;
  }
}

function unusable(path: string): AishError {
  return new AishError('knowledge_index', `${path} is no index that aish generated; \`aish kb index\` makes it anew`);
}
