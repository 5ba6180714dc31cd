import { DEFAULT_STEP_BUDGET } from '@aish/contracts';
import { InvalidArgumentError, type Command } from 'commander';
import { span } from '../text/line.js';
import { connect, type Context } from './context.js';
import { followGoal } from './follow-goal.js';
import { note, writeJson, writeLines, type Io } from './io.js';

interface Options {
  readonly watch?: true;
  readonly steps?: number;
  readonly preset?: string;
  readonly json?: true;
}

/** More than the api takes, so that it is the api which says how much is too much. */
const STDIN_MAX_CHARS = 4_000_000;

export function addNorrisCommand(program: Command, context: Context): void {
  program
    .command('norris')
    .description('give Norris a goal; it works alone and halts before anything destructive')
    .argument('<goal...>', 'what to reach, in plain words; - reads it from stdin')
    .option('-w, --watch', 'stay and show what happens until it ends')
    .option('--steps <n>', `at most so many steps (default ${DEFAULT_STEP_BUDGET})`, wholeNumber)
    .option('--preset <name>', 'model preset (default fast)')
    .option('--json', 'print the goal; with --watch one JSON object per line')
    .addHelpText(
      'after',
      `
Examples:
  $ aish norris "find the three largest files under /usr/share" --watch
  $ aish norris --steps 8 "count the words in /etc/services"
  $ cat goal.txt | aish norris - --json`,
    )
    .action(async (words: string[], options: Options, command: Command) => {
      const { io } = context;
      const { client } = connect(command, context);
      const text = words.length === 1 && words[0] === '-' ? await readAll(io) : words.join(' ');
      const goal = await client.createGoal(
        {
          text,
          ...(options.steps === undefined ? {} : { stepBudget: options.steps }),
          ...(options.preset === undefined ? {} : { preset: options.preset }),
        },
        io.signal,
      );
      if (options.watch) return context.exit(await followGoal(client, goal, io, { json: options.json === true }));
      if (options.json) return writeJson(io, goal);
      writeLines(io, [[span(`goal ${goal.number}`, 'bold'), span(` ${goal.state}`)]]);
      if (io.stdout.isTTY === true) note(io, `See it work: aish watch ${goal.number}`);
    });
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

async function readAll({ stdin, signal }: Io): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    signal.throwIfAborted();
    text += String(chunk);
    if (text.length > STDIN_MAX_CHARS) break;
  }
  return text;
}
