import type { Command } from 'commander';
import { type ServerOptions } from '../server-address.js';
import { oneLine } from '@aish/views/sanitise';
import type { Context } from './context.js';

/** Without a command: the terminal UI. */
export function addTuiAction(program: Command, context: Context): void {
  program.allowExcessArguments().action(async (options: ServerOptions, command: Command) => {
    if (command.args.length > 0) command.error(`error: unknown command '${oneLine(command.args[0] ?? '')}'`);
    context.exit(await context.openTui(options));
  });
}
