import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AishError } from '@aish/contracts/problems';
import {
  decideEngine,
  isInstallableSystem,
  socketOf,
  type EngineFacts,
  type EnginePolicy,
  type EngineStep,
} from './engine.decision.js';
import { ROOT } from './root.js';

export type { EnginePolicy } from './engine.decision.js';

type Log = (line: string) => void;

export interface EnsureEngineOptions extends EnginePolicy {
  /** Receives progress, one line at a time. */
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/** `absent` means that no engine answers. `commands` are those that a person can type to get one. */
export type EngineState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'absent'; readonly commands: readonly string[]; readonly why: string };

/** A working engine, or a step that has been decided (by a person if necessary) but not carried out yet. */
export interface PreparedEngine {
  readonly step: Exclude<EngineStep, { kind: 'ask' }>['kind'];
  /** Carries out the step. Installing takes about 20 s. */
  carryOut(): Promise<EngineState>;
}

const INSTALL_ENGINE = fileURLToPath(new URL('deploy/docker/install-engine.sh', ROOT));
const BUILD_IMAGE = fileURLToPath(new URL('services/sandbox/image/build.sh', ROOT));

const CHECK_TIMEOUT_MS = 10_000;
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 20 * 60_000;
const LINES_KEPT = 200;

/**
 * Makes sure that a Docker engine is available, as far as policy and machine allow. An engine that answers is kept.
 * Otherwise one is installed and started (as root on Debian or Ubuntu), or the commands to type are printed.
 */
export async function ensureEngine(options: EnsureEngineOptions): Promise<EngineState> {
  return (await prepareEngine(options)).carryOut();
}

/** The first half of `ensureEngine`, which checks and asks. The second half can run while other parts start. */
export async function prepareEngine(options: EnsureEngineOptions): Promise<PreparedEngine> {
  const { log, signal } = options;
  let { kind } = decideEngine(await inspectEngine(signal), options);
  let why = 'no Docker engine responds';
  if (kind === 'ask') {
    log('No Docker engine responds here. Goals run commands only in Docker containers.');
    const isWanted = await ask('Install Docker from the packages of this system and start it? [y/N] ', signal);
    kind = isWanted ? 'install' : 'tell';
    if (!isWanted) why = 'no Docker engine responds, and installing one was declined';
  }
  if (kind === 'ready') return { step: kind, carryOut: async () => ({ kind: 'ready' }) };
  if (kind === 'tell') return { step: kind, carryOut: () => tell(why, log, signal) };
  return { step: kind, carryOut: () => install(log, signal) };
}

/**
 * Builds the image for commands if it is missing. This needs a running engine.
 * @param prefix programs to put before the command, so that it runs as another user
 * @returns the name of the image; `aish-sandbox:latest` is the same image
 * @throws AishError `image_missing` with the end of the build output
 */
export async function ensureSandboxImage(
  log: Log,
  signal?: AbortSignal,
  prefix: readonly string[] = [],
): Promise<string> {
  const [file, ...args] = [...prefix, BUILD_IMAGE];
  const { code, lines, stdout } = await run(file, args, { log, signal, timeoutMs: BUILD_TIMEOUT_MS });
  const name = stdout.at(-1) ?? '';
  if (code === 0 && name !== '') return name;
  throw new AishError('image_missing', `The sandbox image could not be built:\n  ${lines.slice(-5).join('\n  ')}`);
}

/** Returns whether a Docker engine answers now. */
export async function engineAnswers(signal?: AbortSignal, prefix: readonly string[] = []): Promise<boolean> {
  const [file, ...args] = [...prefix, INSTALL_ENGINE, 'check'];
  return (await run(file, args, { signal, timeoutMs: CHECK_TIMEOUT_MS })).code === 0;
}

/** Returns the socket of the engine that the `docker` command uses, or null if it is not a local socket. */
export async function engineSocket(signal?: AbortSignal): Promise<string | null> {
  const format = '{{.Endpoints.docker.Host}}';
  const { code, stdout } = await run('docker', ['context', 'inspect', '--format', format], {
    signal,
    timeoutMs: CHECK_TIMEOUT_MS,
  });
  return code === 0 ? socketOf(stdout.at(-1) ?? '') : null;
}

async function inspectEngine(signal: AbortSignal | undefined): Promise<EngineFacts> {
  // The file is missing on systems other than Linux.
  const osRelease = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return {
    answers: await engineAnswers(signal),
    canInstall: process.getuid?.() === 0 && isInstallableSystem(osRelease),
  };
}

async function install(log: Log, signal: AbortSignal | undefined): Promise<EngineState> {
  log('No Docker engine responds here: installing and starting it from the packages of this system, about 20 s.');
  const { code, lines } = await run(INSTALL_ENGINE, [], {
    log,
    logsStdout: true,
    signal,
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  if (code === 0) return { kind: 'ready' };
  return tell(lines.at(-1)?.replace(/^install-engine: /, '') ?? 'installing Docker failed', log, signal);
}

async function tell(why: string, log: Log, signal: AbortSignal | undefined): Promise<EngineState> {
  const { stdout } = await run(INSTALL_ENGINE, ['commands'], { signal, timeoutMs: CHECK_TIMEOUT_MS });
  log(`Without Docker, goals wait before their first command (${why}). To get it:`);
  for (const line of stdout) log(`  ${line}`);
  return { kind: 'absent', commands: stdout, why };
}

function ask(question: string, signal: AbortSignal | undefined): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve, reject) => {
    const leave = (settle: () => void): void => {
      signal?.removeEventListener('abort', abort);
      settle();
      terminal.close();
    };
    const abort = (): void => leave(() => reject(new AishError('aborted', 'Stopped while asking')));
    signal?.addEventListener('abort', abort, { once: true });
    terminal.once('SIGINT', abort);
    terminal.once('close', () => resolve(false));
    terminal.question(question, (answer) => leave(() => resolve(/^\s*y(es)?\s*$/i.test(answer))));
  });
}

interface RunOptions {
  readonly log?: Log;
  /** Whether stdout is progress, too. Otherwise stdout is the result. */
  readonly logsStdout?: boolean;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

interface RunResult {
  /** The exit code, or null if the program could not be started, or was killed. */
  readonly code: number | null;
  readonly stdout: readonly string[];
  /** The lines of both streams, in order of arrival. */
  readonly lines: readonly string[];
}

/**
 * Runs a program in its own process group, so that Ctrl-C reaches it through `signal`, and all its children end with
 * it.
 */
function run(file: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  options.signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const stdout: string[] = [];
    const lines: string[] = [];
    let isGone = false;
    const end = (): void => {
      if (child.pid !== undefined && !isGone) process.kill(-child.pid, 'SIGTERM');
    };
    const timer = setTimeout(end, options.timeoutMs);
    options.signal?.addEventListener('abort', end, { once: true });
    const settle = (code: number | null): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', end);
      if (options.signal?.aborted) reject(new AishError('aborted', `Stopped: ${file}`));
      else resolve({ code, stdout, lines });
    };
    const keep = (line: string, isProgress: boolean): void => {
      lines.push(line);
      if (lines.length > LINES_KEPT) lines.shift();
      if (isProgress) options.log?.(line);
    };
    createInterface({ input: child.stderr }).on('line', (line) => keep(line, true));
    createInterface({ input: child.stdout }).on('line', (line) => {
      stdout.push(line);
      if (stdout.length > LINES_KEPT) stdout.shift();
      keep(line, options.logsStdout ?? false);
    });
    child.once('error', () => settle(null));
    child.once('exit', () => (isGone = true));
    child.once('close', (code) => settle(code));
  });
}
