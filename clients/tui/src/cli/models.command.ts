import type { Command } from 'commander';
import { span, type Line } from '../text/line.js';
import { oneLine } from '../text/sanitise.js';
import { connect, type Context } from './context.js';
import { writeJson, writeLines } from './io.js';

export function addModelsCommand(program: Command, context: Context): void {
  program
    .command('models')
    .description('list the model presets and whether their endpoints answer')
    .option('--json', 'print the api’s answer')
    .action(async (options: { json?: true }, command: Command) => {
      const { io } = context;
      const list = await connect(command, context).client.models(io.signal);
      if (options.json) return writeJson(io, list);
      writeLines(
        io,
        list.items.map((model): Line => [
          span(oneLine(model.preset).padEnd(8), 'bold'),
          span(model.state.padEnd(12), model.state === 'ready' ? 'good' : 'warn'),
          span(`${oneLine(model.model ?? '?')}  ${oneLine(model.baseUrl)}`),
          span(model.rehearsal ? '  rehearsal: scripted, no language model' : '', 'warn'),
          span(model.detail === null ? '' : `  ${oneLine(model.detail)}`, 'dim'),
        ]),
      );
    });
}
