import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLog } from './log-file.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'aish-log-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('openLog', () => {
  it('sets a full log aside at the start and while it is written', async () => {
    const file = path.join(dir, 'api.log');
    await writeFile(file, 'x'.repeat(101));
    const log = openLog(file, 100);
    log.write('a'.repeat(60));
    expect(await readFile(file, 'utf8')).toBe('a'.repeat(60));
    expect(await readFile(`${file}.1`, 'utf8')).toBe('x'.repeat(101));
    log.write('b'.repeat(60));
    log.close();
    log.write('too late');
    expect(await readFile(file, 'utf8')).toBe('b'.repeat(60));
    expect(await readFile(`${file}.1`, 'utf8')).toBe('a'.repeat(60));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});
