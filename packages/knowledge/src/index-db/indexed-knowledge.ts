import {
  KnowledgeQuery,
  type KnowledgeHits,
  type KnowledgeNode,
  type KnowledgeWrite,
  type RememberNode,
} from '@aish/contracts/knowledge';
import type { KnowledgeLintReport } from '@aish/contracts/knowledge-lint';
import { AishError } from '@aish/contracts/problems';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { isKnowledgeEmpty } from '@aish/database/knowledge-nodes.repository';
import { callerNamed as memoryCallerNamed, projectsOfTokenName } from '@aish/database/tokens.repository';
import { KnowledgeBase, type KnowledgeBaseOptions } from '../base/knowledge-base.js';
import { isBound, scopeOf, type Caller } from '../query/access.js';
import { KnowledgeTools, type KnowledgeToolParts } from '../tools/knowledge.tools.js';
import type { KnowledgeIndex } from './knowledge-index.js';

const LOCK_WAIT_MS = 60_000;

/** Returns a base whose writers wait for each other on every machine that shares this database. */
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

/** Returns the knowledge base tools for a process with the repository and the database, for example a worker. */
export function knowledgeToolsFor(db: Database, index: KnowledgeIndex, base: KnowledgeBase): KnowledgeTools {
  const isEmpty = () => isKnowledgeEmpty(db.statements);
  return new KnowledgeTools(new IndexedKnowledge(base, index), ({ owner }) => callerNamed(db, owner), isEmpty);
}

/** Searches nodes for the owner of the token with this name. */
export async function queryNamed(
  db: Database,
  index: KnowledgeIndex,
  { text, limit }: { readonly text: string; readonly limit: number },
  token: string,
  signal: AbortSignal,
): Promise<KnowledgeHits> {
  const { scope } = await callerNamed(db, token);
  return index.query(KnowledgeQuery.parse({ text, limit }), scope, signal);
}

/** Returns the caller for a chat or a goal. They store only the name of a token. */
export async function callerNamed(db: Pick<Database, 'statements'>, name: string): Promise<Caller> {
  const [projects, { owner }] = await Promise.all([
    projectsOfTokenName(db.statements, name),
    memoryCallerNamed(db.statements, name),
  ]);
  return { name, owner, scope: scopeOf({ name, owner, projects }) };
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
    // The next query updates the index.
    return this.base.remember(input, caller, signal);
  }

  lint({ scope }: Caller, signal: AbortSignal): Promise<KnowledgeLintReport> {
    if (isBound(scope))
      throw new AishError('forbidden', 'This shows all projects, but your token is limited to some of them');
    return this.base.lint(signal);
  }
}
