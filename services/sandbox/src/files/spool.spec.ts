import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Spool, atMost } from './spool.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aish-spool-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('uploads', () => {
  it('an upload is stored without a name on disk, and can be read twice', async () => {
    const bytes = Buffer.alloc(700_001, 'x');
    const spool = await Spool.of([Readable.from([bytes.subarray(0, 5), bytes.subarray(5)])], folder);
    expect([spool.sizeBytes, await readdir(folder)]).toEqual([bytes.length, []]);
    for (let round = 0; round < 2; round += 1) expect((await buffer(spool.read())).equals(bytes)).toBe(true);
    await spool.close();
  });

  it('an upload of exactly the maximum size is accepted, and one more byte is refused', async () => {
    const mib = Buffer.alloc(2 ** 20);
    const fits = await Spool.of([Readable.from([mib]), atMost(1)], folder);
    expect(fits.sizeBytes).toBe(2 ** 20);
    await fits.close();
    await expect(Spool.of([Readable.from([mib, Buffer.from('x')]), atMost(1)], folder)).rejects.toMatchObject({
      code: 'file_too_large',
      facts: { maxMb: 1 },
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('an interrupted upload leaves nothing behind', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('the connection broke');
      })(),
    );
    await expect(Spool.of([broken], folder)).rejects.toThrow('the connection broke');
    expect(await readdir(folder)).toEqual([]);
  });
});
