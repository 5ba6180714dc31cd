import { UsedRunbook } from '@aish/contracts/runbooks';
import { z } from 'zod';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

export interface AcceptedRunbook {
  readonly name: string;
  readonly digest: string;
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly acceptedBy: string;
}

/** Stores what a person allows a runbook to do without a question. Repeating it changes nothing. */
export async function acceptRunbook(tx: Tx, accepted: AcceptedRunbook): Promise<void> {
  const { name, digest, tools, commands, acceptedBy } = accepted;
  await tx.$executeRaw`
    insert into accepted_runbooks (name, digest, tools, commands, accepted_by)
    values (${name}, ${digest}, ${tools.map(storable)}::text[], ${commands.map(storable)}::text[], ${storable(acceptedBy)})
    on conflict do nothing`;
}

export async function listAcceptedRunbooks(tx: Tx): Promise<AcceptedRunbook[]> {
  return tx.$queryRaw<AcceptedRunbook[]>`
    select name, digest, tools, commands, accepted_by as "acceptedBy" from accepted_runbooks order by accepted_at`;
}

/**
 * Returns the accepted access of exactly this version of a runbook. Null means that a person has to accept the changed
 * runbook again.
 */
export async function findAcceptedRunbook(tx: Tx, name: string, digest: string): Promise<AcceptedRunbook | null> {
  const rows = await tx.$queryRaw<AcceptedRunbook[]>`
    select name, digest, tools, commands, accepted_by as "acceptedBy" from accepted_runbooks
    where name = ${name} and digest = ${digest}`;
  return rows[0] ?? null;
}

/** Returns the tools that a goal may call without a question, because a person chose and accepted the runbook. */
export async function toolsOfRunbooks(tx: Tx, goalId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ tool: string }[]>`
    select distinct unnest(a.tools) as tool from goals g, jsonb_array_elements(g.runbooks) r
    join accepted_runbooks a on a.name = r->>'name' and a.digest = r->>'digest'
    where g.id = ${goalId}::uuid and (r->>'chosen')::boolean`;
  return rows.map(({ tool }) => tool);
}

/** Lists the runbooks that a goal follows or has read. */
export async function usedRunbooks(tx: Tx, goalId: string): Promise<UsedRunbook[]> {
  const rows = await tx.$queryRaw<{ runbooks: unknown }[]>`select runbooks from goals where id = ${goalId}::uuid`;
  return z.array(UsedRunbook).parse(rows[0]?.runbooks ?? []);
}

/** Stores a runbook that a goal has read, once per name, with the first commit that it was read from. */
export async function addUsedRunbook(tx: Tx, goalId: string, used: UsedRunbook): Promise<void> {
  await tx.$executeRaw`
    update goals set runbooks = runbooks || ${storableJson([used])}::jsonb
    where id = ${goalId}::uuid and not runbooks @> ${storableJson([{ name: used.name }])}::jsonb`;
}
