import { isTerminal } from '@aish/contracts/goals';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { listOwners } from '@aish/database/memory-items.repository';
import { describeSession, unsummarized } from '@aish/database/memory-sessions.repository';
import { callerNamed } from '@aish/database/tokens.repository';
import type { Logger } from '@aish/http';
import { keepSessionLog, type Compactor, type MemoryParts } from '@aish/memory';
import type { Summaries } from './summaries.js';

const DAY_MS = 86_400_000;

export interface MemoryMaintenanceSettings {
  readonly summarizeAtEnd: boolean;
  /** A chat is summarized after this number of a person's messages. 0 means never. */
  readonly summarizeEvery: number;
  readonly pruneOlderThanDays: number | null;
  readonly compactAboveBytes: number;
}

/** The chores of the memory's maintainer, which are independent of each other. A failed chore is retried later. */
export interface MemoryChores {
  /** Writes a session's log. Every copy of the api writes the same log. */
  keepLog(sessionId: string): Promise<void>;
  /**
   * Summarizes a session if that is due. @param what whether a person has left the session, or one of its turns has
   * ended
   */
  summarizeIfDue(sessionId: string, what: 'end' | 'turn', signal: AbortSignal): Promise<void>;
  compactLarge(signal: AbortSignal): Promise<void>;
  prune(): Promise<void>;
}

interface ChorePorts {
  readonly db: Database;
  readonly memory: MemoryParts;
  readonly summaries: Summaries;
  readonly compactor: Compactor;
  readonly logger: Logger;
}

export function memoryChores(
  { db, memory, summaries, compactor, logger }: ChorePorts,
  { summarizeAtEnd, summarizeEvery, pruneOlderThanDays, compactAboveBytes }: MemoryMaintenanceSettings,
): MemoryChores {
  return {
    async keepLog(sessionId) {
      const path = await keepSessionLog(db, memory.documents, sessionId);
      if (path !== null) logger.debug({ sessionId, path }, 'kept the log of a session');
    },

    async summarizeIfDue(sessionId, what, signal) {
      if (!summarizeAtEnd && summarizeEvery === 0) return;
      const session = await describeSession(db.statements, sessionId);
      if (session === null || session.owner === null) return;
      const { goalState } = session;
      const { owner } = await callerNamed(db.statements, session.owner);
      const ended = what === 'end' || (goalState !== null && isTerminal(goalState));
      const due = ended && summarizeAtEnd ? 1 : goalState === null && summarizeEvery > 0 ? summarizeEvery : null;
      if (due === null || (await unsummarized(db.statements, sessionId)) < due) return;
      // Every copy of the api gets the notice. The first copy does the work, and the others find nothing left to do.
      await withAdvisoryLock(
        db,
        LockNamespace.memoryItems,
        `summary of ${sessionId}`,
        async (lockSignal) => {
          if ((await unsummarized(db.statements, sessionId)) < due) return;
          const { candidates } = await summaries.of(owner, sessionId, AbortSignal.any([signal, lockSignal]));
          logger.info({ sessionId, candidates: candidates.length }, 'summarized a session');
        },
        { waitMs: 0, signal },
      );
    },

    async compactLarge(signal) {
      for (const { archive, by, beforeBytes, afterBytes } of await compactor.compactLarge(signal, compactAboveBytes)) {
        logger.info({ archive, by, beforeBytes, afterBytes }, 'compacted a memory document');
      }
    },

    async prune() {
      if (pruneOlderThanDays === null) return;
      const before = new Date(Date.now() - pruneOlderThanDays * DAY_MS);
      for (const owner of await listOwners(db.statements)) {
        const forgotten = await memory.items.forgetAll(owner, 'aish', before);
        if (forgotten.length > 0) logger.info({ owner, forgotten: forgotten.length }, 'pruned old memory items');
      }
    },
  };
}
