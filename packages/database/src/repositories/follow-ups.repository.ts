import { CreateGoal, GoalState, isTerminal } from '@aish/contracts/goals';
import { TextAuthor } from '@aish/contracts/sessions';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

/** A failed goal with its retry and follow-up settings. */
export interface FailedGoal {
  readonly id: string;
  readonly number: number;
  readonly sessionId: string;
  readonly state: GoalState;
  readonly reason: string | null;
  readonly summary: string | null;
  readonly endedAt: Date;
  readonly scheduleId: string | null;
  readonly createdBy: string;
  readonly goal: CreateGoal;
  /** The provenance of the goal's text. */
  readonly author: TextAuthor;
  readonly notices: readonly string[];
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

interface Row extends Omit<FailedGoal, 'goal' | 'author' | 'state'> {
  readonly goal: unknown;
  readonly author: unknown;
  readonly state: string;
}

/** Unsuccessful ends that no person chose. */
const FAILED_STATES = ['failed', 'stalled', 'exhausted', 'blocked'] as const satisfies readonly GoalState[];

/** Stores the follow-up settings of a goal. */
export async function insertFollowUp(
  tx: Tx,
  goalId: string,
  { goal, notices, attempt }: Pick<FailedGoal, 'goal' | 'notices' | 'attempt'>,
): Promise<void> {
  await tx.$executeRaw`
    insert into follow_ups (goal_id, goal, notices, attempt)
    values (${goalId}::uuid, ${storableJson(goal)}::jsonb, ${notices.map(storable)}::text[], ${attempt}::int)`;
}

/** Lists failed goals whose follow-up is not decided yet. The goal that ended first comes first. */
export async function listFailed(tx: Tx, limit: number): Promise<readonly string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select g.id from follow_ups f join goals g on g.id = f.goal_id
    where f.followed_at is null and g.state = any(${[...FAILED_STATES]}::text[]) order by g.ended_at limit ${limit}::int`;
  return rows.map(({ id }) => id);
}

/**
 * Returns the goal, locked until the transaction ends. Null if it runs again or another process has decided its
 * follow-up.
 */
export async function lockFailed(tx: Tx, goalId: string): Promise<FailedGoal | null> {
  const rows = await tx.$queryRaw<Row[]>`
    select g.id, g.number, g.session_id as "sessionId", g.state, g.reason, g.summary, g.ended_at as "endedAt",
           g.schedule_id as "scheduleId", g.created_by as "createdBy", f.goal, f.notices, f.attempt,
           (select jsonb_strip_nulls(jsonb_build_object('provenance', t.provenance, 'parts', t.parts))
            from turns t where t.session_id = g.session_id and t.seq = 1) as author
    from goals g join follow_ups f on f.goal_id = g.id
    where g.id = ${goalId}::uuid and f.followed_at is null for update of g, f`;
  const [row] = rows;
  const state = GoalState.safeParse(row?.state).data;
  if (row === undefined || state === undefined || !isTerminal(state)) return null;
  return { ...row, state, goal: CreateGoal.parse(row.goal), author: TextAuthor.parse(row.author) };
}

export async function settleFollowUp(tx: Tx, goalId: string): Promise<void> {
  await tx.$executeRaw`update follow_ups set followed_at = now() where goal_id = ${goalId}::uuid`;
}

/** Assigns the event that started a goal to the goal's next attempt. */
export async function passEventsOn(tx: Tx, fromGoalId: string, toGoalId: string): Promise<void> {
  await tx.$executeRaw`
    update received_events set goal_id = ${toGoalId}::uuid where goal_id = ${fromGoalId}::uuid`;
}
