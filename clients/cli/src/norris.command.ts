import { goalsApi, schedulesApi } from '@aish/contracts/endpoints/goals';
import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { Sent } from '@aish/contracts/endpoint';
import type { CreateGoalInput } from '@aish/contracts/goals';
import { Overlap, ReportWhen } from '@aish/contracts/schedules';
import { goalRequest } from '@aish/views/goal.options';
import { span } from '@aish/views/line';
import { choice, behaviour, flag, many, one, option } from './command.js';
import { followGoal } from './follow-goal.js';
import { sessionReference } from './reference.js';
import { scheduleLine } from '@aish/views/commands/automation.commands';
import { goalOptions } from './goal-options.js';
import { note, readAll, writeJson, writeLines, type Io } from '@aish/client/io';
import type { ApiClient } from '@aish/client/api.client';
import { warnOfSecrets } from '@aish/client/secrets-note';

/** Options for the times when a schedule starts its goal, and for the people who are notified. */
const TIMES = {
  timezone: option('name', 'time zone of the schedule (default: UTC)'),
  overlap: choice('policy', 'with --every: what to do if the last goal is still open (default: skip)', Overlap.options),
  when: choice('when', 'with --every: when to notify that a goal is done (default: always)', ReportWhen.options),
};

export const norris = behaviour({
  args: { goal: many('the goal in plain words; - reads it from stdin') },
  options: {
    watch: flag('watch the goal until it ends', '-w'),
    ...goalOptions(),
    every: option('cron', 'repeat the goal, such as "0 3 * * *" (see aish schedule add)'),
    ...TIMES,
    chat: option('chat', 'run in this chat (c12), with its history', {
      short: '-c',
      read: sessionReference,
      suggests: 'session',
    }),
  },
  json: 'print the goal; with --watch, one JSON object per line',
  examples: [
    'aish run "find the three largest files under /usr/share" --watch',
    'aish run --steps 8 "count the words in /etc/services"',
    'aish run --folder media "list the films without subtitles"',
    'aish run --space media "which films have no subtitles?"',
    'aish run --host nas "how full are the pools?"',
    'aish run --chat c12 "do what we talked about"',
    'aish run --trust undoable "tidy up the copies"',
    'aish run "make the tests pass" --verify "npm test" --steps 32',
    'aish run --every "0 3 * * *" "write what changed on the disks to report.md"',
    'aish run --every "0 3 * * *" --retry 2 --on-failed "find out why the backup failed" "run the backup"',
    'cat goal.txt | aish run - --json',
  ],
  run: async ({ args, options, io, connect, exit }) => {
    const { client } = connect();
    const text = args.goal.length === 1 && args.goal[0] === '-' ? await readAll(io) : args.goal.join(' ');
    const chat =
      options.chat === undefined
        ? undefined
        : (await client.call(sessionsApi.show, { params: { ref: options.chat } }, io.signal)).id;
    const input: CreateGoalInput = { text, ...goalRequest(options), chat };
    if (options.every !== undefined) {
      const { every: cron, timezone, overlap, when } = options;
      return addSchedule({ cron, goal: input, timezone, overlap, when }, client, options.json, io);
    }
    const [goal] = await Promise.all([
      client.call(goalsApi.create, { body: input }, io.signal),
      warnOfSecrets(io, 'The goal', text),
    ]);
    if (options.watch) return exit(await followGoal(client, goal, io, { json: options.json }));
    if (options.json) return writeJson(io, goal);
    writeLines(io, [[span(`goal ${goal.number}`, 'bold'), span(` ${goal.state}`)]]);
    if (io.stdout.isTTY === true) note(io, `Watch it: aish watch ${goal.number}`);
  },
});

export const scheduleAdd = behaviour({
  args: {
    cron: one('times, such as "0 3 * * *": minute, hour, day, month, weekday'),
    goal: many('the goal in plain words'),
  },
  options: { ...goalOptions(), timezone: TIMES.timezone, overlap: TIMES.overlap, when: TIMES.when },
  json: 'print the schedule',
  examples: ['aish schedule add "0 3 * * *" "write what changed on the disks to report.md"'],
  run: async ({ args, options, io, connect }) => {
    const { timezone, overlap, when } = options;
    const goal = { text: args.goal.join(' '), ...goalRequest(options) };
    await addSchedule({ cron: args.cron, goal, timezone, overlap, when }, connect().client, options.json, io);
  },
});

async function addSchedule(
  body: Sent<typeof schedulesApi.create>['body'],
  client: ApiClient,
  json: boolean,
  io: Io,
): Promise<void> {
  const schedule = await client.call(schedulesApi.create, { body }, io.signal);
  if (json) return writeJson(io, schedule);
  writeLines(io, [scheduleLine(schedule)]);
}
