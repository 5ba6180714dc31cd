import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../service.process.js';

export interface LlamaServerOptions {
  /** More options of llama-server; later ones win over those set here (`-c 16384 -np 1 -t 1`). */
  readonly args?: readonly string[];
  /** Every answer follows this grammar, unless the request brings its own. */
  readonly grammar?: string;
  /** `think` writes reasoning first; `strict` knows no tools and wants user and assistant to alternate. */
  readonly template?: 'chatml' | 'think' | 'strict';
  /** 1, the default, is some 5000 tokens/s; 40 some 600: slow enough to catch an answer half way. */
  readonly layers?: number;
  /** `started` returns while the model is still loading. */
  readonly until?: 'ready' | 'started';
}

export interface LlamaServer {
  /** Without a path, as presets want it. */
  readonly url: string;
  /** The end of what it wrote so far. */
  log(): string;
  stop(): Promise<void>;
}

const run = promisify(execFile);
/** The same from the sources and from the compiled output: the scripts stand beside the sources only. */
const scripts = fileURLToPath(new URL('../../../src/support/llama/', import.meta.url));
const INSTALL_TIMEOUT_MS = 5 * 60_000;
const READY_TIMEOUT_MS = 60_000;
const LOG_MAX_CHARS = 64 * 1024;

/**
 * Starts a real llama-server with a tiny model of seeded random weights: one token is one byte. The first time it
 * installs the server from Debian's packages (about 12 s) and writes the model, into the cache folder.
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
  // A test run that ends early must not leave it behind.
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
  // A changed maker makes another file.
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
      () => false, // nothing listens yet
    );
    if (isReady) return;
    await sleep(20);
  }
  await server.stop();
  throw new Error(`llama-server did not become ready:\n${server.log()}`);
}

/** SIGKILL: on SIGTERM it keeps open streams for up to half a minute. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}
