import type { Command } from 'commander';
import { decisionStory, goalStory } from '../format/story.format.js';
import { connect, type Context } from './context.js';
import { writeJson, writeLines } from './io.js';
import { anyReference } from './reference.js';

export function addShowCommand(program: Command, context: Context): void {
  program
    .command('show')
    .description('tell the whole story of a goal: plan, commands, outputs, verdicts, end')
    .argument('<ref>', 'a goal (4 or its UUID), or a decision (d-17)', anyReference)
    .option('--json', 'print the api’s answer')
    .addHelpText(
      'after',
      "\nExamples:\n  $ aish show 4\n  $ aish show d-17\n  $ aish show 4 --json | jq '.actions[].command'",
    )
    .action(async (ref: ReturnType<typeof anyReference>, options: { json?: true }, command: Command) => {
      const { io } = context;
      const { client } = connect(command, context);
      if (ref.type === 'decision') {
        const decision = await client.showDecision(ref.reference, io.signal);
        return options.json ? writeJson(io, decision) : writeLines(io, decisionStory(decision));
      }
      const goal = await client.showGoal(ref.reference, io.signal);
      return options.json ? writeJson(io, goal) : writeLines(io, goalStory(goal));
    });
}
