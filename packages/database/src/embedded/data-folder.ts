import { execFile } from 'node:child_process';
import {
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { AishError } from '@aish/contracts/problems';
import { credentials, type Binaries, type Identity } from './binaries.js';

const run = promisify(execFile);

/** The content of postmaster.pid. */
export interface Postmaster {
  readonly pid: number;
  readonly startedAt: Date;
  readonly port: number;
}

/**
 * Creates the data folder if it does not exist. It is created under another name and renamed, so that an existing
 * folder is always complete. Clients need `password` to connect. PostgreSQL stores it salted and hashed.
 */
export async function ensureDataFolder(
  dataDir: string,
  password: string,
  binaries: Binaries,
  identity: Identity | null,
): Promise<void> {
  if (await isDataFolder(dataDir, binaries.version)) return;
  await mkdir(path.dirname(dataDir), { recursive: true });
  const fresh = await mkdtemp(`${dataDir}.new-`);
  const secret = await mkdtemp(path.join(tmpdir(), 'aish-initdb-'));
  const passwordFile = path.join(secret, 'password');
  try {
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    for (const file of identity === null ? [] : [fresh, secret, passwordFile]) {
      await chown(file, identity?.uid ?? 0, identity?.gid ?? 0);
    }
    await initdb(fresh, passwordFile, binaries, identity);
    await rename(fresh, dataDir);
  } catch (error) {
    // Another process may have created the folder first. Its folder is just as good.
    if (!(await isDataFolder(dataDir, binaries.version))) throw error;
  } finally {
    await rm(secret, { recursive: true, force: true });
    await rm(fresh, { recursive: true, force: true });
  }
}

async function initdb(dir: string, passwordFile: string, binaries: Binaries, identity: Identity | null): Promise<void> {
  const args = [
    `--pgdata=${dir}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // This provider sorts text in the same order on every machine, with any locale.
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--lc-messages=C',
    '--no-instructions',
  ];
  const env = { LC_ALL: 'C' };
  try {
    await run(binaries.initdb, args, { cwd: '/', timeout: 120_000, env, ...credentials(identity) });
  } catch (cause) {
    const printed = ((cause as { stderr?: string }).stderr ?? '').trim();
    throw new AishError(
      'invalid_config',
      `Cannot create the database folder ${dir}: ${printed || 'initdb failed'}`,
      {},
      { cause },
    );
  }
}

async function isDataFolder(dataDir: string, version: string): Promise<boolean> {
  const entries = await readdir(dataDir).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries.length === 0) return false;
  if (!entries.includes('PG_VERSION')) {
    throw new AishError('invalid_config', `${dataDir} is not empty and contains no database; choose another folder`);
  }
  const theirs = (await readFile(path.join(dataDir, 'PG_VERSION'), 'utf8')).trim();
  const ours = version.split('.')[0] ?? '';
  if (theirs === ours) return true;
  throw new AishError(
    'invalid_config',
    `PostgreSQL ${theirs} made ${dataDir}, but this is PostgreSQL ${ours}. Dump the database with the old version, and restore it here`,
  );
}

/**
 * Returns the running server of this data folder, or null. It removes a postmaster.pid that a killed server left,
 * because Postgres would refuse to start if another process of the same user now has that number.
 */
export async function runningPostmaster(dataDir: string): Promise<Postmaster | null> {
  const file = path.join(dataDir, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (Number.isInteger(pid) && pid > 0 && (await isPostmasterOf(pid, dataDir))) {
    return { pid, startedAt: new Date(Number(lines[2]) * 1000), port: Number(lines[3]) };
  }
  await rm(file, { force: true });
  return null;
}

async function isPostmasterOf(pid: number, dataDir: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  if (cwd !== null) return cwd === (await realpath(dataDir)); // A postmaster works in its data folder.
  // If /proc is missing or unreadable, the command line decides. If in doubt, the server counts as running.
  const printed = await run('ps', ['-o', 'command=', '-p', String(pid)], { timeout: 5_000 }).catch(() => null);
  return printed === null || /postgres/.test(printed.stdout);
}

/** Removes files of interrupted first starts from the parent folder if they are older than an hour. */
export async function removeLeftovers(dataDir: string): Promise<void> {
  const parent = path.dirname(dataDir);
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(`${path.basename(dataDir)}.new-`))) {
    const full = path.join(parent, name);
    const age = Date.now() - (await stat(full)).mtimeMs;
    if (age > 3_600_000) await rm(full, { recursive: true, force: true });
  }
}
