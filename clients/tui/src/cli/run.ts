import { AishError, VERSION } from '@aish/contracts';
import { Command, CommanderError } from 'commander';
import { ApiError } from '../api/api.error.js';
import { oneLine } from '../text/sanitise.js';
import { addCancelCommand } from './cancel.command.js';
import type { Context } from './context.js';
import { addDecideCommand } from './decide.command.js';
import { addDecisionsCommand } from './decisions.command.js';
import { EXIT, EXIT_HELP, type ExitCode } from './exit-codes.js';
import { addGoalsCommand } from './goals.command.js';
import { addHealthCommand } from './health.command.js';
import { note, type Io } from './io.js';
import { addModelsCommand } from './models.command.js';
import { addNorrisCommand } from './norris.command.js';
import { addSafetyCommand } from './safety.command.js';
import { addShowCommand } from './show.command.js';
import { addTuiAction } from './tui.command.js';
import { addWatchCommand } from './watch.command.js';

const EXAMPLES = `
Examples:
  $ aish                                     open the terminal UI
  $ aish norris "tidy up /workspace" -w      give a goal and watch it
  $ aish goals --state halted                which goals wait for me?
  $ aish decide d-3 proceed                  let one go on
  $ aish show 4                              the story of goal 4

Server and token:
  --url, else AISH_URL, else what npm start wrote to its data folder, else http://127.0.0.1:7717
  --token-file, else AISH_TOKEN_FILE, else token in the data folder
  The data folder is AISH_DATA, else ~/.local/share/aish.`;

/** Runs `aish` with these arguments. Never throws; what went wrong stands on stderr. */
export async function runCli(args: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = makeProgram({ io, exit: (wanted) => (code = wanted) });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}

function makeProgram(context: Context): Command {
  const { io } = context;
  const program = new Command('aish')
    .description('An AI shell for the homelab: goals that Norris works through while you do something else.')
    .version(VERSION)
    .option('--url <url>', 'address of the api')
    .option('--token-file <path>', 'file that holds the bearer token')
    .configureHelp({ showGlobalOptions: true, helpWidth: io.stdout.columns ?? 100 })
    .addHelpText('after', `${EXAMPLES}\n${EXIT_HELP}`)
    .showHelpAfterError('(aish --help says more)')
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .exitOverride();
  addNorrisCommand(program, context);
  addGoalsCommand(program, context);
  addShowCommand(program, context);
  addWatchCommand(program, context);
  addCancelCommand(program, context);
  addDecisionsCommand(program, context);
  addDecideCommand(program, context);
  addSafetyCommand(program, context);
  addModelsCommand(program, context);
  addHealthCommand(program, context);
  addTuiAction(program, context); // last: commands would inherit its leniency with arguments
  return program;
}

function exitCodeOf(error: unknown, io: Io): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (io.signal.aborted) return EXIT.interrupted;
  if (error instanceof ApiError) {
    note(io, `${error.code}: ${oneLine(error.message)}`);
    if (error.isUnauthorised) return EXIT.unauthorised;
    return error.kind === 'unreachable' ? EXIT.unreachable : EXIT.refused;
  }
  if (error instanceof AishError) {
    note(io, `${error.code}: ${error.message}`);
    return EXIT.usage;
  }
  note(io, error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.refused;
}
