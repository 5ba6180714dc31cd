import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AishError } from '@aish/contracts/problems';

const REASON_LINES = 8;

export interface RunOptions {
  readonly cwd?: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Runs a program and returns its output. @throws AishError `internal` with the last lines that it printed */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, signal, timeoutMs }: RunOptions,
): Promise<string> {
  // npm passes its settings for this checkout to its children, but they do not apply to another one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const options = {
    env: { ...env, GIT_TERMINAL_PROMPT: '0' },
    signal,
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
    ...(cwd === undefined ? {} : { cwd }),
  };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (cause) {
    signal.throwIfAborted();
    const { code, killed, stdout = '', stderr = '' } = cause as RunError;
    const why = code === 'ENOENT' ? 'is not installed' : killed === true ? 'took too long' : 'failed';
    const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-REASON_LINES).join('\n');
    throw new AishError('internal', `${[program, ...args].join(' ')} ${why}:\n${output}`, {}, { cause });
  }
}

interface RunError {
  readonly code?: string | number;
  readonly killed?: boolean;
  readonly stdout?: string;
  readonly stderr?: string;
}
