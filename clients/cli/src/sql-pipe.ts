import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { AishError } from '@aish/contracts/problems';
import type { Sql } from '@aish/contracts/upgrade';
import { z } from 'zod';

const Answer = z.union([z.object({ rows: z.array(z.string()) }), z.object({ error: z.string() })]);

/**
 * Runs `work` with a program that answers statements: it reads lines of `[database, statement]`, and writes one line for
 * each. It ends when its input ends, also if this process is killed.
 */
export async function withSqlOf<T>(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const child = spawn(program, args, { stdio: 'pipe' });
  // `close` follows `error`, too. `once` of node:events would reject before anybody waits for it.
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  // The answer that does not come reports these errors.
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => (said += error.message));
  const stop = (): void => void child.kill();
  signal.addEventListener('abort', stop, { once: true });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    return await work(async (database, statement) => {
      child.stdin.write(`${JSON.stringify([database, statement])}\n`);
      const line = await lines.next();
      signal.throwIfAborted();
      if (line.done === true) {
        child.stdin.end();
        await closed; // until then, more of its error may come
        throw new AishError('internal', `The database does not answer: ${said.trim()}`);
      }
      const answer = Answer.parse(JSON.parse(line.value));
      if ('error' in answer) throw new AishError('internal', answer.error);
      return answer.rows;
    });
  } finally {
    signal.removeEventListener('abort', stop);
    child.stdin.end();
    await closed;
  }
}
