import type {
  KnowledgeConfidence,
  KnowledgeRelation,
  KnowledgeStatus,
  KnowledgeType,
  KnowledgeVisibility,
} from '@aish/contracts/knowledge';

export interface NodeLink {
  readonly relation: KnowledgeRelation;
  readonly id: string;
}

/** A knowledge node, as its file describes it. Dates are in ISO format, in UTC. */
export interface KnowledgeNodeFile {
  readonly id: string;
  /** The path from the root of the repository, with slashes. */
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly body: string;
  readonly types: readonly KnowledgeType[];
  /** All file tags, including those for types. */
  readonly tags: readonly string[];
  readonly projects: readonly string[];
  readonly status: KnowledgeStatus;
  readonly visibility: KnowledgeVisibility;
  readonly confidence: KnowledgeConfidence;
  readonly createdBy: string;
  /** The owner of a private node: the property `:OWNER:`, or the author. */
  readonly owner: string;
  readonly created: string;
  readonly updated: string;
  readonly lastCurated: string | null;
  readonly links: readonly NodeLink[];
  /** Paths under `raw/` that the node names. */
  readonly sources: readonly string[];
  /** All properties, with their keys as Emacs compares them. The search includes them. */
  readonly properties: readonly (readonly [string, string])[];
}

export const RAW_DIR = 'raw';
export const INDEX_FILE = 'index.org';
export const INDEX_DIR = 'index';
export const CONTRACT_FILE = 'AGENT_CONTRACT.org';
const NOT_NODES: ReadonlySet<string> = new Set([INDEX_FILE, CONTRACT_FILE, 'README.org']);

/**
 * Whether a file of the repository is a node. Every org file is, except captures, the index and the explanations of the
 * repository.
 */
export function isNodePath(path: string): boolean {
  if (!path.endsWith('.org') || NOT_NODES.has(path)) return false;
  const parts = path.split('/');
  return parts[0] !== RAW_DIR && parts[0] !== INDEX_DIR && !parts.some((part) => part.startsWith('.'));
}

export function isRawPath(path: string): boolean {
  return path.startsWith(`${RAW_DIR}/`);
}

export function isIndexPath(path: string): boolean {
  return path === INDEX_FILE || (path.startsWith(`${INDEX_DIR}/`) && path.endsWith('.org'));
}

const SLUG_MAX_CHARS = 60;

/**
 * Returns the path for a node, for example `nodes/3f/20260524033000-push-failures.org`. Two digits of the ID keep every
 * folder small, even with 100 000 nodes.
 */
export function nodePath(id: string, title: string, created: Date): string {
  const stamp = created.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return `nodes/${id.slice(0, 2).toLowerCase()}/${stamp}-${slugOf(title)}.org`;
}

/** Returns a title as part of a file name, in ASCII; `node` if nothing of it remains. */
function slugOf(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, SLUG_MAX_CHARS)
    .replace(/-+$/, '');
  return slug === '' ? 'node' : slug;
}
