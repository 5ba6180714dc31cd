import {
  KNOWLEDGE_LIMITS,
  KnowledgeRelation,
  type KnowledgeHit,
  type KnowledgeHits,
  type KnowledgeLink,
  type KnowledgeNode,
  type KnowledgeQuery,
} from '@aish/contracts/knowledge';
import type { KnowledgeSyncResult } from '@aish/contracts/knowledge-upkeep';
import { AishError } from '@aish/contracts/problems';
import { LockNamespace, lockInTransaction } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import {
  clearKnowledge,
  knowledgeIndexState,
  putKnowledgeNodes,
  removeKnowledgePaths,
  setKnowledgeIndexState,
  tidyKnowledge,
} from '@aish/database/knowledge-nodes.repository';
import {
  countMatching,
  findKnowledgeNode,
  knowledgeByIds,
  knowledgeGraph,
  knowledgeStatistics,
  listKnowledge,
  searchKnowledge,
  type KnowledgeLinkRow,
  type KnowledgeReader,
  type KnowledgeStatistics,
} from '@aish/database/knowledge-search.repository';
import { putNodeTexts, removeNodeTexts, removeTextsOfNoNode } from '@aish/database/recall-texts.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { readFollowing } from '../base/follow-moves.js';
import type { KnowledgeBase } from '../base/knowledge-base.js';
import { git } from '../git/git.js';
import { changedPaths, listPaths, readBlobs } from '../git/git-objects.js';
import type { GraphNode } from '../graph/draw-graph.js';
import { isNodePath } from '../node/node.js';
import { UUID, readNode } from '../node/read-node.js';
import type { ProjectScope } from '../query/access.js';
import { fitsWell, weightsByRarity } from '../query/rank.js';
import { toHit } from '../query/search-nodes.js';
import { termsOf, stagesOf, type Stage } from '../query/terms.js';
import { visibleTo } from './lexemes.js';
import { toRow, toTexts } from './node-row.js';
import { searchOf, toCount } from './search-of.js';
import { together } from './together.js';

const BATCH = 250;
const FULL_TIMEOUT_MS = 900_000;
const LOCK_WAIT_MS = 600_000;
const SKIPPED_MAX = 100;
/** A rebuild of fewer rows leaves nothing worth clearing away. */
const TIDY_FROM = 1_000;

/** So many of each ranking are made one. */
const NEAR_DEPTH = 50;

/** Ids of nodes that mean nearly what a question does, nearest first; others filter what a reader may not see. */
export type NearNodes = (
  question: string,
  limit: number,
) => Promise<{
  readonly ids: readonly string[];
  readonly meaning: 'off' | 'used' | 'away';
  /** Whether one of them probably answers. */
  readonly fits: boolean;
}>;

/** The knowledge base as Postgres has it: made from git, quick to ask, and thrown away without loss. */
export class KnowledgeIndex {
  private syncing: Promise<KnowledgeSyncResult> | null = null;
  private statistics: (KnowledgeStatistics & { readonly commit: string }) | null = null;

  /** @param near finds nodes by meaning, too; null: by words alone. */
  constructor(
    private readonly db: Database,
    private readonly base: KnowledgeBase,
    private readonly near: NearNodes | null = null,
  ) {}

  /** Brings the index to the branch's newest commit: what changed since the last time, or all of it. */
  async sync(options: { readonly full: boolean }, signal?: AbortSignal): Promise<KnowledgeSyncResult> {
    const done = await inTransaction(this.db, (tx) => this.syncIn(tx, options.full, signal), {
      timeoutMs: FULL_TIMEOUT_MS,
    });
    await tidyKnowledge(this.db, done.full && done.added > TIDY_FROM ? 'all' : 'new');
    return done;
  }

  /** Searches what git has now: a commit that is not indexed yet is, first. What means nearly the same is on the first page. */
  async query(query: KnowledgeQuery, scope: ProjectScope, signal?: AbortSignal): Promise<KnowledgeHits> {
    const { near } = this;
    if (near === null || query.offset > 0 || termsOf(query.text).length === 0)
      return this.byWords(query, scope, signal);
    const [words, { ids, meaning, fits }] = await Promise.all([
      this.byWords({ ...query, limit: Math.max(query.limit, NEAR_DEPTH) }, scope, signal),
      near(query.text, NEAR_DEPTH),
    ]);
    const alike = await knowledgeByIds(this.db.statements, ids, query, readerOf(scope));
    const isAlike = fits && alike.length > 0;
    return { ...words, ...together(words, alike, query.limit), meaning, fits: words.fits || isAlike };
  }

  private async byWords(query: KnowledgeQuery, scope: ProjectScope, signal?: AbortSignal): Promise<KnowledgeHits> {
    const commit = await this.upToDate(signal);
    if (query.text.trim() === '') {
      const items = await listKnowledge(this.db.statements, query, readerOf(scope));
      return { items, relaxed: false, fits: true, commit };
    }
    const nothing = { items: [], relaxed: false, fits: false, commit };
    const terms = termsOf(query.text);
    if (terms.length === 0) return nothing;
    const statistics = await this.statisticsAt(commit);
    for (const stage of stagesOf(terms)) {
      const { items, fits, isEmpty } = await this.search(query, stage, scope, statistics);
      if (!isEmpty) return { items, relaxed: stage.isRelaxed, fits, commit };
    }
    return nothing;
  }

  /** @throws AishError `not_found`, also for what the reader may not see. */
  read(id: string, scope: ProjectScope, signal?: AbortSignal): Promise<KnowledgeNode> {
    const git = this.base.repository.git(signal === undefined ? {} : { signal });
    return readFollowing(id, scope, git, (wanted) => this.readNow(wanted, scope, signal));
  }

  private async readNow(id: string, scope: ProjectScope, signal?: AbortSignal): Promise<KnowledgeNode> {
    const missing = new AishError('not_found', `There is no node ${id}`);
    if (!UUID.test(id)) throw missing;
    const commit = await this.upToDate(signal);
    const found = await findKnowledgeNode(this.db.statements, id.toLowerCase(), readerOf(scope));
    if (found === null) throw missing;
    const blobs = await readBlobs(
      commit,
      [found.path],
      this.base.repository.git(signal === undefined ? {} : { signal }),
    );
    const source = blobs.get(found.path)?.toString('utf8');
    const node = source === undefined ? null : readNode(source, found.path).node;
    if (source === undefined || node === null) throw missing;
    const { created, lastCurated, createdBy, confidence, visibility, body } = node;
    return {
      ...toHit(node),
      created,
      lastCurated,
      createdBy,
      confidence,
      visibility,
      source,
      body: body.slice(0, KNOWLEDGE_LIMITS.bodyMaxChars),
      links: found.links.map(toLink),
      backlinks: found.backlinks.map(toLink),
    };
  }

  async graph(scope: ProjectScope, signal?: AbortSignal): Promise<GraphNode[]> {
    await this.upToDate(signal);
    const rows = await knowledgeGraph(this.db.statements, readerOf(scope));
    return rows.map((row) => ({ ...row, status: row.status as GraphNode['status'] }));
  }

  /** The commit that is indexed now; null: none. */
  async indexedCommit(): Promise<string | null> {
    const state = await knowledgeIndexState(this.db.statements);
    return state?.dir === this.base.repository.dir ? state.commit : null;
  }

  private async search(
    query: KnowledgeQuery,
    stage: Stage,
    scope: ProjectScope,
    statistics: KnowledgeStatistics,
  ): Promise<{ readonly items: KnowledgeHit[]; readonly fits: boolean; readonly isEmpty: boolean }> {
    const { nodes } = statistics;
    const holding = stage.holds === 'any' ? await this.holdingOf(stage.terms, statistics) : [];
    const search = searchOf(query, stage, scope, statistics, weightsByRarity(nodes, holding));
    const reader = readerOf(scope);
    const found = await searchKnowledge(this.db.statements, search, statistics, reader);
    const items = found.map(({ hit }) => hit);
    const held = found.map((each) => each.held);
    const fits = stage.holds === 'all' || fitsWell(held, nodes, holding);
    if (items.length > 0 || query.offset === 0) return { items, fits, isEmpty: items.length === 0 };
    // A page after the last one: whether this reading of the question finds anything decides, not this page.
    const first = await searchKnowledge(this.db.statements, { ...search, offset: 0, limit: 1 }, statistics, reader);
    return { items, fits, isEmpty: first.length === 0 };
  }

  private async holdingOf(terms: readonly string[], statistics: KnowledgeStatistics): Promise<number[]> {
    const holding = toCount(terms, statistics).map((each) =>
      typeof each === 'number' ? Promise.resolve(each) : countMatching(this.db.statements, each),
    );
    return Promise.all(holding);
  }

  private async statisticsAt(commit: string): Promise<KnowledgeStatistics> {
    if (this.statistics?.commit !== commit) {
      this.statistics = { commit, ...(await knowledgeStatistics(this.db.statements)) };
    }
    return this.statistics;
  }

  /** @throws AishError `knowledge_missing` */
  private async upToDate(signal?: AbortSignal): Promise<string> {
    const head = await this.base.mustHead(signal);
    if ((await this.indexedCommit()) === head) return head;
    // Callers that find it behind at the same moment share one sync.
    this.syncing ??= this.sync({ full: false }, signal).finally(() => (this.syncing = null));
    return (await this.syncing).commit;
  }

  private async syncIn(tx: Tx, full: boolean, signal: AbortSignal | undefined): Promise<KnowledgeSyncResult> {
    await lockInTransaction(tx, LockNamespace.knowledge, 'index', { waitMs: LOCK_WAIT_MS });
    const { repository } = this.base;
    const options = repository.git(signal === undefined ? {} : { signal });
    const head = await this.base.mustHead(signal);
    const state = await knowledgeIndexState(tx);
    const from = full || state?.dir !== repository.dir ? null : state.commit;
    if (from === head) return { commit: head, full: false, added: 0, changed: 0, removed: 0, skipped: [] };
    const isKnown = from !== null && (await git(['cat-file', '-e', `${from}^{commit}`], options)).code === 0;
    if (!isKnown) await clearKnowledge(tx);
    const paths = isKnown && from !== null ? await changedPaths(from, head, options) : await listPaths(head, options);
    const counts = { added: 0, changed: 0, removed: 0 };
    const skipped: string[] = [];
    const nodePaths = paths.filter((path) => isNodePath(path));
    for (let at = 0; at < nodePaths.length; at += BATCH) {
      signal?.throwIfAborted();
      const batch = nodePaths.slice(at, at + BATCH);
      const blobs = await readBlobs(head, batch, options);
      const gone = isKnown ? await removeKnowledgePaths(tx, batch) : [];
      const nodes = batch.flatMap((path) => {
        const content = blobs.get(path);
        if (content === null || content === undefined) return [];
        const { node } = readNode(content.toString('utf8'), path);
        if (node === null) skipped.push(path);
        return node ?? [];
      });
      const unique = [...new Map(nodes.map((node) => [node.id, node])).values()];
      await putKnowledgeNodes(tx, unique.map(toRow));
      const ids = new Set(unique.map(({ id }) => id));
      await removeNodeTexts(
        tx,
        gone.filter((id) => !ids.has(id)),
      );
      await putNodeTexts(tx, unique.map(toTexts));
      counts.changed += Math.min(gone.length, unique.length);
      counts.added += Math.max(0, unique.length - gone.length);
      counts.removed += Math.max(0, gone.length - unique.length);
    }
    if (!isKnown) await removeTextsOfNoNode(tx);
    await setKnowledgeIndexState(tx, repository.dir, head);
    return { commit: head, full: !isKnown, ...counts, skipped: skipped.slice(0, SKIPPED_MAX) };
  }
}

function readerOf(scope: ProjectScope): KnowledgeReader {
  return scope === null ? null : visibleTo(scope);
}

function toLink({ relation, id, title }: KnowledgeLinkRow): KnowledgeLink {
  return { relation: KnowledgeRelation.parse(relation), id, title };
}
