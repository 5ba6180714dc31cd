import { briefApi } from '@aish/contracts/endpoints/lab';
import type { Brief, BriefSchedule, LabChange } from '@aish/contracts/lab';
import { AishError } from '@aish/contracts/problems';
import { formatFact } from '@aish/views/fact.format';
import { line, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { readFile } from 'node:fs/promises';
import { localFile, writeJson, writeLines } from '@aish/client/io';
import { any, behaviour, flag, option } from './command.js';

const DAY_MS = 86_400_000;
/** The value of `--since` for the time of the last brief. */
const LAST = 'last';

export const brief = behaviour({
  args: {
    what: any(
      'show ID, fix ID, mute ID [DATE], compare HOST HOST, schedule [TIME|off] or rules [FILE] (default: the brief)',
    ),
  },
  options: {
    kept: flag('show the last check instead of checking the hosts again'),
    since: option('time', 'show changes since last (the brief before), yesterday, 3d or 2026-05-30', {
      read: readSince,
    }),
  },
  json: 'print the brief, finding, goal, schedule or rules',
  examples: [
    'aish brief',
    'aish brief --since yesterday',
    'aish brief show disk-nas-1',
    'aish brief compare nas web',
    'aish brief fix disk-nas-1',
    'aish brief mute disk-nas-1 2026-12-24',
    'aish brief schedule 07:00',
    'aish brief rules brief.yaml',
  ],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const [verb, what, date] = args.what;
    const print = (json: unknown, lines: readonly Line[]) =>
      options.json ? writeJson(io, json) : writeLines(io, lines);
    if (options.since !== undefined) {
      const since =
        options.since === LAST ? beforeLast(await client.call(briefApi.show, {}, io.signal)) : options.since;
      const changed = await client.call(briefApi.changes, { query: { since } }, io.signal);
      return print(changed, changeLines(changed.items));
    }
    if (verb === 'compare' && what !== undefined && date !== undefined) {
      const query = { since: new Date().toISOString(), host: what, with: date };
      const different = await client.call(briefApi.changes, { query }, io.signal);
      return print(different, comparedLines(different.items, what, date));
    }
    if (verb === 'rules') {
      const body = what === undefined ? null : { yaml: await localFile(() => readFile(what, 'utf8')) };
      const rules = await (body === null
        ? client.call(briefApi.rules, {}, io.signal)
        : client.call(briefApi.setRules, { body }, io.signal));
      return print(
        rules,
        body === null ? rules.yaml.split('\n').map((text) => line(text)) : [line('The rules were changed.')],
      );
    }
    if (verb === 'schedule') {
      const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
      const at = what === 'off' ? null : what;
      const schedule = await (at === undefined
        ? client.call(briefApi.schedule, {}, io.signal)
        : client.call(briefApi.setSchedule, { body: { at, timezone } }, io.signal));
      return print(schedule, [line(scheduleText(schedule))]);
    }
    if (verb === 'mute' && what !== undefined) {
      const until = date === undefined ? null : readDate(date);
      const muted = await client.call(briefApi.mute, { params: { id: what }, body: { until } }, io.signal);
      return print(muted, [line(oneLine(`${what} is muted until ${until?.slice(0, 10) ?? 'its fact changes'}`))]);
    }
    if (verb === 'fix' && what !== undefined) {
      const goal = await client.call(briefApi.fix, { params: { id: what } }, io.signal);
      const text = `goal ${goal.number} fixes ${what} in the space ${goal.space}: aish watch g${goal.number}`;
      return print(goal, [line(oneLine(text))]);
    }
    if (verb === 'show' && what !== undefined) {
      const finding = findingOf(await client.call(briefApi.show, {}, io.signal), what);
      return print(finding, findingLines(finding));
    }
    if (verb !== undefined)
      throw new AishError(
        'invalid_body',
        'aish brief takes show ID, fix ID, mute ID, compare HOST HOST, schedule TIME, rules or no argument',
      );
    const found = await client.call(options.kept === true ? briefApi.show : briefApi.run, {}, io.signal);
    const more = found.findings.length === 0 ? [] : [line('More: aish brief show ID', 'dim')];
    return print(found, [
      ...found.lines.map((text, at) => line(oneLine(text), at === 0 ? 'bold' : 'plain')),
      ...(found.sentences.length === 0 ? [] : [line("In the model's words:", 'dim')]),
      ...found.sentences.map((text) => line(`  ${oneLine(text)}`)),
      ...found.hosts
        .filter(({ at }) => at === null)
        .map(({ host, detail }) => line(oneLine(`${host} is ${detail}`), 'dim')),
      ...found.work.map((text) => line(oneLine(text))),
      ...more,
    ]);
  },
});

function scheduleText({ at, timezone, sentAt }: BriefSchedule): string {
  if (at === null) return 'There is no daily brief. Start it with: aish brief schedule 07:00';
  const last = sentAt === null ? '' : `; the last message was sent at ${sentAt.slice(0, 16).replace('T', ' ')} UTC`;
  return oneLine(`Every day at ${at} (${timezone}): a message if something is wrong, otherwise once a week${last}`);
}

function findingLines({ sentence, firstSeenAt, muted, fact }: Brief['findings'][number]): readonly Line[] {
  return [
    line(oneLine(sentence), 'bold'),
    line(`first seen ${firstSeenAt.slice(0, 16).replace('T', ' ')} UTC${muted ? ', muted' : ''}`),
    line(oneLine(`${fact.probe} ${fact.name}`)),
    ...formatFact(fact.values).map((text) => line(`  ${text}`)),
  ];
}

function findingOf({ findings }: Brief, id: string): Brief['findings'][number] {
  const found = findings.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new AishError(
    'not_found',
    `There is no current finding ${oneLine(id)}. List the current ones with: aish brief --kept`,
  );
}

function changeLines(changes: readonly LabChange[]): readonly Line[] {
  if (changes.length === 0) return [line('Nothing changed.')];
  return changes.map(({ host, probe, name, before, after }) => {
    const how = before === null ? `new: ${after}` : after === null ? `gone: ${before}` : `${before} → ${after}`;
    return line(oneLine(`${host}  ${probe} ${name}  ${how}`));
  });
}

function comparedLines(different: readonly LabChange[], one: string, other: string): readonly Line[] {
  if (different.length === 0) return [line('They are the same.')];
  return different.map(({ probe, name, before, after }) =>
    line(oneLine(`${probe} ${name}  ${one}: ${before ?? 'none'}, ${other}: ${after ?? 'none'}`)),
  );
}

/** Returns a moment just before the last check, so that its findings are compared with those of the previous check. */
function beforeLast({ hosts }: Brief): string {
  const times = hosts.flatMap(({ at }) => (at === null ? [] : [Date.parse(at)]));
  return new Date((times.length === 0 ? Date.now() : Math.max(...times)) - 1).toISOString();
}

/** Parses `last`, `yesterday`, a number of days such as `3d`, or a date. */
function readSince(text: string): string {
  if (text === LAST) return LAST;
  const days = text === 'yesterday' ? 1 : Number(/^(\d{1,4})d$/.exec(text)?.[1] ?? NaN);
  return Number.isNaN(days) ? readDate(text) : new Date(Date.now() - days * DAY_MS).toISOString();
}

function readDate(text: string): string {
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new AishError('invalid_body', `${oneLine(text)} is not a date: write it as 2026-05-30`);
}
