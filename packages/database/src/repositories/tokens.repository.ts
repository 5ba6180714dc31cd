import { Scope } from '@aish/contracts';
import type { Tx } from '../client.js';

export interface ApiTokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** The token with this hash, unless it has expired or was revoked. */
export async function findToken(tx: Tx, hash: string): Promise<ApiTokenRow | null> {
  const rows = await tx.$queryRaw<{ id: string; name: string; scopes: string[] }[]>`
    select id, name, scopes from api_tokens
    where hash = ${hash} and revoked_at is null and (expires_at is null or expires_at > now())`;
  const row = rows[0];
  return row === undefined ? null : { ...row, scopes: row.scopes.map((scope) => Scope.parse(scope)) };
}

/** Notes that a token was used, at most once a minute. */
export async function touchToken(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`
    update api_tokens set last_used_at = now()
    where id = ${id}::uuid and (last_used_at is null or last_used_at < now() - interval '1 minute')`;
}

export async function insertToken(
  tx: Tx,
  input: { readonly id: string; readonly name: string; readonly hash: string; readonly scopes: readonly Scope[] },
): Promise<void> {
  await tx.$executeRaw`
    insert into api_tokens (id, name, hash, scopes)
    values (${input.id}::uuid, ${input.name}, ${input.hash}, ${[...input.scopes]}::text[])`;
}

export async function countTokens(tx: Tx): Promise<number> {
  const rows = await tx.$queryRaw<{ count: bigint }[]>`select count(*) from api_tokens`;
  return Number(rows[0]?.count ?? 0);
}
