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
  /** The person whose memory it reaches: its name, if nobody was named. */
  readonly owner: string;
  /** The app that it is bound to, if it is an app's. */
  readonly app: { readonly space: string; readonly name: string } | null;
  /** The projects whose knowledge it may see and write; null: all of them. */
  readonly projects: readonly string[] | null;
}

/** A token `t` that neither has expired nor was revoked, nor `p`, the one that it was begun with. */
export const TOKEN_HOLDS = sql`
  t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
  and p.revoked_at is null and (p.expires_at is null or p.expires_at > now())`;

/** The token with this hash, unless it has expired or was revoked, or the one that it was begun with. */
export function findToken(tx: Tx, hash: string): Promise<ApiTokenRow | null> {
  return findHolding(tx, sql`t.hash = ${hash}`);
}

/** @throws AishError `unauthorized` when the token has expired or was revoked, or the one that it was begun with. */
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
  // An app that was given no projects sees what is shared with everyone, never all.
  const projects = row.scoped || bound !== null ? row.projects : null;
  return { id, name, scopes, owner, app: bound, projects };
}

export function refusedToken(): AishError {
  return new AishError('unauthorized', 'This token is unknown, expired or revoked');
}

/** Whose memory the sessions of this token reach: `name` is what sessions and goals keep of it. */
export async function callerNamed(tx: Tx, name: string): Promise<MemoryCaller> {
  const rows = await tx.$queryRaw<{ owner: string; space: string | null; app: string | null }[]>`
    select coalesce(owner, name) as owner, space, app from api_tokens
    where name = ${name} order by revoked_at nulls first, created_at desc limit 1`;
  const { owner, space, app } = rows[0] ?? { owner: name, space: null, app: null };
  return { owner, app: space === null || app === null ? null : { space, name: app } };
}

/** Notes that a token was used, at most once a minute. */
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
    /** Left out: not bound to projects. */
    readonly projects?: readonly string[] | undefined;
    /** Of a browser's session; `parentId`: the token that it was begun with. */
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

/** Every token that was ever made, newest first; 1000 at most. */
export async function listTokens(tx: Tx): Promise<Token[]> {
  const rows = await tx.$queryRaw<TokenRow[]>`
    select id, name, scopes, coalesce(owner, name) as owner, space, app, created_at, expires_at, revoked_at, last_used_at from api_tokens
    order by created_at desc, id limit 1000`;
  return rows.map(toToken);
}

/** The token that a UUID or a name names. A name means the one that is still good, else the newest of that name. */
export async function describeToken(tx: Tx, reference: string): Promise<Token | null> {
  const rows = await tx.$queryRaw<TokenRow[]>`
    select id, name, scopes, coalesce(owner, name) as owner, space, app, created_at, expires_at, revoked_at, last_used_at from api_tokens
    where id::text = ${reference} or name = ${reference}
    order by revoked_at nulls first, created_at desc limit 1`;
  return rows[0] === undefined ? null : toToken(rows[0]);
}

/** Whether a token of this name is good now. */
export async function tokenNameTaken(tx: Tx, name: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from api_tokens
    where name = ${name} and revoked_at is null and (expires_at is null or expires_at > now()) limit 1`;
  return rows.length > 0;
}

/** Ends a token now. @returns false when it had ended before. */
export async function revokeToken(tx: Tx, id: string): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update api_tokens set revoked_at = now() where id = ${id}::uuid and revoked_at is null`;
  return changed === 1;
}

/** Admin tokens that are good now, leaving one out; sessions of browsers end with them. */
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
 * The projects that the owner of this token name may see and write; null: all of them. Goals and chats need this,
 * because they know only the name of their creator. Of several tokens with one name, the valid one counts.
 */
export async function projectsOfTokenName(tx: Tx, name: string): Promise<readonly string[] | null> {
  const rows = await tx.$queryRaw<{ projects: string[]; bound: boolean }[]>`
    select projects, scoped or app is not null as bound from api_tokens where name = ${name} or owner = ${name}
    order by name = ${name} desc, revoked_at nulls first, created_at desc limit 1`;
  return rows[0]?.bound === true ? rows[0].projects : null;
}

/** A token as it is kept, to be put back after everything else was replaced. */
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

/** Puts a token back. Where its name is in use by another one it gets the beginning of its id behind it. */
export async function keepToken(tx: Tx, token: KeptToken): Promise<void> {
  const name = (await tokenNameTaken(tx, token.name)) ? `${token.name}-${token.id.slice(0, 8)}` : token.name;
  await tx.$executeRaw`
    insert into api_tokens (id, name, hash, scopes, expires_at)
    values (${token.id}::uuid, ${name}, ${token.hash}, ${[...token.scopes]}::text[], ${token.expires_at}::timestamptz)
    on conflict (hash) do nothing`;
}
