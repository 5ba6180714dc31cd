import { GrantScope } from '@aish/contracts/decisions';
import type { Grant } from '@aish/contracts/grants';
import type { GrantRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

function toGrant(row: GrantRow): Grant {
  return {
    id: row.id,
    goalId: row.goal_id,
    scope: GrantScope.parse(row.scope),
    action: row.action,
    ruleId: row.rule_id,
    binding: row.binding,
    carried: row.carried,
    uses: row.uses,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    revokedBy: row.revoked_by,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}

/** The goal or the chat that a grant belongs to. */
export type GrantOf =
  | { readonly goalId: string; readonly chatId?: never }
  | { readonly chatId: string; readonly goalId?: never };

export async function insertGrant(
  tx: Tx,
  grant: GrantOf & Pick<Grant, 'id' | 'scope' | 'action' | 'ruleId' | 'binding' | 'carried' | 'createdBy'>,
): Promise<void> {
  await tx.$executeRaw`
    insert into grants (id, goal_id, chat_id, scope, action, rule_id, binding, carried, created_by)
    values (${grant.id}::uuid, ${grant.goalId ?? null}::uuid, ${grant.chatId ?? null}::uuid, ${grant.scope},
            ${grant.action === null ? null : storable(grant.action)}, ${grant.ruleId}, ${grant.binding},
            ${grant.carried}::bool, ${grant.createdBy})`;
}

/** Lists the grants of a goal or chat by its ID, oldest first, including revoked ones. */
export async function listGrants(tx: Tx, of: string): Promise<Grant[]> {
  const rows = await tx.$queryRaw<
    GrantRow[]
  >`select * from grants where goal_id = ${of}::uuid or chat_id = ${of}::uuid order by created_at, id`;
  return rows.map(toGrant);
}

/**
 * The conditions for a grant that lets an action run: it covers exactly this action, or the rule that stops it, and has
 * the same binding.
 */
export interface Granted {
  readonly action: string;
  readonly ruleId: string | null;
  /** The binding; null if any binding matches. */
  readonly binding: string | null;
}

/** Returns the grant of a goal or chat that lets an action run, or null. */
export async function findGrant(tx: Tx, of: string, { action, ruleId, binding }: Granted): Promise<Grant | null> {
  const rows = await tx.$queryRaw<GrantRow[]>`
    select * from grants
    where (goal_id = ${of}::uuid or chat_id = ${of}::uuid) and revoked_at is null
      and coalesce(binding = ${binding}::text, ${binding}::text is null)
      and ((scope = 'command' and action = ${storable(action)}) or (scope = 'rule' and rule_id = ${ruleId}::text))
    order by scope, created_at limit 1`;
  return rows[0] === undefined ? null : toGrant(rows[0]);
}

/** Returns the grant of variables with this digest, or null. */
export async function findGrantOfVariables(tx: Tx, of: string, digest: string): Promise<Grant | null> {
  const rows = await tx.$queryRaw<GrantRow[]>`
    select * from grants
    where (goal_id = ${of}::uuid or chat_id = ${of}::uuid) and revoked_at is null and scope = 'variables' and binding = ${digest}
    order by created_at limit 1`;
  return rows[0] === undefined ? null : toGrant(rows[0]);
}

/**
 * Counts a use of a grant.
 *
 * @returns false if the grant was revoked. Its row stays locked until the transaction ends.
 */
export async function useGrant(tx: Tx, grantId: string): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update grants set uses = uses + 1 where id = ${grantId}::uuid and revoked_at is null`;
  return changed === 1;
}

/** @returns the grant, or null if this goal or chat has no such grant, or it was already revoked. */
export async function revokeGrant(tx: Tx, of: string, grantId: string, by: string): Promise<Grant | null> {
  const rows = await tx.$queryRaw<GrantRow[]>`
    update grants set revoked_at = now(), revoked_by = ${by}
    where id = ${grantId}::uuid and (goal_id = ${of}::uuid or chat_id = ${of}::uuid) and revoked_at is null returning *`;
  return rows[0] === undefined ? null : toGrant(rows[0]);
}
