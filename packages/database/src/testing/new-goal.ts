import { randomUUID } from 'node:crypto';
import type { Goal } from '@aish/contracts/goals';
import type { Database } from '../client.js';
import { inTransaction } from '../transaction.js';
import { insertGoal } from '../repositories/goals.repository.js';

/** A goal of three steps that nothing has happened to, in a session of its own. */
export function newGoal(db: Database): Promise<Goal> {
  return inTransaction(db, (tx) =>
    insertGoal(tx, {
      id: randomUUID(),
      sessionId: randomUUID(),
      text: 'x',
      preset: 'fast',
      stepBudget: 3,
      createdBy: 'p',
    }),
  );
}
