import { homedir } from 'node:os';
import { keepTimeouts } from '@aish/contracts/lasting-timeouts';
import { AishError } from '@aish/contracts/problems';
import { launch } from './launch.js';
import { parseOptions } from './options.js';
import { watchStopSignals } from './stop-signals.js';

keepTimeouts();
const options = parseOptions(process.argv);
const signals = watchStopSignals();
// A closed terminal accepts no output, but that must not prevent an orderly stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const code = await launch(options, {
  env: process.env,
  home: homedir(),
  cwd: process.cwd(),
  isRoot: process.getuid?.() === 0,
  isTerminal: process.stdin.isTTY && process.stdout.isTTY,
  signals,
  print: (text) => void process.stdout.write(`${text}\n`),
}).catch((error: unknown) => {
  console.error(error instanceof AishError ? error.message : error);
  return 1;
});
process.exitCode = code;
// An open handle of a library must not keep a stopped launcher alive.
setTimeout(() => process.exit(code), 500).unref();
