import { createHash } from 'node:crypto';
import type { KnowledgeOperation, KnowledgePlan } from '@aish/contracts/knowledge-upkeep';
import { AishError } from '@aish/contracts/problems';
import type { KnowledgeNodeFile } from '../node/node.js';
import { editNodeText, repointLinks, unlink } from '../node/write-node.js';
import { allow, mayRead, type ProjectScope } from '../query/access.js';
import { repointPointers } from './moves.js';
import { mergedText, splitTexts } from './merge-split.js';

export interface PlanSource {
  readonly head: string;
  readonly now: Date;
  readonly snapshot: { readonly nodes: readonly KnowledgeNodeFile[]; readonly rawPaths: ReadonlySet<string> };
  readonly read: (path: string) => Promise<string | null>;
  /** The projects that the planner may see and write. */
  readonly scope: ProjectScope;
}

export interface MadePlan {
  readonly plan: KnowledgePlan;
  readonly files: ReadonlyMap<string, Buffer | null>;
}

const UNSEEN = 'a node that you may not see';

/** A plan in progress: the new content of each file, and the reason for it. */
class Draft {
  readonly files = new Map<string, string | null>();
  readonly reasons = new Map<string, string>();
  readonly warnings: string[] = [];
  readonly moves: KnowledgePlan['moves'] = [];
  repointed = 0;

  constructor(readonly source: PlanSource) {}

  node(id: string): KnowledgeNodeFile {
    const node = this.source.snapshot.nodes.find((each) => each.id === id.toLowerCase());
    if (node === undefined || !mayRead(this.source.scope, node)) {
      throw new AishError('not_found', `There is no node ${id}`);
    }
    allow(this.source.scope, node.projects);
    return node;
  }

  /** Returns the name of a node, if the planner may see it. */
  called(node: KnowledgeNodeFile, name: 'title' | 'path'): string {
    return mayRead(this.source.scope, node) ? node[name] : UNSEEN;
  }

  async text(path: string): Promise<string> {
    return this.files.get(path) ?? (await this.source.read(path)) ?? '';
  }

  put(path: string, text: string | null, why: string): void {
    this.files.set(path, text);
    this.reasons.set(path, this.reasons.get(path) ?? why);
  }

  /** Redirects every link to an ID in `from`, outside of `except`, to `to`, or removes the link if `to` is null. */
  async repoint(from: ReadonlySet<string>, to: string | null, except: ReadonlySet<string>): Promise<void> {
    for (const node of this.source.snapshot.nodes) {
      if (except.has(node.id) || !names(node, from)) continue;
      const before = await this.text(node.path);
      const linked = to === null ? unlink(before, from) : repointLinks(before, from, to);
      const target = this.source.snapshot.nodes.find(({ id }) => id === to);
      const after = target === undefined ? linked : repointPointers(linked, from, target);
      if (after !== before) {
        this.put(node.path, after, to === null ? 'its link becomes plain text' : 'its link is repointed');
        this.repointed += 1;
      }
      if ([...from].some((id) => after.toLowerCase().includes(id))) {
        this.warnings.push(`${this.called(node, 'title')} will still name an ID that is removed`);
      }
    }
  }
}

function names(node: KnowledgeNodeFile, ids: ReadonlySet<string>): boolean {
  const text = `${node.summary}\n${node.body}`.toLowerCase();
  return node.links.some(({ id }) => ids.has(id)) || [...ids].some((id) => text.includes(id));
}

/**
 * Computes the changes that an operation would make to every file, without making them.
 *
 * @throws AishError `not_found`, `invalid_body`
 */
export async function planOperation(operation: KnowledgeOperation, source: PlanSource): Promise<MadePlan> {
  const draft = new Draft(source);
  const summary = await fill(operation, draft);
  const changes: KnowledgePlan['changes'] = [];
  const hash = createHash('sha256').update(JSON.stringify(operation));
  const files = new Map<string, Buffer | null>();
  for (const path of [...draft.files.keys()].toSorted()) {
    const text = draft.files.get(path) ?? null;
    const before = await source.read(path);
    if (before === text) continue;
    const change = before === null ? 'add' : text === null ? 'remove' : 'change';
    const node = source.snapshot.nodes.find((each) => each.path === path);
    const shown = node === undefined ? path : draft.called(node, 'path');
    changes.push({ path: shown, change, why: draft.reasons.get(path) ?? '' });
    // The new content contains the time, so the digest uses the old content, which determines the new one.
    hash.update(`\0${path}\0${change}\0${before ?? ''}`);
    files.set(path, text === null ? null : Buffer.from(text));
  }
  const { repointed, moves, warnings } = draft;
  const planId = hash.digest('hex').slice(0, 32);
  return { plan: { planId, summary, changes, repointed, moves, pointers: [], warnings }, files };
}

async function fill(operation: KnowledgeOperation, draft: Draft): Promise<string> {
  switch (operation.kind) {
    case 'merge':
      return merge(operation, draft);
    case 'split':
      return split(operation, draft);
    case 'supersede':
      return supersede(operation, draft);
    case 'delete':
      return remove(operation, draft);
    case 'delete-raw':
      return removeRaw(operation.path, draft);
    case 'curated': {
      const node = draft.node(operation.id);
      const edit = { now: draft.source.now, sources: [], lastCurated: draft.source.now };
      draft.put(
        node.path,
        editNodeText(await draft.text(node.path), edit, node.path, () => null),
        'looked at',
      );
      return `note that ${node.title} was looked at`;
    }
  }
}

async function merge({ into, from }: { into: string; from: readonly string[] }, draft: Draft): Promise<string> {
  const target = draft.node(into);
  const others = from.map((id) => draft.node(id));
  if (others.some(({ id }) => id === target.id))
    throw new AishError('invalid_body', 'A node cannot be merged into itself');
  const gone = new Set(others.map(({ id }) => id));
  const parts = await Promise.all(others.map(async (node) => ({ node, text: await draft.text(node.path) })));
  const text = mergedText(await draft.text(target.path), target, parts, draft.source.now);
  draft.put(target.path, unlink(text, new Set([...gone, target.id])), 'takes over what the others say');
  for (const node of others) draft.put(node.path, null, `is now part of ${target.title}`);
  await draft.repoint(gone, target.id, new Set([...gone, target.id]));
  draft.moves.push(...others.map(({ id }) => ({ id, to: target.id, title: target.title })));
  return `merge ${others.map(({ title }) => title).join(', ')} into ${target.title}`;
}

async function split({ id, headlines }: { id: string; headlines: readonly string[] }, draft: Draft): Promise<string> {
  const node = draft.node(id);
  const { kept, parts } = splitTexts(await draft.text(node.path), node, headlines, draft.source.now);
  if (parts.length === 0) throw new AishError('invalid_body', 'Name at least one top-level headline of the node');
  draft.put(node.path, kept, 'keeps links to its parts');
  for (const part of parts) draft.put(part.path, part.text, `was "${part.title}" in ${node.title}`);
  return `split ${node.title} into ${parts.length + 1} nodes`;
}

async function supersede({ id, by }: { id: string; by: string }, draft: Draft): Promise<string> {
  const [old, next] = [draft.node(id), draft.node(by)];
  if (old.id === next.id) throw new AishError('invalid_body', 'A node cannot supersede itself');
  const { now } = draft.source;
  const marked = editNodeText(
    await draft.text(old.path),
    { now, sources: [], status: 'superseded' },
    old.path,
    () => null,
  );
  draft.put(old.path, marked, 'is marked as superseded');
  const isLinked = next.links.some((link) => link.id === old.id && link.relation === 'SUPERSEDES');
  if (!isLinked) {
    const links = [{ relation: 'SUPERSEDES' as const, id: old.id }];
    const bare = unlink(await draft.text(next.path), new Set([old.id]));
    draft.put(
      next.path,
      editNodeText(bare, { now, sources: [], links }, next.path, () => old.title),
      'says what it supersedes',
    );
  }
  await draft.repoint(new Set([old.id]), next.id, new Set([old.id, next.id]));
  return `supersede ${old.title} by ${next.title}`;
}

async function remove(
  { id, repointTo }: { id: string; repointTo?: string | undefined },
  draft: Draft,
): Promise<string> {
  const node = draft.node(id);
  const next = repointTo === undefined ? null : draft.node(repointTo);
  const target = next?.id ?? null;
  if (target === node.id) throw new AishError('invalid_body', 'Links cannot point to the node that is removed');
  draft.put(node.path, null, 'is deleted; git keeps its past');
  const gone = new Set([node.id]);
  if (target !== null) await draft.repoint(gone, target, new Set([node.id, target]));
  await draft.repoint(gone, null, new Set(target === null ? [node.id] : [node.id, ...others(draft, target)]));
  draft.moves.push({ id: node.id, to: target, title: next?.title ?? null });
  return `delete ${node.title}`;
}

/** Returns every node except the target. The target's link to a removed node must not become a link to itself. */
function others(draft: Draft, target: string): string[] {
  return draft.source.snapshot.nodes.flatMap(({ id }) => (id === target ? [] : [id]));
}

function removeRaw(path: string, draft: Draft): string {
  if (!draft.source.snapshot.rawPaths.has(path)) throw new AishError('not_found', `There is no capture ${path}`);
  draft.put(path, null, 'is deleted; git keeps its past');
  for (const node of draft.source.snapshot.nodes) {
    if (!node.sources.includes(path)) continue;
    if (!mayRead(draft.source.scope, node)) throw new AishError('not_found', `There is no capture ${path}`);
    allow(draft.source.scope, node.projects);
    draft.warnings.push(`${node.title} names it as its source`);
  }
  return `delete the capture ${path}`;
}
