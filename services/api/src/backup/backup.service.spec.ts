import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BackupManifest } from '@aish/contracts/backup';
import { TestApi } from '../testing/test-api.js';
import { describeFiles, packArchive, unpackArchive } from './archive.js';

describe('the restore of a backup', () => {
  let api: TestApi;
  let dir: string;
  beforeAll(async () => {
    [api, dir] = await Promise.all([TestApi.start(), mkdtemp(join(tmpdir(), 'aish-restore-'))]);
  });
  afterAll(async () => {
    await api?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const headers = () => ({ authorization: `Bearer ${api.token}` });
  const restore = async (body: Buffer) => {
    const type = { 'content-type': 'application/gzip' };
    return (await fetch(`${api.url}/v1/restore`, { method: 'POST', headers: { ...headers(), ...type }, body })).status;
  };

  /**
   * Returns a backup with correct checksums and an invalid row, so that the fault is only found late in the restore.
   */
  async function broken(whole: Buffer): Promise<Buffer> {
    const manifest: BackupManifest = await unpackArchive(Readable.from(whole), dir);
    const last = manifest.tables.find(({ name }) => name === 'spaces')?.path ?? '';
    await writeFile(join(dir, last), `${await readFile(join(dir, last), 'utf8')}no row of this table\n`);
    const paths = manifest.files.map(({ path }) => path);
    return buffer(await packArchive(dir, { ...manifest, files: await describeFiles(dir, paths) }));
  }

  it('a restore keeps the current link-signing keys, so a forged backup cannot replace them', async () => {
    const mine = async () => (await api.db.pool.query('select name, key from signing_keys order by name')).rows;
    const before = await mine();
    expect(before.length).toBeGreaterThan(0);
    const whole = Buffer.from(await (await fetch(`${api.url}/v1/backup`, { headers: headers() })).arrayBuffer());
    const manifest: BackupManifest = await unpackArchive(Readable.from(whole), dir);
    const path = 'database/signing_keys.copy';
    const row = ({ name }: { readonly name: string }) => `${name}\t\\\\x${'42'.repeat(32)}\t2026-01-01 00:00:00+00\n`;
    await writeFile(join(dir, path), before.map(row).join(''));
    const tables = [...manifest.tables, { name: 'signing_keys', columns: ['name', 'key', 'created_at'], path }];
    const files = await describeFiles(dir, [...manifest.files.map((file) => file.path), path]);
    expect(await restore(await buffer(await packArchive(dir, { ...manifest, tables, files })))).toBe(200);
    expect(await mine()).toEqual(before);
  });

  it('a failed restore leaves aish empty, and the next restore works', async () => {
    const whole = Buffer.from(await (await fetch(`${api.url}/v1/backup`, { headers: headers() })).arrayBuffer());
    expect(await restore(await broken(whole))).toBe(500);
    expect((await api.ask('GET', '/v1/goals', {})).status).toBe(200);
    expect(await restore(whole)).toBe(200);
    expect((await api.ask('GET', '/v1/goals', {})).status).toBe(200);
  });
});
