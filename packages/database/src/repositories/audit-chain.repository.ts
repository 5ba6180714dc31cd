import { createHash } from 'node:crypto';
import type { AuditCheck } from '@aish/contracts/audit';
import type { AuditRow } from '../generated/rows.js';
import { LockNamespace } from '../advisory-lock.js';
import type { Database } from '../client.js';
import { inTransaction } from '../transaction.js';
import type { Tx } from '../tx.js';

/** Maximum number of entries that are sealed or read in one step. */
const AT_ONCE = 1_000;

/** `text` is the whole entry as Postgres writes it, so that the same entry always has the same text. */
type SealedRow = Pick<AuditRow, 'n' | 'seal' | 'hash'> & { readonly text: string };

/**
 * Adds new entries to the chain in the order in which they are found. An entry that was committed late comes after
 * those that were sealed before. Entries are not sealed when they are written, because those transactions would wait
 * for each other.
 */
export async function sealAudit(db: Database): Promise<void> {
  for (;;) {
    const [waiting] = await db.statements.$queryRaw<{ found: boolean }[]>`
      select exists (select 1 from audit where seal is null) as found`;
    if (waiting?.found !== true) return;
    await inTransaction(db, sealSome);
  }
}

async function sealSome(tx: Tx): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${LockNamespace.audit}::int, 0)`;
  const [last] = await tx.$queryRaw<{ seal: bigint; hash: string }[]>`
    select seal, hash from audit where seal is not null order by seal desc limit 1`;
  const rows = await tx.$queryRaw<SealedRow[]>`
    select n, seal, hash, jsonb_build_array(n, extract(epoch from at), actor, action, subject, facts)::text as text
    from audit where seal is null order by n limit ${AT_ONCE}::int`;
  let seal = last?.seal ?? 0n;
  let hash = last?.hash ?? '';
  for (const { n, text } of rows) {
    seal += 1n;
    hash = hashOf(hash, text);
    await tx.$executeRaw`update audit set seal = ${seal}::bigint, hash = ${hash} where n = ${n}::bigint`;
  }
}

/**
 * Verifies the whole chain.
 *
 * @param head a hash that the chain must contain; null if it need not contain any.
 */
export async function checkAudit(tx: Tx, head: string | null): Promise<AuditCheck> {
  const [count] = await tx.$queryRaw<{ entries: bigint }[]>`select count(*) as entries from audit`;
  let seal = 0n;
  let hash = '';
  let brokenAt: number | null = null;
  let knowsHead = false;
  for (;;) {
    const rows = await tx.$queryRaw<SealedRow[]>`
      select n, seal, hash, jsonb_build_array(n, extract(epoch from at), actor, action, subject, facts)::text as text
      from audit where seal > ${seal}::bigint order by seal limit ${AT_ONCE}::int`;
    if (rows.length === 0) break;
    for (const row of rows) {
      const wanted = hashOf(hash, row.text);
      const isNext = row.seal === seal + 1n;
      if (brokenAt === null && !(isNext && row.hash === wanted)) brokenAt = Number(row.n);
      seal = row.seal ?? seal + 1n;
      hash = row.hash ?? '';
      knowsHead ||= hash === head;
    }
  }
  return {
    entries: Number(count?.entries ?? 0),
    sealed: Number(seal),
    head: hash === '' ? null : hash,
    knowsHead: head === null ? null : knowsHead,
    brokenAt,
  };
}

const hashOf = (before: string, text: string): string =>
  createHash('sha256').update(`${before}\n${text}`).digest('hex');
