import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

export interface McpServerRow {
  readonly alias: string;
  readonly settings: unknown;
  /** Encrypted headers and token; null if there are none. */
  readonly sealed: string | null;
  readonly isSaved: boolean;
  readonly createdAt: Date;
}

/** Lists the servers that were connected at run time and not disconnected since. */
export async function listMcpServers(tx: Tx): Promise<McpServerRow[]> {
  const rows = await tx.$queryRaw<
    { alias: string; settings: unknown; sealed: string | null; is_saved: boolean; created_at: Date }[]
  >`select alias, settings, sealed, is_saved, created_at from mcp_servers
    where expires_at is null or expires_at > now() order by alias`;
  return rows.map(({ is_saved: isSaved, created_at: createdAt, ...row }) => ({ ...row, isSaved, createdAt }));
}

/**
 * Stores a server. It replaces a disconnected server with the same alias.
 *
 * @returns false if a connected server has this alias.
 */
export async function insertMcpServer(
  tx: Tx,
  row: Omit<McpServerRow, 'createdAt'> & { readonly createdBy: string; readonly keptHours: number | null },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    insert into mcp_servers (alias, settings, sealed, is_saved, created_by, expires_at)
    values (${row.alias}, ${storableJson(row.settings)}::jsonb, ${row.sealed}, ${row.isSaved}, ${row.createdBy},
            now() + ${row.keptHours}::int * interval '1 hour')
    on conflict (alias) do update
      set settings = excluded.settings, sealed = excluded.sealed, is_saved = excluded.is_saved,
          created_by = excluded.created_by, created_at = now(), expires_at = excluded.expires_at
      where mcp_servers.expires_at <= now()`;
  return changed === 1;
}

/** @returns false if there was no such server. */
export async function deleteMcpServer(tx: Tx, alias: string): Promise<boolean> {
  await tx.$executeRaw`delete from mcp_authorizations where alias = ${alias}`;
  return (await tx.$executeRaw`delete from mcp_servers where alias = ${alias}`) === 1;
}

/** Returns the encrypted authorization that aish got for a server. */
export async function readMcpAuthorization(tx: Tx, alias: string, url: string): Promise<string | null> {
  const rows = await tx.$queryRaw<{ sealed: string }[]>`
    select sealed from mcp_authorizations where alias = ${alias} and url = ${url}`;
  return rows[0]?.sealed ?? null;
}

export async function writeMcpAuthorization(tx: Tx, alias: string, url: string, sealed: string): Promise<void> {
  await tx.$executeRaw`
    insert into mcp_authorizations (alias, url, sealed) values (${alias}, ${url}, ${sealed})
    on conflict (alias, url) do update set sealed = excluded.sealed, updated_at = now()`;
}
