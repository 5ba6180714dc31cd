import type { Notice } from '@aish/contracts/events';
import type { Priority } from '@aish/contracts/goals';
import { isAishError } from '@aish/contracts/problems';
import type { OpenRunbook } from '@aish/contracts/runbooks';
import { appendEvents } from '@aish/database/events.repository';
import {
  listFailed,
  lockFailed,
  passEventsOn,
  settleFollowUp,
  type FailedGoal,
} from '@aish/database/follow-ups.repository';
import { copyRefusals } from '@aish/database/refusals.repository';
import { listActions } from '@aish/database/steps.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
import { createGoal, followUpOf, type FollowUp } from '@aish/sessions';
import type { GoalPorts } from './goal-ports.js';

const AT_ONCE = 50;

interface FollowPorts extends GoalPorts {
  readonly maxSteps: number;
  readonly openRunbook?: OpenRunbook | undefined;
}

interface Followed {
  readonly notices: readonly Notice[];
  readonly begun: { readonly id: string; readonly priority: Priority } | null;
}

/**
 * Creates the follow-up of failed goals: the next attempt, or the configured goal. Each is created once, in one
 * transaction, whichever worker runs or is killed.
 */
export async function createFollowUps(ports: FollowPorts): Promise<void> {
  for (const goalId of await listFailed(ports.db.statements, AT_ONCE)) {
    const { notices, begun } = await inTransaction(ports.db, (tx) => follow(tx, goalId, ports)).catch(
      (error: unknown) => inTransaction(ports.db, (tx) => cannotFollow(tx, goalId, error)),
    );
    for (const notice of notices) ports.publish(notice);
    if (begun !== null) await ports.queueGoal(begun.id, begun.priority);
  }
}

const NOTHING: Followed = { notices: [], begun: null };

async function follow(tx: Tx, goalId: string, ports: FollowPorts): Promise<Followed> {
  const failed = await lockFailed(tx, goalId);
  if (failed === null) return NOTHING;
  const next = followUpOf(failed, await listActions(tx, failed.sessionId), new Date());
  if (next.kind === 'wait') return NOTHING;
  await settleFollowUp(tx, goalId);
  const notices = next.why === null ? [] : [await tell(tx, failed, `not retried: ${next.why}`)];
  return next.kind === 'end' ? { notices, begun: null } : begin(tx, failed, next, notices, ports);
}

async function begin(
  tx: Tx,
  failed: FailedGoal,
  next: Exclude<FollowUp, { kind: 'wait' | 'end' }>,
  published: readonly Notice[],
  { maxSteps, openRunbook }: FollowPorts,
): Promise<Followed> {
  const { id, createdBy, attempt, notices, scheduleId, author } = failed;
  const isRetry = next.kind === 'retry';
  const created = await createGoal(tx, {
    goal: next.goal,
    createdBy,
    // An event may have filled in the text of the follow-up goal, too.
    author: isRetry ? author : { provenance: author.provenance },
    notices: isRetry ? notices : [next.notice],
    maxSteps,
    openRunbook,
    ...(isRetry ? { again: { attempt: attempt + 1, notice: next.notice } } : {}),
    ...(isRetry && scheduleId !== null ? { schedule: { id: scheduleId, key: null } } : {}),
  });
  if (created === null) return { notices: published, begun: null };
  const { goal, notice } = created;
  await copyRefusals(tx, failed.sessionId, goal.sessionId);
  if (isRetry) await passEventsOn(tx, id, goal.id);
  const sentence = isRetry
    ? `retried as goal ${goal.number}`
    : `goal ${goal.number} was started because this one failed`;
  return {
    notices: [...published, await tell(tx, failed, sentence), notice],
    begun: { id: goal.id, priority: goal.priority },
  };
}

/**
 * Reports a goal that cannot have its follow-up, for example because the runbook no longer exists. The follow-up is not
 * retried forever.
 */
async function cannotFollow(tx: Tx, goalId: string, error: unknown): Promise<Followed> {
  if (!isAishError(error, 'not_found', 'runbook_faulty', 'invalid_body', 'knowledge_missing')) throw error;
  const failed = await lockFailed(tx, goalId);
  if (failed === null) return NOTHING;
  await settleFollowUp(tx, goalId);
  return { notices: [await tell(tx, failed, `no follow-up goal: ${error.message}`)], begun: null };
}

async function tell(tx: Tx, { id: goalId, sessionId }: FailedGoal, text: string): Promise<Notice> {
  const seq = await appendEvents(tx, sessionId, [{ type: 'goal.noticed', goalId, text: `[aish] ${text}` }]);
  return { type: 'events', sessionId, seq, goalId, types: ['goal.noticed'] };
}
