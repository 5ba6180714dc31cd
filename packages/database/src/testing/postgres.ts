import { createHash, randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, open, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { freemem, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AishError } from '@aish/contracts/problems';
import { Client } from 'pg';
import { LockNamespace, withAdvisoryLock } from '../advisory-lock.js';
import { serverIdentity } from '../embedded/binaries.js';
import { startGuarded } from '../embedded/embedded-postgres.js';
import { MIGRATIONS_DIR, readMigrations } from '../migrations/folder.js';
import { migrate } from '../migrations/migrate.js';

export interface TestDatabase {
  readonly url: string;
  /** Drops the database and closes all connections to it. */
  drop(): Promise<void>;
}

const START_WAIT_MS = 90_000;
const IDLE_SECONDS = 30;

// There is one server per user and checkout, so that two checkouts on a machine do not share templates.
const checkout = createHash('sha256')
  .update(fileURLToPath(new URL('../..', import.meta.url)))
  .digest('hex')
  .slice(0, 8);
const NAME = `aish-test-postgres-${userInfo().uid}-${checkout}`;
/** The file with the folder and the URL of the server. */
const STATE_FILE = path.join(tmpdir(), `${NAME}.json`);
const START_FILE = path.join(tmpdir(), `${NAME}.starting`);
const IN_MEMORY = '/dev/shm';
/** Databases of tests take less than a quarter of this. */
const MEMORY_BYTES = 4 * 2 ** 30;

/**
 * Creates a database for one suite, with all migrations applied unless `migrated` is false. The first suite of a run
 * starts the server (2 to 4 s), and later ones clone a template (about 50 ms).
 */
export async function createTestDatabase(options: { readonly migrated?: boolean } = {}): Promise<TestDatabase> {
  const serverUrl = await testServerUrl();
  const template = (options.migrated ?? true) ? await ensureTemplate(serverUrl) : 'template1';
  const name = `test_${randomBytes(8).toString('hex')}`;
  await query(serverUrl, `create database ${name} template ${template}`);
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => query(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

/**
 * Returns the URL of the superuser on the test server, and starts the server if none runs. The server belongs to no
 * process. It ends 30 s after the last process that asked for it, however that process ended, and removes its folder.
 */
export async function testServerUrl(): Promise<string> {
  const deadline = Date.now() + START_WAIT_MS;
  while (Date.now() < deadline) {
    const known = await knownServer();
    if (known !== null) return known;
    if (await takeStartLock()) {
      try {
        return (await knownServer()) ?? (await startServer());
      } finally {
        await rm(START_FILE, { force: true });
      }
    }
    await sleep(100);
  }
  throw new AishError(
    'database_unreachable',
    `No test server within ${START_WAIT_MS} ms; is ${START_FILE} left by a process that hangs?`,
  );
}

async function knownServer(): Promise<string | null> {
  const text = await readFile(STATE_FILE, 'utf8').catch(() => null);
  if (text === null) return null;
  const { dir, url } = JSON.parse(text) as { dir: string; url: string };
  // The lease is written first. From then on the server stays, if it still exists.
  const leased = await writeFile(path.join(dir, 'leases', String(process.pid)), '').then(
    () => true,
    () => false,
  );
  if (!leased) return null;
  const answers = await query(url, 'select 1').then(
    () => true,
    () => false,
  );
  return answers ? url : null;
}

/**
 * Takes the lock for starting a server, by exclusive creation of a file with this process ID. The file of a dead
 * process is taken over. Two starts would do no harm.
 */
async function takeStartLock(): Promise<boolean> {
  try {
    await writeFile(START_FILE, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = Number(await readFile(START_FILE, 'utf8').catch(() => ''));
  if (holder > 0 && !isAlive(holder)) await rm(START_FILE, { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Returns a folder in memory if there is room. A database has 1,000 files. For each new file, ext4 looks at every file
 * that was deleted in the last minutes (`recently_deleted` in fs/ext4/ialloc.c), so that a new database soon took 0.5 s
 * of processor time instead of 0.1 s, and everything else that creates files became slower, too.
 */
async function dataParent(): Promise<string> {
  const memory = await statfs(IN_MEMORY).catch(() => null);
  const hasRoom = memory !== null && memory.bavail * memory.bsize > MEMORY_BYTES && freemem() > MEMORY_BYTES;
  return hasRoom ? IN_MEMORY : tmpdir();
}

/**
 * Starts a server in a new folder, because the guard of an older server without an answer may remove that server's
 * folder at any time.
 */
async function startServer(): Promise<string> {
  const identity = await serverIdentity(true);
  const dir = await mkdtemp(path.join(await dataParent(), `${NAME}-`));
  const leases = path.join(dir, 'leases');
  await mkdir(leases);
  if (identity !== null) for (const each of [dir, leases]) await chown(each, identity.uid, identity.gid);
  await writeFile(path.join(leases, String(process.pid)), '');
  const log = await open(path.join(dir, 'log'), 'a');
  try {
    const server = await startGuarded(
      {
        dataDir: path.join(dir, 'data'),
        password: randomBytes(18).toString('base64url'),
        createUser: true,
        settings: {
          fsync: 'off',
          synchronous_commit: 'off',
          full_page_writes: 'off',
          max_connections: '400',
          shared_buffers: '64MB',
          wal_level: 'minimal',
          max_wal_senders: '0',
          max_wal_size: '128MB',
        },
      },
      { mode: 'leases', dir, idleSeconds: IDLE_SECONDS, logFd: log.fd },
    );
    const part = `${STATE_FILE}.${process.pid}`;
    await writeFile(part, JSON.stringify({ dir, url: server.url() }), { mode: 0o600 });
    await rename(part, STATE_FILE);
    return server.url();
  } finally {
    await log.close();
  }
}

/**
 * Creates the migrated database that suites are cloned from. Its name depends on the migrations, so a change creates a
 * new one.
 */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, checksum } of await readMigrations(MIGRATIONS_DIR)) hash.update(`${name} ${checksum}\n`);
  const template = `template_${hash.digest('hex').slice(0, 16)}`;
  if (await exists(serverUrl, template)) return template;
  return withAdvisoryLock(
    { url: serverUrl },
    LockNamespace.testDatabase,
    template,
    async () => {
      if (await exists(serverUrl, template)) return template;
      const part = `part_${randomBytes(8).toString('hex')}`;
      await migrate(databaseUrl(serverUrl, part), { createDatabase: true });
      await query(serverUrl, `alter database ${part} rename to ${template}`);
      return template;
    },
    { waitMs: 60_000 },
  );
}

async function exists(serverUrl: string, database: string): Promise<boolean> {
  const client = await connect(serverUrl);
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database]);
    return rowCount === 1;
  } finally {
    await client.end();
  }
}

async function query(url: string, sql: string): Promise<void> {
  const client = await connect(url);
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // The query that needs the connection reports the error.
  await client.connect();
  return client;
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
