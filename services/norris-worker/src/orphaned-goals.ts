import { advanceGoal } from '@aish/contracts/jobs';
import { LockNamespace, lockedKeys } from '@aish/database/advisory-lock';
import type { Database } from '@aish/database/client';
import { listOrphanedGoals } from '@aish/database/goals.repository';
import type { QueueStore } from '@aish/queue';

const AT_ONCE = 500;

/**
 * Adds jobs that a crash lost. They belong to goals that could continue, that nothing has changed for a moment, and
 * that have no runner. An extra job is harmless, but a missing job would leave a goal orphaned. @param idleMs a goal
 * without a runner for this long has probably lost its job
 */
export async function requeueOrphanedGoals(db: Database, queue: QueueStore, idleMs = 3_000): Promise<void> {
  const orphaned = await listOrphanedGoals(db.statements, idleMs, AT_ONCE);
  if (orphaned.length === 0) return;
  const ids = orphaned.map(({ id }) => id);
  const locked = new Set(await lockedKeys(db, LockNamespace.goal, ids));
  for (const goalId of ids) {
    // Each goal gets at most one such job, so that a long queue does not collect duplicates.
    if (!locked.has(goalId)) await queue.add(advanceGoal, { goalId }, { once: `sweep-${goalId}` });
  }
}
