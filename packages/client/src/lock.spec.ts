import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { takeLock, type LockAttempt } from './lock.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'aish-lock-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const self = { pid: 4711, startedAt: new Date('2026-11-20T10:00:00Z') };

async function release(attempt: LockAttempt): Promise<void> {
  if (attempt.kind === 'taken') await attempt.lock.release();
}

/** Starts a process that listens on the socket until it is killed, and so leaves its file behind. */
async function deadHolder(socket: string): Promise<void> {
  const code = `require('net').createServer().listen(${JSON.stringify(socket)}, () => console.log('listens'))`;
  const holder = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const gone = new Promise((resolve) => holder.once('exit', resolve));
  holder.kill('SIGKILL');
  await gone;
}

describe('takeLock', () => {
  it('a second caller learns who holds the lock, since when, and where aish answers', async () => {
    const socket = path.join(dir, 'a.sock');
    const first = await takeLock(socket, self);
    expect(first.kind).toBe('taken');
    const holder = { pid: 4711, startedAt: '2026-11-20T10:00:00.000Z', url: null as string | null };
    expect(await takeLock(socket, { ...self, pid: 2 })).toEqual({ kind: 'busy', holder });
    if (first.kind === 'taken') first.lock.announce('http://127.0.0.1:7717');
    expect(await takeLock(socket, self)).toEqual({ kind: 'busy', holder: { ...holder, url: 'http://127.0.0.1:7717' } });
    await release(first);
    const next = await takeLock(socket, self);
    expect(next.kind).toBe('taken');
    await release(next);
  });

  it('the lock of a killed holder is taken over, by only one of many callers', async () => {
    const socket = path.join(dir, 'b.sock');
    for (let round = 0; round < 5; round++) {
      await deadHolder(socket);
      expect(existsSync(socket)).toBe(true);
      const attempts = await Promise.all(Array.from({ length: 4 }, () => takeLock(socket, self)));
      expect(attempts.filter((attempt) => attempt.kind === 'taken')).toHaveLength(1);
      await Promise.all(attempts.map(release));
    }
  });

  it('a lock at a path that is too long for a socket is an error', async () => {
    await expect(takeLock(path.join(dir, 'x'.repeat(120)), self)).rejects.toMatchObject({ code: 'invalid_config' });
  });
});
