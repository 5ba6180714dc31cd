import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { runProgram } from './git.js';

export interface FileLockOptions {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs `fn` while no other process of this machine, and no other caller in this process, holds the lock on `file`. The
 * lock is the kernel's `flock`, taken by the program of that name on a descriptor of this process. It ends with the
 * last process that has the descriptor, even after `kill -9`. `fn` gets the descriptor for its child processes, so that
 * the lock lasts until they have ended, too.
 *
 * @throws AishError `locked` if somebody else still holds it after `waitMs`.
 */
export async function withFileLock<T>(
  file: string,
  fn: (fd: number) => Promise<T>,
  options: FileLockOptions,
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const fd = openSync(file, 'a', 0o600);
  try {
    const seconds = Math.max(0, options.waitMs / 1_000).toFixed(3);
    const answer = await runProgram('flock', ['--exclusive', '--conflict-exit-code', '75', '--timeout', seconds, '3'], {
      dir: dirname(file),
      lockFd: fd,
      timeoutMs: options.waitMs + 5_000,
      signal: options.signal,
      env: options.env,
    });
    if (answer.code === 75)
      throw new AishError('locked', 'Another write to the knowledge base is in progress', { file });
    if (answer.code !== 0)
      throw new AishError('knowledge_git', `flock exited with code ${answer.code}: ${answer.stderr.trim()}`);
    return await fn(fd);
  } finally {
    closeSync(fd);
  }
}
