import { randomUUID } from 'node:crypto';
import type { RememberNode } from '@aish/contracts/knowledge';
import { AishError, isAishError } from '@aish/contracts/problems';
import { RAW_DIR, nodePath } from '../node/node.js';
import { readNode } from '../node/read-node.js';
import { editNodeText, newNodeText } from '../node/write-node.js';
import { GENERAL, allow, isBound, mayRead, type Caller, type ProjectScope } from '../query/access.js';
import { allowAllSecrets } from '../lint/allowed-secrets.js';
import type { Change, ChangeContext } from './writer.js';

export interface Remembered extends Change {
  readonly id: string;
  readonly path: string;
  /** Descriptions of suspected secrets that were allowed with this write. */
  readonly allowedSecrets: readonly string[];
}

/** Returns the change that writes a new node, or changes the node `input.id`. */
export async function rememberChange(input: RememberNode, by: Caller, context: ChangeContext): Promise<Remembered> {
  return input.id === undefined ? newNode(input, by, context) : changedNode(input.id.toLowerCase(), input, by, context);
}

async function newNode(input: RememberNode, by: Caller, context: ChangeContext): Promise<Remembered> {
  const { title } = input;
  if (title === undefined) throw new AishError('invalid_body', 'A new node needs a title');
  // A writer that is limited to projects writes for those projects, not for everyone.
  const projects = input.projects ?? (isBound(by.scope) ? [...by.scope] : [GENERAL]);
  allow(by.scope, projects);
  const id = randomUUID();
  const path = nodePath(id, title, context.now);
  const { files, sources } = captures(input, context);
  const titleOf = await titlesOf(input, by.scope, context);
  const text = newNodeText(
    { ...input, id, title, projects, createdBy: by.name, owner: by.owner, now: context.now, sources },
    path,
    titleOf,
  );
  const { written, note, what } = await checkedBy(by, input, text);
  files.set(path, Buffer.from(written));
  return { files, message: `remember: ${title}\n\nNode ${id}\n${note}`, id, path, allowedSecrets: what };
}

async function changedNode(id: string, input: RememberNode, by: Caller, context: ChangeContext): Promise<Remembered> {
  const { path, text, node } = await findNode(id, by.scope, context);
  allow(by.scope, node.projects);
  if (input.projects !== undefined) allow(by.scope, input.projects);
  const { files, sources } = captures(input, context);
  const titleOf = await titlesOf(input, by.scope, context);
  const owner = node.visibility === 'private' ? node.owner : (by.owner ?? by.name);
  const changed = editNodeText(text, { ...input, owner, now: context.now, sources }, path, titleOf);
  const { written, note, what } = await checkedBy(by, input, changed);
  if (written !== text) files.set(path, Buffer.from(written));
  const message = `remember: change ${input.title ?? node.title}\n\nNode ${id}\n${note}`;
  return { files, message, id, path, allowedSecrets: what };
}

/**
 * Adds a person's permission for the secrets in a text, if it was given. Returns the text and a line for the commit
 * message that says so.
 */
async function checkedBy(
  by: Caller,
  { allowSecrets }: RememberNode,
  text: string,
): Promise<{ readonly written: string; readonly note: string; readonly what: readonly string[] }> {
  if (allowSecrets !== true) return { written: text, note: '', what: [] };
  const { text: written, what } = await allowAllSecrets(text);
  return { written, note: what.length === 0 ? '' : `${by.name} lets through: ${what.join(', ')}\n`, what };
}

/** @throws AishError `not_found`, also if the reader may not see the node. */
async function findNode(id: string, scope: ProjectScope, context: ChangeContext) {
  const row = await context.find(id);
  const content = row === null ? null : await context.read(row.path);
  const node = row === null || content === null ? null : readNode(content.toString('utf8'), row.path).node;
  if (row === null || content === null || node === null || !mayRead(scope, node)) {
    throw new AishError('not_found', `There is no node ${id}`);
  }
  return { path: row.path, text: content.toString('utf8'), node };
}

/** Returns captures with unique names, so that none overwrites another. */
function captures(input: RememberNode, { now }: ChangeContext): { files: Map<string, Buffer>; sources: string[] } {
  const files = new Map<string, Buffer>();
  const stamp = now.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  for (const raw of input.raw ?? []) {
    files.set(`${RAW_DIR}/${stamp}-${randomUUID().slice(0, 8)}-${raw.name}`, Buffer.from(raw.text));
  }
  return { files, sources: [...files.keys()] };
}

/** Returns the titles of the nodes that the writer may read. */
async function titlesOf(
  input: RememberNode,
  scope: ProjectScope,
  context: ChangeContext,
): Promise<(id: string) => string | null> {
  const titles = new Map<string, string>();
  for (const { id } of input.links ?? []) {
    const found = await findNode(id.toLowerCase(), scope, context).catch(orNotFound);
    if (found !== null) titles.set(id.toLowerCase(), found.node.title);
  }
  return (id) => titles.get(id.toLowerCase()) ?? null;
}

function orNotFound(error: unknown): null {
  if (isAishError(error, 'not_found')) return null;
  throw error;
}
