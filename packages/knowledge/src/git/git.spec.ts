import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withFileLock } from './file-lock.js';
import { git, gitText, runProgram, withoutSecrets } from './git.js';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'aish-git-'));
  await gitText(['init', '--quiet'], options());
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const options = (env: Readonly<Record<string, string>> = {}) => ({ dir, env: { PATH, HOME: dir, ...env } });
const sh = (script: string, more: object = {}) => runProgram('sh', ['-c', script], { ...options(), ...more });

describe('running git and other programs', () => {
  it('a program is ended if it takes too long, prints too much, or is aborted', async () => {
    const started = Date.now();
    await expect(sh('exec sleep 60', { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'knowledge_git',
      message: expect.stringContaining('100 ms'),
    });
    await expect(sh('exec yes', { maxBytes: 10_000 })).rejects.toMatchObject({
      code: 'knowledge_git',
      message: expect.stringContaining('10000 bytes'),
    });
    await expect(sh('exec sleep 60', { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ code: 'aborted' });
    await expect(sh('true', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect(Date.now() - started).toBeLessThan(30_000);
  }, 60_000);

  it('a program can be ended together with its child processes', async () => {
    const left = `${dir}/left`;
    const script = `(sleep 1; touch ${left}) & sleep 60`;
    await expect(sh(script, { timeoutMs: 100, ownGroup: true })).rejects.toMatchObject({ code: 'knowledge_git' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(existsSync(left)).toBe(false);
  });

  it('a missing or failing program is reported, even if it does not read its input', async () => {
    await expect(runProgram('no-such-program', [], options())).rejects.toMatchObject({ code: 'knowledge_git' });
    expect(await sh('exit 3', { input: 'x'.repeat(1_000_000) })).toMatchObject({ code: 3 });
    expect((await sh('cat', { input: Promise.resolve('said later') })).stdout.toString()).toBe('said later');
    await expect(gitText(['cat-file', '-p', 'HEAD'], options())).rejects.toMatchObject({
      code: 'knowledge_git',
      message: expect.stringMatching(/^git cat-file exited with code 128: fatal/),
    });
  });

  it('git ignores environment variables about another repository', async () => {
    const elsewhere = { GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere/index', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.bare', GIT_CONFIG_VALUE_0: 'true' };
    const answer = await git(['rev-parse', '--show-toplevel'], options(elsewhere));
    expect([answer.code, answer.stdout.toString().trim().endsWith(dir)]).toEqual([0, true]);
  }); // prettier-ignore

  it('git runs no hook of the repository', async () => {
    writeFileSync(join(dir, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch hooked\nexit 1\n', { mode: 0o755 });
    const me = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
    await gitText([...me, 'commit', '--quiet', '--allow-empty', '--message', 'x'], options());
    expect((await sh('ls')).stdout.toString()).not.toContain('hooked');
  });
});

it.each([
  ['https://bob:hunter2@host/x.git', 'https://host/x.git'],
  ['fatal: https://token@host/a and ssh://git@nas/b', 'fatal: https://host/a and ssh://nas/b'],
  ['git@nas:kb.git', 'git@nas:kb.git'],
])('the password in %j is never shown', (text, shown) => expect(withoutSecrets(text)).toBe(shown));

describe('the lock of a file', () => {
  const lock = () => join(dir, '.git/aish/lock');
  const wait = { waitMs: 200, env: { PATH } };

  it('only one process at a time holds the lock of a file, and a killed holder releases it', async () => {
    const order: string[] = [];
    const hold = (name: string) =>
      withFileLock(
        lock(),
        async () => {
          order.push(`${name} in`);
          await new Promise((resolve) => setTimeout(resolve, 50));
          order.push(`${name} out`);
        },
        { ...wait, waitMs: 20_000 },
      );
    await Promise.all(['a', 'b', 'c'].map(hold));
    for (let n = 0; n < order.length; n += 2) expect(order[n]?.[0]).toBe(order[n + 1]?.[0]);

    const holder = spawn('flock', ['--exclusive', lock(), 'sh', '-c', 'echo held; exec sleep 60'], { detached: true });
    await once(holder.stdout, 'data');
    await expect(withFileLock(lock(), () => Promise.resolve(), wait)).rejects.toMatchObject({ code: 'locked' });
    process.kill(-(holder.pid ?? 0), 'SIGKILL');
    await once(holder, 'exit');
    expect(await withFileLock(lock(), () => Promise.resolve('mine'), { ...wait, waitMs: 10_000 })).toBe('mine');
  }, 60_000);

  it('the lock of a file is released if the work fails, and the wait can be aborted', async () => {
    const broken = new Error('broken');
    await expect(withFileLock(lock(), () => Promise.reject(broken), wait)).rejects.toBe(broken);
    await withFileLock(
      lock(),
      () =>
        expect(
          withFileLock(lock(), () => Promise.resolve(), { ...wait, waitMs: 20_000, signal: AbortSignal.timeout(100) }),
        ).rejects.toMatchObject({ code: 'aborted' }),
      wait,
    );
  });
});
