import { briefApi } from '@aish/contracts/endpoints/lab';
import type { Brief, LabChange } from '@aish/contracts/lab';
import { AishError } from '@aish/contracts/problems';
import { line, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { readFile } from 'node:fs/promises';
import { writeJson, writeLines } from '@aish/client/io';
import { command, flag, maybe, one, option } from './command.js';

const DAY_MS = 86_400_000;

export const brief = command({
  name: 'brief',
  about: 'look at all hosts, and say what is wrong or what changed',
  options: {
    kept: flag('use the last look instead of asking the hosts'),
    since: option('time', 'show what changed since yesterday, 3d or 2026-05-30', { read: readSince }),
  },
  json: 'print findings and hosts, or the changes',
  examples: ['aish brief', 'aish brief --since yesterday'],
  run: async ({ options, io, connect }) => {
    const { client } = connect();
    if (options.since !== undefined) {
      const changed = await client.call(briefApi.changes, { query: { since: options.since } }, io.signal);
      return options.json ? writeJson(io, changed) : writeLines(io, changeLines(changed.items));
    }
    const found = await client.call(options.kept === true ? briefApi.show : briefApi.run, {}, io.signal);
    if (options.json) return writeJson(io, found);
    writeLines(io, [
      ...found.lines.map((text, at) => line(oneLine(text), at === 0 ? 'bold' : 'plain')),
      ...(found.findings.length === 0 ? [] : [line('More: aish brief show ID', 'dim')]),
    ]);
  },
});

export const briefShow = command({
  name: 'brief show',
  about: 'show a finding with its fact',
  args: { id: one('such as disk-nas-1') },
  json: 'print the finding',
  examples: ['aish brief show disk-nas-1'],
  run: async ({ args, options, io, connect }) => {
    const finding = findingOf(await connect().client.call(briefApi.show, {}, io.signal), args.id);
    if (options.json) return writeJson(io, finding);
    const facts = Object.entries(finding.fact.values).map(([key, value]) => `  ${key}: ${value ?? 'unknown'}`);
    writeLines(io, [
      line(oneLine(finding.sentence), 'bold'),
      line(`first seen ${finding.firstSeenAt.slice(0, 16).replace('T', ' ')} UTC${finding.muted ? ', muted' : ''}`),
      line(oneLine(`${finding.fact.probe} ${finding.fact.name}`)),
      ...facts.map((text) => line(oneLine(text))),
    ]);
  },
});

export const briefMute = command({
  name: 'brief mute',
  about: 'mute a finding until its fact changes, or until a date',
  args: { id: one('such as disk-nas-1'), until: maybe('a date: 2026-12-24') },
  json: 'print findings and hosts',
  examples: ['aish brief mute disk-nas-1', 'aish brief mute disk-nas-1 2026-12-24'],
  run: async ({ args, options, io, connect }) => {
    const until = args.until === undefined ? null : readDate(args.until);
    const call = { params: { id: args.id }, body: { until } };
    const found = await connect().client.call(briefApi.mute, call, io.signal);
    if (options.json) return writeJson(io, found);
    writeLines(io, [
      line(`${args.id} is muted ${until === null ? 'until its fact changes' : `until ${until.slice(0, 10)}`}`),
    ]);
  },
});

export const briefRules = command({
  name: 'brief rules',
  about: 'print brief.yaml, or replace it by a file',
  args: { file: maybe('the new rules') },
  json: 'print the text as JSON',
  examples: ['aish brief rules > brief.yaml', 'aish brief rules brief.yaml'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const rules =
      args.file === undefined
        ? await client.call(briefApi.rules, {}, io.signal)
        : await client.call(briefApi.setRules, { body: { yaml: await readFile(args.file, 'utf8') } }, io.signal);
    if (options.json) return writeJson(io, rules);
    if (args.file === undefined)
      return writeLines(
        io,
        rules.yaml.split('\n').map((text) => line(text)),
      );
    writeLines(io, [line('The rules are in place. aish brief --kept applies them to the last look.')]);
  },
});

function findingOf({ findings }: Brief, id: string): Brief['findings'][number] {
  const found = findings.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new AishError('not_found', `There is no finding ${oneLine(id)} now: aish brief --kept lists them`);
}

function changeLines(changes: readonly LabChange[]): readonly Line[] {
  if (changes.length === 0) return [line('Nothing changed.')];
  return changes.map(({ host, probe, name, before, after }) => {
    const how = before === null ? `new: ${after}` : after === null ? `gone: ${before}` : `${before} → ${after}`;
    return line(oneLine(`${host}  ${probe} ${name}  ${how}`));
  });
}

/** `yesterday`, so many days, or a date. */
function readSince(text: string): string {
  const days = text === 'yesterday' ? 1 : Number(/^(\d{1,4})d$/.exec(text)?.[1] ?? NaN);
  return Number.isNaN(days) ? readDate(text) : new Date(Date.now() - days * DAY_MS).toISOString();
}

function readDate(text: string): string {
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new AishError('invalid_body', `${oneLine(text)} is no date: write it as 2026-05-30`);
}
