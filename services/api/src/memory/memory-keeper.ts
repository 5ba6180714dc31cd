import { setTimeout as pause } from 'node:timers/promises';
import type { Broker } from '@aish/broker';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Notice } from '@aish/contracts/events';
import { isTerminal } from '@aish/contracts/goals';
import type { EndedSession } from '@aish/contracts/memory';
import { AishError, isAishError } from '@aish/contracts/problems';
import { LockNamespace, withAdvisoryLock } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { listOwners } from '@aish/database/memory-items.repository';
import { describeSession, unsummarized } from '@aish/database/memory-sessions.repository';
import { callerNamed } from '@aish/database/tokens.repository';
import type { Logger } from '@aish/http';
import { keepSessionLog } from '@aish/memory';
import type { MemoryService } from './memory.service.js';

export interface KeeperSettings {
  readonly summarizeAtEnd: boolean;
  /** Messages of a person after which a chat is summarized; 0: never. */
  readonly summarizeEvery: number;
  readonly pruneOlderThanDays: number | null;
  readonly compactAboveBytes: number;
  readonly preset: Preset;
}

type Listen = (listener: (notice: Notice | 'gap') => void) => () => void;

const DAY_MS = 86_400_000;
const WORK_TIMEOUT_MS = 600_000;
/** Exchanges that end within so long are looked after together: nobody waits for it. */
const GATHER_MS = 500;
/** Sessions that wait for the keeper; more are left to their next message. */
const QUEUE_MAX = 1_000;

/**
 * Looks after the memory when a goal has ended or a chat has had an answer: keeps the log of a session in a space, summarizes if that is wanted (what is found
 * waits for a review), compacts documents that have grown too large, and prunes once a day. One thing at a time. What fails
 * is logged and tried again with the next session.
 */
export class MemoryKeeper {
  private readonly stopping = new AbortController();
  private readonly queue = new Map<string, 'end' | 'turn'>();
  private working: Promise<void> | null = null;
  private unlisten: (() => void) | null = null;
  private daily: NodeJS.Timeout | null = null;

  constructor(
    private readonly db: Database,
    private readonly memory: MemoryService,
    private readonly broker: Broker,
    private readonly settings: KeeperSettings,
    private readonly logger: Logger,
  ) {}

  start(listen: Listen): void {
    this.unlisten = listen((notice) => {
      if (notice === 'gap' || notice.type !== 'events') return;
      if (notice.types.includes('exchange.ended')) this.add(notice.sessionId, 'turn');
      else if (notice.types.includes('goal.changed')) this.add(notice.sessionId, 'turn');
    });
    if (this.settings.pruneOlderThanDays !== null) {
      void this.prune();
      this.daily = setInterval(() => void this.prune(), DAY_MS);
      this.daily.unref();
    }
  }

  async stop(): Promise<void> {
    this.unlisten?.();
    if (this.daily !== null) clearInterval(this.daily);
    this.stopping.abort();
    await this.working;
  }

  /** A person has left this session. */
  async sessionEnded(owner: string, sessionId: string): Promise<EndedSession> {
    const session = await describeSession(this.db.statements, sessionId);
    if (session === null) throw new AishError('not_found', `There is no session ${sessionId}`);
    if (session.owner !== null && (await callerNamed(this.db.statements, session.owner)).owner !== owner) {
      throw new AishError('forbidden', 'This session is another person’s');
    }
    this.add(sessionId, 'end');
    return { summarizing: this.settings.summarizeAtEnd };
  }

  private add(sessionId: string, what: 'end' | 'turn'): void {
    if (this.stopping.signal.aborted || this.queue.size >= QUEUE_MAX) return;
    if (this.queue.get(sessionId) !== 'end') this.queue.set(sessionId, what);
    this.working ??= this.work().finally(() => (this.working = null));
  }

  private async work(): Promise<void> {
    for (;;) {
      await pause(GATHER_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined); // looked at below
      const waiting = [...this.queue];
      if (waiting.length === 0 || this.stopping.signal.aborted) return;
      this.queue.clear();
      for (const [sessionId, what] of waiting) {
        const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(WORK_TIMEOUT_MS)]);
        await this.quietly('keep the log of a session', () => this.keepLog(sessionId));
        await this.quietly('summarize a session', () => this.summarizeIfDue(sessionId, what, signal));
      }
      // Once for all of them: it looks at every document.
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(WORK_TIMEOUT_MS)]);
      await this.quietly('compact documents', async () => {
        const done = await this.memory.compactor.compactLarge(signal, this.settings.compactAboveBytes);
        for (const { archive, by, beforeBytes, afterBytes } of done) {
          this.logger.info({ archive, by, beforeBytes, afterBytes }, 'compacted a memory document');
        }
      });
    }
  }

  /** Every copy of the api writes the same one. */
  private async keepLog(sessionId: string): Promise<void> {
    const path = await keepSessionLog(this.db, this.memory.documents, sessionId);
    if (path !== null) this.logger.debug({ sessionId, path }, 'kept the log of a session');
  }

  private async summarizeIfDue(sessionId: string, what: 'end' | 'turn', signal: AbortSignal): Promise<void> {
    const { summarizeAtEnd, summarizeEvery, preset } = this.settings;
    if (!summarizeAtEnd && summarizeEvery === 0) return;
    const session = await describeSession(this.db.statements, sessionId);
    if (session === null || session.owner === null) return;
    const { goalState } = session;
    const { owner } = await callerNamed(this.db.statements, session.owner);
    const ended = what === 'end' || (goalState !== null && isTerminal(goalState));
    const due = ended && summarizeAtEnd ? 1 : goalState === null && summarizeEvery > 0 ? summarizeEvery : null;
    if (due === null || (await unsummarized(this.db.statements, sessionId)) < due) return;
    // Every copy of the api hears of it; the first one does it, and the others find nothing left to do.
    await withAdvisoryLock(
      this.db,
      LockNamespace.memoryItems,
      `summary of ${sessionId}`,
      async (lockSignal) => {
        if ((await unsummarized(this.db.statements, sessionId)) < due) return;
        const either = AbortSignal.any([signal, lockSignal]);
        const summary = await this.memory.reviews.summarize(owner, sessionId, { broker: this.broker, preset }, either);
        this.logger.info({ sessionId, candidates: summary.candidates.length }, 'summarized a session');
      },
      { waitMs: 0, signal },
    );
  }

  private prune(): Promise<void> {
    const days = this.settings.pruneOlderThanDays;
    if (days === null) return Promise.resolve();
    return this.quietly('prune the memory', async () => {
      const before = new Date(Date.now() - days * DAY_MS);
      for (const owner of await listOwners(this.db.statements)) {
        const forgotten = await this.memory.items.forgetAll(owner, 'aish', before);
        if (forgotten.length > 0) this.logger.info({ owner, forgotten: forgotten.length }, 'pruned old memory items');
      }
    });
  }

  private async quietly(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (err) {
      if (this.stopping.signal.aborted || isAishError(err, 'locked')) return;
      this.logger.warn({ err }, `could not ${what}; it is tried again later`);
    }
  }
}
