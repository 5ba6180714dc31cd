import { readFileSync } from 'node:fs';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { keepTimeoutsAlive } from '@aish/contracts/lasting-timeouts';
import { AishError } from '@aish/contracts/problems';
import { ClientConfig } from '@aish/client/config';
import { EXIT } from '@aish/client/exit-codes';
import type { Io } from '@aish/client/io';

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;

/** Runs `work` as a process: settings from the environment, signals, exit code. @param onFailure runs before the error is printed */
export async function asProcess(work: (io: Io) => Promise<number>, onFailure?: () => void): Promise<number> {
  keepTimeoutsAlive();
  try {
    return await withSignals(work);
  } catch (error) {
    onFailure?.();
    process.stderr.write(`${error instanceof AishError ? error.message : String(error)}\n`);
    return EXIT.usage;
  }
}

async function withSignals(work: (io: Io) => Promise<number>): Promise<number> {
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
    // Not `once`: blessed ends the process at a signal that has no other listener.
    process.on(name, () => {
      if (name === 'SIGINT' && inner !== null) return inner.abort();
      signalled = code;
      stop.abort();
    });
  }
  // The reader may close our output early (`aish goals | head -1`), which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
  const { stdin, stdout, stderr } = process;
  const io: Io = { stdin, stdout, stderr, config, signal: stop.signal, apart };
  const code = await work(io);
  return signalled ?? code;
}
