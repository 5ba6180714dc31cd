import { Classification, Decision, DecisionState, Verdict } from '@aish/contracts';
import type { Tx } from '../client.js';
import { storable, storableJson } from './storable.js';

interface DecisionRow {
  readonly id: string;
  readonly number: number;
  readonly session_id: string;
  readonly goal_id: string;
  readonly goal_number: number;
  readonly goal_text: string;
  readonly action_id: string;
  readonly state: string;
  readonly reason: string;
  readonly classification: unknown;
  readonly action: string;
  readonly step_number: number;
  readonly step_budget: number;
  readonly context: string;
  readonly verdict: string | null;
  readonly message: string | null;
  readonly decided_by: string | null;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

function toDecision(row: DecisionRow): Decision {
  return {
    id: row.id,
    number: row.number,
    sessionId: row.session_id,
    goalId: row.goal_id,
    goalNumber: row.goal_number,
    goalText: row.goal_text,
    actionId: row.action_id,
    state: DecisionState.parse(row.state),
    reason: row.reason,
    classification: row.classification === null ? null : Classification.parse(row.classification),
    action: row.action,
    stepNumber: row.step_number,
    stepBudget: row.step_budget,
    context: row.context,
    verdict: row.verdict === null ? null : Verdict.parse(row.verdict),
    message: row.message,
    decidedBy: row.decided_by,
    createdAt: row.created_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
  };
}

/** Asks a person. One action is asked about once. */
export async function insertDecision(
  tx: Tx,
  input: {
    readonly id: string;
    readonly sessionId: string;
    readonly goalId: string;
    readonly actionId: string;
    readonly reason: string;
    readonly classification: Classification;
    readonly action: string;
    readonly stepNumber: number;
    readonly stepBudget: number;
    readonly context: string;
  },
): Promise<{ number: number }> {
  const rows = await tx.$queryRaw<{ number: number }[]>`
    insert into decisions (id, session_id, goal_id, action_id, state, reason, classification, action, step_number,
                           step_budget, context)
    values (${input.id}::uuid, ${input.sessionId}::uuid, ${input.goalId}::uuid, ${input.actionId}::uuid, 'pending',
            ${storable(input.reason)}, ${storableJson(input.classification)}::jsonb, ${storable(input.action)},
            ${input.stepNumber}::int, ${input.stepBudget}::int, ${storable(input.context)}) returning number`;
  const row = rows[0];
  if (row === undefined) throw new Error('insertDecision: the insert returned no row');
  return row;
}

/** The decision that a UUID or a number names, or null. */
export async function findDecision(tx: Tx, reference: string): Promise<Decision | null> {
  const byId = reference.includes('-');
  const rows = await tx.$queryRaw<DecisionRow[]>`
    select d.*, g.number as goal_number, g.text as goal_text from decisions d join goals g on g.id = d.goal_id
    where case when ${byId} then d.id = ${byId ? reference : null}::uuid
               else d.number = ${byId ? null : Number(reference)}::int end`;
  return rows[0] === undefined ? null : toDecision(rows[0]);
}

/** Decisions in a state, oldest first; of one goal where given. */
export async function listDecisions(
  tx: Tx,
  filter: { readonly state?: string; readonly goalId?: string; readonly limit: number },
): Promise<Decision[]> {
  const rows = await tx.$queryRaw<DecisionRow[]>`
    select d.*, g.number as goal_number, g.text as goal_text from decisions d join goals g on g.id = d.goal_id
    where (${filter.state ?? null}::text is null or d.state = ${filter.state ?? null}::text)
      and (${filter.goalId ?? null}::uuid is null or d.goal_id = ${filter.goalId ?? null}::uuid)
    order by d.created_at, d.number limit ${filter.limit}::int`;
  return rows.map(toDecision);
}

/** Gives the verdict if none was given. @returns false when someone was first. */
export async function decide(
  tx: Tx,
  decisionId: string,
  verdict: Verdict,
  message: string | null,
  by: string,
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update decisions set state = 'decided', verdict = ${verdict}, message = ${message === null ? null : storable(message)}, decided_by = ${by},
      decided_at = now()
    where id = ${decisionId}::uuid and state = 'pending'`;
  return changed === 1;
}

/** Takes back the pending decisions of a goal that has ended. */
export async function withdrawDecisions(tx: Tx, goalId: string): Promise<{ id: string; number: number }[]> {
  return tx.$queryRaw<{ id: string; number: number }[]>`
    update decisions set state = 'withdrawn', decided_at = now()
    where goal_id = ${goalId}::uuid and state = 'pending' returning id, number`;
}
