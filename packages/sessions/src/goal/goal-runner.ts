import { setTimeout as sleep } from 'node:timers/promises';
import { AishError, isAishError } from '@aish/contracts/problems';
import { LockNamespace } from '@aish/database/advisory-lock';
import { appendEvents } from '@aish/database/events.repository';
import { breakGoal, goalBefore, raiseEpoch } from '@aish/database/goals.repository';
import type { HeldLock } from '@aish/database/shared-locks';
import { inTransaction } from '@aish/database/transaction';
import { inSpan } from '@aish/telemetry';
import { GoalRun } from './goal-run.js';
import { loadGoal, loadTurns } from './load.js';
import { FAILURES_MAX } from '../machine/goal/unavailable.js';
import { ReadAhead } from './read-ahead.js';
import type { GoalRunResult, GoalRunPorts, GoalRunSettings } from './goal-ports.js';

const NOT_RUN: GoalRunResult = { ran: false, wakeInMs: null, priority: 'normal' };
/** The delay before this process tries again to get a lock that another runner holds, in milliseconds. */
const LOCK_AGAIN_MS = 20;

/** Runs goals: performs the decisions of the step machine. A goal has one runner at a time, even after restarts. */
export class GoalRunner {
  private readonly ahead = new ReadAhead((error, goalId) => this.ports.onError(error, goalId));

  constructor(
    private readonly ports: GoalRunPorts,
    private readonly settings: GoalRunSettings,
  ) {}

  /**
   * Runs one goal until it ends, halts, waits or `signal` aborts. Its state is in the database between any two
   * effects, so a runner may be killed at any point and another can continue. It is not an error if another runner has
   * the goal.
   */
  async run(goalId: string, signal: AbortSignal): Promise<GoalRunResult> {
    try {
      await this.ports.at?.('job.taken', goalId);
      const lock = await this.hold(goalId, signal);
      if (lock === null) return NOT_RUN;
      let result: GoalRunResult;
      try {
        const both = AbortSignal.any([signal, lock.signal]);
        result = await inSpan('norris drive', {}, () => this.runLocked(goalId, both));
      } finally {
        await lock.release();
      }
      await this.ports.at?.('lock.freed', goalId);
      return result;
    } catch (error) {
      if (isAishError(error, 'locked', 'lock_lost', 'epoch_superseded', 'aborted')) return NOT_RUN;
      throw error;
    }
  }

  /** Returns the lock of the goal, or null if another runner keeps it. That runner may be about to leave. */
  private async hold(goalId: string, signal: AbortSignal): Promise<HeldLock | null> {
    const until = performance.now() + this.settings.lockWaitMs;
    for (;;) {
      if (signal.aborted) throw new AishError('aborted', 'The runner of the goal was stopped');
      const lock = await this.ports.locks.tryHold(LockNamespace.goal, goalId);
      if (lock !== null || performance.now() >= until) return lock;
      await sleep(LOCK_AGAIN_MS);
    }
  }

  private async runLocked(goalId: string, signal: AbortSignal): Promise<GoalRunResult> {
    this.ahead.end(goalId);
    await this.ports.at?.('lock.held', goalId);
    try {
      const run = await this.begin(goalId);
      if (run === null) return NOT_RUN;
      await this.ports.at?.('drive.loaded', goalId);
      const result = await run.run(signal);
      const read = run.readsAhead;
      if (read !== null) this.ahead.begin(goalId, read, signal);
      return result;
    } catch (error) {
      if (signal.aborted || isStopped(error)) throw error;
      this.ports.onError(error, goalId);
      const reason = isAishError(error) ? `${error.code}: ${error.message}` : 'something went wrong; the log says more';
      return this.giveUp(goalId, reason);
    }
  }

  /** Schedules a retry after an unexpected error. The number of retries is limited. */
  private async giveUp(goalId: string, reason: string): Promise<GoalRunResult> {
    try {
      // The state in memory may have caused the failure, so the rows are read again.
      const reloaded = await this.begin(goalId);
      return reloaded === null ? NOT_RUN : await reloaded.giveUp(reason);
    } catch (error) {
      if (isStopped(error)) throw error;
      this.ports.onError(error, goalId);
      return this.breakUnread(goalId, reason);
    }
  }

  /** Handles the case that not even the rows of the goal can be read. */
  private async breakUnread(goalId: string, reason: string): Promise<GoalRunResult> {
    const wakeInMs = this.settings.waitMaxMs;
    const written = await inTransaction(this.ports.db, async (tx) => {
      const broken = await breakGoal(tx, goalId, reason, FAILURES_MAX, wakeInMs);
      if (broken === null) return null;
      const { state, session_id: sessionId } = broken;
      const waitingFor = state === 'waiting' ? ('retry' as const) : null;
      const seq = await appendEvents(tx, sessionId, [
        { type: 'goal.changed', goalId, state, reason, waitingFor, summary: null },
      ]);
      return { state, sessionId, seq };
    });
    if (written === null) return NOT_RUN;
    const { state, sessionId, seq } = written;
    this.ports.publish({ type: 'events', sessionId, seq, goalId, types: ['goal.changed'] });
    return { ...NOT_RUN, ran: true, wakeInMs: state === 'waiting' ? wakeInMs : null };
  }

  private async begin(goalId: string): Promise<GoalRun | null> {
    const tx = this.ports.db.statements;
    const row = await raiseEpoch(tx, goalId);
    if (row === null) return null;
    // A person may change the goal during these reads. Every later write of this runner is then refused.
    const [loaded, turns, before] = await Promise.all([
      loadGoal(tx, row),
      loadTurns(tx, row),
      row.schedule_id === null ? null : goalBefore(tx, goalId),
    ]);
    return new GoalRun(this.ports, this.settings, { ...loaded, turns, before });
  }
}

/** Whether the runner has to leave the goal although nothing failed. */
function isStopped(error: unknown): boolean {
  return isAishError(error, 'lock_lost', 'epoch_superseded', 'aborted', 'service_stopping');
}
