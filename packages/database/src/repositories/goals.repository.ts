import {
  type Goal,
  GoalState,
  HaltExpiry,
  Priority,
  WaitingFor,
  type GoalState as GoalStateName,
} from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import { UsedRunbook } from '@aish/contracts/runbooks';
import { Trust } from '@aish/contracts/trust';
import { z } from 'zod';
import type { GoalRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

const INT_MAX = 2_147_483_647;

/** The contract's goal of a row. */
function toGoal(row: GoalRow): Goal {
  return {
    id: row.id,
    number: row.number,
    sessionId: row.session_id,
    text: row.text,
    space: row.space,
    preset: row.preset,
    hostFolders: row.host_folders,
    hosts: row.hosts,
    state: GoalState.parse(row.state),
    reason: row.reason,
    waitingFor: row.waiting_for === null ? null : WaitingFor.parse(row.waiting_for),
    wakeAt: row.wake_at?.toISOString() ?? null,
    stepBudget: row.step_budget,
    stepsTaken: row.steps_taken,
    priority: Priority.parse(row.priority),
    verify: row.verify,
    verified: row.verified,
    checksFailed: row.checks_failed,
    tokenBudget: row.token_budget,
    tokensUsed: row.tokens_used,
    timeBudgetMs: row.time_budget_ms,
    activeMs: row.active_ms,
    haltExpiry: haltExpiryOf(row),
    seed: row.seed,
    trust: Trust.parse(row.trust),
    scheduleId: row.schedule_id,
    summary: row.summary,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    archived: row.archived,
    runbooks: z.array(UsedRunbook).parse(row.runbooks),
  };
}

/** What a HALT of this goal becomes when nobody answers. */
export function haltExpiryOf(row: Pick<GoalRow, 'halt_expiry_ms' | 'halt_expiry_verdict'>): HaltExpiry | null {
  if (row.halt_expiry_ms === null) return null;
  return HaltExpiry.parse({ afterMs: row.halt_expiry_ms, verdict: row.halt_expiry_verdict });
}

export interface NewGoal {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  /** `general` unless given. */
  readonly space?: string;
  readonly preset: string;
  readonly stepBudget: number;
  /** None unless given. */
  readonly hostFolders?: readonly string[];
  readonly hosts?: readonly string[];
  readonly priority?: Priority;
  readonly verify?: string | undefined;
  readonly tokenBudget?: number | undefined;
  readonly timeBudgetMs?: number | undefined;
  readonly haltExpiry?: HaltExpiry | undefined;
  readonly seed?: number | undefined;
  /** `ask` unless given. */
  readonly trust?: Trust | undefined;
  /** Another attempt of a schedule's goal has no moment of its own. */
  readonly schedule?: { readonly id: string; readonly key: string | null };
  /** The session that it is given in. */
  readonly chatId?: string;
  /** The one that it follows. */
  readonly runbooks?: readonly UsedRunbook[];
  readonly createdBy: string;
}

/** Writes the goal and its session, state `queued`. Fails when its schedule has given this one already. */
export async function insertGoal(tx: Tx, input: NewGoal): Promise<Goal> {
  await tx.$executeRaw`
    insert into sessions (id, kind, title) values (${input.sessionId}::uuid, 'goal', ${storable(input.text.slice(0, 120))})`;
  const rows = await tx.$queryRaw<GoalRow[]>`
    insert into goals (id, session_id, text, space, preset, host_folders, hosts, state, step_budget, priority, verify,
                       token_budget, time_budget_ms, halt_expiry_ms, halt_expiry_verdict, seed, trust, schedule_id, schedule_key, chat_id, created_by, runbooks)
    values (${input.id}::uuid, ${input.sessionId}::uuid, ${storable(input.text)},
            ${input.space ?? DEFAULT_SPACE}, ${input.preset},
            ${[...(input.hostFolders ?? [])]}::text[], ${[...(input.hosts ?? [])]}::text[], 'queued',
            ${input.stepBudget}::int, ${input.priority ?? 'normal'},
            ${storableOrNull(input.verify ?? null)}, ${input.tokenBudget ?? null}::int,
            ${input.timeBudgetMs ?? null}::float8, ${input.haltExpiry?.afterMs ?? null}::float8,
            ${input.haltExpiry?.verdict ?? null}, ${input.seed ?? null}::int, ${input.trust ?? 'ask'}, ${input.schedule?.id ?? null}::uuid, ${input.schedule?.key ?? null},
            ${input.chatId ?? null}::uuid, ${input.createdBy}, ${storableJson(input.runbooks ?? [])}::jsonb)
    returning *`;
  const row = rows[0];
  invariant(row !== undefined, 'an insert returns its row');
  return toGoal(row);
}

/** Whether a schedule has given the goal that `key` names. */
export async function hasScheduledGoal(tx: Tx, key: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ found: boolean }[]>`
    select exists (select 1 from goals where schedule_key = ${key}) as found`;
  return rows[0]?.found ?? false;
}

/** The goal that a UUID or a number names, or null. */
export async function findGoal(tx: Tx, reference: string): Promise<Goal | null> {
  const rows = reference.includes('-')
    ? await tx.$queryRaw<GoalRow[]>`select * from goals where id = ${reference}::uuid`
    : await tx.$queryRaw<GoalRow[]>`select * from goals where number = ${Number(reference)}::int`;
  return rows[0] === undefined ? null : toGoal(rows[0]);
}

/** The name of the token that gave it; null where there is no such goal. */
export async function findGiver(tx: Tx, goalId: string): Promise<string | null> {
  const rows = await tx.$queryRaw<{ created_by: string }[]>`select created_by from goals where id = ${goalId}::uuid`;
  return rows[0]?.created_by ?? null;
}

/** Goals, newest first: those before a number, each page one walk along an index. */
export async function listGoals(
  tx: Tx,
  filter: {
    readonly state?: GoalStateName | undefined;
    readonly archived: boolean;
    readonly before?: number | undefined;
    readonly limit: number;
  },
): Promise<Goal[]> {
  const { state, archived, before = INT_MAX, limit } = filter;
  const rows =
    state === undefined
      ? await tx.$queryRaw<GoalRow[]>`
          select * from goals where archived = ${archived}::boolean and number < ${before}::int
          order by number desc limit ${limit}::int`
      : await tx.$queryRaw<GoalRow[]>`
          select * from goals where archived = ${archived}::boolean and state = ${state} and number < ${before}::int
          order by number desc limit ${limit}::int`;
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

/**
 * Counts an error that kept a goal from even being loaded: it waits for `wakeInMs`, or has failed after `most` in a row.
 * @returns the state it has now and the session it is of; null when it has ended.
 */
export async function breakGoal(
  tx: Tx,
  goalId: string,
  reason: string,
  most: number,
  wakeInMs: number,
): Promise<{ readonly state: 'waiting' | 'failed'; readonly session_id: string } | null> {
  const rows = await tx.$queryRaw<{ state: 'waiting' | 'failed'; session_id: string }[]>`
    update goals set failures = failures + 1, updated_at = now(), reason = ${storable(reason)},
      state = case when failures + 1 >= ${most}::int then 'failed' else 'waiting' end,
      waiting_for = case when failures + 1 >= ${most}::int then null else 'retry' end,
      wake_at = now() + ${wakeInMs}::int * interval '1 millisecond',
      ended_at = case when failures + 1 >= ${most}::int then now() end
    where id = ${goalId}::uuid and state in ('queued', 'running', 'waiting') returning state, session_id`;
  return rows[0] ?? null;
}

/** Sets what a person may change of a goal at any time. */
export async function editGoal(
  tx: Tx,
  goalId: string,
  change: {
    readonly text?: string;
    readonly verify?: string | null;
    readonly priority?: Priority;
    readonly trust?: Trust;
  },
): Promise<void> {
  await tx.$executeRaw`
    update goals set text = coalesce(${storableOrNull(change.text ?? null)}, text),
      verify = case when ${change.verify === undefined} then verify else ${storableOrNull(change.verify ?? null)}::text end,
      priority = coalesce(${change.priority ?? null}::text, priority),
      trust = coalesce(${change.trust ?? null}::text, trust), updated_at = now()
    where id = ${goalId}::uuid`;
}

/** The descriptions of tools that the goal's requests hold. */
export async function setGoalOffered(tx: Tx, goalId: string, offered: readonly unknown[]): Promise<void> {
  await tx.$executeRaw`update goals set offered = ${storableJson(offered)}::json where id = ${goalId}::uuid`;
}

/** The number of a goal of the same schedule that was given before this one and has not ended, or null. */
export async function goalBefore(tx: Tx, goalId: string): Promise<number | null> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    select before.number from goals g join goals before on before.schedule_id = g.schedule_id and before.number < g.number
    where g.id = ${goalId}::uuid and before.state in ('queued', 'running', 'halted', 'paused', 'waiting')
    order by before.number limit 1`;
  return rows[0]?.number ?? null;
}

/** Goals that could go on and that nobody has touched for `idleMs`: their job may be lost, or they are being driven. */
export async function listForgotten(tx: Tx, idleMs: number, limit: number): Promise<{ id: string }[]> {
  return tx.$queryRaw<{ id: string }[]>`
    select id from goals
    where (state in ('queued', 'running') and updated_at < now() - ${idleMs}::int * interval '1 millisecond')
       or (state = 'waiting' and wake_at < now())
    order by updated_at limit ${limit}::int`;
}

/** Ends that the chats of their goals were not told of, oldest first; from now on they were. Locks these goals. */
export async function takeUntoldEnds(
  tx: Tx,
  limit: number,
): Promise<
  {
    readonly id: string;
    readonly sessionId: string;
    readonly number: number;
    readonly chatId: string;
    readonly state: string;
    readonly summary: string | null;
    readonly reason: string | null;
  }[]
> {
  return tx.$queryRaw`
    update goals set chat_told = ended_at where id in (
      select id from goals where chat_id is not null and chat_told is distinct from ended_at and ended_at is not null
      order by ended_at limit ${limit}::int for update skip locked
    ) returning id, session_id as "sessionId", number, chat_id as "chatId", state, summary, reason`;
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}
