import { chmod, mkdir, mkdtemp, readFile, readlink, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dataFolder,
  dataFolderPath,
  ensureInstance,
  ensureSecret,
  makeInside,
  makeRoot,
  placePostgres,
} from './data-folder.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'aish-data-'));
  await chmod(dir, 0o755);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

describe('dataFolderPath', () => {
  it('the data folder is that of the option, or else AISH_DATA, or else the XDG folder', () => {
    const env = { AISH_DATA: 'from-env', XDG_DATA_HOME: '/xdg' };
    expect(dataFolderPath('given', env, '/home/u', '/cwd')).toBe('/cwd/given');
    expect(dataFolderPath(undefined, env, '/home/u', '/cwd')).toBe('/cwd/from-env');
    expect(dataFolderPath(undefined, { XDG_DATA_HOME: '/xdg' }, '/home/u', '/cwd')).toBe('/xdg/aish');
    expect(dataFolderPath(undefined, { AISH_DATA: '' }, '/home/u', '/cwd')).toBe('/home/u/.local/share/aish');
  });
});

describe('the data folder', () => {
  it('the data folder is closed to others, who may only pass through it if root runs aish', async () => {
    const folder = dataFolder(path.join(dir, 'modes'));
    await makeRoot(folder, false);
    expect(await modeOf(folder.root)).toBe(0o700);
    await makeRoot(folder, true);
    await makeInside(folder);
    expect(await modeOf(folder.root)).toBe(0o711);
    for (const inside of [folder.secretsDir, folder.logsDir, folder.sandboxDir, folder.knowledgeDir])
      expect(await modeOf(inside)).toBe(0o700);
  });

  it('in the image, root does not follow a link that the user of the api left in its own folder', async () => {
    const folder = dataFolder(path.join(dir, 'image'), true);
    const other = path.join(dir, 'of-another-user');
    await mkdir(other, { mode: 0o755 });
    await mkdir(path.dirname(folder.knowledgeDir), { recursive: true });
    await symlink(other, folder.knowledgeDir);
    await makeInside(folder);
    expect(await modeOf(other)).toBe(0o755);
  });

  it('a secret is created once, and only its owner can read it', async () => {
    const folder = dataFolder(path.join(dir, 'secrets'));
    await makeRoot(folder, false);
    await makeInside(folder);
    const [first, again] = await Promise.all([ensureSecret(folder, 'a'), ensureSecret(folder, 'a')]);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect([again, await ensureSecret(folder, 'a')]).toEqual([first, first]);
    expect(await ensureSecret(folder, 'b')).not.toBe(first);
    expect(await modeOf(path.join(folder.secretsDir, 'a'))).toBe(0o600);
    expect(await readFile(path.join(folder.secretsDir, 'a'), 'utf8')).toBe(`${first}\n`);
    expect(await ensureInstance(folder)).toBe(await ensureInstance(folder));
  });
});

describe('the place of the database', () => {
  it('the database is in the data folder if its user can reach it', async () => {
    const folder = dataFolder(path.join(dir, 'open'));
    await makeRoot(folder, true);
    expect(await placePostgres(folder, true, path.join(dir, 'var'))).toBe(path.join(folder.root, 'postgres'));
  });

  it('a database below a closed parent folder is in its own folder elsewhere, behind a permanent link', async () => {
    const closed = path.join(dir, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const folder = dataFolder(path.join(closed, 'aish'));
    await makeRoot(folder, true);
    const elsewhere = path.join(dir, 'var');
    const first = await placePostgres(folder, true, elsewhere);
    expect(path.dirname(path.dirname(first))).toBe(elsewhere);
    expect(await readlink(path.join(folder.root, 'postgres'))).toBe(first);
    expect(await placePostgres(folder, true, elsewhere)).toBe(first);
    expect(await placePostgres(folder, false, elsewhere)).toBe(first);
    await rm(folder.root, { recursive: true });
    await makeRoot(folder, true);
    expect(await placePostgres(folder, true, elsewhere)).not.toBe(first);
  });

  it('permissions of parent folders are not checked if no other user needs access', async () => {
    const folder = dataFolder(path.join(dir, 'closed', 'mine'));
    await makeRoot(folder, false);
    expect(await placePostgres(folder, false)).toBe(path.join(folder.root, 'postgres'));
  });
});
