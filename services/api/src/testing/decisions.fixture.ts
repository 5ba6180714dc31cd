import { randomUUID } from 'node:crypto';
import type { Decision } from '@aish/contracts/decisions';
import type { Database } from '@aish/database/client';
import type { EventBus } from '@aish/queue';
import type { NotifiedGoal } from '../notifications/notification.js';

/** Returns an open HALT. */
export function haltOf(more: Partial<Decision> = {}): Decision {
  return {
    id: randomUUID(),
    number: 3,
    sessionId: randomUUID(),
    kind: 'halt',
    goalId: randomUUID(),
    goalNumber: 7,
    goalText: 'tidy <up>',
    actionId: randomUUID(),
    state: 'pending',
    reason: 'it deletes',
    classification: { verdict: 'destructive', reason: 'x', ruleId: 'r', span: [3, 9], by: 'rule' },
    action: 'ls;rm -rf "</pre><script>"',
    executionContext: null,
    difference: null,
    binding: null,
    request: null,
    stepNumber: 2,
    stepBudget: 16,
    context: '<img src=x>',
    verdict: null,
    message: null,
    answer: null,
    edited: null,
    granted: null,
    carried: false,
    expiresAt: null,
    expiryVerdict: null,
    decidedBy: null,
    createdAt: '2026-06-01T12:00:00.000Z',
    decidedAt: null,
    ...more,
  };
}

export function goalOf(): NotifiedGoal {
  return { number: 7, state: 'halted', text: 'tidy', summary: null, reason: null };
}

/** Writes a halted goal with its decision, and publishes it on the bus as a runner does. @returns the decision's ID */
export async function insertHalt(db: Database, action = 'rm -rf x', bus: EventBus | null = null): Promise<string> {
  const [sessionId, goalId] = [randomUUID(), randomUUID()];
  await db.pool.query(`insert into sessions (id, kind, title) values ($1, 'goal', 'g')`, [sessionId]);
  await db.pool.query(
    `insert into goals (id, session_id, text, preset, state, step_budget, created_by)
     values ($1, $2, 'tidy', 'fast', 'queued', 16, 'admin')`,
    [goalId, sessionId],
  );
  const id = await haltGoal(db, goalId, action);
  await bus?.publish({ type: 'events', sessionId, seq: 1, goalId, types: ['goal.halted'] });
  return id;
}

/** Halts a queued goal, as its runner does. @returns the decision's ID */
export async function haltGoal(
  db: Database,
  goalId: string,
  action: string,
  more: Partial<Decision> = {},
): Promise<string> {
  const [actionId, id] = [randomUUID(), randomUUID()];
  const { rows } = await db.pool.query(`update goals set state = 'halted' where id = $1 returning session_id`, [
    goalId,
  ]);
  const sessionId: string = rows[0].session_id;
  await db.pool.query('insert into steps (session_id, n) values ($1, 1)', [sessionId]);
  await db.pool.query(
    `insert into actions (id, session_id, step_number, n, kind, command, state)
     values ($1, $2, 1, 1, 'command', $3, 'halted')`,
    [actionId, sessionId, action],
  );
  await db.pool.query(
    `insert into decisions (id, session_id, kind, goal_id, action_id, state, reason, action, context, step_number,
       step_budget, classification)
     values ($1, $2, 'halt', $3, $4, 'pending', 'it deletes', $5, '', 1, 16, $6)`,
    [id, sessionId, goalId, actionId, action, more.classification ?? null],
  );
  return id;
}
