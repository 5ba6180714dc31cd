import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, stat, symlink, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AishError } from '@aish/contracts/problems';

/** Where everything lies that one installation keeps. */
export interface DataFolder {
  readonly root: string;
  /** Held by the one launcher that runs on this folder. */
  readonly lockSocket: string;
  /** Where local clients find the API: `{url, startedAt, pid, started}`; there while aish runs, and after it was killed. */
  readonly serverFile: string;
  /** The admin token, written by the api once. */
  readonly tokenFile: string;
  /** The processes of the running launcher, so that the next one finds what a killed one left. */
  readonly processesFile: string;
  readonly secretsDir: string;
  readonly logsDir: string;
  readonly sandboxDir: string;
  /** The knowledge base, unless KNOWLEDGE_DIR says another folder. */
  readonly knowledgeDir: string;
  /** Settings of the owner, `NAME=value` lines; need not be there. */
  readonly settingsFile: string;
}

/** Where embedded Postgres keeps its files when the system user it runs as cannot reach the data folder. */
const POSTGRES_ELSEWHERE = '/var/lib/aish';

/** The data folder: `--data`, AISH_DATA, or the place where the XDG rules put a program's data. */
export function dataFolderPath(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  cwd: string,
): string {
  const chosen = option || env['AISH_DATA'];
  if (chosen) return path.resolve(cwd, chosen);
  return path.join(env['XDG_DATA_HOME'] || path.join(home, '.local', 'share'), 'aish');
}

export function dataFolder(root: string): DataFolder {
  return {
    root,
    lockSocket: path.join(root, 'launcher.sock'),
    serverFile: path.join(root, 'server.json'),
    tokenFile: path.join(root, 'token'),
    processesFile: path.join(root, 'processes.json'),
    secretsDir: path.join(root, 'secrets'),
    logsDir: path.join(root, 'logs'),
    sandboxDir: path.join(root, 'sandbox'),
    knowledgeDir: path.join(root, 'knowledge'),
    settingsFile: path.join(root, 'aish.env'),
  };
}

/**
 * Makes the folder itself. Only its owner looks into it; root lets others pass through (0711), for embedded Postgres
 * runs as another user then, and every other thing in it is closed by its own mode.
 */
export async function makeRoot(folder: DataFolder, isRoot: boolean): Promise<void> {
  await mkdir(folder.root, { recursive: true, mode: 0o700 });
  await chmod(folder.root, isRoot ? 0o711 : 0o700);
}

/** Makes the folders inside. Needs the lock. */
export async function makeInside(folder: DataFolder): Promise<void> {
  for (const dir of [folder.secretsDir, folder.logsDir, folder.sandboxDir, folder.knowledgeDir]) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await chmod(dir, 0o700);
  }
}

/** The secret `name`: 32 random bytes as 64 hex digits, made once, mode 0600. */
export async function ensureSecret(folder: DataFolder, name: string): Promise<string> {
  return ensureFile(path.join(folder.secretsDir, name), () => randomBytes(32).toString('hex'));
}

export function secretFile(folder: DataFolder, name: string): string {
  return path.join(folder.secretsDir, name);
}

/** A short name of this installation, made once: it tells its containers from those of another one. */
export async function ensureInstance(folder: DataFolder): Promise<string> {
  return ensureFile(path.join(folder.root, 'instance'), () => `aish-${randomBytes(4).toString('hex')}`);
}

async function ensureFile(file: string, make: () => string): Promise<string> {
  try {
    await writeFile(file, `${make()}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const value = (await readFile(file, 'utf8')).trim();
  if (value === '')
    throw new AishError('invalid_config', `${file} is empty; remove it if nothing was made with it yet`);
  return value;
}

/**
 * Where the database is kept: `postgres` in the data folder. When another user must reach it and a folder above is
 * closed (`/root` is), `postgres` is a link to a folder below /var/lib/aish instead.
 */
export async function placePostgres(
  folder: DataFolder,
  isRoot: boolean,
  elsewhere = POSTGRES_ELSEWHERE,
): Promise<string> {
  const inside = path.join(folder.root, 'postgres');
  const target = await readlink(inside).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EINVAL') return null;
    throw error;
  });
  if (target !== null) return path.resolve(folder.root, target);
  if (!isRoot || (await isOpenToOthers(folder.root)) || (await exists(inside))) return inside;
  // A name of its own for each data folder: one that was deleted and made again must not find the old database.
  const home = path.join(elsewhere, randomBytes(4).toString('hex'));
  await mkdir(home, { recursive: true, mode: 0o711 });
  for (const dir of [elsewhere, home]) await chmod(dir, 0o711);
  await symlink(path.join(home, 'postgres'), inside);
  return path.join(home, 'postgres');
}

/** Whether any user may pass through `dir` and every folder above it. */
async function isOpenToOthers(dir: string): Promise<boolean> {
  for (let at = dir; ; at = path.dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
