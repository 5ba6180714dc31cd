import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { keepTimeouts } from '@aish/contracts/lasting-timeouts';
import { AishError } from '@aish/contracts/problems';
import { EXIT } from './cli/exit-codes.js';
import type { Io } from './cli/io.js';
import { ClientConfig } from './config.js';
import type { ServerOptions } from './server-address.js';

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Runs `aish` as a process: settings from the environment, signals, exit code.
 * @param takeBack Removes the first screen of the terminal UI, which stands already; null when this is a command.
 */
export async function start(args: readonly string[], takeBack: (() => void) | null): Promise<number> {
  keepTimeouts();
  try {
    return await run(args, takeBack);
  } catch (error) {
    takeBack?.();
    process.stderr.write(`${error instanceof AishError ? error.message : String(error)}\n`);
    return EXIT.usage;
  }
}

async function run(args: readonly string[], takeBack: (() => void) | null): Promise<number> {
  const config = parseConfig(ClientConfig, process.env, (path) => readFileSync(path, 'utf8'));
  const stop = new AbortController();
  let signalled: number | null = null;
  let inner: AbortController | null = null;
  const apart = async <T>(work: (interrupted: AbortSignal) => Promise<T>): Promise<T> => {
    const own = new AbortController();
    inner = own;
    try {
      return await work(own.signal);
    } finally {
      inner = null;
    }
  };
  for (const [name, code] of Object.entries(SIGNALS)) {
    // Not once: blessed ends the process at a signal that nobody else listens for.
    process.on(name, () => {
      if (name === 'SIGINT' && inner !== null) return inner.abort();
      signalled = code;
      stop.abort();
    });
  }
  // Whoever reads our output may stop early (`aish goals | head -1`); that is no error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
  const { stdin, stdout, stderr } = process;
  const io: Io = { stdin, stdout, stderr, config, signal: stop.signal, apart };
  const code = takeBack === null ? await runCommand(args, io) : await runTui(args, io);
  return signalled ?? code;
}

async function runCommand(args: readonly string[], io: Io): Promise<number> {
  const { runCli } = await import('./cli/run.js');
  return runCli(args, io, async (options) => {
    // Here and not above: commands for scripts do not wait for what they do not use.
    const { openTui } = await import('./open-tui.js');
    return openTui(options, io);
  });
}

/** The terminal UI needs no parser of commands. */
async function runTui(args: readonly string[], io: Io): Promise<number> {
  const { openTui } = await import('./open-tui.js');
  const options = { url: { type: 'string' }, 'token-file': { type: 'string' }, profile: { type: 'string' } } as const;
  const { url, profile, 'token-file': tokenFile } = parseArgs({ args: [...args], options }).values;
  const server: ServerOptions = {
    ...(url === undefined ? {} : { url }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(profile === undefined ? {} : { profile }),
  };
  return openTui(server, io);
}
