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
import { probablyAnswers, type Place } from '@aish/ranking';
import { readFollowing } from '../base/follow-moves.js';
import type { KnowledgeBase } from '../base/knowledge-base.js';
import { git } from '../git/git.js';
import { changedPaths, listPaths, readBlobs } from '../git/git-objects.js';
import type { GraphNode } from '../graph/draw-graph.js';
import { isNodePath } from '../node/node.js';
import { UUID, readNode } from '../node/read-node.js';
import type { ProjectScope } from '../query/access.js';
import { heldIn, weightsByRarity } from '../query/rank.js';
import { toHit } from '../query/search-nodes.js';
import { termsOf, stagesOf, type Stage } from '../query/terms.js';
import { visibleTo } from './lexemes.js';
import { toRow, toTexts } from './node-row.js';
import { searchOf, toCount } from './search-of.js';
import { together, type ByKeywords } from './together.js';

const BATCH = 250;
const FULL_TIMEOUT_MS = 900_000;
const LOCK_WAIT_MS = 600_000;
const SKIPPED_MAX = 100;
/** The smallest number of nodes for which a rebuild cleans up afterwards. */
const TIDY_FROM = 1_000;

/** The number of results from each ranking that are combined. */
const NEAR_DEPTH = 50;

/** Rankings of nodes by ID, for example by meaning. The caller removes what a reader may not see. */
export type NearNodes = (
  question: string,
  limit: number,
) => Promise<{
  readonly rankings: readonly (readonly Place<string>[])[];
  readonly meaning: 'off' | 'used' | 'unavailable';
  /** Whether one of the nodes probably answers the question. */
  readonly fits: boolean;
}>;

/** The knowledge base in Postgres. It is built from git, fast to query, and can be deleted without loss. */
export class KnowledgeIndex {
  private syncing: Promise<KnowledgeSyncResult> | null = null;
  private statistics: (KnowledgeStatistics & { readonly commit: string }) | null = null;

  /** @param near also finds nodes by meaning; null means keywords only. */
  constructor(
    private readonly db: Database,
    private readonly base: KnowledgeBase,
    private readonly near: NearNodes | null = null,
  ) {}

  /** Updates the index to the branch's newest commit, with the changes since the last time or from scratch. */
  async sync(options: { readonly full: boolean }, signal?: AbortSignal): Promise<KnowledgeSyncResult> {
    const done = await inTransaction(this.db, (tx) => this.syncIn(tx, options.full, signal), {
      timeoutMs: FULL_TIMEOUT_MS,
    });
    await tidyKnowledge(this.db, done.full && done.added > TIDY_FROM ? 'all' : 'new');
    return done;
  }

  /** Searches the current state of git. A new commit is indexed first. Results by meaning appear on the first page. */
  async query(query: KnowledgeQuery, scope: ProjectScope, signal?: AbortSignal): Promise<KnowledgeHits> {
    const { near } = this;
    if (near === null || query.offset > 0 || termsOf(query.text).length === 0) {
      const { coverage: _, ...hits } = await this.byWords(query, scope, signal);
      return hits;
    }
    const [{ coverage, ...words }, { rankings, meaning, fits }] = await Promise.all([
      this.byWords({ ...query, limit: Math.max(query.limit, NEAR_DEPTH) }, scope, signal),
      near(query.text, NEAR_DEPTH),
    ]);
    const ids = [...new Set(rankings.flat().map(({ key }) => key))];
    const alike = await knowledgeByIds(this.db.statements, ids, query, readerOf(scope));
    const isAlike = fits && alike.length > 0;
    const all = together({ ...words, coverage }, rankings, alike, query.limit);
    return { ...words, ...all, meaning, fits: words.fits || isAlike };
  }

  private async byWords(
    query: KnowledgeQuery,
    scope: ProjectScope,
    signal?: AbortSignal,
  ): Promise<KnowledgeHits & Pick<ByKeywords, 'coverage'>> {
    const commit = await this.upToDate(signal);
    if (query.text.trim() === '') {
      const items = await listKnowledge(this.db.statements, query, readerOf(scope));
      return { items, relaxed: false, fits: true, commit, coverage: [] };
    }
    const nothing = { items: [], relaxed: false, fits: false, commit, coverage: [] };
    const terms = termsOf(query.text);
    if (terms.length === 0) return nothing;
    const statistics = await this.statisticsAt(commit);
    for (const stage of stagesOf(terms)) {
      const { items, fits, coverage, isEmpty } = await this.search(query, stage, scope, statistics);
      if (!isEmpty) return { items, relaxed: stage.isRelaxed, fits, commit, coverage };
    }
    return nothing;
  }

  /** @throws AishError `not_found`, also if the reader may not see the node. */
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

  /** Returns the indexed commit; null if nothing is indexed. */
  async indexedCommit(): Promise<string | null> {
    const state = await knowledgeIndexState(this.db.statements);
    return state?.dir === this.base.repository.dir ? state.commit : null;
  }

  private async search(
    query: KnowledgeQuery,
    stage: Stage,
    scope: ProjectScope,
    statistics: KnowledgeStatistics,
  ): Promise<{
    readonly items: KnowledgeHit[];
    readonly fits: boolean;
    readonly coverage: readonly number[];
    readonly isEmpty: boolean;
  }> {
    const { nodes } = statistics;
    const holding = stage.holds === 'any' ? await this.holdingOf(stage.terms, statistics) : [];
    const search = searchOf(query, stage, scope, statistics, weightsByRarity(nodes, holding));
    const reader = readerOf(scope);
    const found = await searchKnowledge(this.db.statements, search, statistics, reader);
    const items = found.map(({ hit }) => hit);
    const held = found.map((each) => heldIn(each.held, nodes, holding));
    const coverage = held.map((each) => (stage.holds === 'all' ? 1 : each.coverage));
    const fits = stage.holds === 'all' || held.some(probablyAnswers);
    if (items.length > 0 || query.offset === 0) return { items, fits, coverage, isEmpty: items.length === 0 };
    // This page is after the last one. Only the first page shows whether this interpretation of the question finds
    // anything.
    const first = await searchKnowledge(this.db.statements, { ...search, offset: 0, limit: 1 }, statistics, reader);
    return { items, fits, coverage, isEmpty: first.length === 0 };
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
    // Callers that find the index outdated at the same time share one sync.
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
