import type { Readable } from 'node:stream';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { CONNECT_TIMEOUT_MS } from '../client.js';

export interface DumpedTable {
  readonly name: string;
  /** In the order in which each row has them. Generated columns are left out: they come again by themselves. */
  readonly columns: readonly string[];
}

export interface DumpedSequence {
  readonly name: string;
  readonly value: string;
}

/** A database as it was at one moment, read table by table. */
export interface DatabaseDump {
  /** Names of the migrations that it holds, oldest first. */
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  readonly sequences: readonly DumpedSequence[];
  /** The rows of a table in Postgres' COPY text format. One at a time. */
  readonly copy: (table: DumpedTable) => Readable;
}

/** The tables that Prisma keeps for itself are made again by the migrations. */
const NOT_OURS = new Set(['_prisma_migrations']);
const STATEMENT_TIMEOUT_MS = 3_600_000;

/**
 * Gives `fn` a snapshot of schema `public` as it is at this moment. Writers are not blocked, and their later writes are
 * not in the snapshot.
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

/** A connection for long work: no limit of a minute on a statement. */
export async function connectForCopy(url: string, name: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined); // the query that needs the connection reports it
  await client.connect();
  return client;
}

/** Every table of schema `public` with the columns that can be written. */
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
