import { Scope } from '@aish/contracts/tokens';
import type { SignInRow as Row } from '../generated/rows.js';
import type { Tx } from '../tx.js';

export type SignInRow = Pick<Row, 'id' | 'code' | 'state' | 'nonce' | 'verifier'>;

/** Stores a sign-in that has started, and deletes unfinished old ones. */
export async function insertSignIn(
  tx: Tx,
  input: SignInRow & { readonly secretHash: string; readonly minutes: number },
): Promise<void> {
  await tx.$executeRaw`delete from sign_ins where expires_at < now()`;
  await tx.$executeRaw`
    insert into sign_ins (id, code, secret_hash, state, nonce, verifier, expires_at)
    values (${input.id}::uuid, ${input.code}, ${input.secretHash}, ${input.state}, ${input.nonce}, ${input.verifier},
            now() + ${input.minutes}::int * interval '1 minute')`;
}

/** Returns the number of running sign-ins. */
export async function countSignIns(tx: Tx): Promise<number> {
  const rows = await tx.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from sign_ins where expires_at > now()`;
  return rows[0]?.count ?? 0;
}

/** Returns the sign-in that the provider's answer belongs to, unless it already has an answer. */
export async function findSignIn(tx: Tx, state: string): Promise<SignInRow | null> {
  const rows = await tx.$queryRaw<SignInRow[]>`
    select id, code, state, nonce, verifier from sign_ins
    where state = ${state} and confirmation is null and expires_at > now()`;
  return rows[0] ?? null;
}

/**
 * Stores the provider's answer.
 *
 * @returns false if there already was one.
 */
export async function identifySignIn(
  tx: Tx,
  id: string,
  who: { readonly name: string; readonly scopes: readonly Scope[]; readonly confirmation: string },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update sign_ins set name = ${who.name}, scopes = ${[...who.scopes]}::text[], confirmation = ${who.confirmation}
    where id = ${id}::uuid and confirmation is null`;
  return changed === 1;
}

/**
 * Confirms that the terminal belongs to the person in the browser.
 *
 * @returns whether there was something to confirm.
 */
export async function confirmSignIn(tx: Tx, id: string, confirmation: string): Promise<boolean> {
  const changed = await tx.$executeRaw`
    update sign_ins set confirmed = true
    where id = ${id}::uuid and confirmation = ${confirmation} and not confirmed and expires_at > now()`;
  return changed === 1;
}

/**
 * Takes a confirmed sign-in, once. `waiting` means that it is not confirmed yet, null that it does not exist or the
 * secret is wrong.
 */
export async function takeSignIn(
  tx: Tx,
  id: string,
  secretHash: string,
): Promise<'waiting' | { readonly name: string; readonly scopes: readonly Scope[] } | null> {
  const taken = await tx.$queryRaw<{ name: string; scopes: string[] }[]>`
    delete from sign_ins
    where id = ${id}::uuid and secret_hash = ${secretHash} and confirmed and expires_at > now() returning name, scopes`;
  const row = taken[0];
  if (row !== undefined) return { name: row.name, scopes: row.scopes.map((scope) => Scope.parse(scope)) };
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from sign_ins where id = ${id}::uuid and secret_hash = ${secretHash} and expires_at > now()`;
  return rows.length > 0 ? 'waiting' : null;
}
