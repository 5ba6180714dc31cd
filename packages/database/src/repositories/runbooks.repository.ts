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

/** What a person lets a runbook do without a question; once more changes nothing. */
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

/** The accepted access of this exact version of a runbook. Null: a person has to accept the changed runbook again. */
export async function findAcceptedRunbook(tx: Tx, name: string, digest: string): Promise<AcceptedRunbook | null> {
  const rows = await tx.$queryRaw<AcceptedRunbook[]>`
    select name, digest, tools, commands, accepted_by as "acceptedBy" from accepted_runbooks
    where name = ${name} and digest = ${digest}`;
  return rows[0] ?? null;
}

/** The tools that runbooks, chosen by people, let a goal call without a question. */
export async function toolsOfRunbooks(tx: Tx, goalId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ tool: string }[]>`
    select distinct unnest(a.tools) as tool from goals g, jsonb_array_elements(g.runbooks) r
    join accepted_runbooks a on a.name = r->>'name' and a.digest = r->>'digest'
    where g.id = ${goalId}::uuid and (r->>'chosen')::boolean`;
  return rows.map(({ tool }) => tool);
}

/** The runbooks that a goal follows or has read. */
export async function usedRunbooks(tx: Tx, goalId: string): Promise<UsedRunbook[]> {
  const rows = await tx.$queryRaw<{ runbooks: unknown }[]>`select runbooks from goals where id = ${goalId}::uuid`;
  return z.array(UsedRunbook).parse(rows[0]?.runbooks ?? []);
}

/** Writes down what a goal has read, once for each name: it stays at the commit that it read first. */
export async function addUsedRunbook(tx: Tx, goalId: string, used: UsedRunbook): Promise<void> {
  await tx.$executeRaw`
    update goals set runbooks = runbooks || ${storableJson([used])}::jsonb
    where id = ${goalId}::uuid and not runbooks @> ${storableJson([{ name: used.name }])}::jsonb`;
}
