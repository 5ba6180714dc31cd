import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AishError } from '@aish/contracts/problems';
import { DatabaseError, type Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { MIGRATIONS_DIR, readMigrations } from '../migrations/folder.js';
import { migrate } from '../migrations/migrate.js';
import { connectForCopy, list, quoted, readTables, type DumpedSequence, type DumpedTable } from './dump.js';

/** The SQLSTATE of a deadlock, see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DEADLOCK_DETECTED = '40P01';
/** The maximum number of deadlocks. Each costs a second, after which the other transaction has continued. */
const DEADLOCKS_MAX = 10;

export interface DumpContents {
  readonly migrations: readonly string[];
  readonly sequences: readonly DumpedSequence[];
}

export interface RestoreOptions {
  readonly migrationsDir?: string;
  /** Tables that may contain rows in an otherwise empty database. The restore deletes them. */
  readonly disposable: readonly string[];
}

/** Loads the rows of one table after another. It may be called again from the first table. */
export type LoadTable = (table: DumpedTable, rows: Readable) => Promise<void>;

/**
 * Fills an empty database with a dump: creates the schema of the dump's version, loads the rows from `load`, checks
 * every foreign key, and migrates to this version. If anything fails, the database is left empty with the newest
 * schema.
 *
 * @throws AishError `not_empty` (facts `table`) before anything is changed; `database_newer` (facts `unknown`) for a
 *   dump of a newer version; any error of `load`.
 */
export async function restoreDatabase(
  url: string,
  contents: DumpContents,
  options: RestoreOptions,
  load: (into: LoadTable) => Promise<void>,
): Promise<void> {
  const dir = options.migrationsDir ?? MIGRATIONS_DIR;
  const known = new Set((await readMigrations(dir)).map(({ name }) => name));
  const unknown = contents.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new AishError('database_newer', 'A newer version of aish made this backup. Restore it with that version', {
      unknown,
    });
  }
  const client = await connectForCopy(url, 'aish restore');
  try {
    await refuseUnlessEmpty(client, new Set([...options.disposable, '_prisma_migrations']));
    try {
      await unlessDeadlocked(async () => {
        await emptySchema(client);
        await migrateTo(url, dir, contents.migrations);
        await loadAll(client, contents.sequences, load);
        await migrate(url, { migrationsDir: dir });
      });
    } catch (error) {
      await unlessDeadlocked(async () => {
        await emptySchema(client);
        await migrate(url, { migrationsDir: dir });
      });
      throw error;
    }
  } finally {
    await client.end();
  }
}

async function refuseUnlessEmpty(client: Client, disposable: ReadonlySet<string>): Promise<void> {
  for (const { name } of await readTables(client)) {
    if (disposable.has(name)) continue;
    const { rowCount } = await client.query(`select 1 from public.${quoted(client, name)} limit 1`);
    if (rowCount !== 0) {
      throw new AishError('not_empty', `A backup can be restored only into an empty aish, but this one has ${name}`, {
        table: name,
      });
    }
  }
}

/**
 * Runs `act` again if Postgres ends it to resolve a deadlock. Services keep sending queries during a restore, so this
 * happens.
 */
async function unlessDeadlocked(act: () => Promise<void>): Promise<void> {
  for (let left = DEADLOCKS_MAX; ; left -= 1) {
    try {
      return await act();
    } catch (error) {
      if (left === 0 || !(error instanceof DatabaseError) || error.code !== DEADLOCK_DETECTED) throw error;
    }
  }
}

async function emptySchema(client: Client): Promise<void> {
  await client.query('drop schema public cascade; create schema public');
}

/** Creates the schema as it was after these migrations. */
async function migrateTo(url: string, dir: string, names: readonly string[]): Promise<void> {
  const then = await mkdtemp(path.join(tmpdir(), 'aish-migrations-'));
  try {
    await cp(path.join(dir, 'migration_lock.toml'), path.join(then, 'migration_lock.toml'));
    for (const name of names) await cp(path.join(dir, name), path.join(then, name), { recursive: true });
    await migrate(url, { migrationsDir: then });
  } finally {
    await rm(then, { recursive: true, force: true });
  }
}

/**
 * Loads all rows in one transaction. Foreign keys are dropped first and added again at the end, which checks all rows.
 */
async function loadAll(
  client: Client,
  sequences: readonly DumpedSequence[],
  load: (into: LoadTable) => Promise<void>,
): Promise<void> {
  await client.query('begin');
  try {
    const keys = await client.query<{ table: string; name: string; definition: string }>(
      `select r.relname as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_namespace n on n.oid = r.relnamespace
       where n.nspname = 'public' and c.contype = 'f'`,
    );
    for (const { table, name } of keys.rows) {
      await client.query(`alter table public.${quoted(client, table)} drop constraint ${quoted(client, name)}`);
    }
    const tables = new Map((await readTables(client)).map((table) => [table.name, new Set(table.columns)]));
    await load(async ({ name, columns }, rows) => {
      const there = tables.get(name);
      const missing = there === undefined ? name : columns.find((column) => !there.has(column));
      if (missing !== undefined) {
        throw new AishError('backup_broken', `The backup contains the table ${name}, which its version did not have`, {
          missing,
        });
      }
      const into = `copy public.${quoted(client, name)} (${list(client, columns)}) from stdin`;
      await pipeline(rows, client.query(copyFrom(into)));
    });
    for (const { name, value } of sequences) {
      await client.query(`select setval(($1)::regclass, ($2)::bigint)`, [`public.${quoted(client, name)}`, value]);
    }
    for (const { table, name, definition } of keys.rows) {
      await client.query(
        `alter table public.${quoted(client, table)} add constraint ${quoted(client, name)} ${definition}`,
      );
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
