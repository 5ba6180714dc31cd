import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../service.process.js';

export interface LlamaServerOptions {
  /** More options for llama-server. They override the defaults (`-c 16384 -np 1 -t 1`). */
  readonly args?: readonly string[];
  /** The grammar of every answer, unless the request has its own grammar. */
  readonly grammar?: string;
  /**
   * The template. `think` writes reasoning first. `strict` supports no tools and requires user and assistant to
   * alternate.
   */
  readonly template?: 'chatml' | 'think' | 'strict';
  /**
   * The number of layers. The default 1 gives about 5000 tokens/s. 40 gives about 600, which is slow enough to
   * interrupt an answer.
   */
  readonly layers?: number;
  /** The state to wait for. `started` returns while the model is still loading. */
  readonly until?: 'ready' | 'started';
}

export interface LlamaServer {
  /** The URL without a path, as presets need it. */
  readonly url: string;
  /** Returns the end of the server's log so far. */
  log(): string;
  stop(): Promise<void>;
}

const run = promisify(execFile);
/** The path is the same from sources and from compiled output, because the scripts are only beside the sources. */
const scripts = fileURLToPath(new URL('../../../src/support/llama/', import.meta.url));
const INSTALL_TIMEOUT_MS = 5 * 60_000;
const READY_TIMEOUT_MS = 60_000;
const LOG_MAX_CHARS = 64 * 1024;

/**
 * Starts a real llama-server with a tiny model of seeded random weights, in which one token is one byte. The first call
 * installs the server from Debian's packages (about 12 s) and writes the model into the cache folder.
 */
export async function startLlamaServer(options: LlamaServerOptions = {}): Promise<LlamaServer> {
  const program = await install();
  const model = await makeModel(join(dirname(dirname(program)), 'models'), options);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(program, argumentsFor(model, port, options), { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-LOG_MAX_CHARS)));
  }
  const server: LlamaServer = { url, log: () => log, stop: () => stop(child) };
  // A test run that ends early must not leave the server running.
  const onExit = (): void => void child.kill('SIGKILL');
  process.once('exit', onExit);
  child.once('exit', () => process.off('exit', onExit));
  if (options.until !== 'started') await untilReady(server, child);
  return server;
}

function argumentsFor(model: string, port: number, { grammar, args = [] }: LlamaServerOptions): readonly string[] {
  const fixed = `--alias tiny --host 127.0.0.1 --port ${port} -c 16384 -np 1 -t 1 --jinja --offline --no-ui`;
  return [
    '-m',
    model,
    ...fixed.split(' '),
    '--log-colors',
    'off',
    ...(grammar === undefined ? [] : ['--grammar', grammar]),
    ...args,
  ];
}

async function install(): Promise<string> {
  const { stdout } = await run(join(scripts, 'install-llama-server.sh'), { timeout: INSTALL_TIMEOUT_MS });
  return stdout.trim();
}

async function makeModel(folder: string, { template = 'chatml', layers = 1 }: LlamaServerOptions): Promise<string> {
  const maker = join(scripts, 'make-tiny-gguf.mjs');
  // A changed script makes another file.
  const version = createHash('sha256').update(readFileSync(maker)).digest('hex').slice(0, 12);
  const path = join(folder, `tiny-${template}-${layers}-${version}.gguf`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  await run(process.execPath, [maker, path, '--template', template, '--layers', String(layers)]);
  return path;
}

async function untilReady(server: LlamaServer, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const isReady = await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false, // nothing is listening yet
    );
    if (isReady) return;
    await sleep(20);
  }
  await server.stop();
  throw new Error(`llama-server did not become ready:\n${server.log()}`);
}

/** Stops the server with SIGKILL, because on SIGTERM it keeps streams open for up to half a minute. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
