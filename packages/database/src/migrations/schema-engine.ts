import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  DriverAdapterError,
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type * as Engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Client, type DatabaseError, Pool, type QueryResult } from 'pg';
import { CONNECT_TIMEOUT_MS } from '../client.js';
import type { Migration } from './folder.js';

export const NO_FILTERS: Engine.SchemaFilter = { externalTables: [], externalEnums: [] };

const ENGINE_LOCK = 'pg_advisory_lock(72707369)';
const ENGINE_LOCK_WAIT_MS = 60_000;

/** PostgreSQL's type `"char"`, which the adapter does not support. */
const CHAR_OID = 18;
const TEXT_OID = 25;

/** Functions for things that the engine does not report or does not do well. */
export interface EngineSession {
  /**
   * Takes the lock that the engine itself would take, so that `prisma migrate deploy` can run at the same time. The
   * engine's own attempt would fail after 10 s and leave the statement waiting.
   */
  takeLock(): Promise<void>;
  /** Returns Postgres' error about the last script that failed. */
  lastError(): Error | undefined;
}

/**
 * The part of WebAssembly that this file uses. Its types belong to the DOM library, which server code does not include.
 */
interface WasmApi {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: Record<string, unknown>): Promise<{ readonly exports: Record<string, unknown> }>;
}

let loading: Promise<typeof Engine> | undefined;

/**
 * Runs `fn` with Prisma's schema engine as WebAssembly. This is the engine behind `prisma migrate`, without its native
 * binary, which a machine without internet cannot download. Use the engine only inside `fn`; the connections are closed
 * afterwards.
 *
 * @param url is not needed for work on data models alone.
 */
export async function withSchemaEngine<T>(
  datamodel: string,
  url: string | null,
  fn: (engine: Engine.SchemaEngine, session: EngineSession) => Promise<T>,
): Promise<T> {
  loading ??= instantiate();
  const { SchemaEngine } = await loading;
  const pool = new Pool({
    connectionString: url ?? 'postgresql://127.0.0.1:1/none',
    max: 2,
    application_name: 'aish migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    // If this process was killed, the server would otherwise finish its statement, and commit a migration that nobody
    // records. Servers that cannot notice the end of a connection refuse the setting, and nothing better is known there.
    verify: (client, done) => client.query(`set client_connection_check_interval = '1s'`, () => done()),
  });
  pool.on('error', () => undefined); // The query that needs the connection reports the error.
  try {
    const session = { locked: false, error: undefined as Error | undefined };
    const adapter = bindMigrationAwareSqlAdapterFactory(migrationAdapter(pool, url, session));
    const engine = await SchemaEngine.new({ datamodels: [['schema.prisma', datamodel]] }, () => undefined, adapter);
    try {
      return await fn(engine, {
        takeLock: async () => {
          await takeEngineLock(pool);
          session.locked = true;
        },
        lastError: () => session.error,
      });
    } finally {
      engine.free();
    }
  } finally {
    // This also ends the engine's own advisory lock (72707369), a session lock on one of these connections.
    await pool.end();
  }
}

/** Returns a list of migrations in the engine's format. */
export function migrationList(dir: string, migrations: readonly Migration[]): Engine.MigrationList {
  return {
    baseDir: dir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

/** Loads the engine. The package's own entry imports the .wasm file as a module, which Node 20 does not support. */
async function instantiate(): Promise<typeof Engine> {
  const bindings = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const engine = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = (globalThis as unknown as { WebAssembly: WasmApi }).WebAssembly;
  const compiled = await wasm.compile(await readFile(bindings.replace(/\.js$/, '.wasm')));
  const imports: Record<string, unknown> = { ...engine };
  // The engine starts a timer for its lock and never clears it, which would keep the process alive for 10 s.
  for (const name of Object.keys(imports).filter((each) => each.startsWith('__wbg_setTimeout_'))) {
    imports[name] = (callback: () => void, ms: number) => setTimeout(callback, ms).unref();
  }
  const instance = await wasm.instantiate(compiled, { './schema_engine_bg.js': imports });
  const { __wbg_set_wasm: setWasm } = engine;
  setWasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();
  // The engine stores the message of a panic here. The call that panicked also rejects.
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: () => undefined } });
  return engine;
}

function migrationAdapter(
  pool: Pool,
  url: string | null,
  session: { readonly locked: boolean; error: Error | undefined },
): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPg(pool, { disposeExternalPool: false });
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = await factory.connect();
      adapter.executeScript = async (script) => {
        if (session.locked && script.includes(ENGINE_LOCK)) return;
        await executeScript(pool, script).catch((error: unknown) => {
          session.error = error instanceof Error ? error : undefined;
          throw error;
        });
      };
      return adapter;
    },
    connectToShadowDb: () => connectToShadow(url ?? ''),
  };
}

/**
 * Sends the whole script as one message, as `prisma migrate deploy` does. It is one implicit transaction, so a failed
 * migration leaves nothing behind. The adapter itself would split at every semicolon, even in function bodies.
 */
async function executeScript(pool: Pool, script: string): Promise<void> {
  try {
    await pool.query(script);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const { code = '', severity = '', message, detail, column, hint } = error;
    throw Object.assign(new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint }), {
      message,
    });
  }
}

function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && 'severity' in error && 'code' in error;
}

async function takeEngineLock(pool: Pool): Promise<void> {
  const deadline = Date.now() + ENGINE_LOCK_WAIT_MS;
  for (;;) {
    const { rows } = await pool.query<{ locked: boolean }>('select pg_try_advisory_lock(72707369) as locked');
    if (rows[0]?.locked === true) return;
    if (Date.now() > deadline) {
      const why = 'Another run of Prisma Migrate holds its advisory lock (72707369)';
      throw new AishError('locked', why, { namespace: 'prisma', key: '72707369', holderPid: null, since: null });
    }
    await sleep(200);
  }
}

/**
 * Opens a temporary database for one comparison. If the adapter were created from a URL, it would work on the real
 * database. It also drops its database before it leaves it, and does not support the type `"char"`.
 */
async function connectToShadow(url: string): Promise<SqlDriverAdapter> {
  const name = `aish_shadow_${randomUUID().replaceAll('-', '')}`;
  const admin = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await admin.connect();
  await admin.query(`create database "${name}"`);
  const shadowUrl = new URL(url);
  shadowUrl.pathname = `/${name}`;
  const pool = new Pool({ connectionString: shadowUrl.href, max: 2 });
  pool.on('error', () => undefined); // The query that needs the connection reports the error.
  const charColumns = rewriteCharColumns(pool);
  const adapter = await new PrismaPg(pool, { disposeExternalPool: false }).connect();
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (query) => {
    const result = await queryRaw(query);
    for (const column of charColumns()) result.columnTypes[column] = ColumnTypeEnum.Character;
    return result;
  };
  adapter.executeScript = (script) => executeScript(pool, script);
  adapter.dispose = async () => {
    await pool.end();
    try {
      await admin.query(`drop database if exists "${name}" with (force)`);
    } finally {
      await admin.end();
    }
  };
  return adapter;
}

/** Converts `"char"` columns to text. The returned function says which columns of the last result had that type. */
function rewriteCharColumns(pool: Pool): () => readonly number[] {
  let columns: number[] = [];
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<QueryResult | QueryResult[]>;
  const rewritten = async (...args: unknown[]): Promise<QueryResult | QueryResult[]> => {
    const answer = await query(...args);
    for (const result of Array.isArray(answer) ? answer : [answer]) {
      columns = [];
      for (const [index, field] of (result.fields ?? []).entries()) {
        if (field.dataTypeID !== CHAR_OID) continue;
        columns.push(index);
        field.dataTypeID = TEXT_OID;
      }
    }
    return answer;
  };
  Object.assign(pool, { query: rewritten });
  return () => columns;
}
