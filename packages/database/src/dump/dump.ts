import type { Readable } from 'node:stream';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { CONNECT_TIMEOUT_MS } from '../client.js';

export interface DumpedTable {
  readonly name: string;
  /** The columns in the order of each row. Generated columns are omitted, because they are computed again. */
  readonly columns: readonly string[];
}

export interface DumpedSequence {
  readonly name: string;
  readonly value: string;
}

/** A database at one moment, read table by table. */
export interface DatabaseDump {
  /** Names of the applied migrations, oldest first. */
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  readonly sequences: readonly DumpedSequence[];
  /** The rows of a table in Postgres' COPY text format. Read one table at a time. */
  readonly copy: (table: DumpedTable) => Readable;
}

/** Tables that Prisma keeps for itself. The migrations create and fill them. */
const NOT_OURS = new Set(['_prisma_migrations']);
const STATEMENT_TIMEOUT_MS = 3_600_000;

/**
 * Gives `fn` a snapshot of schema `public` at this moment. Writers are not blocked, and later writes are not in the
 * snapshot.
 */
export async function dumpDatabase<T>(url: string, fn: (dump: DatabaseDump) => Promise<T>): Promise<T> {
  const client = await connectForCopy(url, 'aish dump');
  try {
    await client.query('begin isolation level repeatable read read only');
    const tables = (await readTables(client)).filter(({ name }) => !NOT_OURS.has(name));
    const migrations = await client.query<{ migration_name: string }>(
      `select migration_name from public._prisma_migrations
       where finished_at is not null and rolled_back_at is null order by migration_name`,
    );
    const sequences = await client.query<DumpedSequence>(
      `select sequencename as name, last_value::text as value from pg_sequences
       where schemaname = 'public' and last_value is not null order by 1`,
    );
    return await fn({
      migrations: migrations.rows.map((row) => row.migration_name),
      tables,
      sequences: sequences.rows,
      copy: ({ name, columns }) =>
        client.query(copyTo(`copy public.${quoted(client, name)} (${list(client, columns)}) to stdout`)),
    });
  } finally {
    await client.end();
  }
}

/** Opens a connection for long work, without the limit of a minute for a statement. */
export async function connectForCopy(url: string, name: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined); // The query that needs the connection reports the error.
  await client.connect();
  return client;
}

/** Returns every table of schema `public` with its writable columns. */
export async function readTables(client: Client): Promise<DumpedTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where n.nspname = 'public' and c.relkind = 'r' group by 1 order by 1`,
  );
  return rows;
}

export function quoted(client: Client, name: string): string {
  return client.escapeIdentifier(name);
}

export function list(client: Client, columns: readonly string[]): string {
  return columns.map((column) => client.escapeIdentifier(column)).join(', ');
}
