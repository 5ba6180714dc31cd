import { Secret } from '@aish/contracts/secrets';
import type { SecretRow as Row } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** A secret as it is stored. */
export interface SealedSecret extends Secret {
  readonly sealed: string;
}

/** Lists every secret, by name. */
export async function listSecrets(tx: Tx): Promise<SealedSecret[]> {
  const rows = await tx.$queryRaw<Row[]>`
    select name, sealed, targets, exposed, body, certificate, set_by, set_at from secrets order by name`;
  return rows.map(secretOf);
}

/** Returns the secrets that the commands of a session may use, by name. */
export async function secretsOfSession(tx: Tx, sessionId: string): Promise<SealedSecret[]> {
  const rows = await tx.$queryRaw<Row[]>`
    select s.name, s.sealed, s.targets, s.exposed, s.body, s.certificate, s.set_by, s.set_at
    from session_secrets g join secrets s using (name) where g.session_id = ${sessionId}::uuid order by s.name`;
  return rows.map(secretOf);
}

/** Writes a complete secret. It replaces one with the same name. */
export async function writeSecret(tx: Tx, secret: Omit<SealedSecret, 'setAt'>): Promise<void> {
  const { name, sealed, targets, exposed, body, certificate, setBy } = secret;
  await tx.$executeRaw`
    insert into secrets (name, sealed, targets, exposed, body, certificate, set_by)
    values (${name}, ${sealed}, ${storableJson(targets)}::jsonb, ${exposed}, ${body}, ${certificate}, ${setBy})
    on conflict (name) do update
      set sealed = excluded.sealed, targets = excluded.targets, exposed = excluded.exposed, body = excluded.body,
          certificate = excluded.certificate, set_by = excluded.set_by, set_at = now()`;
}

/**
 * Deletes a secret. From then on no session can use it.
 *
 * @returns the deleted secret; null if there was none.
 */
export async function deleteSecret(tx: Tx, name: string): Promise<SealedSecret | null> {
  const rows = await tx.$queryRaw<Row[]>`
    delete from secrets where name = ${name} returning name, sealed, targets, exposed, body, certificate, set_by, set_at`;
  return rows[0] === undefined ? null : secretOf(rows[0]);
}

/**
 * Replaces the list of secrets that a session may use.
 *
 * @returns the given secrets that exist.
 */
export async function writeSessionSecrets(tx: Tx, sessionId: string, names: readonly string[]): Promise<string[]> {
  await tx.$executeRaw`delete from session_secrets where session_id = ${sessionId}::uuid`;
  const rows = await tx.$queryRaw<{ name: string }[]>`
    insert into session_secrets (session_id, name)
    select ${sessionId}::uuid, name from secrets where name = any(${[...names]}::text[]) returning name`;
  return rows.map(({ name }) => name).toSorted();
}

function secretOf({ set_by: setBy, set_at: setAt, sealed, ...row }: Row): SealedSecret {
  return { ...Secret.parse({ ...row, setBy, setAt: setAt.toISOString() }), sealed };
}
