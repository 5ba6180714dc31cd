import { goalsApi } from '@aish/contracts/endpoints/goals';
import { writeFile } from 'node:fs/promises';
import { requestTo } from '@aish/client/http.client';
import { line } from '@aish/views/line';
import { cleanText } from '@aish/views/sanitise';
import { any, behaviour, choice, maybe, one, option } from './command.js';
import { writeJson, writeLines, localFile } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';
import { goalReference } from './reference.js';

const goal = one('a goal: g4, 4 or its UUID', goalReference, { suggests: 'goal' });

export const goOn = behaviour({
  args: { goal, words: any('told to the model: what is new') },
  options: {
    steps: option('n', 'at most so many more steps (default 16)', { read: wholeNumber }),
    message: option('text', 'the same', { short: '-m' }),
  },
  json: 'print the goal',
  examples: [
    'aish continue 4',
    'aish continue 4 "now the other disk, too"',
    'aish continue 4 --steps 8 -m "the disk is larger now"',
  ],
  run: async ({ args, options, io, connect }) => {
    const message = [...args.words, ...(options.message === undefined ? [] : [options.message])].join(' ').trim();
    const body = {
      ...(options.steps === undefined ? {} : { steps: options.steps }),
      ...(message === '' ? {} : { message }),
    };
    const goal = await connect().client.call(goalsApi.continue, { params: { ref: args.goal }, body }, io.signal);
    if (options.json) return writeJson(io, goal);
    writeLines(io, [line(`goal ${goal.number} ${goal.state}`)]);
  },
});

export const exportCommand = behaviour({
  args: { goal, file: maybe('where to write it; else to stdout', { suggests: 'file' }) },
  options: { format: choice('format', 'how it is written (default md)', ['md', 'json'] as const) },
  examples: ['aish export 4 goal-4.md', 'aish export 4 --format json | jq .actions'],
  run: async ({ args, options, io, connect }) => {
    const text = await connect().client.text(
      requestTo(goalsApi.export, { params: { ref: args.goal }, query: { format: options.format ?? 'md' } }),
      io.signal,
    );
    if (args.file !== undefined) return localFile(() => writeFile(String(args.file), text));
    // What models and commands wrote must not move the cursor of a terminal.
    io.stdout.write(io.stdout.isTTY === true ? `${cleanText(text)}\n` : text);
  },
});
