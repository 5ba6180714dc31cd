import { DEFAULT_STEP_BUDGET, Priority, type CreateGoal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import { Overlap, ReportWhen } from '@aish/contracts/schedules';
import { Trust } from '@aish/contracts/trust';
import type { z } from 'zod';
import { createSchedule } from '@aish/client/goals.api';
import { showSession } from '@aish/client/sessions.api';
import { span } from '@aish/views/line';
import { choice, command, flag, many, option, repeated } from './command.js';
import { followGoal } from './follow-goal.js';
import { sessionReference } from './reference.js';
import { scheduleLine } from './schedules.command.js';
import { followUps } from './follow-ups.js';
import { duration, wholeNumber } from './whole-number.js';
import { note, readAll, writeJson, writeLines } from '@aish/client/io';
import { tellOfSecrets } from '@aish/client/secrets-note';

export const norris = command({
  name: 'norris',
  about: 'give Norris a goal; it works alone and halts before anything destructive',
  args: { goal: many('what to reach, in plain words; - reads it from stdin') },
  options: {
    watch: flag('stay and show what happens until it ends', '-w'),
    steps: option('n', `at most so many steps (default that of its space, else ${DEFAULT_STEP_BUDGET})`, {
      read: wholeNumber,
    }),
    space: option('name', 'the space that it works in, whose reach it has (default general)'),
    preset: option('name', 'model preset (default that of its space, else fast)'),
    folder: repeated('name', 'give its commands this folder of the host, by its name there; can be repeated'),
    host: repeated(
      'name',
      'let its commands use this machine over SSH, by its name in aish host list; can be repeated',
    ),
    verify: option('command', 'the command that proves it: it must exit 0 before the goal is done'),
    proposeCheck: flag('have the model propose such a command first; you accept it, change it or say no'),
    priority: choice('priority', 'what a free worker takes first (default normal)', Priority.options),
    tokens: option('n', 'at most so many tokens read anew or written', { read: wholeNumber }),
    time: option('time', 'at most so much time with model, commands and tools, as 30m or 2h', { read: duration }),
    haltAfter: option('time', 'a HALT that nobody answers for so long, as 12h, is answered by --halt-verdict', {
      read: duration,
    }),
    haltVerdict: choice('verdict', 'what such a HALT becomes (default skip)', ['skip', 'abort'] as const),
    trust: choice(
      'trust',
      'undoable: what destroys nothing but files of its workspace, which can be taken back, runs without a question (default ask)',
      Trust.options,
    ),
    every: option('cron', 'give it again and again, as "0 3 * * *"; aish schedules lists and deletes'),
    timezone: option('name', 'time zone of --every (default UTC)'),
    overlap: choice('policy', 'with --every, while the goal before is not over (default skip)', Overlap.options),
    retry: option('n', 'give it again where it fails, so often at most, unless it left something half done', {
      read: wholeNumber,
    }),
    retryAfter: option('time', 'before the second attempt, as 5m; before each later one twice as long (default 1m)', {
      read: duration,
    }),
    onFailed: option('goal', 'what is given when it has failed and is not tried again, in plain words'),
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
    paused: flag('begin paused: put files there with aish files push, then aish resume'),
    fresh: flag('each command begins in /workspace, without the variables that the one before exported'),
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
    const { haltAfter, haltVerdict } = options;
    if (haltVerdict !== undefined && haltAfter === undefined) {
      throw new AishError('invalid_body', '--halt-verdict needs --halt-after');
    }
    const input: z.input<typeof CreateGoal> = {
      text,
      ...(options.verify === undefined ? {} : { verify: options.verify }),
      ...(options.proposeCheck === undefined ? {} : { proposeCheck: true }),
      ...(options.priority === undefined ? {} : { priority: options.priority }),
      ...(options.tokens === undefined ? {} : { tokenBudget: options.tokens }),
      ...(options.time === undefined ? {} : { timeBudgetMs: options.time }),
      ...(haltAfter === undefined ? {} : { haltExpiry: { afterMs: haltAfter, verdict: haltVerdict ?? 'skip' } }),
      ...(options.steps === undefined ? {} : { stepBudget: options.steps }),
      ...(options.space === undefined ? {} : { space: options.space }),
      ...(options.preset === undefined ? {} : { preset: options.preset }),
      ...(options.folder === undefined ? {} : { hostFolders: [...options.folder] }),
      ...(options.host === undefined ? {} : { hosts: [...options.host] }),
      ...(options.trust === undefined ? {} : { trust: options.trust }),
      ...(options.paused === undefined ? {} : { paused: true }),
      ...followUps(options),
      ...(options.fresh === undefined ? {} : { carryOver: false }),
      ...(options.chat === undefined
        ? {}
        : { chat: (await showSession(client.transport, options.chat, io.signal)).id }),
    };
    if (options.every !== undefined) {
      const { every: cron, timezone, overlap, when } = options;
      const schedule = await createSchedule(
        client.transport,
        {
          cron,
          goal: input,
          ...(timezone === undefined ? {} : { timezone }),
          ...(overlap === undefined ? {} : { overlap }),
          ...(when === undefined ? {} : { when }),
        },
        io.signal,
      );
      if (options.json) return writeJson(io, schedule);
      return writeLines(io, [scheduleLine(schedule)]);
    }
    const [goal] = await Promise.all([client.createGoal(input, io.signal), tellOfSecrets(io, 'The goal', text)]);
    if (options.watch) return exit(await followGoal(client, goal, io, { json: options.json }));
    if (options.json) return writeJson(io, goal);
    writeLines(io, [[span(`goal ${goal.number}`, 'bold'), span(` ${goal.state}`)]]);
    if (io.stdout.isTTY === true) note(io, `See it work: aish watch ${goal.number}`);
  },
});
