import type { Tx } from '../tx.js';

/** The push service's address for one browser, and the keys for encrypting messages (RFC 8291), in base64url. */
export interface PushTarget {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/**
 * Stores the address at which the browser of a session gets notifications. It replaces earlier entries of this session
 * or address.
 */
export async function savePushSubscription(tx: Tx, tokenId: string, target: PushTarget): Promise<void> {
  const { endpoint, p256dh, auth } = target;
  await tx.$executeRaw`
    delete from push_subscriptions
    where endpoint = ${endpoint} and token_id <> ${tokenId}::uuid
      or token_id in (select id from api_tokens where revoked_at is not null or expires_at <= now())`;
  await tx.$executeRaw`
    insert into push_subscriptions (token_id, endpoint, p256dh, auth)
    values (${tokenId}::uuid, ${endpoint}, ${p256dh}, ${auth})
    on conflict (token_id) do update set endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth`;
}

export async function hasPushSubscription(tx: Tx, tokenId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`select 1 from push_subscriptions where token_id = ${tokenId}::uuid`;
  return rows.length > 0;
}

export async function deletePushSubscription(tx: Tx, tokenId: string): Promise<void> {
  await tx.$executeRaw`delete from push_subscriptions where token_id = ${tokenId}::uuid`;
}

/** Deletes an address that the push service no longer knows. */
export async function dropPushEndpoint(tx: Tx, endpoint: string): Promise<void> {
  await tx.$executeRaw`delete from push_subscriptions where endpoint = ${endpoint}`;
}

/**
 * Lists the browsers of signed-in people who may see goals. `owner` limits the list to one person. The newest come
 * first, at most 500.
 */
export async function listPushTargets(tx: Tx, owner: string | null): Promise<PushTarget[]> {
  return tx.$queryRaw<PushTarget[]>`
    select p.endpoint, p.p256dh, p.auth from push_subscriptions p join api_tokens t on t.id = p.token_id
    where t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
      and t.scopes && array['observe', 'admin'] and (${owner}::text is null or coalesce(t.owner, t.name) = ${owner})
    order by p.created_at desc limit 500`;
}
