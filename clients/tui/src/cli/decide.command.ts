import { Verdict } from '@aish/contracts';
import { Argument, type Command } from 'commander';
import { formatVerdict } from '../format/decision.format.js';
import { line } from '../text/line.js';
import { connect, type Context } from './context.js';
import { writeJson, writeLines } from './io.js';
import { decisionReference } from './reference.js';

export function addDecideCommand(program: Command, context: Context): void {
  program
    .command('decide')
    .description('answer a decision; the first verdict wins')
    .argument('<ref>', 'd-17, 17 or a UUID', decisionReference)
    .addArgument(new Argument('<verdict>', 'run it, go on without it, or end the goal').choices(Verdict.options))
    .option('-m, --message <text>', 'told to the model with skip')
    .option('--json', 'print the decision')
    .addHelpText(
      'after',
      '\nExamples:\n  $ aish decide d-17 proceed\n  $ aish decide 17 skip -m "use the trash instead"',
    )
    .action(
      async (reference: string, verdict: Verdict, options: { message?: string; json?: true }, command: Command) => {
        const { io } = context;
        const { client } = connect(command, context);
        const decision = await client.giveVerdict(reference, verdict, options.message ?? null, io.signal);
        if (options.json) return writeJson(io, decision);
        writeLines(io, [line(`d-${decision.number}: ${formatVerdict(decision) ?? decision.state}`)]);
      },
    );
}
