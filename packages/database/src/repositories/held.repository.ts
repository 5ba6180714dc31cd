import { ActionState } from '@aish/contracts/actions';
import { Held } from '@aish/contracts/effects';
import type { ActionRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';

/** A command whose changes are or were held. */
export interface HeldCommand {
  readonly id: string;
  readonly sessionId: string;
  readonly state: ActionState;
  /** The verdict; null if the outcome of the command is unknown. */
  readonly verdict: Held['verdict'] | null;
}

type Row = Pick<ActionRow, 'id' | 'session_id' | 'state'> & { readonly verdict: string | null };

/** Returns the command of an action; null if the action does not exist. */
export async function findHeld(tx: Tx, actionId: string): Promise<HeldCommand | null> {
  const rows = await tx.$queryRaw<Row[]>`
    select id, session_id, state, outcome -> 'held' ->> 'verdict' as verdict from actions where id = ${actionId}::uuid`;
  return rows[0] === undefined ? null : toHeld(rows[0]);
}

/** Lists commands that have ended with held changes that nobody has settled. */
export async function listLeftHeld(tx: Tx, limit: number): Promise<readonly HeldCommand[]> {
  const rows = await tx.$queryRaw<Row[]>`
    select id, session_id, state, outcome -> 'held' ->> 'verdict' as verdict from actions
    where outcome -> 'held' is not null
      and (state = 'skipped' or (state in ('finished', 'lost') and outcome -> 'held' ->> 'verdict' = 'waiting'))
    limit ${limit}::int`;
  return rows.map(toHeld);
}

/** Marks the held changes of a command as settled. */
export async function markSettled(tx: Tx, actionId: string, verdict: Held['verdict']): Promise<void> {
  await tx.$executeRaw`
    update actions set state = 'finished', outcome = jsonb_set(outcome, '{held,verdict}', to_jsonb(${verdict}::text))
    where id = ${actionId}::uuid`;
}

function toHeld({ id, session_id: sessionId, state, verdict }: Row): HeldCommand {
  return { id, sessionId, state: ActionState.parse(state), verdict: Held.shape.verdict.nullable().parse(verdict) };
}
