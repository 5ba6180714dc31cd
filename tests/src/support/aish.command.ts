import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.js';
import { ROOT } from './service.process.js';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `aish …` as a script would: without a terminal, and with settings in the environment. */
export async function aish(
  connection: { readonly url: string; readonly tokenFile: string },
  args: readonly string[],
  input?: string,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [`${ROOT}clients/cli/bin/aish.mjs`, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      AISH_URL: connection.url,
      AISH_TOKEN_FILE: connection.tokenFile,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const hang = setTimeout(() => child.kill('SIGKILL'), 120_000);
  await once(child, 'close');
  clearTimeout(hang);
  return { code: child.exitCode, stdout, stderr };
}

/** An `aish …` that runs while the test does something else. */
export interface RunningCommand {
  /** Waits until the command has printed a match, on either output. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  ended(): Promise<CommandResult>;
  kill(): void;
}

type Connection = { readonly url: string; readonly tokenFile: string } | null;
type Env = Readonly<Record<string, string>>;

export function startAish(
  connection: Connection,
  args: readonly string[],
  env: Env = {},
  hangMs = 120_000,
  cwd?: string,
): RunningCommand {
  return startProgram(`${ROOT}clients/cli/bin/aish.mjs`, connection, args, env, hangMs, cwd);
}

/** Starts `npm run jobs -- …`, which is already built. */
export function startJobs(
  connection: Connection,
  args: readonly string[],
  env: Env = {},
  hangMs = 120_000,
): RunningCommand {
  return startProgram(`${ROOT}evals/dist/main.js`, connection, args, env, hangMs);
}

function startProgram(
  program: string,
  connection: Connection,
  args: readonly string[],
  env: Env,
  hangMs: number,
  cwd?: string,
): RunningCommand {
  const child = spawn(process.execPath, [program, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      ...(connection === null ? {} : { AISH_URL: connection.url, AISH_TOKEN_FILE: connection.tokenFile }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close');
  const hang = setTimeout(() => child.kill('SIGKILL'), hangMs);
  return {
    says: (pattern) => eventually(`aish says ${pattern}`, async () => pattern.exec(stderr) ?? pattern.exec(stdout)),
    ended: async () => {
      await closed;
      clearTimeout(hang);
      return { code: child.exitCode, stdout, stderr };
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
