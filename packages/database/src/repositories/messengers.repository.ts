import type { Tx } from '../tx.js';
import { TOKEN_HOLDS } from './tokens.repository.js';

/** An account of a messenger that belongs to the person of a valid token. */
export interface BoundAccount {
  readonly account: string;
  readonly room: string;
  readonly tokenId: string;
  /** The chat that answers the account's messages; null before the first one. */
  readonly sessionId: string | null;
}

/** Stores the hash of a token's code. It replaces the token's previous code. */
export async function saveMessengerCode(tx: Tx, tokenId: string, hash: string, expiresAt: Date): Promise<void> {
  await tx.$executeRaw`
    insert into messenger_codes (token_id, hash, expires_at)
    values (${tokenId}::uuid, ${hash}, ${expiresAt}::timestamptz)
    on conflict (token_id) do update set hash = excluded.hash, expires_at = excluded.expires_at`;
}

/** Uses up the code with this hash. @returns the ID of its token; null if it is unknown or has expired */
export async function takeMessengerCode(tx: Tx, hash: string): Promise<string | null> {
  const rows = await tx.$queryRaw<{ token_id: string; holds: boolean }[]>`
    delete from messenger_codes where hash = ${hash} returning token_id, expires_at > now() as holds`;
  return rows[0]?.holds === true ? rows[0].token_id : null;
}

/** Binds an account. This replaces an earlier binding of the account. */
export async function bindMessengerAccount(
  tx: Tx,
  channel: string,
  { account, room, tokenId }: Pick<BoundAccount, 'account' | 'room' | 'tokenId'>,
): Promise<void> {
  await tx.$executeRaw`
    insert into messenger_accounts (channel, account, room, token_id)
    values (${channel}, ${account}, ${room}, ${tokenId}::uuid)
    on conflict (channel, account) do update
      set room = excluded.room, token_id = excluded.token_id, session_id = null, created_at = now()`;
}

export async function unbindMessengerAccount(tx: Tx, channel: string, account: string): Promise<void> {
  await tx.$executeRaw`delete from messenger_accounts where channel = ${channel} and account = ${account}`;
}

/** Returns the binding of an account; null if there is none or its token is no longer valid. */
export async function findMessengerAccount(tx: Tx, channel: string, account: string): Promise<BoundAccount | null> {
  const rows = await tx.$queryRaw<BoundAccount[]>`
    select m.account, m.room, m.token_id as "tokenId", m.session_id as "sessionId"
    from messenger_accounts m join api_tokens t on t.id = m.token_id left join api_tokens p on p.id = t.parent_id
    where m.channel = ${channel} and m.account = ${account} and ${TOKEN_HOLDS}`;
  return rows[0] ?? null;
}

/** Lists the bound accounts of a channel, oldest first. `owner` limits the list to one person. */
export async function listMessengerAccounts(tx: Tx, channel: string, owner: string | null): Promise<BoundAccount[]> {
  return tx.$queryRaw<BoundAccount[]>`
    select m.account, m.room, m.token_id as "tokenId", m.session_id as "sessionId"
    from messenger_accounts m join api_tokens t on t.id = m.token_id left join api_tokens p on p.id = t.parent_id
    where m.channel = ${channel} and (${owner}::text is null or coalesce(t.owner, t.name) = ${owner}) and ${TOKEN_HOLDS}
    order by m.created_at limit 100`;
}

/** Stores the chat that answers an account's messages. */
export async function setMessengerSession(tx: Tx, channel: string, account: string, sessionId: string): Promise<void> {
  await tx.$executeRaw`
    update messenger_accounts set session_id = ${sessionId}::uuid where channel = ${channel} and account = ${account}`;
}
