import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, stat, symlink, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { UPGRADE_FILE } from '@aish/contracts/upgrade-file';

/** The paths of one installation. */
export interface DataFolder {
  readonly root: string;
  /** The socket of the lock, which the launcher that uses this folder holds. */
  readonly lockSocket: string;
  /**
   * The file in which local clients find the API: `{url, startedAt, pid, started}`. It exists while aish runs, and
   * after a kill.
   */
  readonly serverFile: string;
  /** The file with the admin token, which the api writes once. */
  readonly tokenFile: string;
  /**
   * The file that lists the processes of the running launcher, so that the next launcher finds leftovers after a kill.
   */
  readonly processesFile: string;
  readonly secretsDir: string;
  readonly logsDir: string;
  readonly sandboxDir: string;
  /** The folder of the knowledge base, unless KNOWLEDGE_DIR names another one. */
  readonly knowledgeDir: string;
  /** The file with the owner's settings as `NAME=value` lines. It is optional. */
  readonly settingsFile: string;
  /** A link to the folder of the version that `aish upgrade` set up. Without it, `npm start` runs its own checkout. */
  readonly releaseLink: string;
  /** The journal of an upgrade, and the socket of the lock of the launcher that carries it out. */
  readonly upgradeFile: string;
  readonly upgradeSocket: string;
}

/** The folder for embedded Postgres if its system user cannot reach the data folder. */
const POSTGRES_ELSEWHERE = '/var/lib/aish';

/** Returns the data folder: `--data`, AISH_DATA, or the XDG folder for data. */
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

/** @param isContainer in the image, the user of the api owns only the folder `api` */
export function dataFolder(root: string, isContainer = false): DataFolder {
  const ofApi = isContainer ? path.join(root, 'api') : root;
  return {
    root,
    lockSocket: path.join(root, 'launcher.sock'),
    serverFile: path.join(root, 'server.json'),
    tokenFile: path.join(ofApi, 'token'),
    processesFile: path.join(root, 'processes.json'),
    secretsDir: path.join(root, 'secrets'),
    logsDir: path.join(root, 'logs'),
    sandboxDir: path.join(root, 'sandbox'),
    knowledgeDir: path.join(ofApi, 'knowledge'),
    settingsFile: path.join(root, 'aish.env'),
    releaseLink: path.join(root, 'release'),
    upgradeFile: path.join(root, UPGRADE_FILE),
    upgradeSocket: path.join(root, 'upgrade.sock'),
  };
}

/**
 * Creates the folder. Only its owner can list it. If root runs aish, others can pass through it (0711), because
 * embedded Postgres then runs as another user. Everything else inside is closed by its own mode.
 */
export async function makeRoot(folder: DataFolder, isRoot: boolean): Promise<void> {
  await mkdir(folder.root, { recursive: true, mode: 0o700 });
  await chmod(folder.root, isRoot ? 0o711 : 0o700);
}

/**
 * Creates the folders inside the data folder. The caller must hold the lock. In the image, this is root, and the
 * knowledge base is in a folder of the user of the api, who could replace it with a link. So `Container` creates it.
 */
export async function makeInside(folder: DataFolder): Promise<void> {
  const dirs = [folder.secretsDir, folder.logsDir, folder.sandboxDir, folder.knowledgeDir];
  for (const dir of dirs.filter((each) => path.dirname(each) === folder.root)) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await chmod(dir, 0o700);
  }
}

/** Returns the secret `name`: 32 random bytes as 64 hex digits, created once with mode 0600. */
export async function ensureSecret(folder: DataFolder, name: string): Promise<string> {
  return ensureFile(path.join(folder.secretsDir, name), () => randomBytes(32).toString('hex'));
}

export function secretFile(folder: DataFolder, name: string): string {
  return path.join(folder.secretsDir, name);
}

/** Returns a short random name of this installation, created once, that distinguishes its containers from others. */
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
  if (value === '') throw new AishError('invalid_config', `${file} is empty. Remove it if nothing depends on it yet`);
  return value;
}

/**
 * Returns the folder of the database: `postgres` in the data folder. If another user must reach it and a parent folder
 * is closed (like `/root`), `postgres` is a link to a folder below /var/lib/aish.
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
  // Each data folder has its own name there, so that a recreated data folder does not find the old database.
  const home = path.join(elsewhere, randomBytes(4).toString('hex'));
  await mkdir(home, { recursive: true, mode: 0o711 });
  for (const dir of [elsewhere, home]) await chmod(dir, 0o711);
  await symlink(path.join(home, 'postgres'), inside);
  return path.join(home, 'postgres');
}

/** Returns whether every user may pass through `dir` and all its parents. */
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
