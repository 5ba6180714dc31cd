import { AishError, isAishError } from '@aish/contracts/problems';
import { CommanderError } from 'commander';
import { ApiError } from '../api/api.error.js';
import { oneLine } from '@aish/views/sanitise';
import { EXIT, NEEDS_TERMINAL, type ExitCode } from './exit-codes.js';
import { note, type Io } from './io.js';
import type { OpenTui } from './context.js';
import { makeProgram } from './program.js';

/** Runs `aish` with these arguments. Never throws; what went wrong stands on stderr. */
export async function runCli(args: readonly string[], io: Io, openTui: OpenTui = noTerminal(io)): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = makeProgram({ io, exit: (wanted) => (code = wanted), openTui });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}

/** Whoever runs commands without a terminal of their own. */
function noTerminal(io: Io): OpenTui {
  return () => {
    note(io, NEEDS_TERMINAL);
    return Promise.resolve(EXIT.usage);
  };
}

function exitCodeOf(error: unknown, io: Io): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (io.signal.aborted || isAishError(error, 'aborted')) return EXIT.interrupted;
  if (error instanceof ApiError) {
    note(io, `${error.code}: ${oneLine(error.message)}`);
    if (error.isUnauthorised) return EXIT.unauthorised;
    return error.kind === 'unreachable' ? EXIT.unreachable : EXIT.refused;
  }
  if (error instanceof AishError) {
    note(io, `${error.code}: ${error.message}`);
    return error.code === 'backup_broken' ? EXIT.refused : EXIT.usage;
  }
  note(io, error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.refused;
}
