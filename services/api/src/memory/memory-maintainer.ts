import { setTimeout as pause } from 'node:timers/promises';
import type { Notice } from '@aish/contracts/events';
import type { EndedSession } from '@aish/contracts/memory';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { describeSession, sessionsSince } from '@aish/database/memory-sessions.repository';
import { callerNamed } from '@aish/database/tokens.repository';
import type { Logger } from '@aish/http';
import type { MemoryChores, MemoryMaintenanceSettings } from './memory-chores.js';

type Listen = (listener: (notice: Notice | 'gap') => void) => () => void;

const DAY_MS = 86_400_000;
const WORK_TIMEOUT_MS = 600_000;
/** Exchanges that end within this time are handled together, because nobody waits for the result. */
const GATHER_MS = 500;
/** The number of sessions to check again after a start or after missed notices. */
const MISSED_MAX = 200;
/** The maximum number of waiting sessions. Other sessions wait for their next message. */
const QUEUE_MAX = 1_000;

/**
 * Maintains the memory after a goal ends or a chat gets an answer. It writes the session's log, summarizes if
 * configured (proposals wait for a review), compacts documents that are too large, and prunes once a day. Chores run
 * one at a time. Failures are logged and retried with the next session.
 */
export class MemoryMaintainer {
  private readonly stopping = new AbortController();
  private readonly queue = new Map<string, 'end' | 'turn'>();
  private working: Promise<void> | null = null;
  private unlisten: (() => void) | null = null;
  private daily: NodeJS.Timeout | null = null;

  constructor(
    private readonly db: Database,
    private readonly chores: MemoryChores,
    private readonly settings: MemoryMaintenanceSettings,
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

  /** Called when a person has left this session. */
  async sessionEnded(owner: string, sessionId: string): Promise<EndedSession> {
    const session = await describeSession(this.db.statements, sessionId);
    if (session === null) throw new AishError('not_found', `There is no session ${sessionId}`);
    if (session.owner !== null && (await callerNamed(this.db.statements, session.owner)).owner !== owner) {
      throw new AishError('forbidden', 'This session belongs to another person');
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
      // The loop below checks the signal.
      await pause(GATHER_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      const waiting = [...this.queue];
      if (waiting.length === 0 || this.stopping.signal.aborted) return;
      this.queue.clear();
      for (const [sessionId, what] of waiting) {
        const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(WORK_TIMEOUT_MS)]);
        await this.quietly('keep the log of a session', () => this.chores.keepLog(sessionId));
        await this.quietly('summarize a session', () => this.chores.summarizeIfDue(sessionId, what, signal));
      }
      // This runs once for all sessions, because it checks every document.
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
      this.logger.warn({ err }, `could not ${what}; retrying later`);
    }
  }
}
