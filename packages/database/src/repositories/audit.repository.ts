import { AuditAction, type AuditEntry } from '@aish/contracts/audit';
import { z } from 'zod';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

const Facts = z.record(z.string(), z.unknown());

/** Writes one entry of the audit log, in the transaction of the event that it records. */
export async function appendAudit(
  tx: Tx,
  entry: {
    readonly actor: string;
    readonly action: AuditAction;
    readonly subject: string;
    readonly facts?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await tx.$executeRaw`
    insert into audit (actor, action, subject, facts)
    values (${storable(entry.actor)}, ${entry.action}, ${storable(entry.subject)},
            ${storableJson(entry.facts ?? {})}::jsonb)`;
}

/** Lists the audit log, newest first. */
export async function listAudit(
  tx: Tx,
  filter: { readonly action?: AuditAction | undefined; readonly before?: number | undefined; readonly limit: number },
): Promise<AuditEntry[]> {
  const rows = await tx.$queryRaw<
    { n: bigint; at: Date; actor: string; action: string; subject: string; facts: unknown }[]
  >`
    select n, at, actor, action, subject, facts from audit
    where (${filter.action ?? null}::text is null or action = ${filter.action ?? null}::text)
      and (${filter.before ?? null}::bigint is null or n < ${filter.before ?? null}::bigint)
    order by n desc limit ${filter.limit}::int`;
  return rows.map((row) => ({
    n: Number(row.n),
    at: row.at.toISOString(),
    actor: row.actor,
    action: AuditAction.parse(row.action),
    subject: row.subject,
    facts: Facts.parse(row.facts),
  }));
}
