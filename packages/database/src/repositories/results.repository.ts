import { invariant } from '@aish/contracts/invariant';
import type { KeptResultRow as Row } from '../generated/rows.js';
import type { Database } from '../client.js';
import { inTransaction } from '../transaction.js';
import type { Tx } from '../tx.js';
import { storable } from './storable.js';

/** Maximum number of results per session. The oldest are deleted. */
const KEPT_PER_SESSION = 200;
const TEXT_MAX_CHARS = 4 * 1024 * 1024;

export type KeptResultRow = Omit<Row, 'session_id' | 'created_at'>;

/**
 * Stores a tool's result.
 *
 * @returns the number of the result within its session.
 */
export async function keepResult(
  db: Pick<Database, 'pool'>,
  sessionId: string,
  result: {
    readonly label: string;
    readonly mimeType: string | null;
    readonly content: string;
    readonly sizeBytes: number;
  },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    // Locking the session's row makes its writers take turns.
    await tx.$executeRaw`select id from sessions where id = ${sessionId}::uuid for update`;
    const rows = await tx.$queryRaw<{ n: number }[]>`
      insert into kept_results (session_id, n, label, mime_type, content, size_bytes)
      select ${sessionId}::uuid, coalesce(max(n), 0) + 1, ${storable(result.label)}, ${result.mimeType},
             ${storable(result.content.slice(0, TEXT_MAX_CHARS))}, ${result.sizeBytes}::int
      from kept_results where session_id = ${sessionId}::uuid returning n`;
    const n = rows[0]?.n;
    invariant(n !== undefined, 'an insert returns its row');
    await tx.$executeRaw`
      delete from kept_results where session_id = ${sessionId}::uuid and n <= ${n - KEPT_PER_SESSION}::int`;
    return n;
  });
}

/** Returns access to stored results by handle, such as `r-12`, in the form that the toolbox needs. */
export function keptResults(db: Pick<Database, 'statements' | 'pool'>): {
  keep(sessionId: string, result: Parameters<typeof keepResult>[2]): Promise<string>;
  readText(sessionId: string, handle: string): Promise<string | null>;
} {
  return {
    keep: async (sessionId, result) => `r-${await keepResult(db, sessionId, result)}`,
    readText: async (sessionId, handle) => {
      const n = /^r-([1-9][0-9]{0,8})$/.exec(handle)?.[1];
      if (n === undefined) return null;
      const row = await findResult(db.statements, sessionId, Number(n));
      return row === null || row.mime_type !== null ? null : row.content;
    },
  };
}

export async function findResult(tx: Tx, sessionId: string, n: number): Promise<KeptResultRow | null> {
  const rows = await tx.$queryRaw<KeptResultRow[]>`
    select n, label, mime_type, content, size_bytes from kept_results
    where session_id = ${sessionId}::uuid and n = ${n}::int`;
  return rows[0] ?? null;
}
