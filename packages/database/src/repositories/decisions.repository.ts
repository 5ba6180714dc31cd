import { setTimeout as sleep } from 'node:timers/promises';
import type { Approval } from '@aish/contracts/approvals';
import type { Decision, DecisionKind, GrantScope, Verdict } from '@aish/contracts/decisions';
import type { Difference } from '@aish/contracts/effects';
import type { HaltExpiry } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import type { Classification } from '@aish/contracts/safety';
import type { ExecutionContext } from '@aish/contracts/execution-context';
import type { Database } from '../client.js';
import type { Tx } from '../tx.js';
import { DECISIONS, toDecision, type DecisionRow } from './decision-row.js';
import { storable, storableJson } from './storable.js';

const LOOK_EVERY_MS = 300;

/** Stores a question to a person. */
export async function insertDecision(
  tx: Tx,
  input: {
    readonly id: string;
    readonly sessionId: string;
    readonly kind: DecisionKind;
    readonly goalId: string | null;
    readonly actionId: string | null;
    readonly reason: string;
    readonly classification: Classification | null;
    readonly executionContext?: ExecutionContext | null;
    readonly difference?: Difference | null;
    readonly binding?: string | null;
    readonly action: string;
    readonly request?: Readonly<Record<string, unknown>>;
    readonly stepNumber: number | null;
    readonly stepBudget: number | null;
    readonly context: string;
    readonly expiry?: HaltExpiry | null;
    readonly attempt?: number;
  },
): Promise<{ number: number }> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    insert into decisions (id, session_id, kind, goal_id, action_id, state, reason, classification, execution_context, difference,
                           binding, action, request, step_number, step_budget, context, expires_at, expiry_verdict, attempt)
    values (${input.id}::uuid, ${input.sessionId}::uuid, ${input.kind}, ${input.goalId}::uuid, ${input.actionId}::uuid,
            'pending', ${storable(input.reason)}, ${storableJson(input.classification)}::jsonb,
            ${storableJson(input.executionContext)}::jsonb, ${storableJson(input.difference)}::jsonb, ${input.binding ?? null},
            ${storable(input.action)}, ${storableJson(input.request)}::json, ${input.stepNumber}::int, ${input.stepBudget}::int, ${storable(input.context)},
            now() + ${input.expiry?.afterMs ?? null}::float8 * interval '1 millisecond', ${input.expiry?.verdict ?? null}, ${input.attempt ?? null}::int)
    returning number`;
  const row = rows[0];
  invariant(row !== undefined, 'an insert returns its row');
  return row;
}

/** Returns the decision with this UUID or number, or null. */
export async function findDecision(tx: Tx, reference: string): Promise<Decision | null> {
  const byId = reference.includes('-');
  const rows = await tx.$queryRaw<DecisionRow[]>`
    ${DECISIONS}
    where case when ${byId} then d.id = ${byId ? reference : null}::uuid
               else d.number = ${byId ? null : Number(reference)}::int end`;
  return rows[0] === undefined ? null : toDecision(rows[0]);
}

/** Lists decisions in a state, oldest first, optionally of one goal or one session. */
export async function listDecisions(
  tx: Tx,
  filter: {
    readonly state?: string;
    readonly goalId?: string;
    readonly sessionId?: string;
    readonly limit: number;
  },
): Promise<Decision[]> {
  const rows = await tx.$queryRaw<DecisionRow[]>`
    ${DECISIONS}
    where (${filter.state ?? null}::text is null or d.state = ${filter.state ?? null}::text)
      and (${filter.goalId ?? null}::uuid is null or d.goal_id = ${filter.goalId ?? null}::uuid)
      and (${filter.sessionId ?? null}::uuid is null or d.session_id = ${filter.sessionId ?? null}::uuid)
    order by d.created_at, d.number limit ${filter.limit}::int`;
  return rows.map(toDecision);
}

/**
 * Stores the verdict if there is none yet.
 *
 * @returns false if someone else was first.
 */
export async function decide(
  tx: Tx,
  decisionId: string,
  given: {
    readonly verdict: Verdict;
    readonly message: string | null;
    readonly answer?: Readonly<Record<string, unknown>>;
    readonly edited?: string | null;
    readonly granted?: GrantScope | null;
    readonly carried?: boolean;
    /** Whether the approval is for the change window. */
    readonly inWindow?: boolean;
    /** The preview that the verdict names. */
    readonly preview?: string | null;
    readonly by: string;
  },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update decisions set state = 'decided', verdict = ${given.verdict},
      message = ${given.message === null ? null : storable(given.message)},
      answer = ${storableJson(given.answer)}::jsonb, granted = ${given.granted ?? null}, carried = ${given.carried ?? false}::bool,
      in_window = ${given.inWindow ?? false}::bool, preview = ${given.preview ?? null}::uuid,
      edited = ${given.edited === undefined || given.edited === null ? null : storable(given.edited)}, decided_by = ${given.by}, decided_at = now()
    where id = ${decisionId}::uuid and state = 'pending'`;
  return changed === 1;
}

/** Withdraws the pending decisions of a session whose work has ended. */
export async function withdrawDecisions(tx: Tx, sessionId: string): Promise<{ id: string; number: number }[]> {
  return tx.$queryRaw<{ id: string; number: number }[]>`
    update decisions set state = 'withdrawn', decided_at = now()
    where session_id = ${sessionId}::uuid and state = 'pending' returning id, number`;
}

/**
 * Withdraws one decision.
 *
 * @returns false if it was answered or withdrawn before.
 */
export async function withdrawDecision(tx: Tx, decisionId: string): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update decisions set state = 'withdrawn', decided_at = now()
    where id = ${decisionId}::uuid and state = 'pending'`;
  return changed === 1;
}

/** Stores who has approved the decision so far, and when its action will run. */
export async function setApprovals(
  tx: Tx,
  decisionId: string,
  approvals: readonly Approval[],
  waitsUntil: string | null,
): Promise<void> {
  await tx.$executeRaw`
    update decisions set approvals = ${storableJson(approvals)}::jsonb, waits_until = ${waitsUntil}::timestamptz
    where id = ${decisionId}::uuid and state = 'pending'`;
}

/** Lists decisions that wait for their change window, earliest first. */
export async function listWaiting(tx: Tx, limit: number): Promise<Decision[]> {
  const rows = await tx.$queryRaw<DecisionRow[]>`
    ${DECISIONS}
    where d.state = 'pending' and d.waits_until is not null order by d.waits_until limit ${limit}::int`;
  return rows.map(toDecision);
}

/**
 * Waits until a decision is answered, while its call stays open. It polls, so any process can take the verdict.
 *
 * @returns null if `signal` aborts first, or if the decision was withdrawn.
 */
export async function waitForVerdict(
  db: Pick<Database, 'statements'>,
  decisionId: string,
  signal: AbortSignal,
): Promise<Decision | null> {
  while (!signal.aborted) {
    const decision = await findDecision(db.statements, decisionId);
    if (decision?.state !== 'pending') return decision?.state === 'decided' ? decision : null;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

/** Lists decisions whose time is over, oldest first. */
export async function listExpired(tx: Tx, limit: number): Promise<Decision[]> {
  const rows = await tx.$queryRaw<DecisionRow[]>`
    ${DECISIONS}
    where d.state = 'pending' and d.waits_until is null and d.expires_at < now() order by d.expires_at limit ${limit}::int`;
  return rows.map(toDecision);
}

/** Whether a decision of this session waits for a person. */
export async function hasPendingDecision(tx: Tx, sessionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ found: boolean }[]>`
    select exists (select 1 from decisions where session_id = ${sessionId}::uuid and state = 'pending') as found`;
  return rows[0]?.found ?? false;
}
