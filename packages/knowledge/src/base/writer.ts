import type { KnowledgeFinding } from '@aish/contracts/knowledge-lint';
import { AishError } from '@aish/contracts/problems';
import { withFileLock } from '../git/file-lock.js';
import { git } from '../git/git.js';
import { changedPaths, listPaths, readBlobs } from '../git/git-objects.js';
import { IndexEditor } from '../index-file/index-editor.js';
import { INDEX_FILE, isIndexPath, isNodePath } from '../node/node.js';
import { readNode } from '../node/read-node.js';
import { dividedShards, parseRoot, renderIndex } from '../index-file/index-file.js';
import { checkChange, isChecked, type ChangedFile } from '../lint/lint-change.js';
import { join } from 'node:path';
import type { Checkout } from './checkout.js';
import { isIndexAsExpected } from './foreign-index.js';
import type { RemoteFollower } from './follow-remote.js';
import type { Held, Repository } from './repository.js';
import { readSnapshot } from './snapshot.js';
import { readTreeFile } from './work-tree.js';

/** Runs `fn` under a lock beyond this machine, for example in Postgres. */
export type Guard = <T>(fn: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;

export interface WriterOptions {
  readonly guard: Guard;
  readonly lockWaitMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}

/** The data and functions that a change can use. */
export interface ChangeContext {
  readonly head: string;
  readonly now: Date;
  readonly read: (path: string) => Promise<Buffer | null>;
  /** Returns a node's place according to the index; null if the node does not exist. */
  readonly find: (id: string) => Promise<{ readonly path: string; readonly title: string } | null>;
  readonly paths: () => Promise<readonly string[]>;
  readonly signal: AbortSignal;
}

export interface Change {
  readonly files: ReadonlyMap<string, Buffer | null>;
  readonly message: string;
}

export interface Written<C extends Change = Change> {
  readonly change: C;
  /** The new commit; null if there was nothing to change. */
  readonly commit: string | null;
  readonly warnings: readonly KnowledgeFinding[];
  readonly notes: readonly string[];
}

const FINDINGS_TOLD = 20;

/**
 * The only way to write: lock, finish interrupted work, check that the tree is clean, follow the remote, make the
 * change, regenerate the index, lint the whole change, commit. Nothing in the tree changes before the commit, so a
 * write can stop at any point. Nothing is pushed here.
 */
export class Writer {
  private readonly repository: Repository;

  constructor(
    private readonly checkout: Checkout,
    private readonly remote: RemoteFollower,
    private readonly options: WriterOptions,
  ) {
    this.repository = checkout.repository;
  }

  /** Runs `fn` with the locks, after it has finished the work of a killed writer. */
  locked<T>(fn: (held: Held) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { guard, lockWaitMs, env } = this.options;
    const file = join(this.repository.stateDir, 'lock');
    return guard(
      (guarded) =>
        withFileLock(
          file,
          async (lockFd) => {
            const held = { lockFd, signal: guarded };
            await this.checkout.recover(held);
            return fn(held);
          },
          { waitMs: lockWaitMs, signal: guarded, env },
        ),
      signal,
    );
  }

  /**
   * @throws AishError `knowledge_lint` with the findings, `knowledge_dirty`, `knowledge_diverged`, `knowledge_index`,
   *   `locked`, `aborted`, `knowledge_git`, and errors of `make`. In all these cases nothing has changed.
   */
  async write<C extends Change>(
    author: string,
    make: (context: ChangeContext) => Promise<C>,
    signal?: AbortSignal,
  ): Promise<Written<C>> {
    await this.repository.mustExist();
    return this.locked((held) => this.writeHeld(author, make, held), signal);
  }

  private async writeHeld<C extends Change>(
    author: string,
    make: (context: ChangeContext) => Promise<C>,
    held: Held,
  ): Promise<Written<C>> {
    const { repository } = this;
    await repository.mustBeClean(held);
    const unreached = await this.remote.follow(held);
    const found = await repository.head(held);
    if (found === null)
      throw new AishError(
        'knowledge_invalid',
        'The knowledge base has no commits. Run `aish kb init` to create the first one',
      );
    const { head, foreign } = await this.foreignChanges(found, held);
    const now = this.options.now();
    const change = await make(await this.context(head, now, foreign, held));
    const files = await this.changedFiles(change.files, foreign);
    const notes = unreached === null ? [] : [unreached];
    if (files.length === 0) return { change, commit: null, warnings: [], notes };
    const contents = new Map(files.map((file) => [file.path, file.content]));
    const read = async (path: string): Promise<Buffer | null> =>
      contents.has(path) ? (contents.get(path) ?? null) : readTreeFile(repository.dir, path);
    const checked = await checkChange(files, { read, linkingTo: (ids) => this.linkingTo(head, ids, held) });
    const fatal = checked.findings.filter((finding) => finding.fatal);
    if (fatal.length > 0) throw refused(fatal);
    const all = new Map(change.files);
    for (const [path, text] of checked.index) all.set(path, text === null ? null : Buffer.from(text));
    const real = await this.real(all);
    const own = new Set(change.files.keys());
    const warnings = checked.findings.filter(({ path }) => own.has(path));
    if (real.size === 0) {
      await repository.verified.write({ commit: head });
      return { change, commit: null, warnings, notes };
    }
    const { message } = change;
    const commit = await this.checkout.commit({ parent: head, changes: real, message, author, now }, held);
    this.remote.grown(head, commit);
    await repository.verified.write({ commit });
    return { change, commit, warnings, notes };
  }

  /**
   * Returns files that were pulled or committed by hand since the last state known to be good. If there is no such
   * state, or the index was pulled and does not match the nodes, everything is checked once.
   */
  private async foreignChanges(
    head: string,
    held: Held,
  ): Promise<{ readonly head: string; readonly foreign: readonly ChangedFile[] }> {
    const { repository } = this;
    const verified = (await repository.verified.read())?.commit ?? null;
    if (verified === head) return { head, foreign: [] };
    const isKnown = verified !== null && (await repository.isAncestor(verified, head, held));
    if (!isKnown) {
      return { head: await this.verifyWhole(head, held), foreign: [] };
    }
    const options = repository.git(held);
    const changed = (await changedPaths(verified, head, options)).filter((path) => isChecked(path));
    const [indexPaths, paths] = [changed.filter(isIndexPath), changed.filter((path) => !isIndexPath(path))];
    const [before, after] = [await readBlobs(verified, changed, options), await readBlobs(head, paths, options)];
    const foreign = paths.map((path) => ({
      path,
      oldId: idIn(path, before.get(path) ?? null),
      content: after.get(path) ?? null,
    }));
    const now = async (path: string): Promise<string | null> =>
      (await readTreeFile(repository.dir, path))?.toString('utf8') ?? null;
    const known = async (path: string): Promise<string | null> =>
      before.has(path) ? (before.get(path)?.toString('utf8') ?? null) : now(path);
    const isRight = indexPaths.length === 0 || (await isIndexAsExpected(indexPaths, foreign, { before: known, now }));
    if (!isRight) return { head: await this.verifyWhole(head, held), foreign: [] };
    return { head, foreign };
  }

  /**
   * Lints everything, and rebuilds the index if only the index is wrong.
   *
   * @returns the new commit of the branch.
   */
  private async verifyWhole(head: string, held: Held): Promise<string> {
    const { repository, options } = this;
    const paths = await listPaths(head, repository.git(held));
    const snapshot = await readSnapshot(
      repository.dir,
      paths.filter((path) => isChecked(path)),
      held.signal,
    );
    const fatal = snapshot.findings.filter((finding) => finding.fatal);
    const other = fatal.filter(
      ({ code, path }) => code !== 'index-missing' && code !== 'index-stale' && !isIndexPath(path),
    );
    if (other.length > 0) throw refused(other);
    if (fatal.length === 0) {
      await repository.verified.write({ commit: head });
      return head;
    }
    const commit = await this.commitIndex(head, snapshot, held, options.now());
    await repository.verified.write({ commit });
    return commit;
  }

  /** @returns the new commit, or `head` if the index was correct. */
  async commitIndex(
    head: string,
    snapshot: Awaited<ReturnType<typeof readSnapshot>>,
    held: Held,
    now: Date,
  ): Promise<string> {
    const current = snapshot.index.get(INDEX_FILE);
    const root = current === undefined ? null : parseRoot(current);
    // Only this code sees all slugs, so it drops those that no node uses any more. Split shards stay split. Shards that
    // have grown too large are split now.
    const divided = new Map([...dividedShards(snapshot.index)].filter(([, inParts]) => inParts));
    const wanted = renderIndex(snapshot.nodes, root === null ? null : { ...root, projects: [] }, divided);
    const changes = new Map<string, Buffer | null>();
    for (const [path, text] of wanted) if (snapshot.index.get(path) !== text) changes.set(path, Buffer.from(text));
    for (const path of snapshot.index.keys()) if (!wanted.has(path)) changes.set(path, null);
    if (changes.size === 0) return head;
    const message = 'index: regenerate from the nodes\n';
    return this.checkout.commit({ parent: head, changes, message, author: 'aish', now }, held);
  }

  private async context(head: string, now: Date, foreign: readonly ChangedFile[], held: Held): Promise<ChangeContext> {
    const { dir } = this.repository;
    const read = (path: string): Promise<Buffer | null> => readTreeFile(dir, path);
    const readText = async (path: string): Promise<string | null> => (await read(path))?.toString('utf8') ?? null;
    const index = new IndexEditor(readText);
    // Files from outside may not be in the index yet.
    for (const file of foreign) if (file.oldId !== null) await index.remove(file.path, file.oldId);
    for (const file of foreign) {
      const node =
        isNodePath(file.path) && file.content !== null ? readNode(file.content.toString('utf8'), file.path).node : null;
      if (node !== null) await index.put(node);
    }
    const find = async (id: string): Promise<{ path: string; title: string } | null> =>
      (await index.rowsOf(id.toLowerCase()))[0] ?? null;
    const paths = (): Promise<string[]> => listPaths(head, this.repository.git(held));
    return { head, now, read, find, paths, signal: held.signal };
  }

  private async changedFiles(
    own: ReadonlyMap<string, Buffer | null>,
    foreign: readonly ChangedFile[],
  ): Promise<ChangedFile[]> {
    const files = foreign.filter(({ path }) => !own.has(path));
    for (const [path, content] of own) {
      const before = await readTreeFile(this.repository.dir, path);
      const oldId = foreign.find((file) => file.path === path)?.oldId ?? idIn(path, before);
      files.push({ path, oldId, content });
    }
    return files;
  }

  /** Returns the changes without files that already have this content. */
  private async real(changes: ReadonlyMap<string, Buffer | null>): Promise<Map<string, Buffer | null>> {
    const real = new Map<string, Buffer | null>();
    for (const [path, content] of changes) {
      const before = await readTreeFile(this.repository.dir, path);
      const same = content === null ? before === null : before?.equals(content) === true;
      if (!same) real.set(path, content);
    }
    return real;
  }

  /** Returns the nodes that link to these IDs. git's search finds them in the committed files. */
  async linkingTo(head: string, ids: readonly string[], held?: Partial<Held>): Promise<{ path: string; id: string }[]> {
    const found: { path: string; id: string }[] = [];
    const patterns = ids.flatMap((id) => ['-e', `[[id:${id}]`]);
    const args = ['grep', '-z', '--name-only', '--fixed-strings', '--ignore-case', ...patterns, head, '--', '*.org'];
    const answer = await git(args, this.repository.git(held));
    if (answer.code > 1) throw new AishError('knowledge_git', `git grep exited with code ${answer.code}`);
    for (const entry of answer.stdout.toString('utf8').split('\0')) {
      const path = entry.slice(entry.indexOf(':') + 1);
      const content = isNodePath(path) ? await readTreeFile(this.repository.dir, path) : null;
      if (content === null) continue;
      const links = new Set(
        readNode(content.toString('utf8'), path).document.links.map((link) => link.target.toLowerCase()),
      );
      for (const id of ids) if (links.has(id)) found.push({ path, id });
    }
    return found;
  }
}

function idIn(path: string, content: Buffer | null): string | null {
  return content === null || !isNodePath(path) ? null : readNode(content.toString('utf8'), path).id;
}

function refused(fatal: readonly KnowledgeFinding[]): AishError {
  const shownFindings = fatal
    .slice(0, 3)
    .map(({ code, path, line, message }) => `${path}${line === null ? '' : `:${line}`}: ${code}: ${message}`);
  const more = fatal.length > shownFindings.length ? ` (and ${fatal.length - shownFindings.length} more)` : '';
  return new AishError('knowledge_lint', `${shownFindings.join('; ')}${more}`, {
    findings: fatal.slice(0, FINDINGS_TOLD),
    omitted: Math.max(0, fatal.length - FINDINGS_TOLD),
  });
}
