import type { MemoryCaller } from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import { Scope, type Token } from '@aish/contracts/tokens';
import type { ApiTokenRow as Row } from '../generated/rows.js';
import { sql, type Sql } from '../sql.js';
import type { Tx } from '../tx.js';

export interface ApiTokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The person whose memory the token can access: the named owner, or else the token's own name. */
  readonly owner: string;
  /** The app that the token is bound to; null for a person's token. */
  readonly app: { readonly space: string; readonly name: string } | null;
  /** The projects whose knowledge the token may see and write; null for all of them. */
  readonly projects: readonly string[] | null;
}

/** Requires that a token `t` is valid, and its parent token `p` too, if it has one. */
export const TOKEN_HOLDS = sql`
  t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
  and p.revoked_at is null and (p.expires_at is null or p.expires_at > now())`;

/** Returns the token with this hash, if it and its parent token are valid. */
export function findToken(tx: Tx, hash: string): Promise<ApiTokenRow | null> {
  return findHolding(tx, sql`t.hash = ${hash}`);
}

/** Lists everybody who may decide. */
export async function listDeciders(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ owner: string }[]>`
    select distinct coalesce(t.owner, t.name) as owner from api_tokens t left join api_tokens p on p.id = t.parent_id
    where ${TOKEN_HOLDS} and t.app is null and t.scopes && array['decide', 'admin']`;
  return rows.map(({ owner }) => owner);
}

/** @throws AishError `unauthorized` if the token or its parent has expired or was revoked. */
export async function mustHold(tx: Tx, id: string): Promise<ApiTokenRow> {
  const token = await findHolding(tx, sql`t.id = ${id}::uuid`);
  if (token === null) throw refusedToken();
  return token;
}

type HoldingRow = Pick<Row, 'id' | 'name' | 'scopes' | 'space' | 'app' | 'projects' | 'scoped'> & {
  readonly owner: string;
};

async function findHolding(tx: Tx, which: Sql): Promise<ApiTokenRow | null> {
  const [row] = await tx.$queryRaw<HoldingRow[]>`
    select t.id, t.name, t.scopes, coalesce(t.owner, t.name) as owner, t.space, t.app, t.projects, t.scoped
    from api_tokens t left join api_tokens p on p.id = t.parent_id
    where ${which} and ${TOKEN_HOLDS}`;
  if (row === undefined) return null;
  const { id, name, owner, space, app } = row;
  const scopes = row.scopes.map((scope) => Scope.parse(scope));
  const bound = space === null || app === null ? null : { space, name: app };
  // An app without projects sees what is shared with everyone, never everything.
  const projects = row.scoped || bound !== null ? row.projects : null;
  return { id, name, scopes, owner, app: bound, projects };
}

export function refusedToken(): AishError {
  return new AishError('unauthorized', 'This token is unknown, expired or revoked');
}

/** Returns the memory owner for sessions of this token. `name` is the name that sessions and goals store. */
export async function callerNamed(tx: Tx, name: string): Promise<MemoryCaller> {
  const rows = await tx.$queryRaw<{ owner: string; space: string | null; app: string | null }[]>`
    select coalesce(owner, name) as owner, space, app from api_tokens
    where name = ${name} order by revoked_at nulls first, created_at desc limit 1`;
  const { owner, space, app } = rows[0] ?? { owner: name, space: null, app: null };
  return { owner, app: space === null || app === null ? null : { space, name: app } };
}

/** Records that a token was used, at most once a minute. */
export async function touchToken(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`
    update api_tokens set last_used_at = now()
    where id = ${id}::uuid and (last_used_at is null or last_used_at < now() - interval '1 minute')`;
}

export async function insertToken(
  tx: Tx,
  input: {
    readonly id: string;
    readonly name: string;
    readonly hash: string;
    readonly scopes: readonly Scope[];
    readonly expiresInDays?: number | undefined;
    readonly owner?: string | undefined;
    readonly app?: ApiTokenRow['app'] | undefined;
    /** The projects of the token; if absent, it is not limited to projects. */
    readonly projects?: readonly string[] | undefined;
    /** Set for a browser's session. `parentId` is the token that created it. */
    readonly web?: { readonly parentId: string | null } | undefined;
  },
): Promise<void> {
  await tx.$executeRaw`
    insert into api_tokens (id, name, hash, scopes, owner, space, app, projects, scoped, web, parent_id, expires_at)
    values (${input.id}::uuid, ${input.name}, ${input.hash}, ${[...input.scopes]}::text[],
            ${input.owner ?? null}, ${input.app?.space ?? null}, ${input.app?.name ?? null},
            ${[...(input.projects ?? [])]}::text[], ${input.projects !== undefined},
            ${input.web !== undefined}, ${input.web?.parentId ?? null}::uuid,
            now() + ${input.expiresInDays ?? null}::int * interval '1 day')`;
}

type TokenRow = Pick<
  Row,
  'id' | 'name' | 'scopes' | 'space' | 'app' | 'created_at' | 'expires_at' | 'revoked_at' | 'last_used_at'
> & { readonly owner: string };

function toToken(row: TokenRow): Token {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes.map((scope) => Scope.parse(scope)),
    owner: row.owner,
    app: row.space === null || row.app === null ? null : { space: row.space, name: row.app },
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

/** Lists all tokens that ever existed, newest first; at most 1000. */
export async function listTokens(tx: Tx): Promise<Token[]> {
  const rows = await tx.$queryRaw<TokenRow[]>`
    select id, name, scopes, coalesce(owner, name) as owner, space, app, created_at, expires_at, revoked_at, last_used_at from api_tokens
    order by created_at desc, id limit 1000`;
  return rows.map(toToken);
}

/** Returns the token with this UUID or name. A name means the valid token, or else the newest one with that name. */
export async function describeToken(tx: Tx, reference: string): Promise<Token | null> {
  const rows = await tx.$queryRaw<TokenRow[]>`
    select id, name, scopes, coalesce(owner, name) as owner, space, app, created_at, expires_at, revoked_at, last_used_at from api_tokens
    where id::text = ${reference} or name = ${reference}
    order by revoked_at nulls first, created_at desc limit 1`;
  return rows[0] === undefined ? null : toToken(rows[0]);
}

/** Whether a valid token has this name. */
export async function tokenNameTaken(tx: Tx, name: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from api_tokens
    where name = ${name} and revoked_at is null and (expires_at is null or expires_at > now()) limit 1`;
  return rows.length > 0;
}

/**
 * Revokes a token now.
 *
 * @returns false if the token was already invalid.
 */
export async function revokeToken(tx: Tx, id: string): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update api_tokens set revoked_at = now() where id = ${id}::uuid and revoked_at is null`;
  return changed === 1;
}

/**
 * Returns the number of other valid admin tokens. The browser sessions of this token do not count, because they end
 * with it.
 */
export async function countOtherAdmins(tx: Tx, withoutId: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: bigint }[]>`
    select count(*) from api_tokens where 'admin' = any(scopes) and not web and revoked_at is null and id <> ${withoutId}::uuid
      and (expires_at is null or expires_at > now())`;
  return Number(rows[0]?.count ?? 0);
}

export async function countTokens(tx: Tx): Promise<number> {
  const rows = await tx.$queryRaw<{ count: bigint }[]>`select count(*) from api_tokens`;
  return Number(rows[0]?.count ?? 0);
}

/**
 * Returns the projects that the owner of this token name may see and write; null for all of them. Goals and chats need
 * this, because they know only the name of their creator. If several tokens have one name, the valid one counts.
 */
export async function projectsOfTokenName(tx: Tx, name: string): Promise<readonly string[] | null> {
  const rows = await tx.$queryRaw<{ projects: string[]; bound: boolean }[]>`
    select projects, scoped or app is not null as bound from api_tokens where name = ${name} or owner = ${name}
    order by name = ${name} desc, revoked_at nulls first, created_at desc limit 1`;
  return rows[0]?.bound === true ? rows[0].projects : null;
}

/** A token in its stored form, which is restored after everything else was replaced. */
export interface KeptToken {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
}

export async function takeToken(tx: Tx, id: string): Promise<KeptToken | null> {
  const rows = await tx.$queryRaw<KeptToken[]>`
    select id, name, hash, scopes, expires_at from api_tokens where id = ${id}::uuid`;
  return rows[0] ?? null;
}

/** Restores a token. If another token uses its name, the beginning of its ID is appended. */
export async function keepToken(tx: Tx, token: KeptToken): Promise<void> {
  const name = (await tokenNameTaken(tx, token.name)) ? `${token.name}-${token.id.slice(0, 8)}` : token.name;
  await tx.$executeRaw`
    insert into api_tokens (id, name, hash, scopes, expires_at)
    values (${token.id}::uuid, ${name}, ${token.hash}, ${[...token.scopes]}::text[], ${token.expires_at}::timestamptz)
    on conflict (hash) do nothing`;
}
