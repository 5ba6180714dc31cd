import { Classification } from '@aish/contracts/safety';
import type { Tx } from '../tx.js';

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
  /** Whether the content of files is part of that. */
  readonly isBound: boolean;
  readonly binding: string | null;
  readonly carried: boolean;
  /** Whether for the change window alone. */
  readonly inWindow: boolean;
  /** The preview that the answer names: its run is kept, and no other. */
  readonly preview: string | null;
  /** What stopped it then. */
  readonly classification: Classification | null;
}

/** As what a person let this action through, or null where the newest answer did not. */
export async function approvalOf(tx: Tx, actionId: string): Promise<LetThrough | null> {
  const rows = await tx.$queryRaw<(Omit<LetThrough, 'classification'> & { readonly classification: unknown })[]>`
    select surroundings ->> 'digest' as surroundings, coalesce(surroundings -> 'files' is not null, false) as "isBound", binding, carried, in_window as "inWindow", preview, classification
    from (
      select * from decisions where action_id = ${actionId}::uuid and state = 'decided' and kind <> 'elicitation'
      order by decided_at desc, number desc limit 1
    ) as newest where verdict = 'proceed'`;
  const [row] = rows;
  return row === undefined ? null : { ...row, classification: Classification.nullable().parse(row.classification) };
}
