import { goalsApi, schedulesApi } from '@aish/contracts/endpoints/goals';
import { sessionsApi } from '@aish/contracts/endpoints/sessions';
import type { CreateGoalInput } from '@aish/contracts/goals';
import { Overlap, ReportWhen } from '@aish/contracts/schedules';
import { goalRequest } from '@aish/views/goal.options';
import { span } from '@aish/views/line';
import { choice, command, flag, many, option } from './command.js';
import { followGoal } from './follow-goal.js';
import { sessionReference } from './reference.js';
import { scheduleLine } from './schedules.command.js';
import { goalOptions } from './goal-options.js';
import { note, readAll, writeJson, writeLines } from '@aish/client/io';
import { tellOfSecrets } from '@aish/client/secrets-note';

export const norris = command({
  name: 'norris',
  alias: 'run',
  about: 'give Norris a goal; it works alone and halts before anything destructive',
  args: { goal: many('what to reach, in plain words; - reads it from stdin') },
  options: {
    watch: flag('stay and show what happens until it ends', '-w'),
    ...goalOptions(),
    every: option('cron', 'give it again and again, as "0 3 * * *"; aish schedules lists and deletes'),
    timezone: option('name', 'time zone of --every (default UTC)'),
    overlap: choice('policy', 'with --every, while the goal before is not over (default skip)', Overlap.options),
    when: choice(
      'when',
      'with --every: which of its ends that are done people are told (default always)',
      ReportWhen.options,
    ),
    chat: option('chat', 'the chat, as c12, that it is given in: it knows what was said there, and ends there', {
      short: '-c',
      read: sessionReference,
      suggests: 'session',
    }),
  },
  json: 'print the goal; with --watch one JSON object per line',
  examples: [
    'aish norris "find the three largest files under /usr/share" --watch',
    'aish norris --steps 8 "count the words in /etc/services"',
    'aish norris --folder media "list the films without subtitles"',
    'aish norris --space media "which films have no subtitles?"',
    'aish norris --host nas "how full are the pools?"',
    'aish norris --chat c12 "do what we spoke about"',
    'aish norris --trust undoable "tidy up the copies"',
    'aish norris "make the tests pass" --verify "npm test" --steps 32',
    'aish norris --every "0 3 * * *" "write what changed on the disks to report.md"',
    'aish norris --every "0 3 * * *" --retry 2 --on-failed "find out why the backup failed" "run the backup"',
    'cat goal.txt | aish norris - --json',
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
      const schedule = await client.call(
        schedulesApi.create,
        {
          body: {
            cron,
            goal: input,
            timezone,
            overlap,
            when,
          },
        },
        io.signal,
      );
      if (options.json) return writeJson(io, schedule);
      return writeLines(io, [scheduleLine(schedule)]);
    }
    const [goal] = await Promise.all([
      client.call(goalsApi.create, { body: input }, io.signal),
      tellOfSecrets(io, 'The goal', text),
    ]);
    if (options.watch) return exit(await followGoal(client, goal, io, { json: options.json }));
    if (options.json) return writeJson(io, goal);
    writeLines(io, [[span(`goal ${goal.number}`, 'bold'), span(` ${goal.state}`)]]);
    if (io.stdout.isTTY === true) note(io, `See it work: aish watch ${goal.number}`);
  },
});
