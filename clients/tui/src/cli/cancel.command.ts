import type { Command } from 'commander';
import { line } from '../text/line.js';
import { connect, type Context } from './context.js';
import { writeJson, writeLines } from './io.js';
import { goalReference } from './reference.js';

export function addCancelCommand(program: Command, context: Context): void {
  program
    .command('cancel')
    .description('end a goal now, its running command included')
    .argument('<ref>', 'number or UUID of the goal', goalReference)
    .option('--json', 'print the goal')
    .addHelpText('after', '\nExample:\n  $ aish cancel 4')
    .action(async (reference: string, options: { json?: true }, command: Command) => {
      const { io } = context;
      const goal = await connect(command, context).client.cancelGoal(reference, io.signal);
      if (options.json) return writeJson(io, goal);
      writeLines(io, [line(`goal ${goal.number} ${goal.state}`)]);
    });
}
