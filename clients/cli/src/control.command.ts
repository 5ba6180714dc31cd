import { AishError } from '@aish/contracts/problems';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { writeFile } from 'node:fs/promises';
import { ApiError } from '@aish/client/api.error';
import { requestTo } from '@aish/client/http.client';
import { sendMessage } from '@aish/client/sessions.api';
import { hasEnded } from '@aish/views/goal.state';
import { line } from '@aish/views/line';
import { cleanText } from '@aish/views/sanitise';
import { any, behaviour, choice, many, maybe, one, option } from './command.js';
import { writeJson, writeLines, localFile } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';
import { goalReference } from './reference.js';

const goal = one('a goal: g4, 4 or its UUID', goalReference, { suggests: 'goal' });

export const resume = behaviour({
  args: { goal, words: any('for an ended goal: a note to the model about what has changed') },
  options: {
    steps: option('n', 'for an ended goal: maximum number of further steps (default: 16)', { read: wholeNumber }),
    message: option('text', 'the same note, as an option', { short: '-m' }),
  },
  json: 'print the goal',
  examples: [
    'aish resume g4',
    'aish resume g4 "now the other disk, too"',
    'aish resume g4 --steps 8 -m "the disk is larger now"',
  ],
  run: async ({ args, options, io, connect }) => {
    const message = [...args.words, ...(options.message === undefined ? [] : [options.message])].join(' ').trim();
    const body = {
      ...(options.steps === undefined ? {} : { steps: options.steps }),
      ...(message === '' ? {} : { message }),
    };
    const { client } = connect();
    const params = { ref: args.goal };
    const goOn = () => client.call(goalsApi.continue, { params, body }, io.signal);
    const goal =
      Object.keys(body).length > 0
        ? await goOn()
        : await client.call(goalsApi.resume, { params }, io.signal).catch((error: unknown) => {
            if (error instanceof ApiError && error.code === 'goal_ended') return goOn();
            throw error;
          });
    if (options.json) return writeJson(io, goal);
    writeLines(io, [line(`goal ${goal.number} ${goal.state}`)]);
  },
});

export const steer = behaviour({
  args: { goal, words: many('a message to the model') },
  json: 'print the goal',
  examples: ['aish steer g4 "leave the folder of 2024 alone"'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const goal = await client.call(goalsApi.show, { params: { ref: args.goal } }, io.signal);
    const { number, state, sessionId } = goal;
    if (hasEnded(state))
      throw new AishError('goal_ended', `Goal ${number} has ended: ${state}. Continue it: aish resume g${number} "…"`);
    await sendMessage(client, sessionId, args.words.join(' '), () => {}, io.signal);
    if (options.json) return writeJson(io, goal);
    writeLines(io, [line(`the model of goal ${number} reads it at its next turn`)]);
  },
});

export const exportCommand = behaviour({
  args: { goal, file: maybe('target file (default: stdout)', { suggests: 'file' }) },
  options: { format: choice('format', 'output format (default: md)', ['md', 'json'] as const) },
  examples: ['aish export 4 goal-4.md', 'aish export 4 --format json | jq .actions'],
  run: async ({ args, options, io, connect }) => {
    const text = await connect().client.text(
      requestTo(goalsApi.export, { params: { ref: args.goal }, query: { format: options.format ?? 'md' } }),
      io.signal,
    );
    if (args.file !== undefined) return localFile(() => writeFile(String(args.file), text));
    // Text from models and commands must not control the terminal.
    io.stdout.write(io.stdout.isTTY === true ? `${cleanText(text)}\n` : text);
  },
});
