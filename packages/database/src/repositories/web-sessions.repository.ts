import type { WebDevice } from '@aish/contracts/web';
import type { Tx } from '../tx.js';

/** Lists the browsers where somebody is signed in now, newest first; at most 200. */
export async function listWebSessions(tx: Tx, owner: string): Promise<Omit<WebDevice, 'isThis'>[]> {
  const rows = await tx.$queryRaw<
    { id: string; name: string; created_at: Date; expires_at: Date | null; last_used_at: Date | null }[]
  >`
    select id, name, created_at, expires_at, last_used_at from api_tokens
    where web and coalesce(owner, name) = ${owner} and revoked_at is null and (expires_at is null or expires_at > now())
    order by created_at desc, id limit 200`;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }));
}

/**
 * Ends one or all browser sessions of a person.
 *
 * @returns the names of the ended sessions
 */
export async function endWebSessions(tx: Tx, owner: string, id: string | null): Promise<string[]> {
  const rows = await tx.$queryRaw<{ name: string }[]>`
    update api_tokens set revoked_at = now()
    where web and coalesce(owner, name) = ${owner} and revoked_at is null and (${id}::uuid is null or id = ${id}::uuid)
    returning name`;
  return rows.map(({ name }) => name);
}
