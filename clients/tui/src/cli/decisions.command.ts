import type { Command } from 'commander';
import { formatReason } from '../format/decision.format.js';
import { formatAge } from '../format/duration.format.js';
import { span, type Line } from '../text/line.js';
import { showExact } from '../text/sanitise.js';
import { connect, type Context } from './context.js';
import { note, writeJson, writeLines } from './io.js';

export function addDecisionsCommand(program: Command, context: Context): void {
  program
    .command('decisions')
    .description('list the decisions that wait for a verdict, oldest first')
    .option('--json', 'print the api’s answer')
    .addHelpText('after', '\nExamples:\n  $ aish decisions\n  $ aish decide d-17 skip --message "keep the logs"')
    .action(async (options: { json?: true }, command: Command) => {
      const { io } = context;
      const list = await connect(command, context).client.listDecisions(io.signal);
      if (options.json) return writeJson(io, list);
      if (list.items.length === 0) return note(io, 'Nothing waits for a verdict.');
      const nowMs = Date.now();
      writeLines(
        io,
        list.items.map((decision): Line => [
          span(`d-${decision.number}`.padEnd(6), 'bold'),
          span(`goal ${decision.goalNumber}  step ${decision.stepNumber}/${decision.stepBudget}  `),
          span(showExact(decision.action).replaceAll('\n', '\\n'), 'guilty'),
          span(`  ${formatReason(decision)}`),
          span(`  ${formatAge(decision.createdAt, nowMs)}`, 'dim'),
        ]),
      );
    });
}
