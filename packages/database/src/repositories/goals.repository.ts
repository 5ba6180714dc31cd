import {
  AishError,
  Goal,
  GoalState,
  WaitingFor,
  type GoalState as GoalStateName,
  type WaitingFor as WaitingForName,
} from '@aish/contracts';
import type { Tx } from '../client.js';
import { storable } from './storable.js';

export interface GoalRow {
  readonly id: string;
  readonly number: number;
  readonly session_id: string;
  readonly text: string;
  readonly preset: string;
  readonly state: string;
  readonly reason: string | null;
  readonly waiting_for: string | null;
  readonly wake_at: Date | null;
  readonly waits: number;
  readonly step_budget: number;
  readonly steps_taken: number;
  readonly nudged: boolean;
  readonly summary: string | null;
  readonly epoch: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly ended_at: Date | null;
}

/** The contract's goal of a row. */
export function toGoal(row: GoalRow): Goal {
  return {
    id: row.id,
    number: row.number,
    sessionId: row.session_id,
    text: row.text,
    preset: row.preset,
    state: GoalState.parse(row.state),
    reason: row.reason,
    waitingFor: row.waiting_for === null ? null : WaitingFor.parse(row.waiting_for),
    wakeAt: row.wake_at?.toISOString() ?? null,
    stepBudget: row.step_budget,
    stepsTaken: row.steps_taken,
    summary: row.summary,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

/** Writes the goal and its session, state `queued`. */
export async function insertGoal(
  tx: Tx,
  input: {
    readonly id: string;
    readonly sessionId: string;
    readonly text: string;
    readonly preset: string;
    readonly stepBudget: number;
    readonly createdBy: string;
  },
): Promise<Goal> {
  await tx.$executeRaw`
    insert into sessions (id, kind, title) values (${input.sessionId}::uuid, 'goal', ${storable(input.text.slice(0, 120))})`;
  const rows = await tx.$queryRaw<GoalRow[]>`
    insert into goals (id, session_id, text, preset, state, step_budget, created_by)
    values (${input.id}::uuid, ${input.sessionId}::uuid, ${storable(input.text)}, ${input.preset}, 'queued',
            ${input.stepBudget}::int, ${input.createdBy}) returning *`;
  const row = rows[0];
  if (row === undefined) throw new Error('insertGoal: the insert returned no row');
  return toGoal(row);
}

/** The goal that a UUID or a number names, or null. */
export async function findGoal(tx: Tx, reference: string): Promise<Goal | null> {
  const rows = reference.includes('-')
    ? await tx.$queryRaw<GoalRow[]>`select * from goals where id = ${reference}::uuid`
    : await tx.$queryRaw<GoalRow[]>`select * from goals where number = ${Number(reference)}::int`;
  return rows[0] === undefined ? null : toGoal(rows[0]);
}

/** Goals, newest first. */
export async function listGoals(tx: Tx, state: GoalStateName | null, limit: number): Promise<Goal[]> {
  const rows = await tx.$queryRaw<GoalRow[]>`
    select * from goals where ${state}::text is null or state = ${state}::text
    order by created_at desc, number desc limit ${limit}::int`;
  return rows.map(toGoal);
}

/** Locks the goal's row until the transaction ends. */
export async function lockGoal(tx: Tx, goalId: string): Promise<GoalRow | null> {
  const rows = await tx.$queryRaw<GoalRow[]>`select * from goals where id = ${goalId}::uuid for update`;
  return rows[0] ?? null;
}

/**
 * Makes this worker the goal's driver: raises `goals.epoch` and returns the row with it, or null if the goal is not
 * runnable. Needs the goal's advisory lock. Writers with a lower epoch are refused from now on.
 */
export async function raiseEpoch(tx: Tx, goalId: string): Promise<GoalRow | null> {
  const rows = await tx.$queryRaw<GoalRow[]>`
    update goals set epoch = epoch + 1
    where id = ${goalId}::uuid and state in ('queued', 'running', 'waiting') returning *`;
  return rows[0] ?? null;
}

/** Refuses the writes of anyone who drove the goal until now. */
export async function supersedeDriver(tx: Tx, goalId: string): Promise<void> {
  await tx.$executeRaw`update goals set epoch = epoch + 1 where id = ${goalId}::uuid`;
}

/**
 * Locks the goal's row for a driver's write.
 * @throws AishError `epoch_superseded` when the goal has another driver or was ended by a person.
 */
export async function lockAsDriver(tx: Tx, goalId: string, epoch: number): Promise<void> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from goals where id = ${goalId}::uuid and epoch = ${epoch}::int for update`;
  if (rows.length === 0)
    throw new AishError('epoch_superseded', `Goal ${goalId} has another driver than epoch ${epoch}`);
}

/** Counts of the machine that are not part of a state change. */
export async function setProgress(tx: Tx, goalId: string, stepsTaken: number, nudged: boolean): Promise<void> {
  await tx.$executeRaw`
    update goals set steps_taken = ${stepsTaken}::int, nudged = ${nudged}, waits = 0, updated_at = now()
    where id = ${goalId}::uuid`;
}

/** Sets the state. `wakeInMs` only with `waiting`; it also counts the pause. */
export async function setGoalState(
  tx: Tx,
  goalId: string,
  change: {
    readonly state: GoalStateName;
    readonly reason: string | null;
    readonly waitingFor: WaitingForName | null;
    readonly summary: string | null;
    readonly ended: boolean;
    readonly wakeInMs: number | null;
  },
): Promise<void> {
  await tx.$executeRaw`
    update goals set state = ${change.state}, reason = ${storableOrNull(change.reason)}, waiting_for = ${change.waitingFor},
      summary = coalesce(${storableOrNull(change.summary)}, summary), updated_at = now(),
      wake_at = case when ${change.wakeInMs}::int is null then null
                     else now() + ${change.wakeInMs}::int * interval '1 millisecond' end,
      waits = case when ${change.wakeInMs}::int is null then waits else waits + 1 end,
      ended_at = case when ${change.ended} then now() else null end
    where id = ${goalId}::uuid`;
}

/** Goals that could go on and that nobody has touched for `idleMs`: their job may be lost, or they are being driven. */
export async function listForgotten(tx: Tx, idleMs: number, limit: number): Promise<{ id: string }[]> {
  return tx.$queryRaw<{ id: string }[]>`
    select id from goals
    where (state in ('queued', 'running') and updated_at < now() - ${idleMs}::int * interval '1 millisecond')
       or (state = 'waiting' and wake_at < now())
    order by updated_at limit ${limit}::int`;
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}
