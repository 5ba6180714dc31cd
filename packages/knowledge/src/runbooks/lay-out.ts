import { isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { findGoal } from '@aish/database/goals.repository';
import { SKILL_FILE } from './read-skill.js';
import type { PutFiles } from './runbook.tools.js';
import type { Runbooks } from './runbooks.js';

/**
 * Puts the files of a goal's runbook into the workspace, from its commit, before the goal's first step, so that no file
 * of the model is there first. If this fails, the model gets the files when it reads the runbook.
 */
export async function layOutRunbook(
  db: Database,
  runbooks: Runbooks,
  put: PutFiles,
  goalId: string,
  signal: AbortSignal,
): Promise<void> {
  const goal = await findGoal(db.statements, goalId);
  if (goal === null || goal.stepsTaken > 0) return;
  for (const { name, commit, chosen } of goal.runbooks) {
    if (!chosen) continue;
    try {
      const { files } = await runbooks.find(name, commit, signal);
      const beside = new Map([...files].filter(([path]) => path !== SKILL_FILE));
      if (beside.size > 0) await put(goal.sessionId, `.runbooks/${name}`, beside, signal);
    } catch (error) {
      if (!isAishError(error)) throw error;
    }
  }
}
