import { spawn, type ChildProcess } from 'node:child_process';
import { AishError } from '@aish/contracts/problems';

export interface GitOptions {
  readonly dir: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** The input of the command. If it is a promise, the command waits for its input. */
  readonly input?: string | Buffer | Promise<string>;
  /** Maximum output in bytes. A command that prints more is ended. */
  readonly maxBytes?: number;
  /** A descriptor that stays open in the child, so that a lock on it lasts until the child has ended, too. */
  readonly lockFd?: number | undefined;
  /**
   * Whether to end all child processes together with the command, for example an ssh that the caller would otherwise
   * wait for.
   */
  readonly ownGroup?: boolean;
  /** A file that is used instead of the repository's index. */
  readonly indexFile?: string;
  /** The environment of the process, as passed by its main file. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 256 * 1_048_576;
const STDERR_MAX_CHARS = 8_000;

/**
 * Settings that disable the hooks and helpers of the repository's owner, prompts, and background work that outlives the
 * command.
 */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.askPass=true',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.ext.allow=never',
].flatMap((setting) => ['-c', setting]);

/** Variables that git would use instead of its arguments. Hooks set them for another repository. */
const NOT_PASSED_ON =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE|PREFIX|CEILING_DIRECTORIES|CONFIG.*|EXEC_PATH)$/;

/**
 * Runs the real git in `dir` and waits for its end.
 *
 * @throws AishError `knowledge_git` if it cannot run, takes too long or prints too much; `aborted` on the signal. An
 * exit code other than 0 is a normal result.
 */
export function git(args: readonly string[], options: GitOptions): Promise<GitAnswer> {
  return runProgram('git', [...SETTINGS, ...args], options);
}

/**
 * Runs git like `git`, but throws for an exit code other than 0.
 *
 * @returns the output.
 */
export async function gitText(args: readonly string[], options: GitOptions): Promise<string> {
  const answer = await git(args, options);
  if (answer.code === 0) return answer.stdout.toString('utf8');
  throw failed(args, answer);
}

function failed(args: readonly string[], answer: GitAnswer): AishError {
  const words = withoutSecrets(answer.stderr.trim() || answer.stdout.toString('utf8').trim()).slice(0, 1_000);
  return new AishError('knowledge_git', `git ${commandIn(args)} exited with code ${answer.code}: ${words}`);
}

function commandIn(args: readonly string[]): string {
  return args.find((arg) => !arg.startsWith('-') && !arg.includes('=')) ?? '';
}

/** Removes passwords, because a remote's address may contain one. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/@\s]*@/gi, '$1');
}

export function runProgram(program: string, args: readonly string[], options: GitOptions): Promise<GitAnswer> {
  const {
    dir,
    signal,
    input,
    lockFd,
    indexFile,
    ownGroup = false,
    timeoutMs = TIMEOUT_MS,
    maxBytes = MAX_BYTES,
  } = options;
  const what = `${program} ${commandIn(args)}`;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new AishError('aborted', `${what} was not started`));
      return;
    }
    const child = spawn(program, args, {
      cwd: dir,
      env: { ...environment(options.env), ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }) },
      detached: ownGroup,
      stdio: lockFd === undefined ? ['pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe', lockFd],
    });
    const out: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let stopped: AishError | null = null;
    const stop = (error: AishError): void => {
      stopped ??= error;
      end(child, ownGroup, 'SIGTERM');
      setTimeout(() => end(child, ownGroup, 'SIGKILL'), 2_000).unref();
    };
    const onAbort = (): void => stop(new AishError('aborted', `${what} was cancelled`));
    const timer = setTimeout(
      () => stop(new AishError('knowledge_git', `${what} took longer than ${timeoutMs} ms`)),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop(new AishError('knowledge_git', `${what} printed more than ${maxBytes} bytes`));
      else out.push(chunk);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_MAX_CHARS);
    });
    child.on('error', (cause) => {
      settle();
      reject(new AishError('knowledge_git', `${program} cannot be run`, {}, { cause }));
    });
    child.on('close', (code) => {
      settle();
      if (stopped !== null) reject(stopped);
      else resolve({ code: code ?? -1, stdout: Buffer.concat(out), stderr });
    });
    // A child that ends early closes its input. Only its exit code matters.
    child.stdin?.on('error', () => undefined);
    if (input instanceof Promise) void input.then((text) => child.stdin?.end(text));
    else child.stdin?.end(input);
  });
}

function end(child: ChildProcess, withGroup: boolean, signal: NodeJS.Signals): void {
  if (!withGroup || child.pid === undefined) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // The group has ended with all its child processes.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function environment(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_PASSED_ON.test(name)));
  return {
    ...passed,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_SSH_COMMAND: passed['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes -o ConnectTimeout=5',
  };
}
