import { Classification } from '@aish/contracts/safety';
import { HostFile } from '@aish/contracts/execution-context';
import type { Tx } from '../tx.js';

/** Whether a started action needed a person's approval, by a verdict or a grant. */
export async function wasApproved(tx: Tx, actionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from actions
    where id = ${actionId}::uuid and classification ->> 'verdict' is distinct from 'safe'
      and classification ->> 'held' is distinct from 'true'`;
  return rows.length > 0;
}

/**
 * Returns the findings by which an action was judged: those that the person was shown, or those that a grant covered.
 */
export async function findingsOfAction(tx: Tx, actionId: string): Promise<readonly string[]> {
  const rows = await tx.$queryRaw<{ classification: unknown }[]>`
    select classification from actions where id = ${actionId}::uuid`;
  const found = Classification.nullable().parse(rows[0]?.classification ?? null);
  return found === null ? [] : [found, ...(found.others ?? [])].flatMap(({ ruleId }) => ruleId ?? []);
}

/** Whether an action may start only if its changes can be undone. */
export async function runsHeld(tx: Tx, actionId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from actions where id = ${actionId}::uuid and classification ->> 'held' = 'true'`;
  return rows.length > 0;
}

/** The terms of a person's approval. */
export interface ActionApproval {
  /** The digest of the execution context that was shown; null if none was shown. */
  readonly contextDigest: string | null;
  /** Whether the digest includes the content of files. */
  readonly isBound: boolean;
  /** The scripts on hosts whose content was shown. */
  readonly hostFiles: readonly HostFile[];
  readonly binding: string | null;
  readonly carried: boolean;
  /** Whether the approval is only for the change window. */
  readonly inWindow: boolean;
  /** The preview that the verdict names. aish keeps the run of this preview only. */
  readonly preview: string | null;
  /** The findings at the time of the approval. */
  readonly classification: Classification | null;
}

/** Returns the approval of this action, or null if the newest verdict did not approve it. */
export async function approvalOf(tx: Tx, actionId: string): Promise<ActionApproval | null> {
  const rows = await tx.$queryRaw<
    (Omit<ActionApproval, 'classification' | 'hostFiles'> & {
      readonly classification: unknown;
      readonly hostFiles: unknown;
    })[]
  >`
    select execution_context ->> 'digest' as "contextDigest", coalesce(execution_context -> 'files' is not null, false) as "isBound", coalesce(execution_context -> 'hostFiles', '[]'::jsonb) as "hostFiles", binding, carried, in_window as "inWindow", preview, classification
    from (
      select * from decisions where action_id = ${actionId}::uuid and state = 'decided' and kind <> 'elicitation'
      order by decided_at desc, number desc limit 1
    ) as newest where verdict = 'proceed'`;
  const [row] = rows;
  if (row === undefined) return null;
  const classification = Classification.nullable().parse(row.classification);
  return { ...row, classification, hostFiles: HostFile.array().parse(row.hostFiles) };
}
