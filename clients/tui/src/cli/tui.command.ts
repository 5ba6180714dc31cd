import type { Command } from 'commander';
import { terminalKind } from '../screen/terminal.js';
import { oneLine } from '../text/sanitise.js';
import { connect, type Context } from './context.js';
import { EXIT } from './exit-codes.js';
import { note } from './io.js';

/** Without a command: the terminal UI. */
export function addTuiAction(program: Command, context: Context): void {
  program.allowExcessArguments().action(async (_options: unknown, command: Command) => {
    const { io } = context;
    if (command.args.length > 0) command.error(`error: unknown command '${oneLine(command.args[0] ?? '')}'`);
    const { client, address } = connect(command, context);
    const terminal = terminalKind(io.config.TERM);
    if (io.stdin.isTTY !== true || io.stdout.isTTY !== true || terminal === null) {
      note(io, 'The terminal UI needs a terminal. For scripts there are commands: aish --help');
      return context.exit(EXIT.usage);
    }
    // Here and not above: commands for scripts do not wait for what they do not use.
    const { runTui } = await import('../tui.js');
    const hasColour = io.config.NO_COLOR === undefined;
    await runTui({ client, server: address.url, terminal, hasColour, signal: io.signal });
  });
}
