import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AishError } from '@aish/contracts/problems';
import { Client } from 'pg';
import { credentials, findBinaries, serverIdentity, type Binaries, type Identity } from './binaries.js';
import { ensureDataFolder, removeLeftovers, runningPostmaster } from './data-folder.js';

export interface EmbeddedPostgresOptions {
  /**
   * The absolute path of the data folder. It is created if it does not exist. Its parent folder gets a copy of the
   * binaries if needed.
   */
  readonly dataDir: string;
  /** With 0, or if it is absent, a free port is used. */
  readonly port?: number;
  /**
   * The password of the superuser `postgres`. It is set when the data folder is created, and must not change
   * afterwards.
   */
  readonly password: string;
  /** Called with each line that the server prints. */
  readonly log?: (line: string) => void;
  /** Whether the system user `postgres` may be created, if this process runs as root. */
  readonly createUser?: boolean;
  /** Server settings, as in `-c name=value`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Milliseconds within which the first query must be answered, including crash recovery. */
  readonly startTimeoutMs?: number;
}

export interface EmbeddedPostgres {
  readonly port: number;
  /** The process ID of the postmaster. */
  readonly pid: number;
  /** PostgreSQL's own version, for example `18.4`. */
  readonly version: string;
  /** Returns the URL of a database on this server, including the password. */
  url(database?: string): string;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<{ readonly code: number | null }>;
  /**
   * Shuts the server down fast: sessions are cut, the data is safe. After `graceMs` the server is forced to end at
   * once.
   */
  stop(graceMs?: number): Promise<void>;
}

/** How the server learns that nobody needs it any more; see scripts/guard.sh. */
export type Guard =
  | { readonly mode: 'stdin' }
  | { readonly mode: 'leases'; readonly dir: string; readonly idleSeconds: number; readonly logFd: number };

const START_TIMEOUT_MS = 120_000;
const STOP_GRACE_MS = 15_000;
const LOG_LINES_KEPT = 30;

/**
 * Starts a real PostgreSQL on 127.0.0.1. It ends with this process, however the process ends, including `kill -9`.
 * Ctrl-C in the terminal does not reach it, so call `stop()`.
 *
 * @throws AishError `locked` (facts `dataDir`, `pid`, `since`) while another server runs on the data folder;
 *   `invalid_config` if the folder, the password or the machine does not allow it. The error says what to do.
 */
export function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return startGuarded(options, { mode: 'stdin' });
}

/** Starts PostgreSQL with a choice of guard. With `leases` the server may outlive this process. */
export async function startGuarded(options: EmbeddedPostgresOptions, guard: Guard): Promise<EmbeddedPostgres> {
  const identity = await serverIdentity(options.createUser ?? false);
  await refuseWhenRunning(options.dataDir);
  const binaries = await findBinaries(identity, path.dirname(options.dataDir));
  await removeLeftovers(options.dataDir);
  await ensureDataFolder(options.dataDir, options.password, binaries, identity);
  const deadline = Date.now() + (options.startTimeoutMs ?? START_TIMEOUT_MS);
  for (;;) {
    const port = options.port === undefined || options.port === 0 ? await freePort() : options.port;
    const attempt = await launch(options, guard, binaries, identity, port);
    const failure = await untilReady(attempt, options, deadline);
    if (failure === null) return await running(attempt, options, binaries);
    await end(attempt, STOP_GRACE_MS);
    await refuseWhenRunning(options.dataDir);
    // Backends of a killed server need a moment to notice the kill, and another process may take the free port first.
    const passing = /shared memory block .* still in use|Address already in use/;
    const fixedPort = options.port !== undefined && options.port !== 0;
    const again = passing.test(failure.message) && !(fixedPort && /Address already in use/.test(failure.message));
    if (!again || Date.now() > deadline) throw failure;
    await sleep(250);
  }
}

interface Attempt {
  readonly child: ChildProcess;
  readonly port: number;
  readonly lines: string[];
  readonly dataDir: string;
  readonly ended: Promise<{ readonly code: number | null }>;
}

async function launch(
  options: EmbeddedPostgresOptions,
  guard: Guard,
  binaries: Binaries,
  identity: Identity | null,
  port: number,
): Promise<Attempt> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    lc_messages: 'C',
    ...options.settings,
    port: String(port),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const script = await readFile(fileURLToPath(new URL('../../scripts/guard.sh', import.meta.url)), 'utf8');
  const [dir, seconds] = guard.mode === 'leases' ? [guard.dir, String(guard.idleSeconds)] : ['', '0'];
  const stdio: StdioOptions =
    guard.mode === 'leases' ? ['ignore', guard.logFd, guard.logFd] : (['pipe', 'pipe', 'pipe'] as const).slice();
  const child = spawn(
    '/bin/sh',
    ['-c', script, 'guard.sh', guard.mode, dir, seconds, binaries.postgres, '-D', options.dataDir, ...args],
    { cwd: '/', stdio, detached: true, ...credentials(identity) },
  );
  const lines: string[] = [];
  const take = (line: string): void => {
    lines.push(line);
    if (lines.length > LOG_LINES_KEPT) lines.shift();
    options.log?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) eachLine(stream, take);
  // A failed write to a server that has just ended must not crash this process. `exit` reports the end of the server.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<{ code: number | null }>((resolve) => {
    child.once('error', (error) => {
      take(error.message);
      resolve({ code: null });
    });
    child.once('close', (code) => resolve({ code }));
  });
  if (guard.mode === 'leases') child.unref();
  return { child, port, lines, dataDir: options.dataDir, ended };
}

function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(-8_192);
    for (const line of lines) take(line);
  });
}

/** Waits until the server answers. Returns null, or the reason why it does not answer. */
async function untilReady(
  attempt: Attempt,
  options: EmbeddedPostgresOptions,
  deadline: number,
): Promise<AishError | null> {
  let ended = false;
  void attempt.ended.then(() => (ended = true));
  while (Date.now() < deadline) {
    if (ended) {
      const lastLines = attempt.lines.slice(-8).join('\n  ');
      return new AishError('invalid_config', `PostgreSQL did not start on ${options.dataDir}:\n  ${lastLines}`);
    }
    const client = new Client({
      connectionString: urlOf(attempt.port, options.password, 'postgres'),
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => undefined); // An operation that fails here is tried again.
    try {
      await client.connect();
      await client.query('select 1');
      return null;
    } catch (cause) {
      if ((cause as { code?: string }).code === '28P01') {
        const why = `The password does not fit the data folder ${options.dataDir}: it was made with another one`;
        return new AishError('invalid_config', why, {}, { cause });
      }
    } finally {
      await client.end().catch(() => undefined);
    }
    await sleep(50);
  }
  return new AishError('internal', `PostgreSQL on ${options.dataDir} did not answer in time`);
}

async function running(
  attempt: Attempt,
  options: EmbeddedPostgresOptions,
  binaries: Binaries,
): Promise<EmbeddedPostgres> {
  const postmaster = await runningPostmaster(options.dataDir);
  if (postmaster === null)
    throw new AishError('internal', `PostgreSQL in ${options.dataDir} exited right after it started`);
  let stopping: Promise<void> | undefined;
  return {
    port: attempt.port,
    pid: postmaster.pid,
    version: binaries.version.replace(/^(\d+\.\d+).*$/, '$1'),
    url: (database = 'postgres') => urlOf(attempt.port, options.password, database),
    ended: attempt.ended,
    stop: (graceMs = STOP_GRACE_MS) => (stopping ??= end(attempt, graceMs)),
  };
}

async function end(attempt: Attempt, graceMs: number): Promise<void> {
  attempt.child.stdin?.end();
  if (attempt.child.stdin === null) await signal(attempt.dataDir, 'SIGINT');
  if (await endedWithin(attempt, graceMs)) return;
  await signal(attempt.dataDir, 'SIGQUIT');
  if (await endedWithin(attempt, 5_000)) return;
  await signal(attempt.dataDir, 'SIGKILL');
  await endedWithin(attempt, 5_000);
}

async function endedWithin(attempt: Attempt, ms: number): Promise<boolean> {
  const giveUp = new AbortController();
  const timeout = sleep(ms, false, { signal: giveUp.signal }).catch(() => false);
  const ended = await Promise.race([attempt.ended.then(() => true), timeout]);
  giveUp.abort();
  return ended;
}

async function signal(dataDir: string, name: NodeJS.Signals): Promise<void> {
  const postmaster = await runningPostmaster(dataDir);
  if (postmaster !== null) process.kill(postmaster.pid, name);
}

async function refuseWhenRunning(dataDir: string): Promise<void> {
  const other = await runningPostmaster(dataDir);
  if (other === null) return;
  const since = other.startedAt.toISOString();
  throw new AishError(
    'locked',
    `A database already runs in ${dataDir} (process ${other.pid}, port ${other.port}, since ${since})`,
    { dataDir, pid: other.pid, port: other.port, since },
  );
}

function urlOf(port: number, password: string, database: string): string {
  return `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string')
    throw new AishError('internal', 'There is no free port on this machine');
  return address.port;
}
