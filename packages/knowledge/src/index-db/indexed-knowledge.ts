import type {
  KnowledgeHits,
  KnowledgeLintReport,
  KnowledgeNode,
  KnowledgeQuery,
  KnowledgeWrite,
  RememberNode,
} from '@aish/contracts/knowledge';
import { AishError } from '@aish/contracts/problems';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { projectsOfTokenName } from '@aish/database/tokens.repository';
import { KnowledgeBase, type Caller, type KnowledgeBaseOptions } from '../base/knowledge-base.js';
import { KnowledgeTools, type KnowledgeToolParts } from '../tools/knowledge.tools.js';
import { KnowledgeIndex } from './knowledge-index.js';

const LOCK_WAIT_MS = 60_000;

/** A base whose writers wait for each other on every machine that shares this database. */
export function sharedBase(
  db: Database,
  options: Pick<KnowledgeBaseOptions, 'dir' | 'remote' | 'env' | 'isWatching'>,
): KnowledgeBase {
  return new KnowledgeBase({
    ...options,
    lockWaitMs: LOCK_WAIT_MS,
    guard: (fn, signal) =>
      withAdvisoryLock(db, LockNamespace.knowledge, 'base', fn, {
        waitMs: LOCK_WAIT_MS,
        ...(signal === undefined ? {} : { signal }),
      }),
  });
}

/** The tools of the knowledge base for a process that has the repository and the database, as a worker. */
export function knowledgeToolsFor(db: Database, base: KnowledgeBase): KnowledgeTools {
  return new KnowledgeTools(new IndexedKnowledge(base, new KnowledgeIndex(db, base)), async ({ owner }) => ({
    name: owner,
    scope: await projectsOfTokenName(db.statements, owner),
  }));
}

/** Reads through the index, writes through git. */
class IndexedKnowledge implements KnowledgeToolParts {
  constructor(
    private readonly base: KnowledgeBase,
    private readonly index: KnowledgeIndex,
  ) {}

  query(query: KnowledgeQuery, { scope }: Caller, signal: AbortSignal): Promise<KnowledgeHits> {
    return this.index.query(query, scope, signal);
  }

  read(id: string, { scope }: Caller, signal: AbortSignal): Promise<KnowledgeNode> {
    return this.index.read(id, scope, signal);
  }

  remember(input: RememberNode, caller: Caller, signal: AbortSignal): Promise<KnowledgeWrite> {
    // The index follows with the next question.
    return this.base.remember(input, caller, signal);
  }

  lint({ scope }: Caller, signal: AbortSignal): Promise<KnowledgeLintReport> {
    if (scope !== null) throw new AishError('forbidden', 'This shows all projects; the token is bound to some');
    return this.base.lint(signal);
  }
}
