import type { Command } from 'commander';
import { connect, type Context } from './context.js';
import { followGoal } from './follow-goal.js';
import { goalReference } from './reference.js';

export function addWatchCommand(program: Command, context: Context): void {
  program
    .command('watch')
    .description('show what a goal does, from its beginning, until it ends; asks p/s/a at a HALT')
    .argument('<ref>', 'number or UUID of the goal', goalReference)
    .option('--json', 'print one JSON object per line: events with seq, and live text without')
    .addHelpText('after', "\nExamples:\n  $ aish watch 4\n  $ aish watch 4 --json | jq -r '.body.type // .type'")
    .action(async (reference: string, options: { json?: true }, command: Command) => {
      const { io } = context;
      const { client } = connect(command, context);
      const goal = await client.showGoal(reference, io.signal);
      context.exit(await followGoal(client, goal, io, { json: options.json === true }));
    });
}
