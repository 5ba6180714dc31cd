import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { Client } from 'pg';
import { LockNamespace, withAdvisoryLock } from '../advisory-lock.js';
import { CONNECT_TIMEOUT_MS } from '../client.js';
import { MIGRATIONS_DIR, readMigrations, type Migration } from './folder.js';
import { NO_FILTERS, migrationList, withSchemaEngine } from './schema-engine.js';

export interface MigrateOptions {
  readonly migrationsDir?: string;
  /**
   * Whether to create the database if it does not exist. This requires the right to do so, and a database `postgres` to
   * connect to.
   */
  readonly createDatabase?: boolean;
  readonly onProgress?: (progress: MigrateProgress) => void;
  /** Milliseconds to wait for another runner. */
  readonly lockWaitMs?: number;
}

export type MigrateProgress =
  | { readonly type: 'applying'; readonly name: string; readonly n: number; readonly of: number }
  /** The file of an applied migration was changed later. As in `prisma migrate deploy`, this is not an error. */
  | { readonly type: 'edited'; readonly name: string };

interface Row {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
  readonly rolled_back_at: Date | null;
  /** Why it failed. Null if it did not fail, or if its process was killed. */
  readonly logs: string | null;
}

// The engine reads the dialect from a data model. Applying migrations needs nothing else from it.
const EMPTY_SCHEMA = 'datasource db {\n  provider = "postgresql"\n}\n';
const LOCK_WAIT_MS = 300_000;
const START_WAIT_MS = 15_000;
const START_LOOK_EVERY_MS = 300;
const DUPLICATE_DATABASE = new Set(['42P04', '23505']);

/**
 * Brings a database to the newest schema, under an advisory lock. If several runners start, one works and the others
 * find the work done. The rows in `_prisma_migrations` are the same as after `prisma migrate deploy`, so both tools can
 * be used alternately.
 *
 * @returns the names of the newly applied migrations, oldest first.
 * @throws AishError `database_newer` (facts `unknown`) if the database has migrations that this version does not know;
 *   `migration_failed` (facts `migration`) if one fails or has failed before; `locked` if another runner does not
 *   finish in time.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<{ applied: string[] }> {
  const dir = options.migrationsDir ?? MIGRATIONS_DIR;
  const known = await readMigrations(dir);
  if (options.createDatabase === true) await ensureDatabase(url);
  return withAdvisoryLock(
    { url },
    LockNamespace.migrations,
    'prisma',
    async (signal) => {
      const before = await readApplied(url);
      const pending = pendingOf(known, before, options);
      if (pending.length === 0) return { applied: [] };
      const applied = await apply(url, dir, known, pending, options, signal);
      if (before.length > 0) await countValues(url);
      return { applied };
    },
    { waitMs: options.lockWaitMs ?? LOCK_WAIT_MS },
  );
}

/**
 * Checks that a database has the schema of exactly this version. Every service calls this before it uses the database.
 *
 * @throws AishError `database_newer` (facts `unknown`), `migration_failed` as in {@link migrate}; `database_older`
 *   (facts `missing`) if migrations still have to run.
 */
export async function requireSchema(url: string): Promise<void> {
  const missing = pendingOf(await readMigrations(MIGRATIONS_DIR), await onceItAnswers(() => readApplied(url)), {}).map(
    ({ name }) => name,
  );
  if (missing.length === 0) return;
  const sample = `${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ' …' : ''}`;
  throw new AishError(
    'database_older',
    `The database lacks ${missing.length} migrations of this version (${sample}). Run the migrator first; in compose: docker compose run --rm migrate`,
    { missing },
  );
}

/**
 * Repeats a request until the database answers. Services and the database often start together, and the database may
 * refuse connections for a while.
 */
async function onceItAnswers<T>(ask: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + START_WAIT_MS; ;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(START_LOOK_EVERY_MS);
    }
  }
}

function pendingOf(known: readonly Migration[], rows: readonly Row[], options: MigrateOptions): readonly Migration[] {
  const live = rows.filter((row) => row.rolled_back_at === null && !isKilled(row));
  const names = new Set(known.map(({ name }) => name));
  const unknown = live.map((row) => row.migration_name).filter((name) => !names.has(name));
  if (unknown.length > 0) {
    throw new AishError(
      'database_newer',
      `The database has migrations that this version does not know: ${unknown.join(', ')}. Start the newer version again, or restore a backup`,
      { unknown },
    );
  }
  const failed = live.find((row) => row.finished_at === null);
  if (failed !== undefined) {
    const name = failed.migration_name;
    throw new AishError(
      'migration_failed',
      `Migration ${name} failed in an earlier run, and its changes were rolled back. Fix the cause, run ` +
        `prisma migrate resolve --rolled-back ${name}, and migrate again`,
      { migration: name },
    );
  }
  const checksums = new Map(live.map((row) => [row.migration_name, row.checksum]));
  for (const { name, checksum } of known) {
    if (checksums.has(name) && checksums.get(name) !== checksum) options.onProgress?.({ type: 'edited', name });
  }
  return known.filter(({ name }) => !checksums.has(name));
}

/**
 * Applies one migration at a time, together with all earlier ones, so that progress can be reported and an abort falls
 * between two migrations.
 */
async function apply(
  url: string,
  dir: string,
  known: readonly Migration[],
  pending: readonly Migration[],
  options: MigrateOptions,
  signal: AbortSignal,
): Promise<string[]> {
  return withSchemaEngine(EMPTY_SCHEMA, url, async (engine, session) => {
    await session.takeLock();
    // Nobody else can be applying them now.
    await forgetKilled(url);
    for (const [index, migration] of pending.entries()) {
      signal.throwIfAborted();
      options.onProgress?.({ type: 'applying', name: migration.name, n: index + 1, of: pending.length });
      const upTo = known.filter(({ name }) => name <= migration.name);
      try {
        await engine.applyMigrations({ migrationsList: migrationList(dir, upTo), filters: NO_FILTERS });
      } catch (cause) {
        throw failure(migration.name, session.lastError() ?? cause);
      }
    }
    return pending.map(({ name }) => name);
  });
}

/** Whether a run was killed while it applied this migration. The server has rolled back what it had changed. */
function isKilled({ finished_at, logs }: Row): boolean {
  return finished_at === null && logs === null;
}

/** Records that migrations of killed runs were rolled back, as `prisma migrate resolve --rolled-back` does. */
async function forgetKilled(url: string): Promise<void> {
  if ((await readApplied(url)).length === 0) return;
  const client = await connect(url);
  try {
    await client.query(
      `update public._prisma_migrations set rolled_back_at = now()
       where finished_at is null and logs is null and rolled_back_at is null`,
    );
  } finally {
    await client.end();
  }
}

/**
 * Updates the statistics. The server has none about a new column or index until much is written, and would scan whole
 * tables.
 */
async function countValues(url: string): Promise<void> {
  const client = await connect(url);
  try {
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

function failure(migration: string, cause: unknown): AishError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0] ?? '';
  return new AishError('migration_failed', `Migration ${migration} failed: ${reason}`, { migration }, { cause });
}

async function readApplied(url: string): Promise<readonly Row[]> {
  const client = await connect(url);
  try {
    const table = await client.query<{ there: boolean }>(
      `select to_regclass('public._prisma_migrations') is not null as there`,
    );
    if (table.rows[0]?.there !== true) return [];
    const { rows } = await client.query<Row>(
      'select migration_name, checksum, finished_at, rolled_back_at, logs from public._prisma_migrations order by started_at',
    );
    return rows;
  } finally {
    await client.end();
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const admin = new URL(url);
  const name = decodeURIComponent(admin.pathname.slice(1));
  admin.pathname = '/postgres';
  const client = await connect(admin.href);
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } catch (error) {
    // Another process created it in the meantime.
    if (!DUPLICATE_DATABASE.has((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined); // The query that needs the connection reports the error.
  await client.connect();
  return client;
}
