import { readFileSync } from 'node:fs';
import { AishError, parseConfig } from '@aish/contracts';
import { EXIT } from './cli/exit-codes.js';
import { runCli } from './cli/run.js';
import { ClientConfig } from './config.js';

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;

async function main(): Promise<number> {
  const config = parseConfig(ClientConfig, process.env, (path) => readFileSync(path, 'utf8'));
  const stop = new AbortController();
  let signalled: number | null = null;
  for (const [name, code] of Object.entries(SIGNALS)) {
    // Not once: blessed ends the process at a signal that nobody else listens for.
    process.on(name, () => {
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
  const code = await runCli(process.argv.slice(2), { stdin, stdout, stderr, config, signal: stop.signal });
  return signalled ?? code;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof AishError ? error.message : String(error)}\n`);
  process.exitCode = EXIT.usage;
}
