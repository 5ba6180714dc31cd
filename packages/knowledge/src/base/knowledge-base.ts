import type {
  KnowledgeHits,
  KnowledgeNode,
  KnowledgeQuery,
  KnowledgeWrite,
  RememberNode,
} from '@aish/contracts/knowledge';
import type {
  KnowledgeCurationReport,
  KnowledgeDoctorReport,
  KnowledgeInit,
  KnowledgeOperation,
  KnowledgePlan,
  KnowledgePushResult,
  KnowledgeSyncState,
} from '@aish/contracts/knowledge-upkeep';
import type { KnowledgeLintReport } from '@aish/contracts/knowledge-lint';
import { AishError } from '@aish/contracts/problems';
import { Checkout } from './checkout.js';
import { RemoteFollower } from './follow-remote.js';
import { bundleBase, restoreBundle } from './bundle.js';
import { curationReport } from '../curate/curation-report.js';
import { moveLines } from '../curate/moves.js';
import { planOperation, type MadePlan } from '../curate/plan-operation.js';
import { gitText, withoutSecrets } from '../git/git.js';
import { listPaths, readBlobs } from '../git/git-objects.js';
import { isChecked } from '../lint/lint-change.js';
import { isNodePath, type KnowledgeNodeFile } from '../node/node.js';
import { mayRead, type Caller, type ProjectScope } from '../query/access.js';
import { searchNodes, toNode } from '../query/search-nodes.js';
import { readFollowing } from './follow-moves.js';
import { DirtWatch } from './dirt-watch.js';
import { doctorReport } from './doctor.js';
import { initBase } from './init.js';
import { keepPartChange, type KeptPage } from './keep-part.js';
import { pushBranch } from './push.js';
import { rememberChange } from './remember.js';
import { Repository, type Held } from './repository.js';
import { readNodes, readSnapshot, type Snapshot } from './snapshot.js';
import { NO_REMOTE_STATE } from './state-file.js';
import { Writer, type Change, type ChangeContext, type Guard, type Written } from './writer.js';
import { readTreeFile } from './work-tree.js';

export interface KnowledgeBaseOptions {
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly branch?: string;
  readonly remote?: string | undefined;
  /** A lock beyond this machine, which is taken before the repository's own lock. */
  readonly guard?: Guard;
  /** Milliseconds that a writer waits for other writers. */
  readonly lockWaitMs?: number;
  /** Whether to watch for changes instead of checking every file before each write. For long-running processes. */
  readonly isWatching?: boolean;
  readonly now?: () => Date;
}

const LOCK_WAIT_MS = 30_000;
const FINDINGS_MAX = 500;
const FILES_MAX = 100;

/** The knowledge base in one clone, with all functions that need no database. */
export class KnowledgeBase {
  readonly repository: Repository;
  readonly checkout: Checkout;
  private readonly writer: Writer;
  private readonly watch: DirtWatch | null;
  private readonly now: () => Date;
  private readonly closing = new AbortController();

  constructor(private readonly options: KnowledgeBaseOptions) {
    const { dir, env } = options;
    this.now = options.now ?? (() => new Date());
    this.watch = options.isWatching === true ? new DirtWatch(dir) : null;
    this.repository = new Repository({ dir, env, branch: options.branch ?? 'main', watch: this.watch });
    this.checkout = new Checkout(this.repository);
    this.writer = new Writer(this.checkout, new RemoteFollower(this.checkout, this.now), {
      guard: options.guard ?? ((fn, signal) => fn(signal ?? new AbortController().signal)),
      lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
      env,
      now: this.now,
    });
  }

  /** Creates or adopts the repository. It may be called again. */
  async init(remote?: string, signal?: AbortSignal): Promise<KnowledgeInit> {
    const input = { remote: remote ?? this.options.remote ?? null, now: this.now() };
    const made = await initBase(this.checkout, this.writer, input, signal);
    await this.watch?.start();
    return made;
  }

  /** Finishes the work of a killed writer. */
  async recover(signal?: AbortSignal): Promise<void> {
    await this.repository.mustExist();
    await this.writer.locked(() => Promise.resolve(), signal);
    await this.watch?.start();
  }

  /** Closes the knowledge base and ends a running push. */
  close(): void {
    this.closing.abort(new AishError('aborted', 'The knowledge base is closed'));
    this.watch?.stop();
  }

  /**
   * Writes the whole history into one file, for a backup.
   *
   * @returns false if there is no history yet.
   */
  bundle(file: string, signal: AbortSignal): Promise<boolean> {
    return bundleBase(this.repository, file, signal);
  }

  /**
   * Replaces an empty base by the history of a bundle.
   *
   * @throws AishError `not_empty`, `knowledge_git`
   */
  restore(file: string, signal: AbortSignal): Promise<void> {
    return restoreBundle(this.checkout, this.writer, file, signal);
  }

  async remember(input: RememberNode, caller: Caller, signal?: AbortSignal): Promise<KnowledgeWrite> {
    const make = (context: ChangeContext) => rememberChange(input, caller, context);
    const { change, commit, warnings, notes } = await this.write(caller.name, make, signal);
    const { id, path, allowedSecrets } = change;
    const written = { commit, warnings: [...warnings], notes: [...notes], id, path };
    return allowedSecrets.length === 0 ? written : { ...written, allowedSecrets: [...allowedSecrets] };
  }

  /**
   * Brings aish's own part of a page up to date.
   *
   * @throws the errors of `write`
   */
  keep(page: KeptPage, signal?: AbortSignal): Promise<Written> {
    return this.write('aish', (context) => keepPartChange(page, this.repository, context), signal);
  }

  write<C extends Change>(
    author: string,
    make: (context: ChangeContext) => Promise<C>,
    signal?: AbortSignal,
  ): Promise<Written<C>> {
    return this.writer.write(author, make, signal);
  }

  /** Searches the files. This works without a database and gives the same results as the indexed query. */
  async query(query: KnowledgeQuery, scope: ProjectScope, signal?: AbortSignal): Promise<KnowledgeHits> {
    const { head, nodes } = await this.nodes(signal);
    return { ...searchNodes(nodes, query, scope), commit: head };
  }

  /** @throws AishError `not_found`, also if the reader may not see the node. */
  async read(id: string, scope: ProjectScope, signal?: AbortSignal): Promise<KnowledgeNode> {
    const { nodes } = await this.nodes(signal);
    const readable = nodes.filter((node) => mayRead(scope, node));
    const git = this.repository.git(signal === undefined ? {} : { signal });
    return readFollowing(id, scope, git, async (wanted) => {
      const node = readable.find((each) => each.id === wanted);
      if (node === undefined) throw new AishError('not_found', `There is no node ${id}`);
      const source = (await readTreeFile(this.repository.dir, node.path))?.toString('utf8') ?? '';
      return toNode(node, source, readable);
    });
  }

  async lint(signal?: AbortSignal): Promise<KnowledgeLintReport> {
    const { nodes, rawPaths, findings } = await this.snapshot(signal);
    const sorted = findings.toSorted((a, b) => Number(b.fatal) - Number(a.fatal) || (a.path < b.path ? -1 : 1));
    return {
      ok: !findings.some((finding) => finding.fatal),
      nodes: nodes.length,
      raw: rawPaths.size,
      findings: sorted.slice(0, FINDINGS_MAX),
      omitted: Math.max(0, findings.length - FINDINGS_MAX),
    };
  }

  /**
   * Rebuilds the index from the nodes.
   *
   * @returns the commit; null if the index was already correct.
   */
  async regenerateIndex(signal?: AbortSignal): Promise<string | null> {
    await this.repository.mustExist();
    return this.writer.locked(async (held) => {
      await this.repository.mustBeClean(held);
      const head = await this.mustHead(held.signal);
      const commit = await this.writer.commitIndex(head, await this.snapshot(held.signal), held, this.now());
      return commit === head ? null : commit;
    }, signal);
  }

  async curate(scope: ProjectScope, signal?: AbortSignal): Promise<KnowledgeCurationReport> {
    const { nodes, rawPaths } = await this.snapshot(signal);
    const seen = nodes.filter((node) => mayRead(scope, node));
    // A capture counts as used even if the reader may not see the nodes that name it.
    const used = new Set(nodes.flatMap((node) => (mayRead(scope, node) ? [] : node.sources)));
    return curationReport(seen, new Set([...rawPaths].filter((path) => !used.has(path))), this.now());
  }

  async plan(operation: KnowledgeOperation, caller: Caller, signal?: AbortSignal): Promise<KnowledgePlan> {
    const snapshot = await this.snapshot(signal);
    const head = await this.mustHead(signal);
    return (await this.made(operation, head, snapshot, caller)).plan;
  }

  private made(operation: KnowledgeOperation, head: string, snapshot: Snapshot, { scope }: Caller): Promise<MadePlan> {
    return planOperation(operation, { head, snapshot, now: this.now(), read: (path) => this.readText(path), scope });
  }

  /**
   * Carries out a plan in one commit if nothing has changed.
   *
   * @throws AishError `knowledge_plan_changed`
   */
  async apply(
    planId: string,
    operation: KnowledgeOperation,
    caller: Caller,
    signal?: AbortSignal,
  ): Promise<{ readonly written: KnowledgeWrite; readonly moves: KnowledgePlan['moves'] }> {
    const { change, commit, warnings, notes } = await this.write(
      caller.name,
      async ({ head, signal: held }) => {
        const snapshot = await this.snapshot(held);
        const made = await this.made(operation, head, snapshot, caller);
        if (made.plan.planId !== planId) {
          throw new AishError(
            'knowledge_plan_changed',
            'The knowledge base has changed since the plan was made. Make a new plan',
          );
        }
        const message = `curate: ${made.plan.summary}\n\nConfirmed by ${caller.name}\n${moveLines(made.plan.moves)}`;
        return { files: made.files, message, moves: made.plan.moves };
      },
      signal,
    );
    const written = { commit, warnings: [...warnings], notes: [...notes], id: null, path: null };
    return { written, moves: change.moves };
  }

  /** @param again whether to push even after a rejection, because a person has looked at it. */
  async push({ again }: { readonly again: boolean }, signal?: AbortSignal): Promise<KnowledgePushResult> {
    await this.repository.mustExist();
    const { env } = this.options;
    const limit = AbortSignal.any([this.closing.signal, ...(signal === undefined ? [] : [signal])]);
    const locked = <T>(fn: (held: Held) => Promise<T>) => this.writer.locked(fn, limit);
    const pushed = await pushBranch(this.repository, { again, signal: limit, env, locked });
    // Writes leave loose objects and unshared entries in git's index. This job packs them.
    await locked(async (held) => {
      if (pushed.outcome === 'pushed') await this.checkout.shareIndex(held);
      await gitText(['-c', 'gc.auto=6700', '-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'], {
        ...this.repository.git(held),
        timeoutMs: 600_000,
      });
    });
    return pushed;
  }

  async syncState(signal?: AbortSignal): Promise<KnowledgeSyncState> {
    const held = signal === undefined ? {} : { signal };
    const url = await this.repository.remoteUrl(held);
    const apart = await this.repository.apart(held);
    const state = (await this.repository.remoteState.read()) ?? NO_REMOTE_STATE;
    const failure = state.pushFailure;
    return {
      remote: url === null ? null : withoutSecrets(url),
      ahead: apart?.ahead ?? null,
      behind: apart?.behind ?? null,
      pushedAt: state.pushedAt,
      pushFailure: failure === null ? null : { kind: failure.kind, detail: failure.detail, at: failure.at },
      diverged: apart !== null && apart.ahead > 0 && apart.behind > 0,
    };
  }

  async doctor(signal?: AbortSignal): Promise<KnowledgeDoctorReport> {
    return doctorReport(this, this.writer, {
      env: this.options.env,
      now: this.now(),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async snapshot(signal?: AbortSignal): Promise<Snapshot> {
    const head = await this.mustHead(signal);
    const paths = await listPaths(head, this.repository.git(signal === undefined ? {} : { signal }));
    return readSnapshot(
      this.repository.dir,
      paths.filter((path) => isChecked(path)),
      signal,
    );
  }

  private async nodes(signal?: AbortSignal): Promise<{ readonly head: string; readonly nodes: KnowledgeNodeFile[] }> {
    const head = await this.mustHead(signal);
    const paths = await listPaths(head, this.repository.git(signal === undefined ? {} : { signal }));
    return {
      head,
      nodes: await readNodes(
        this.repository.dir,
        paths.filter((path) => isNodePath(path)),
        signal,
      ),
    };
  }

  async mustHead(signal?: AbortSignal): Promise<string> {
    await this.repository.mustExist();
    const head = await this.repository.head(signal === undefined ? {} : { signal });
    if (head === null)
      throw new AishError(
        'knowledge_missing',
        'The knowledge base has no commits. Run `aish kb init` to create the first one',
      );
    return head;
  }

  /** Returns the committed files of a folder by name, without those in subfolders. */
  async filesIn(folder: string, signal?: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const options = this.repository.git(signal === undefined ? {} : { signal });
    const head = await this.mustHead(signal);
    const listed = await gitText(['ls-tree', '-z', '--name-only', head, '--', `${folder}/`], options);
    const paths = listed.split('\0').filter((path) => path !== '');
    const blobs = await readBlobs(head, paths.slice(0, FILES_MAX), options);
    const files = [...blobs].flatMap(([path, content]) =>
      content === null ? [] : [[path.slice(folder.length + 1), content.toString('utf8')] as const],
    );
    return Object.fromEntries(files);
  }

  private async readText(path: string): Promise<string | null> {
    return (await readTreeFile(this.repository.dir, path))?.toString('utf8') ?? null;
  }
}
