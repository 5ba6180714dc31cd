import { ActionState } from '@aish/contracts/actions';
import { Held } from '@aish/contracts/effects';
import type { ActionRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';

/** A command whose effects are, or were, held. */
export interface HeldCommand {
  readonly id: string;
  readonly sessionId: string;
  readonly state: ActionState;
  /** Null where its outcome is not known. */
  readonly verdict: Held['verdict'] | null;
}

type Row = Pick<ActionRow, 'id' | 'session_id' | 'state'> & { readonly verdict: string | null };

/** Null when there is no such action. */
export async function findHeld(tx: Tx, actionId: string): Promise<HeldCommand | null> {
  const rows = await tx.$queryRaw<Row[]>`
    select id, session_id, state, outcome -> 'held' ->> 'verdict' as verdict from actions where id = ${actionId}::uuid`;
  return rows[0] === undefined ? null : toHeld(rows[0]);
}

/** Commands that are over although nobody has carried out what becomes of what they did. */
export async function listLeftHeld(tx: Tx, limit: number): Promise<readonly HeldCommand[]> {
  const rows = await tx.$queryRaw<Row[]>`
    select id, session_id, state, outcome -> 'held' ->> 'verdict' as verdict from actions
    where outcome -> 'held' is not null
      and (state = 'skipped' or (state in ('finished', 'lost') and outcome -> 'held' ->> 'verdict' = 'waiting'))
    limit ${limit}::int`;
  return rows.map(toHeld);
}

/** It has run, and what became of what it did is carried out. */
export async function markSettled(tx: Tx, actionId: string, verdict: Held['verdict']): Promise<void> {
  await tx.$executeRaw`
    update actions set state = 'finished', outcome = jsonb_set(outcome, '{held,verdict}', to_jsonb(${verdict}::text))
    where id = ${actionId}::uuid`;
}

function toHeld({ id, session_id: sessionId, state, verdict }: Row): HeldCommand {
  return { id, sessionId, state: ActionState.parse(state), verdict: Held.shape.verdict.nullable().parse(verdict) };
}
