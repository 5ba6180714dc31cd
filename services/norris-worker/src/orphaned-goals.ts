import { advanceGoal } from '@aish/contracts/jobs';
import { LockNamespace, lockedKeys } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { listForgotten } from '@aish/database/goals.repository';
import type { QueueStore } from '@aish/queue';

const AT_ONCE = 500;

/**
 * Adds the jobs that a crash lost: of goals that could go on, that nobody has touched for a moment and that nobody drives. A job too
 * many is harmless; a job too few would leave a goal lying for good.
 * @param idleMs A goal that was left this long without a driver has probably lost its job.
 */
export async function requeueOrphanedGoals(db: Database, queue: QueueStore, idleMs = 3_000): Promise<void> {
  const forgotten = await listForgotten(db.statements, idleMs, AT_ONCE);
  if (forgotten.length === 0) return;
  const ids = forgotten.map(({ id }) => id);
  const driven = new Set(await lockedKeys(db, LockNamespace.goal, ids));
  for (const goalId of ids) {
    // One such job per goal at a time: goals may stand in a long queue without being forgotten.
    if (!driven.has(goalId)) await queue.add(advanceGoal, { goalId }, { once: `sweep-${goalId}` });
  }
}
