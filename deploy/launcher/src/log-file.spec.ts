import { spawnSync } from 'node:child_process';
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
  it('a full log is moved aside, at the start and later, and other writers continue to use the file', async () => {
    const file = path.join(dir, 'api.log');
    await writeFile(file, 'x'.repeat(101), { mode: 0o600 });
    const log = openLog(file, 100);
    expect(await readFile(`${file}.1`, 'utf8')).toBe('x'.repeat(101));
    const say = (text: string) =>
      spawnSync(process.execPath, ['-e', `process.stdout.write(${JSON.stringify(text)})`], {
        stdio: ['ignore', log.fd, 'inherit'],
      });
    say('a'.repeat(60));
    log.bound();
    say('b'.repeat(60));
    log.bound();
    say('c');
    expect(await readFile(file, 'utf8')).toBe('c');
    expect(await readFile(`${file}.1`, 'utf8')).toBe('a'.repeat(60) + 'b'.repeat(60));
    log.close();
    log.write('too late');
    expect(await readFile(file, 'utf8')).toBe('c');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('a reader of the log gets new output, and starts over after the log was moved aside', async () => {
    const file = path.join(dir, 'worker.log');
    await writeFile(file, 'old');
    const log = openLog(file, 10);
    expect(log.read()).toBe('');
    log.write('one');
    expect([log.read(), log.read()]).toEqual(['one', '']);
    log.write('too much for it');
    log.write('two');
    expect(log.read()).toBe('two');
    log.close();
  });
});
