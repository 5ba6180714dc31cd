import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { Store } from '@aish/contracts/config/store.settings';
import { isAishError } from '@aish/contracts/problems';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@aish/database/embedded/embedded-postgres';
import { migrate } from '@aish/database/migrations/migrate';

export interface DatabaseOptions {
  readonly dataDir: string;
  readonly password: string;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface RunningDatabase {
  readonly server: EmbeddedPostgres;
  /** The URL of aish's database, including the password. */
  readonly url: string;
}

const NAME = 'aish';
const LOCKED_WAIT_MS = 20_000;

const Supplied = Store.pick({ DATABASE_URL: true }).partial();

/** Migrates the database of DATABASE_URL, if there is that setting. Returns its URL, or null. */
export async function migrateSupplied(
  env: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<string | null> {
  const url = parseConfig(Supplied, env, (path) => readFileSync(path, 'utf8')).DATABASE_URL;
  if (url === undefined) return null;
  say('database: migrating the one of DATABASE_URL');
  await migrate(url);
  return url;
}

/** Starts Postgres and migrates aish's database to the newest schema. */
export async function startDatabase(options: DatabaseOptions): Promise<RunningDatabase> {
  const server = await startServer(options);
  try {
    options.signal.throwIfAborted();
    await migrate(server.url(NAME), {
      createDatabase: true,
      onProgress: (progress) => options.log(`aish: migration ${progress.name}: ${progress.type}`),
    });
    return { server, url: server.url(NAME) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Starts the server. The server of a launcher that was just killed may need a moment to end. */
export async function startServer({ dataDir, password, log, signal }: DatabaseOptions): Promise<EmbeddedPostgres> {
  const deadline = Date.now() + LOCKED_WAIT_MS;
  for (;;) {
    try {
      return await startEmbeddedPostgres({ dataDir, password, log, createUser: true });
    } catch (error) {
      if (!isAishError(error, 'locked') || Date.now() > deadline) throw error;
      await sleep(250, undefined, { signal });
    }
  }
}
