import {
  Action,
  ActionState,
  Classification,
  RunOutcome,
  Step,
  Usage,
  type ActionState as ActionStateName,
} from '@aish/contracts';
import type { Tx } from '../client.js';
import { storable, storableJson } from './storable.js';

export interface StepRow {
  readonly n: number;
  readonly text: string | null;
  readonly model: string | null;
  readonly usage: unknown;
  readonly goal_line: unknown;
  readonly started_at: Date;
  readonly answered_at: Date | null;
}

export interface ActionRow {
  readonly id: string;
  readonly step_number: number;
  readonly n: number;
  readonly kind: string;
  readonly command: string;
  readonly state: string;
  readonly classification: unknown;
  readonly outcome: unknown;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

export async function insertStep(tx: Tx, goalId: string, n: number): Promise<void> {
  await tx.$executeRaw`insert into steps (goal_id, n) values (${goalId}::uuid, ${n}::int)`;
}

/** Writes the model's answer and the actions that it asked for, state `pending`. */
export async function answerStep(
  tx: Tx,
  goalId: string,
  answer: {
    readonly n: number;
    readonly text: string;
    readonly model: string | null;
    readonly usage: Usage | null;
    readonly goalLine: unknown;
    readonly actions: readonly { readonly id: string; readonly command: string }[];
  },
): Promise<void> {
  await tx.$executeRaw`
    update steps set text = ${storable(answer.text)}, model = ${answer.model === null ? null : storable(answer.model)}, usage = ${storableJson(answer.usage)}::jsonb,
      goal_line = ${storableJson(answer.goalLine)}::jsonb, answered_at = now()
    where goal_id = ${goalId}::uuid and n = ${answer.n}::int`;
  if (answer.actions.length === 0) return;
  const actions = answer.actions.map((action, n) => ({ ...action, n: n + 1 }));
  await tx.$executeRaw`
    insert into actions (id, goal_id, step_number, n, kind, command, state)
    select a.id, ${goalId}::uuid, ${answer.n}::int, a.n, 'command', a.command, 'pending'
    from jsonb_to_recordset(${storableJson(actions)}::jsonb) as a(id uuid, n int, command text)`;
}

export async function setClassification(tx: Tx, actionId: string, classification: Classification): Promise<void> {
  await tx.$executeRaw`
    update actions set classification = ${storableJson(classification)}::jsonb where id = ${actionId}::uuid`;
}

/** Sets an action's state; times and outcome go with it. */
export async function setActionState(
  tx: Tx,
  actionId: string,
  state: ActionStateName,
  outcome: RunOutcome | null,
): Promise<void> {
  const ended = state === 'finished' || state === 'skipped' || state === 'lost';
  await tx.$executeRaw`
    update actions set state = ${state}, outcome = coalesce(${storableJson(outcome)}::jsonb, outcome),
      started_at = case when ${state} = 'started' then now() else started_at end,
      ended_at = case when ${ended} then now() else null end
    where id = ${actionId}::uuid`;
}

/** The newest step of a goal and its actions, or null before the first. */
export async function newestStep(tx: Tx, goalId: string): Promise<{ step: StepRow; actions: ActionRow[] } | null> {
  const steps = await tx.$queryRaw<StepRow[]>`
    select * from steps where goal_id = ${goalId}::uuid order by n desc limit 1`;
  const step = steps[0];
  if (step === undefined) return null;
  const actions = await tx.$queryRaw<ActionRow[]>`
    select * from actions where goal_id = ${goalId}::uuid and step_number = ${step.n}::int order by n`;
  return { step, actions };
}

export async function listSteps(tx: Tx, goalId: string): Promise<Step[]> {
  const rows = await tx.$queryRaw<StepRow[]>`select * from steps where goal_id = ${goalId}::uuid order by n`;
  return rows.map((row) => ({
    n: row.n,
    text: row.text,
    model: row.model,
    usage: row.usage === null ? null : Usage.parse(row.usage),
    startedAt: row.started_at.toISOString(),
    answeredAt: row.answered_at?.toISOString() ?? null,
  }));
}

export async function listActions(tx: Tx, goalId: string): Promise<Action[]> {
  const rows = await tx.$queryRaw<ActionRow[]>`
    select * from actions where goal_id = ${goalId}::uuid order by step_number, n`;
  return rows.map((row) => ({
    id: row.id,
    stepNumber: row.step_number,
    n: row.n,
    kind: 'command',
    command: row.command,
    state: ActionState.parse(row.state),
    classification: row.classification === null ? null : Classification.parse(row.classification),
    outcome: row.outcome === null ? null : RunOutcome.parse(row.outcome),
    startedAt: row.started_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
  }));
}
