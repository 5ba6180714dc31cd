import type {
  KnowledgeGraph,
  KnowledgeGraphQuery,
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
  KnowledgeStatusReport,
  KnowledgeSyncResult,
  KnowledgeSyncState,
} from '@aish/contracts/knowledge-upkeep';
import type { KnowledgeLintReport } from '@aish/contracts/knowledge-lint';
import { AishError } from '@aish/contracts/problems';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import { countKnowledgeNodes, countUncurated } from '@aish/database/knowledge-nodes.repository';
import type { Logger } from '@aish/http';
import {
  DUE_NODES,
  KnowledgeIndex,
  UNTOUCHED_DAYS,
  drawGraph,
  isBound,
  queryNamed,
  type Caller,
  type KeptPage,
  type KnowledgeBase,
  type NearNodes,
} from '@aish/knowledge';
import { memoryPointers } from './memory-pointers.js';

/**
 * The person who curates, and the owner of the memory that is searched for pointers. Null means that no memory is
 * searched.
 */
export interface Curator extends Caller {
  readonly memory: string | null;
}

/**
 * Gives the api access to the knowledge base: to git through `base`, and fast queries through the index in Postgres.
 */
export class KnowledgeService {
  private readonly index: KnowledgeIndex | null;

  constructor(
    private readonly db: Database,
    private readonly base: KnowledgeBase | null,
    private readonly logger: Logger,
    near: NearNodes | null = null,
  ) {
    this.index = base === null ? null : new KnowledgeIndex(db, base, near);
  }

  query(query: KnowledgeQuery, caller: Caller, signal: AbortSignal): Promise<KnowledgeHits> {
    return this.parts().index.query(query, caller.scope, signal);
  }

  /**
   * Queries the knowledge base for the owner of the token with this name. @throws AishError `knowledge_missing` without
   * a repository
   */
  queryNamed(text: string, limit: number, token: string, signal: AbortSignal): Promise<KnowledgeHits> {
    return queryNamed(this.db, this.parts().index, { text, limit }, token, signal);
  }

  read(id: string, caller: Caller, signal: AbortSignal): Promise<KnowledgeNode> {
    return this.parts().index.read(id, caller.scope, signal);
  }

  async remember(input: RememberNode, caller: Caller, signal: AbortSignal): Promise<KnowledgeWrite> {
    const written = await this.parts().base.remember(input, caller, signal);
    if (written.allowedSecrets !== undefined) await this.noteAllowedSecrets(written, caller);
    await this.follow();
    return written;
  }

  private noteAllowedSecrets({ id, commit, path, allowedSecrets }: KnowledgeWrite, caller: Caller): Promise<void> {
    return appendAudit(this.db.statements, {
      actor: caller.name,
      action: 'knowledge.secret_allowed',
      subject: id ?? path ?? '',
      facts: { commit, path, secrets: allowedSecrets },
    });
  }

  /** Returns the committed files of a folder by their names; none without a knowledge base. */
  async filesIn(folder: string, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    return this.base === null ? {} : this.base.filesIn(folder, signal);
  }

  /** Updates aish's own part of a page. The rest of the page belongs to people. */
  async keep(page: KeptPage, signal: AbortSignal): Promise<void> {
    const { commit } = await this.parts().base.keep(page, signal);
    if (commit !== null) await this.follow();
  }

  lint(caller: Caller, signal: AbortSignal): Promise<KnowledgeLintReport> {
    return this.whole(caller).base.lint(signal);
  }

  async regenerateIndex(caller: Caller, signal: AbortSignal): Promise<KnowledgeWrite> {
    const commit = await this.whole(caller).base.regenerateIndex(signal);
    await this.follow();
    return { commit, id: null, path: null, warnings: [], notes: commit === null ? ['the index was right'] : [] };
  }

  sync(full: boolean, caller: Caller, signal: AbortSignal): Promise<KnowledgeSyncResult> {
    return this.whole(caller).index.sync({ full }, signal);
  }

  curate(caller: Caller, signal: AbortSignal): Promise<KnowledgeCurationReport> {
    return this.whole(caller).base.curate(caller.scope, signal);
  }

  async plan(operation: KnowledgeOperation, caller: Curator, signal: AbortSignal): Promise<KnowledgePlan> {
    const plan = await this.parts().base.plan(operation, caller, signal);
    return { ...plan, pointers: await this.pointers(caller, plan.moves, false) };
  }

  async apply(
    planId: string,
    operation: KnowledgeOperation,
    caller: Curator,
    signal: AbortSignal,
  ): Promise<KnowledgeWrite> {
    const { written, moves } = await this.parts().base.apply(planId, operation, caller, signal);
    await this.follow();
    const pointers = await this.pointers(caller, moves, true);
    const left = pointers
      .filter(({ rewritten }) => !rewritten)
      .map(({ where }) => `${where} still names the removed node`);
    return { ...written, notes: [...written.notes, ...left] };
  }

  private pointers(
    caller: Curator,
    moves: KnowledgePlan['moves'],
    rewrite: boolean,
  ): Promise<KnowledgePlan['pointers']> {
    return caller.memory === null ? Promise.resolve([]) : memoryPointers(this.db, caller.memory, moves, { rewrite });
  }

  async graph(query: KnowledgeGraphQuery, caller: Caller, signal: AbortSignal): Promise<KnowledgeGraph> {
    return drawGraph(await this.parts().index.graph(caller.scope, signal), query);
  }

  async push(again: boolean, signal?: AbortSignal): Promise<KnowledgePushResult> {
    const result = await this.parts().base.push({ again }, signal);
    const { outcome, detail, ahead } = result;
    if (outcome === 'rejected' || outcome === 'failed' || outcome === 'unreachable') {
      this.logger.warn({ outcome, detail, ahead }, 'the knowledge base was not pushed');
    } else if (outcome === 'pushed') this.logger.info({ detail }, 'pushed the knowledge base');
    return result;
  }

  async init(remote: string | undefined, signal: AbortSignal): Promise<KnowledgeInit> {
    const { base } = this.parts();
    const made = await base.init(remote, signal);
    await this.follow();
    return made;
  }

  /** Returns the state and the open problems, without network access and without reading nodes. */
  async status(caller: Caller, signal: AbortSignal): Promise<KnowledgeStatusReport> {
    const none = { present: false, dir: null, branch: null, commit: null, indexedCommit: null, nodes: 0, sync: null };
    if (this.base === null || this.index === null) return { ...none, notice: null };
    const { repository } = this.base;
    if (!(await repository.exists()))
      return { ...none, dir: repository.dir, notice: 'knowledge base: none yet; aish kb init' };
    const [commit, indexedCommit, nodes, sync] = await Promise.all([
      repository.head({ signal }),
      this.index.indexedCommit(),
      countKnowledgeNodes(this.db.statements),
      this.base.syncState(signal),
    ]);
    const notice = (isBound(caller.scope) ? null : noticeOf(sync)) ?? (await this.curationNotice());
    return {
      present: true,
      dir: repository.dir,
      branch: repository.branch,
      commit,
      indexedCommit,
      nodes,
      sync,
      notice,
    };
  }

  async doctor(caller: Caller, signal: AbortSignal): Promise<KnowledgeDoctorReport> {
    const { base, index } = this.whole(caller);
    const report = await base.doctor(signal);
    const head = await base.repository.head({ signal });
    if (head === null) return report;
    const indexed = await index.indexedCommit();
    const isCurrent = indexed === head;
    const database = {
      name: 'database' as const,
      state: isCurrent ? ('ok' as const) : ('warning' as const),
      detail: isCurrent
        ? 'the index in Postgres is up to date'
        : `the index in Postgres has ${indexed?.slice(0, 10) ?? 'nothing'}`,
      advice: isCurrent ? null : 'the next query updates it, or run aish kb sync',
    };
    return { ...report, checks: [...report.checks, database] };
  }

  /**
   * Updates the index after a write. The write counts even if this fails, because the next query updates the index too.
   */
  private async follow(): Promise<void> {
    try {
      await this.parts().index.sync({ full: false });
    } catch (err) {
      this.logger.warn({ err }, 'could not update the knowledge index; the next query tries again');
    }
  }

  private async curationNotice(): Promise<string | null> {
    const { added, untouched } = await countUncurated(this.db.statements, UNTOUCHED_DAYS);
    if (added < DUE_NODES && untouched < DUE_NODES) return null;
    const why =
      added >= DUE_NODES ? `${added} nodes are new` : `${untouched} nodes have not been reviewed for a long time`;
    return `knowledge base: curation is due, ${why}; aish kb curate --dry-run`;
  }

  private parts(): { readonly base: KnowledgeBase; readonly index: KnowledgeIndex } {
    if (this.base === null || this.index === null) {
      throw new AishError('knowledge_missing', 'This server has no knowledge base: KNOWLEDGE_DIR is not set');
    }
    return { base: this.base, index: this.index };
  }

  /** Writes the whole repository into one file. @returns false if there is nothing to write */
  async bundle(file: string, signal: AbortSignal): Promise<boolean> {
    return this.base === null ? false : this.base.bundle(file, signal);
  }

  /** @throws AishError `knowledge_missing`, `not_empty`, `knowledge_git` */
  async restore(file: string, signal: AbortSignal): Promise<void> {
    const { base, index } = this.parts();
    await base.restore(file, signal);
    await index.sync({ full: true }, signal);
  }

  /**
   * Returns the base and the index for operations that read or change all nodes. @throws AishError `forbidden` for
   * tokens that are limited to projects
   */
  private whole(caller: Caller): { readonly base: KnowledgeBase; readonly index: KnowledgeIndex } {
    if (isBound(caller.scope))
      throw new AishError(
        'forbidden',
        'This request needs access to all projects, but your token is limited to some of them',
      );
    return this.parts();
  }
}

/** Returns one line for a client's start if the remote is behind, or null. */
function noticeOf(sync: KnowledgeSyncState): string | null {
  const { pushFailure, diverged, ahead, remote } = sync;
  if (diverged) return 'knowledge base: the local and remote histories have diverged; aish kb doctor';
  if (pushFailure !== null)
    return `knowledge base: push ${pushFailure.kind}, ${ahead ?? 'some'} commits not pushed; aish kb doctor`;
  if (remote !== null && ahead !== null && ahead > 0) return `knowledge base: ${ahead} commits are not pushed yet`;
  return null;
}
