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

export type { EnginePolicy } from './engine.decision.js';

type Log = (line: string) => void;

export interface EnsureEngineOptions extends EnginePolicy {
  /** Progress, a line at a time. */
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/** `absent`: no engine answers, and `commands` is what a person types to get one. */
export type EngineState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'absent'; readonly commands: readonly string[]; readonly why: string };

/** An engine that answers, or a step that has been decided on (a person was asked, if need be) and not yet taken. */
export interface PreparedEngine {
  readonly step: Exclude<EngineStep, { kind: 'ask' }>['kind'];
  /** Takes the step. Installing takes about 20 s. */
  carryOut(): Promise<EngineState>;
}

const DOCKER = new URL('../../docker/', import.meta.url);
const INSTALL_ENGINE = fileURLToPath(new URL('install-engine.sh', DOCKER));
const BUILD_IMAGE = fileURLToPath(new URL('../../../services/sandbox/image/build.sh', import.meta.url));

const CHECK_TIMEOUT_MS = 10_000;
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 20 * 60_000;
const LINES_KEPT = 200;

/**
 * Makes sure that a Docker engine answers, as far as the policy and the machine allow: leaves one that answers alone,
 * else installs and starts it (root on Debian or Ubuntu), else says what a person would type.
 */
export async function ensureEngine(options: EnsureEngineOptions): Promise<EngineState> {
  return (await prepareEngine(options)).carryOut();
}

/** The first half of `ensureEngine`: looks, and asks. What is left can be done while other things start. */
export async function prepareEngine(options: EnsureEngineOptions): Promise<PreparedEngine> {
  const { log, signal } = options;
  let { kind } = decideEngine(await inspectEngine(signal), options);
  let why = 'no Docker engine answers';
  if (kind === 'ask') {
    log('No Docker engine answers here. Commands of goals run in Docker containers, and nowhere else.');
    const isWanted = await ask('Install Docker from the packages of this system and start it? [y/N] ', signal);
    kind = isWanted ? 'install' : 'tell';
    if (!isWanted) why = 'no Docker engine answers, and it was not to be installed';
  }
  if (kind === 'ready') return { step: kind, carryOut: async () => ({ kind: 'ready' }) };
  if (kind === 'tell') return { step: kind, carryOut: () => tell(why, log, signal) };
  return { step: kind, carryOut: () => install(log, signal) };
}

/**
 * Builds the image that commands run in, when it is not there; needs an engine that answers.
 * @returns its name; `aish-sandbox:latest` is the same image.
 * @throws AishError `image_missing` with the end of what the build said.
 */
export async function ensureSandboxImage(log: Log, signal?: AbortSignal): Promise<string> {
  const { code, lines, stdout } = await run(BUILD_IMAGE, [], { log, signal, timeoutMs: BUILD_TIMEOUT_MS });
  const name = stdout.at(-1) ?? '';
  if (code === 0 && name !== '') return name;
  throw new AishError('image_missing', `The sandbox image could not be built:\n  ${lines.slice(-5).join('\n  ')}`);
}

/** Whether a Docker engine answers now. */
export async function engineAnswers(signal?: AbortSignal): Promise<boolean> {
  return (await run(INSTALL_ENGINE, ['check'], { signal, timeoutMs: CHECK_TIMEOUT_MS })).code === 0;
}

/** The socket of the engine that the `docker` command would talk to; null when that is no socket of this machine. */
export async function engineSocket(signal?: AbortSignal): Promise<string | null> {
  const format = '{{.Endpoints.docker.Host}}';
  const { code, stdout } = await run('docker', ['context', 'inspect', '--format', format], {
    signal,
    timeoutMs: CHECK_TIMEOUT_MS,
  });
  return code === 0 ? socketOf(stdout.at(-1) ?? '') : null;
}

async function inspectEngine(signal: AbortSignal | undefined): Promise<EngineFacts> {
  const osRelease = await readFile('/etc/os-release', 'utf8').catch(() => ''); // absent on what is no Linux
  return {
    answers: await engineAnswers(signal),
    canInstall: process.getuid?.() === 0 && isInstallableSystem(osRelease),
  };
}

async function install(log: Log, signal: AbortSignal | undefined): Promise<EngineState> {
  log('No Docker engine answers here: installing and starting it from the packages of this system, about 20 s.');
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
  log(`Without Docker goals wait before their first command (${why}). To get it:`);
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
  /** Whether stdout is progress as well; it is the result otherwise. */
  readonly logsStdout?: boolean;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

interface RunResult {
  /** Null: it could not be started, or was ended. */
  readonly code: number | null;
  readonly stdout: readonly string[];
  /** Both streams, as they came. */
  readonly lines: readonly string[];
}

/** A process group of its own: Ctrl-C reaches it through `signal`, and all that it started ends with it. */
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
