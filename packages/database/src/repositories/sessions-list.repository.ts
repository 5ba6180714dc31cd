import type { Tx } from '../tx.js';

/** Ids of all sessions, oldest first. */
export async function listSessionIds(tx: Tx): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`select id from sessions order by created_at, id`;
  return rows.map(({ id }) => id);
}
