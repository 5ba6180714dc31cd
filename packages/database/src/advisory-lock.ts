import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { measured } from '@aish/telemetry';
import { Client, DatabaseError } from 'pg';
import { CONNECT_TIMEOUT_MS, type Database } from './client.js';
import { sql, type Sql } from './sql.js';
import { Statements } from './statements.js';
import type { Tx } from './tx.js';

/**
 * The purposes of advisory locks. Locks are taken as `(namespace, hashtext(key))`, the form with two integers.
 * `pg_locks` then shows the namespace, SQL can compute `lockedKeys`, and single 64-bit numbers stay free for the tools
 * that use them (Prisma Migrate, BullMQ). Two keys of one namespace share a lock with a chance of 1 in 4 billion; they
 * would then only wait for each other. The numbers are stored nowhere, but all versions that run side by side must
 * agree, so never give one a new meaning.
 */
export const LockNamespace = {
  goal: 0x61697301,
  migrations: 0x61697302,
  knowledge: 0x61697303,
  memoryItems: 0x61697304,
  memoryDocument: 0x61697305,
  tokens: 0x61697306,
  testDatabase: 0x61697307,
  chat: 0x61697308,
  backup: 0x61697310,
  audit: 0x61697311,
  messenger: 0x61697312,
} as const;
export type LockNamespace = (typeof LockNamespace)[keyof typeof LockNamespace];

export interface LockOptions {
  /** Milliseconds to wait for a lock that another process holds. With 0 the call does not wait. */
  readonly waitMs: number;
  /** Ends the wait. `fn` gets its own signal, which aborts together with this one. */
  readonly signal?: AbortSignal;
}

// Each wait is split into slices, because the server notices a closed socket of a waiting client only when a statement
// ends.
const SLICE_MS = 1_000;
const HEARTBEAT_MS = 5_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs `fn` while only this process holds the lock. The lock is a session lock on a separate connection, because a
 * pooled connection would keep it when it returns to the pool. So the lock ends with the process, even after a crash.
 * `signal` aborts when the connection is lost, because the lock is then lost, too. `fn` must then stop writing.
 *
 * @throws AishError `locked` with facts `{ namespace, key, holderPid, since }` if another process still holds the lock
 *   after `waitMs`; `lock_lost` if the connection broke before `fn` ended; `aborted` if `options.signal` ended the
 *   wait.
 */
export async function withAdvisoryLock<T>(
  db: Pick<Database, 'url'>,
  namespace: LockNamespace,
  key: string,
  fn: (signal: AbortSignal) => Promise<T>,
  options: LockOptions,
): Promise<T> {
  const lost = new AbortController();
  const client = await connect(db.url, namespace, key, (cause) => {
    lost.abort(
      new AishError(
        'lock_lost',
        `The database connection that held the lock ${named(namespace, key)} was lost`,
        {},
        { cause },
      ),
    );
  });
  const abandon = (): void => void client.end().catch(() => undefined);
  options.signal?.addEventListener('abort', abandon, { once: true });
  try {
    const asked = performance.now();
    await acquire(client, namespace, key, options);
    measured.lockWait.record((performance.now() - asked) / 1000, { namespace: nameOf(namespace) });
    options.signal?.removeEventListener('abort', abandon);
    const stopHeartbeat = beat(client, lost);
    try {
      const signals = options.signal === undefined ? [lost.signal] : [lost.signal, options.signal];
      const result = await fn(AbortSignal.any(signals));
      lost.signal.throwIfAborted();
      return result;
    } catch (error) {
      throw lost.signal.aborted ? lost.signal.reason : error;
    } finally {
      stopHeartbeat();
    }
  } finally {
    options.signal?.removeEventListener('abort', abandon);
    client.removeAllListeners('end');
    await client.end().catch(() => undefined);
  }
}

/**
 * Takes the lock until the transaction ends.
 *
 * @throws AishError `locked` if another process still holds the lock after `waitMs`. The transaction can then only be
 *   rolled back.
 */
export async function lockInTransaction(
  tx: Tx,
  namespace: LockNamespace,
  key: string,
  options: { readonly waitMs: number } = { waitMs: 5_000 },
): Promise<void> {
  const rows = await tx.$queryRaw<{ locked: boolean; before: string }[]>`
    select pg_try_advisory_xact_lock(${namespace}::int, hashtext(${key})) as locked,
           current_setting('lock_timeout') as before`;
  if (rows[0]?.locked === true) return;
  const holder = await holderOf(tx, namespace, key);
  const waitMs = Math.max(1, Math.round(options.waitMs));
  await tx.$executeRaw`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`;
  try {
    await tx.$executeRaw`select pg_advisory_xact_lock(${namespace}::int, hashtext(${key}))`;
  } catch (cause) {
    if (isNotAvailable(cause)) throw locked(namespace, key, holder, { cause });
    throw cause;
  }
  await tx.$executeRaw`select set_config('lock_timeout', ${rows[0]?.before ?? '0'}, true)`;
}

/**
 * Runs one statement that takes the lock itself with the SQL function `aish_lock(namespace, key, wait_ms)` and holds it
 * until its transaction ends. Lock and work then need only one round trip.
 *
 * @throws AishError `locked` if another process still holds the lock after the statement's `wait_ms`.
 */
export async function inLockedStatement<T>(
  namespace: LockNamespace,
  key: string,
  statement: () => Promise<T>,
): Promise<T> {
  try {
    return await statement();
  } catch (cause) {
    if (isNotAvailable(cause)) throw locked(namespace, key, undefined, { cause });
    throw cause;
  }
}

/** Returns the keys that somebody holds now, in session or transaction locks. */
export async function lockedKeys(
  { statements }: Pick<Database, 'statements'>,
  namespace: LockNamespace,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await statements.$queryRaw<{ key: string }[]>`
    select key from unnest(${[...keys]}::text[]) as key
    where exists (select 1 from pg_locks l where ${isHeld(namespace, sql`key`)})`;
  return rows.map((row) => row.key);
}

interface Holder {
  readonly pid: number;
  readonly since: Date | null;
}

/** Matches the row of `pg_locks l` for the held lock. The columns of that view show both integers unsigned. */
function isHeld(namespace: LockNamespace, key: string | Sql): Sql {
  return sql`
    l.locktype = 'advisory' and l.objsubid = 2 and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid::bigint = ${namespace}::int and l.objid::bigint = hashtext(${key})::bigint & 4294967295`;
}

/**
 * Returns the holder of a lock. Postgres does not record when a lock was granted, but a session lock has its own
 * connection, so the start of that connection is used.
 */
async function holderOf(tx: Tx, namespace: LockNamespace, key: string): Promise<Holder | undefined> {
  const rows = await tx.$queryRaw<Holder[]>`
    select l.pid,
      case when a.application_name like 'aish lock %' then a.backend_start else a.xact_start end as since
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid where ${isHeld(namespace, key)}`;
  return rows[0];
}

function isNotAvailable(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

async function connect(
  url: string,
  namespace: LockNamespace,
  key: string,
  onEnd: (cause: Error | undefined) => void,
): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  let cause: Error | undefined;
  client.on('error', (error) => (cause = error));
  client.on('end', () => onEnd(cause));
  try {
    await client.connect();
    await client.query(
      "select set_config('application_name', $1, false), set_config('statement_timeout', '0', false)",
      [`aish lock ${named(namespace, key)}`.slice(0, 63)],
    );
    await letGoOfVanished(client);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/**
 * Tells the server to close this connection, and release its locks, about 15 s after the client machine vanished.
 * Keepalives cover the time while the server waits for a request, which would otherwise take two hours. The user
 * timeout covers the time while a response is not acknowledged. The holder of a lock must notice the loss earlier, so
 * it sends a heartbeat every 5 s with a timeout of 5 s.
 */
export async function letGoOfVanished(client: Client): Promise<void> {
  await client.query(
    `select set_config('tcp_keepalives_idle', '5s', false), set_config('tcp_keepalives_interval', '3s', false),
            set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '15s', false)`,
  );
}

async function acquire(client: Client, namespace: LockNamespace, key: string, options: LockOptions): Promise<void> {
  const deadline = Date.now() + options.waitMs;
  for (;;) {
    if (options.signal?.aborted === true) throw waitAborted(namespace, key);
    if (await tryOnce(client, namespace, key, deadline - Date.now(), options.signal)) return;
    if (Date.now() < deadline) continue;
    throw locked(namespace, key, await holderOf(new Statements(client), namespace, key));
  }
}

async function tryOnce(
  client: Client,
  namespace: LockNamespace,
  key: string,
  leftMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    if (leftMs <= 0) {
      const sql = 'select pg_try_advisory_lock($1::int, hashtext($2)) as locked';
      const { rows } = await client.query<{ locked: boolean }>(sql, [namespace, key]);
      return rows[0]?.locked === true;
    }
    const sliceMs = Math.max(1, Math.min(SLICE_MS, Math.ceil(leftMs)));
    await client.query(`set lock_timeout = ${sliceMs}`);
    await client.query('select pg_advisory_lock($1::int, hashtext($2))', [namespace, key]);
    return true;
  } catch (error) {
    if (signal?.aborted === true) throw waitAborted(namespace, key);
    if (isNotAvailable(error)) return false;
    throw error;
  }
}

/**
 * Queries the server regularly. A machine that was cut off does not see a broken socket, and must stop before the
 * server gives its lock to somebody else.
 */
function beat(client: Client, lost: AbortController): () => void {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    for (;;) {
      await sleep(HEARTBEAT_MS, undefined, { signal: stop.signal, ref: false });
      const answer = client.query('select 1').then(() => null);
      const late = sleep(HEARTBEAT_TIMEOUT_MS, new Error('no answer'), { signal: stop.signal, ref: false });
      const failure = await Promise.race([answer, late]);
      if (failure !== null) throw failure;
    }
  };
  run().catch((cause: unknown) => {
    if (stop.signal.aborted) return;
    lost.abort(new AishError('lock_lost', 'The database with the lock does not respond', {}, { cause }));
  });
  return () => stop.abort();
}

export function nameOf(namespace: LockNamespace): string {
  return Object.entries(LockNamespace).find(([, value]) => value === namespace)?.[0] ?? String(namespace);
}

function named(namespace: LockNamespace, key: string): string {
  return `${nameOf(namespace)} ${key}`;
}

function waitAborted(namespace: LockNamespace, key: string): AishError {
  return new AishError('aborted', `No longer waiting for the lock ${named(namespace, key)}`);
}

function locked(namespace: LockNamespace, key: string, holder: Holder | undefined, options?: ErrorOptions): AishError {
  const since = holder?.since?.toISOString() ?? null;
  const who = holder === undefined ? '' : ` by connection ${holder.pid}${since === null ? '' : ` since ${since}`}`;
  return new AishError(
    'locked',
    `The lock ${named(namespace, key)} is held${who}`,
    { namespace: named(namespace, key).split(' ')[0], key, holderPid: holder?.pid ?? null, since },
    options,
  );
}
