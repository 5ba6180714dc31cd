import { goalsApi } from '@aish/contracts/endpoints/goals';
import { writeFile } from 'node:fs/promises';
import { Priority, type EditGoal, type Goal } from '@aish/contracts/goals';
import type { Grant } from '@aish/contracts/grants';
import { AishError } from '@aish/contracts/problems';
import { Trust } from '@aish/contracts/trust';
import { listGrants, revokeGrant } from '@aish/client/goals.api';
import { requestTo } from '@aish/client/http.client';
import { formatAge } from '@aish/views/duration.format';
import { formatUses } from '@aish/views/control.format';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine, showExact } from '@aish/views/sanitise';
import { any, choice, command, flag, maybe, one, option } from './command.js';
import { note, writeJson, writeLines, type Io, localFile } from '@aish/client/io';
import { wholeNumber } from './whole-number.js';
import { goalReference, workplaceReference } from './reference.js';

const ref = one('the goal: g4, 4 or its UUID', goalReference, { suggests: 'goal' });
const workplace = one('a goal (g4 or 4) or a chat (c12)', workplaceReference, { suggests: 'goal' });

function say(io: Io, goal: Goal, json: boolean): void {
  if (json) return writeJson(io, goal);
  writeLines(io, [line(`goal ${goal.number} ${goal.state}`)]);
}

export const pause = command({
  name: 'pause',
  about: 'stop a goal where it is; a command that runs is left to its end',
  args: { ref },
  options: { stop: flag('kill the command that runs') },
  json: 'print the goal',
  examples: ['aish pause 4', 'aish pause 4 --stop'],
  run: async ({ args, options, io, connect }) => {
    const stop = options.stop === true;
    say(
      io,
      await connect().client.call(goalsApi.pause, { params: { ref: args.ref }, query: { stop } }, io.signal),
      options.json,
    );
  },
});

export const resume = command({
  name: 'resume',
  about: 'let a paused goal go on',
  args: { ref },
  json: 'print the goal',
  examples: ['aish resume 4'],
  run: async ({ args, options, io, connect }) => {
    say(io, await connect().client.call(goalsApi.resume, { params: { ref: args.ref } }, io.signal), options.json);
  },
});

export const goOn = command({
  name: 'continue',
  about: 'more steps for a goal that ended; the conversation goes on. One that is done needs words',
  args: { ref, words: any('told to the model: what is new') },
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
    say(
      io,
      await connect().client.call(goalsApi.continue, { params: { ref: args.ref }, body }, io.signal),
      options.json,
    );
  },
});

export const edit = command({
  name: 'edit',
  about: 'change what a goal is, its check, its priority or its trust, while it goes on or before it is continued',
  args: { ref },
  options: {
    text: option('text', 'what to reach from now on; the model is told'),
    verify: option('command', 'the command that proves it; "" takes the check away'),
    priority: choice('priority', 'what a free worker takes first', Priority.options),
    trust: choice('trust', 'undoable: what can be taken back runs without a question', Trust.options),
  },
  json: 'print the goal',
  examples: ['aish edit 4 --text "only the folders of 2024"', 'aish edit 4 --verify "test -s report.txt"'],
  run: async ({ args, options, io, connect }) => {
    const { text, verify, priority, trust } = options;
    const body: EditGoal = {
      ...(text === undefined ? {} : { text }),
      ...(verify === undefined ? {} : { verify: verify.trim() === '' ? null : verify }),
      ...(priority === undefined ? {} : { priority }),
      ...(trust === undefined ? {} : { trust }),
    };
    if (Object.keys(body).length === 0) {
      throw new AishError('invalid_body', 'Say what to change: --text, --verify, --priority or --trust');
    }
    say(io, await connect().client.call(goalsApi.edit, { params: { ref: args.ref }, body }, io.signal), options.json);
  },
});

export const grantsList = command({
  name: 'grants list',
  about: 'list what runs in a goal or chat without being asked about again',
  args: { ref: workplace },
  json: 'print the api’s answer',
  examples: ['aish grants list 4', 'aish grants list c12'],
  run: async ({ args, options, io, connect }) => {
    const list = await listGrants(connect().client, args.ref, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'Nothing is granted there.');
    const nowMs = Date.now();
    writeLines(
      io,
      list.items.map((grant): Line => [
        span(`${grant.id}  `, 'bold'),
        span(grant.scope.padEnd(8)),
        span(subjectOf(grant), 'guilty'),
        span(`  by ${oneLine(grant.createdBy)} ${formatAge(grant.createdAt, nowMs)} ago, ${formatUses(grant)}`, 'dim'),
        span(grant.revokedBy === null ? '' : `  taken back by ${oneLine(grant.revokedBy)}`, 'warn'),
      ]),
    );
  },
});

export const grantsRevoke = command({
  name: 'grants revoke',
  about: 'take a grant back, from the next action on',
  args: { ref: workplace, grant: one('its id, as aish grants list shows it') },
  json: 'print the grant',
  examples: ['aish grants revoke 4 0b8f6d3d-6f57-4d1c-9a53-7b0c3f1e6c11'],
  run: async ({ args, options, io, connect }) => {
    const grant = await revokeGrant(connect().client, args.ref, args.grant, io.signal);
    if (options.json) return writeJson(io, grant);
    writeLines(io, [line(`taken back: ${subjectOf(grant)}`)]);
  },
});

function subjectOf({ action, ruleId }: Grant): string {
  return action === null ? oneLine(ruleId ?? '') : showExact(action).replaceAll('\n', '\\n');
}

export const exportCommand = command({
  name: 'export',
  about: 'the whole story of a goal, as Markdown or JSON',
  args: { ref, file: maybe('where to write it; else to stdout', { suggests: 'file' }) },
  options: { format: choice('format', 'how it is written (default md)', ['md', 'json'] as const) },
  examples: ['aish export 4 goal-4.md', 'aish export 4 --format json | jq .actions'],
  run: async ({ args, options, io, connect }) => {
    const text = await connect().client.text(
      requestTo(goalsApi.export, { params: { ref: args.ref }, query: { format: options.format ?? 'md' } }),
      io.signal,
    );
    if (args.file !== undefined) return localFile(() => writeFile(String(args.file), text));
    // What models and commands wrote must not move the cursor of a terminal.
    io.stdout.write(io.stdout.isTTY === true ? `${cleanText(text)}\n` : text);
  },
});
