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

/** Returns the verdict that a HALT of this goal gets if nobody answers. */
export function haltExpiryOf(row: Pick<GoalRow, 'halt_expiry_ms' | 'halt_expiry_verdict'>): HaltExpiry | null {
  if (row.halt_expiry_ms === null) return null;
  return HaltExpiry.parse({ afterMs: row.halt_expiry_ms, verdict: row.halt_expiry_verdict });
}

export interface NewGoal {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  /** Default: `general`. */
  readonly space?: string;
  readonly preset: string;
  readonly stepBudget: number;
  /** Default: none. */
  readonly hostFolders?: readonly string[];
  readonly hosts?: readonly string[];
  readonly priority?: Priority;
  readonly verify?: string | undefined;
  /** Default: false. */
  readonly planFirst?: boolean;
  readonly tokenBudget?: number | undefined;
  readonly timeBudgetMs?: number | undefined;
  readonly haltExpiry?: HaltExpiry | undefined;
  readonly seed?: number | undefined;
  /** Default: `ask`. */
  readonly trust?: Trust | undefined;
  /** The schedule, and the key of this occurrence. A retry of a schedule's goal has no key. */
  readonly schedule?: { readonly id: string; readonly key: string | null };
  /** The chat that the goal belongs to. */
  readonly chatId?: string;
  /** The runbook that the goal follows. */
  readonly runbooks?: readonly UsedRunbook[];
  readonly createdBy: string;
}

/** Writes the goal and its session, in the state `queued`. Fails if the schedule has already started this goal. */
export async function insertGoal(tx: Tx, input: NewGoal): Promise<Goal> {
  await tx.$executeRaw`
    insert into sessions (id, kind, title) values (${input.sessionId}::uuid, 'goal', ${storable(input.text.slice(0, 120))})`;
  const rows = await tx.$queryRaw<GoalRow[]>`
    insert into goals (id, session_id, text, space, preset, host_folders, hosts, state, step_budget, priority, verify,
                       token_budget, time_budget_ms, halt_expiry_ms, halt_expiry_verdict, seed, trust, awaits_plan, schedule_id, schedule_key, chat_id, created_by, runbooks)
    values (${input.id}::uuid, ${input.sessionId}::uuid, ${storable(input.text)},
            ${input.space ?? DEFAULT_SPACE}, ${input.preset},
            ${[...(input.hostFolders ?? [])]}::text[], ${[...(input.hosts ?? [])]}::text[], 'queued',
            ${input.stepBudget}::int, ${input.priority ?? 'normal'},
            ${storableOrNull(input.verify ?? null)}, ${input.tokenBudget ?? null}::int,
            ${input.timeBudgetMs ?? null}::float8, ${input.haltExpiry?.afterMs ?? null}::float8,
            ${input.haltExpiry?.verdict ?? null}, ${input.seed ?? null}::int, ${input.trust ?? 'ask'}, ${input.planFirst ?? false}, ${input.schedule?.id ?? null}::uuid, ${input.schedule?.key ?? null},
            ${input.chatId ?? null}::uuid, ${input.createdBy}, ${storableJson(input.runbooks ?? [])}::jsonb)
    returning *`;
  const row = rows[0];
  invariant(row !== undefined, 'an insert returns its row');
  return toGoal(row);
}

/** Whether a schedule has started the goal that `key` names. */
export async function hasScheduledGoal(tx: Tx, key: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ found: boolean }[]>`
    select exists (select 1 from goals where schedule_key = ${key}) as found`;
  return rows[0]?.found ?? false;
}

/** Returns the goal with this UUID or number, or null. */
export async function findGoal(tx: Tx, reference: string): Promise<Goal | null> {
  const rows = reference.includes('-')
    ? await tx.$queryRaw<GoalRow[]>`select * from goals where id = ${reference}::uuid`
    : await tx.$queryRaw<GoalRow[]>`select * from goals where number = ${Number(reference)}::int`;
  return rows[0] === undefined ? null : toGoal(rows[0]);
}

/** Returns the name of the token that created the goal; null if the goal does not exist. */
export async function findGiver(tx: Tx, goalId: string): Promise<string | null> {
  const rows = await tx.$queryRaw<{ created_by: string }[]>`select created_by from goals where id = ${goalId}::uuid`;
  return rows[0]?.created_by ?? null;
}

/** Lists goals before a number, newest first. Each page is one index scan. */
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

/** Locks the row of the goal that belongs to this session. Null if the session is a chat. */
export async function lockGoalOf(tx: Tx, sessionId: string): Promise<GoalRow | null> {
  const rows = await tx.$queryRaw<GoalRow[]>`select * from goals where session_id = ${sessionId}::uuid for update`;
  return rows[0] ?? null;
}

/**
 * Makes this worker the goal's runner: raises `goals.epoch` and returns the row with it, or null if the goal is not
 * runnable. The caller must hold the goal's advisory lock. Writers with a lower epoch are refused from now on.
 */
export async function raiseEpoch(tx: Tx, goalId: string): Promise<GoalRow | null> {
  const rows = await tx.$queryRaw<GoalRow[]>`
    update goals set epoch = epoch + 1
    where id = ${goalId}::uuid and state in ('queued', 'running', 'waiting') returning *`;
  return rows[0] ?? null;
}

/** Makes the goal refuse the writes of its current runner. */
export async function supersedeRunner(tx: Tx, goalId: string): Promise<void> {
  await tx.$executeRaw`update goals set epoch = epoch + 1 where id = ${goalId}::uuid`;
}

/**
 * Locks the goal's row for a runner's write.
 *
 * @throws AishError `epoch_superseded` if the goal has another runner or was ended by a person.
 */
export async function lockAsRunner(tx: Tx, goalId: string, epoch: number): Promise<void> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from goals where id = ${goalId}::uuid and epoch = ${epoch}::int for update`;
  if (rows.length === 0)
    throw new AishError(
      'epoch_superseded',
      `Goal ${goalId} is now run by another process, so epoch ${epoch} may no longer write`,
    );
}

/**
 * Counts an error that prevented a goal from being loaded. The goal waits for `wakeInMs`, or fails after `most` errors
 * in a row.
 *
 * @returns its new state and its session; null if it has ended.
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

/** Changes the fields of a goal that a person may change at any time. */
export async function editGoal(
  tx: Tx,
  goalId: string,
  change: {
    readonly text?: string;
    readonly verify?: string | null;
    readonly priority?: Priority;
    readonly trust?: Trust;
    readonly awaitsPlan?: boolean;
  },
): Promise<void> {
  await tx.$executeRaw`
    update goals set text = coalesce(${storableOrNull(change.text ?? null)}, text),
      verify = case when ${change.verify === undefined} then verify else ${storableOrNull(change.verify ?? null)}::text end,
      priority = coalesce(${change.priority ?? null}::text, priority),
      trust = coalesce(${change.trust ?? null}::text, trust),
      awaits_plan = coalesce(${change.awaitsPlan ?? null}::boolean, awaits_plan), updated_at = now()
    where id = ${goalId}::uuid`;
}

/** Stores the tool descriptions that the goal's requests contain. */
export async function setGoalOffered(tx: Tx, goalId: string, offered: readonly unknown[]): Promise<void> {
  await tx.$executeRaw`update goals set offered = ${storableJson(offered)}::json where id = ${goalId}::uuid`;
}

/** Returns the number of the schedule's previous goal if that goal has not ended; otherwise null. */
export async function goalBefore(tx: Tx, goalId: string): Promise<number | null> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    select before.number from goals g join goals before on before.schedule_id = g.schedule_id and before.number < g.number
    where g.id = ${goalId}::uuid and before.state in ('queued', 'running', 'halted', 'paused', 'waiting')
    order by before.number limit 1`;
  return rows[0]?.number ?? null;
}

/** Lists runnable goals that nobody has touched for `idleMs`. Their job may be lost, or a runner is at work. */
export async function listOrphanedGoals(tx: Tx, idleMs: number, limit: number): Promise<{ id: string }[]> {
  return tx.$queryRaw<{ id: string }[]>`
    select id from goals
    where (state in ('queued', 'running') and updated_at < now() - ${idleMs}::int * interval '1 millisecond')
       or (state = 'waiting' and wake_at < now())
    order by updated_at limit ${limit}::int`;
}

/** Takes ended goals whose chats were not notified yet, oldest first. It marks them as notified and locks them. */
export async function takeUnreportedEnds(
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
    update goals set chat_notified = ended_at where id in (
      select id from goals where chat_id is not null and chat_notified is distinct from ended_at and ended_at is not null
      order by ended_at limit ${limit}::int for update skip locked
    ) returning id, session_id as "sessionId", number, chat_id as "chatId", state, summary, reason`;
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}
