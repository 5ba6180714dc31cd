import { AishError, isAishError } from '@aish/contracts/problems';
import { CommanderError, InvalidArgumentError, type Command } from 'commander';
import { ApiError } from '@aish/client/api.error';
import { oneLine } from '@aish/views/sanitise';
import { EXIT, NEEDS_TERMINAL, type ExitCode } from '@aish/client/exit-codes';
import { note, type Io } from '@aish/client/io';
import type { Context, Programs } from './context.js';
import { makeProgram } from './program.js';
import { COMMANDS } from './table.js';
import { renamed } from '@aish/views/commands/renamed';

/** Runs `aish` with these arguments. Never throws, and prints errors on stderr. */
export function runCli(args: readonly string[], io: Io, programs?: Programs): Promise<ExitCode> {
  return runProgram(makeProgram, asNow(args, io), io, programs);
}

/** Replaces an old spelling with the current command, and prints the current spelling. */
function asNow(args: readonly string[], io: Io): readonly string[] {
  const at = args.findIndex((word, index) => !word.startsWith('-') && !SERVER_OPTION.test(args[index - 1] ?? ''));
  if (at < 0) return args;
  const isHelp = args[at] === 'help';
  const start = isHelp ? at + 1 : at;
  const now = renamed(args.slice(start), (name) => NAMES_NOW.has(name));
  if (now === null) return args;
  note(io, `aish ${now.from} is now: aish ${now.to}`);
  return [...args.slice(0, start), ...now.words];
}

const SERVER_OPTION = /^--(?:url|token-file|profile)$/;
const NAMES_NOW = new Set(COMMANDS.flatMap(({ name, short = [] }) => [name, ...short]));

/** Runs a program of commands as `runCli` runs `aish`. */
export async function runProgram(
  make: (context: Context) => Command,
  args: readonly string[],
  io: Io,
  programs: Programs = commandsAlone(io),
): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = make({ io, exit: (wanted) => (code = wanted), ...programs });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}

/** Returns the programs for callers that run commands without a terminal of their own. */
function commandsAlone(io: Io): Programs {
  const refuse = (): Promise<ExitCode> => {
    note(io, NEEDS_TERMINAL);
    return Promise.resolve(EXIT.usage);
  };
  return { openTui: refuse, serveEditor: async () => void (await refuse()) };
}

function exitCodeOf(error: unknown, io: Io): ExitCode {
  // A command that reads an argument itself throws this error. Commander prints its own errors.
  if (error instanceof InvalidArgumentError) note(io, `error: ${error.message}`);
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (io.signal.aborted || isAishError(error, 'aborted')) return EXIT.interrupted;
  if (error instanceof ApiError) {
    note(io, `${error.code}: ${oneLine(error.message)}`);
    const next = whatNext(error);
    if (next !== null) note(io, next);
    if (error.isUnauthorised) return EXIT.unauthorised;
    return error.kind === 'unreachable' ? EXIT.unreachable : EXIT.refused;
  }
  if (error instanceof AishError) {
    note(io, `${error.code}: ${error.message}`);
    return isAishError(error, 'backup_broken', 'locked', 'release_unsigned') ? EXIT.refused : EXIT.usage;
  }
  note(io, error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.refused;
}

/** Returns advice for a person who cannot connect, or null. */
function whatNext({ kind, status }: ApiError): string | null {
  if (kind === 'unreachable') {
    return 'Start aish there (npm start, or docker compose up -d). If your server is elsewhere, sign in: aish login URL';
  }
  return status === 401 ? 'The server does not know this token. Sign in again: aish login --force' : null;
}
