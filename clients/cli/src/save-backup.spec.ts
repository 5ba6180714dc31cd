import { lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiClient } from '@aish/client/api.client';
import { saveBackup } from './save-backup.js';

let dir: string;
let server: Server;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'aish-save-'));
  server = createServer((_request, response) => response.end('a backup'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close();
  await rm(dir, { recursive: true, force: true });
});

it('a backup replaces a link that somebody left at its name, and never writes through it', async () => {
  const client = new ApiClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readToken: () => Promise.resolve('token'),
  });
  const [other, file] = [join(dir, 'other'), join(dir, 'aish.tar.gz')];
  await writeFile(other, 'of another user');
  for (const name of [file, `${file}.part`]) await symlink(other, name);
  await saveBackup(client, file, undefined, AbortSignal.timeout(60_000));
  expect(await readFile(other, 'utf8')).toBe('of another user');
  expect(await readFile(file, 'utf8')).toBe('a backup');
  expect((await lstat(file)).isSymbolicLink()).toBe(false);
});
