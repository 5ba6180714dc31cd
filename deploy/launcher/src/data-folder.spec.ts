import { chmod, mkdir, mkdtemp, readFile, readlink, rm, stat } from 'node:fs/promises';
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
  it('takes the option, then AISH_DATA, then the XDG place', () => {
    const env = { AISH_DATA: 'from-env', XDG_DATA_HOME: '/xdg' };
    expect(dataFolderPath('given', env, '/home/u', '/cwd')).toBe('/cwd/given');
    expect(dataFolderPath(undefined, env, '/home/u', '/cwd')).toBe('/cwd/from-env');
    expect(dataFolderPath(undefined, { XDG_DATA_HOME: '/xdg' }, '/home/u', '/cwd')).toBe('/xdg/aish');
    expect(dataFolderPath(undefined, { AISH_DATA: '' }, '/home/u', '/cwd')).toBe('/home/u/.local/share/aish');
  });
});

describe('the data folder', () => {
  it('is closed to others, and lets them only pass through when root runs it', async () => {
    const folder = dataFolder(path.join(dir, 'modes'));
    await makeRoot(folder, false);
    expect(await modeOf(folder.root)).toBe(0o700);
    await makeRoot(folder, true);
    await makeInside(folder);
    expect(await modeOf(folder.root)).toBe(0o711);
    for (const inside of [folder.secretsDir, folder.logsDir, folder.sandboxDir, folder.knowledgeDir])
      expect(await modeOf(inside)).toBe(0o700);
  });

  it('makes a secret once, for its owner alone', async () => {
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

describe('placePostgres', () => {
  it('keeps the database in the data folder when its user can get there', async () => {
    const folder = dataFolder(path.join(dir, 'open'));
    await makeRoot(folder, true);
    expect(await placePostgres(folder, true, path.join(dir, 'var'))).toBe(path.join(folder.root, 'postgres'));
  });

  it('links to a place of its own below a reachable folder when a folder above is closed, and stays with it', async () => {
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

  it('does not ask where no other user is needed', async () => {
    const folder = dataFolder(path.join(dir, 'closed', 'mine'));
    await makeRoot(folder, false);
    expect(await placePostgres(folder, false)).toBe(path.join(folder.root, 'postgres'));
  });
});
