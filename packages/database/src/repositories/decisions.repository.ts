import { Approval, ApprovalRule, approvalState } from '@aish/contracts/approvals';
import { ChangeWindow } from '@aish/contracts/change-windows';
import { Decision, DecisionKind, DecisionState, GrantScope, Verdict, runsSomething } from '@aish/contracts/decisions';
import { Difference } from '@aish/contracts/effects';
import type { HaltExpiry } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import { CommandSurroundings } from '@aish/contracts/surroundings';
import { Classification } from '@aish/contracts/safety';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../client.js';
import { sql } from '../sql.js';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

const ExpiryVerdict = Decision.shape.expiryVerdict;
const Shown = Difference.nullable();
const Around = CommandSurroundings.nullable();
const Facts = z.record(z.string(), z.unknown()).nullable();

const Approvals = z.array(Approval);
const Rules = z.array(ApprovalRule);
const Windows = z.array(ChangeWindow);

/** Every question with its goal, and with what its space says of who may answer and when. */
const DECISIONS = sql`
  select d.*, g.number as goal_number, g.text as goal_text, p.windows as space_windows, p.approvals as space_approvals,
    coalesce((select t.owner from api_tokens t where t.name = coalesce(g.created_by, c.owner) order by t.created_at desc limit 1),
             g.created_by, c.owner) as author
  from decisions d join sessions s on s.id = d.session_id left join goals g on g.id = d.goal_id
    left join chats c on c.session_id = d.session_id left join spaces p on p.name = s.space`;

interface DecisionRow {
  readonly id: string;
  readonly number: number;
  readonly session_id: string;
  readonly kind: string;
  readonly goal_id: string | null;
  readonly goal_number: number | null;
  readonly goal_text: string | null;
  readonly action_id: string | null;
  readonly state: string;
  readonly reason: string;
  readonly classification: unknown;
  readonly surroundings: unknown;
  readonly difference: unknown;
  readonly binding: string | null;
  readonly action: string;
  readonly request: unknown;
  readonly step_number: number | null;
  readonly step_budget: number | null;
  readonly context: string;
  readonly verdict: string | null;
  readonly message: string | null;
  readonly answer: unknown;
  readonly edited: string | null;
  readonly granted: string | null;
  readonly carried: boolean;
  readonly expires_at: Date | null;
  readonly expiry_verdict: string | null;
  readonly decided_by: string | null;
  readonly created_at: Date;
  readonly decided_at: Date | null;
  readonly approvals: unknown;
  readonly waits_until: Date | null;
  readonly space_windows: unknown;
  readonly space_approvals: unknown;
  readonly author: string | null;
}

function toDecision(row: DecisionRow): Decision {
  const decision = shownOf(row);
  const version = versionOf(decision);
  if (!runsSomething(decision.kind)) return { ...decision, version };
  const standing = {
    rules: Rules.parse(row.space_approvals ?? []),
    windows: Windows.parse(row.space_windows ?? []),
    approvals: Approvals.parse(row.approvals),
    classification: decision.classification,
    version,
    author: row.author,
    waitsUntil: row.waits_until,
  };
  return { ...decision, version, approval: approvalState(standing, new Date()) };
}

/** Names all that a person is shown of a decision: a verdict that names it covers that and nothing else. */
function versionOf({ action, reason, classification, surroundings, difference, request, goalText }: Decision): string {
  const shown = JSON.stringify([action, reason, classification, surroundings, difference, request, goalText]);
  return createHash('sha256').update(shown).digest('base64url').slice(0, 22);
}

function shownOf(row: DecisionRow): Decision {
  return {
    id: row.id,
    number: row.number,
    sessionId: row.session_id,
    kind: DecisionKind.parse(row.kind),
    goalId: row.goal_id,
    goalNumber: row.goal_number,
    goalText: row.goal_text,
    actionId: row.action_id,
    state: DecisionState.parse(row.state),
    reason: row.reason,
    classification: row.classification === null ? null : Classification.parse(row.classification),
    surroundings: Around.parse(row.surroundings),
    difference: Shown.parse(row.difference),
    binding: row.binding,
    action: row.action,
    request: Facts.parse(row.request),
    stepNumber: row.step_number,
    stepBudget: row.step_budget,
    context: row.context,
    verdict: row.verdict === null ? null : Verdict.parse(row.verdict),
    message: row.message,
    answer: Facts.parse(row.answer),
    edited: row.edited,
    granted: GrantScope.nullable().parse(row.granted),
    carried: row.carried,
    expiresAt: row.expires_at?.toISOString() ?? null,
    expiryVerdict: ExpiryVerdict.parse(row.expiry_verdict),
    decidedBy: row.decided_by,
    createdAt: row.created_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
  };
}

/** Asks a person. */
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
    readonly surroundings?: CommandSurroundings | null;
    readonly difference?: Difference | null;
    readonly binding?: string | null;
    readonly action: string;
    readonly request?: Readonly<Record<string, unknown>>;
    readonly stepNumber: number | null;
    readonly stepBudget: number | null;
    readonly context: string;
    readonly expiry?: HaltExpiry | null;
  },
): Promise<{ number: number }> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    insert into decisions (id, session_id, kind, goal_id, action_id, state, reason, classification, surroundings, difference,
                           binding, action, request, step_number, step_budget, context, expires_at, expiry_verdict)
    values (${input.id}::uuid, ${input.sessionId}::uuid, ${input.kind}, ${input.goalId}::uuid, ${input.actionId}::uuid,
            'pending', ${storable(input.reason)}, ${storableJson(input.classification)}::jsonb,
            ${storableJson(input.surroundings)}::jsonb, ${storableJson(input.difference)}::jsonb, ${input.binding ?? null},
            ${storable(input.action)}, ${storableJson(input.request)}::jsonb, ${input.stepNumber}::int, ${input.stepBudget}::int, ${storable(input.context)},
            now() + ${input.expiry?.afterMs ?? null}::float8 * interval '1 millisecond', ${input.expiry?.verdict ?? null})
    returning number`;
  const row = rows[0];
  invariant(row !== undefined, 'an insert returns its row');
  return row;
}

/** The decision that a UUID or a number names, or null. */
export async function findDecision(tx: Tx, reference: string): Promise<Decision | null> {
  const byId = reference.includes('-');
  const rows = await tx.$queryRaw<DecisionRow[]>`
    ${DECISIONS}
    where case when ${byId} then d.id = ${byId ? reference : null}::uuid
               else d.number = ${byId ? null : Number(reference)}::int end`;
  return rows[0] === undefined ? null : toDecision(rows[0]);
}

/** Decisions in a state, oldest first; of one goal or one session where given. */
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

/** Gives the verdict if none was given. @returns false when someone was first. */
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
    /** Whether it was let through for the change window. */
    readonly inWindow?: boolean;
    readonly by: string;
  },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update decisions set state = 'decided', verdict = ${given.verdict},
      message = ${given.message === null ? null : storable(given.message)},
      answer = ${storableJson(given.answer)}::jsonb, granted = ${given.granted ?? null}, carried = ${given.carried ?? false}::bool,
      in_window = ${given.inWindow ?? false}::bool,
      edited = ${given.edited === undefined || given.edited === null ? null : storable(given.edited)}, decided_by = ${given.by}, decided_at = now()
    where id = ${decisionId}::uuid and state = 'pending'`;
  return changed === 1;
}

/** Whether an action that is begun is so only because a person said so: by a verdict, or by a grant. */
export async function wasApproved(tx: Tx, actionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from actions
    where id = ${actionId}::uuid and classification ->> 'verdict' is distinct from 'safe'
      and classification ->> 'held' is distinct from 'true'`;
  return rows.length > 0;
}

/** Whether an action may be begun only where what it does can be taken back. */
export async function runsHeld(tx: Tx, actionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from actions where id = ${actionId}::uuid and classification ->> 'held' = 'true'`;
  return rows.length > 0;
}

/** What a person let an action through as. */
export interface LetThrough {
  /** Of the surroundings that were shown; null where none were. */
  readonly surroundings: string | null;
  readonly binding: string | null;
  readonly carried: boolean;
  /** Whether for the change window alone. */
  readonly inWindow: boolean;
  /** What stopped it then. */
  readonly classification: Classification | null;
}

/** As what a person let this action through, or null where the newest answer did not. */
export async function approvalOf(tx: Tx, actionId: string): Promise<LetThrough | null> {
  const rows = await tx.$queryRaw<(Omit<LetThrough, 'classification'> & { readonly classification: unknown })[]>`
    select surroundings ->> 'digest' as surroundings, binding, carried, in_window as "inWindow", classification from (
      select * from decisions where action_id = ${actionId}::uuid and state = 'decided' and kind <> 'elicitation'
      order by decided_at desc, number desc limit 1
    ) as newest where verdict = 'proceed'`;
  const [row] = rows;
  return row === undefined ? null : { ...row, classification: Classification.nullable().parse(row.classification) };
}

/** Takes back the pending decisions of a session whose work has ended. */
export async function withdrawDecisions(tx: Tx, sessionId: string): Promise<{ id: string; number: number }[]> {
  return tx.$queryRaw<{ id: string; number: number }[]>`
    update decisions set state = 'withdrawn', decided_at = now()
    where session_id = ${sessionId}::uuid and state = 'pending' returning id, number`;
}

/** Takes back one decision. @returns false when it was answered, or taken back, before. */
export async function withdrawDecision(tx: Tx, decisionId: string): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update decisions set state = 'withdrawn', decided_at = now()
    where id = ${decisionId}::uuid and state = 'pending'`;
  return changed === 1;
}

/** Keeps who has let it run so far, and when it is to run. */
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

/** Decisions that people let through for a change window, in the order of these. */
export async function listWaiting(tx: Tx, limit: number): Promise<Decision[]> {
  const rows = await tx.$queryRaw<DecisionRow[]>`
    ${DECISIONS}
    where d.state = 'pending' and d.waits_until is not null order by d.waits_until limit ${limit}::int`;
  return rows.map(toDecision);
}

const LOOK_EVERY_MS = 300;

/**
 * Waits until a decision is answered, for a call that is kept open meanwhile. It looks, so that it matters to nobody
 * which process took the verdict. @returns null when `signal` aborts first, or when the decision was taken back.
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

/** Decisions whose time to be answered is over, oldest first. */
export async function listExpired(tx: Tx, limit: number): Promise<Decision[]> {
  const rows = await tx.$queryRaw<DecisionRow[]>`
    ${DECISIONS}
    where d.state = 'pending' and d.waits_until is null and d.expires_at < now() order by d.expires_at limit ${limit}::int`;
  return rows.map(toDecision);
}

/** Whether a question of this session waits for a person. */
export async function hasPendingDecision(tx: Tx, sessionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ found: boolean }[]>`
    select exists (select 1 from decisions where session_id = ${sessionId}::uuid and state = 'pending') as found`;
  return rows[0]?.found ?? false;
}
