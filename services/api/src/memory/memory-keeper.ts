import { setTimeout as pause } from 'node:timers/promises';
import type { Notice } from '@aish/contracts/events';
import type { EndedSession } from '@aish/contracts/memory';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { describeSession, sessionsSince } from '@aish/database/memory-sessions.repository';
import { callerNamed } from '@aish/database/tokens.repository';
import type { Logger } from '@aish/http';
import type { KeeperChores, KeeperSettings } from './keeper-chores.js';

type Listen = (listener: (notice: Notice | 'gap') => void) => () => void;

const DAY_MS = 86_400_000;
const WORK_TIMEOUT_MS = 600_000;
/** Exchanges that end within so long are looked after together: nobody waits for it. */
const GATHER_MS = 500;
/** Of so many sessions it looks at once more what nobody may have told it: it was not there, or missed notices. */
const MISSED_MAX = 200;
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
    private readonly chores: KeeperChores,
    private readonly settings: KeeperSettings,
    private readonly logger: Logger,
  ) {}

  start(listen: Listen): void {
    this.unlisten = listen((notice) => {
      if (notice === 'gap') return void this.addMissed();
      if (notice.type !== 'events') return;
      if (notice.types.includes('exchange.ended')) this.add(notice.sessionId, 'turn');
      else if (notice.types.includes('goal.changed')) this.add(notice.sessionId, 'turn');
    });
    void this.addMissed();
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

  private addMissed(): Promise<void> {
    return this.quietly('look for sessions that ended while the api was stopped', async () => {
      const since = new Date(Date.now() - DAY_MS);
      for (const id of await sessionsSince(this.db.statements, since, MISSED_MAX)) this.add(id, 'turn');
    });
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
        await this.quietly('keep the log of a session', () => this.chores.keepLog(sessionId));
        await this.quietly('summarize a session', () => this.chores.summarizeIfDue(sessionId, what, signal));
      }
      // Once for all of them: it looks at every document.
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(WORK_TIMEOUT_MS)]);
      await this.quietly('compact documents', () => this.chores.compactLarge(signal));
    }
  }

  private prune(): Promise<void> {
    return this.quietly('prune the memory', () => this.chores.prune());
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
