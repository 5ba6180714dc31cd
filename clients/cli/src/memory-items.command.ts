import { memoryApi } from '@aish/contracts/endpoints/memory';
import { MemoryKind, type MemoryList } from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import { LOW_CONFIDENCE } from '@aish/contracts/recall';
import { InvalidArgumentError } from 'commander';
import type { ApiClient } from '@aish/client/api.client';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { addedLines } from '@aish/views/commands/knowledge.commands';
import { itemLine } from '@aish/views/memory.format';
import { line, type Line } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { oneLine } from '@aish/views/sanitise';
import { askYes } from './ask-yes.js';
import { any, choice, behaviour, flag, many, maybe, option, repeated } from './command.js';
import { sessionOf } from './session-of.js';
import { wholeNumber } from './whole-number.js';

const PAGE = 1_000;
const live = option('ref', 'a live session that sees the item in its next turn', { suggests: 'session' });
const tag = repeated('tag', 'a tag to find it by; repeatable', '-t');

export function itemNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a number from aish memory list.');
}

export const remember = behaviour({
  args: { text: many('what to remember') },
  options: { kind: choice('kind', 'kind of item (default: fact)', MemoryKind.options), tag, session: live },
  json: 'print the item and related items',
  examples: [
    'aish remember "the NAS is called odin"',
    'aish remember -t disks "odin has 4 disks of 8 TB"',
    'aish remember --kind pref "terse answers, no summaries at the end"',
  ],
  run: async ({ args, options: { kind, tag: tags = [], session, json }, io, connect }) => {
    const { client } = connect();
    const sessionId = session === undefined ? undefined : await sessionOf(client, session, io);
    const body = { content: args.text.join(' '), tags: [...tags], kind, sessionId };
    const added = await client.call(memoryApi.add, { body }, io.signal);
    if (json) return writeJson(io, added);
    writeLines(io, addedLines(added));
  },
});

export const memoryList = behaviour({
  args: { words: any('what to look for; best matches come first') },
  options: {
    kind: choice('kind', 'only items of this kind', MemoryKind.options),
    tag: option('tag', 'only items with this tag', { short: '-t' }),
    state: choice('state', 'state of the items (default: active)', ['active', 'forgotten', 'all'] as const),
    limit: option('n', 'number of items (default: 100; in a search: 10)', { read: wholeNumber }),
  },
  json: 'print the items',
  examples: ['aish memory list', 'aish memory list grafana port', 'aish memory list --kind pref --json'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    if (args.words.length > 0) return search(client, args.words.join(' '), options, io);
    const { json, limit = 100, ...filter } = options;
    const items = [];
    let cursor: string | undefined;
    do {
      const query = { ...filter, cursor, limit: Math.min(PAGE, limit - items.length) };
      const page: MemoryList = await client.call(memoryApi.list, { query }, io.signal);
      items.push(...page.items);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && items.length < limit);
    if (json) return writeJson(io, { items, next: cursor ?? null });
    if (items.length === 0) return note(io, 'Nothing is remembered yet. Start with: aish remember "…"');
    const nowMs = Date.now();
    writeFitted(
      io,
      items.map((item) => itemLine(item, nowMs)),
    );
    if (cursor !== undefined) note(io, `These are the newest ${items.length}; there are more.`);
  },
});

export const memoryRemove = behaviour({
  args: { numbers: any('numbers of items') },
  options: {
    olderThan: option('days', 'all items older than this', { read: wholeNumber }),
    all: flag('every item; asks first'),
    yes: flag('with --all: do not ask', '-y'),
  },
  json: 'print the responses or the numbers of the items',
  examples: ['aish memory remove 3 4 7', 'aish memory remove --older-than 365', 'aish memory remove --all --yes'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const { olderThan: days, all } = options;
    if ([args.numbers.length > 0, days !== undefined, all === true].filter(Boolean).length !== 1) {
      throw new AishError('invalid_body', 'Name what to forget: numbers, --older-than DAYS or --all');
    }
    if (args.numbers.length > 0) return removeItems(client, args.numbers.map(itemNumber), options.json, io);
    if (all && !options.yes && !(await isMeant(client, io))) return;
    const { forgotten } =
      days === undefined
        ? await client.call(memoryApi.clear, { body: { confirm: true } }, io.signal)
        : await client.call(memoryApi.prune, { body: { olderThanDays: days } }, io.signal);
    if (options.json) return writeJson(io, { forgotten });
    const which = days === undefined ? '' : ` older than ${days} days`;
    writeLines(io, [line(`[aish] memory: forgot ${forgotten.length} items${which}`)]);
  },
});

async function removeItems(client: ApiClient, numbers: readonly number[], json: boolean, io: Io): Promise<void> {
  const items = [];
  for (const each of numbers) items.push(await client.call(memoryApi.forget, { params: { number: each } }, io.signal));
  if (json) return writeJson(io, { items });
  writeLines(
    io,
    items.map(({ status, tombstone }) => line(status, tombstone === null ? 'warn' : 'plain')),
  );
}

async function isMeant(client: ApiClient, io: Io): Promise<boolean> {
  const { active } = await client.call(memoryApi.counts, {}, io.signal);
  if (active > 0 && (await askYes(io, `Forget all ${active} items?`))) return true;
  note(io, active === 0 ? 'Nothing is remembered.' : 'nothing forgotten');
  return false;
}

async function search(
  client: ApiClient,
  q: string,
  { json, limit = 10 }: { readonly json: boolean; readonly limit?: number | undefined },
  io: Io,
): Promise<void> {
  const found = await client.call(memoryApi.search, { query: { q, limit } }, io.signal);
  if (json) return writeJson(io, found);
  if (found.meaning === 'unavailable') note(io, 'Searched by keywords only: the embedding model is unavailable.');
  if (found.items.length === 0) return note(io, 'No memory matches that.');
  if (!found.fits) note(io, LOW_CONFIDENCE);
  const nowMs = Date.now();
  writeFitted(
    io,
    found.items.map((item) => itemLine(item, nowMs)),
  );
}

export const memoryInject = behaviour({
  args: { session: maybe('the session', { suggests: 'session' }) },
  json: 'print the response as JSON',
  examples: ['aish memory inject'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const sessionId = args.session === undefined ? undefined : await sessionOf(client, args.session, io);
    const background = await client.call(
      memoryApi.inject,
      { body: sessionId === undefined ? {} : { sessionId } },
      io.signal,
    );
    if (options.json) return writeJson(io, background);
    if (background.text === null) return note(io, 'Nothing to load: no item is active, or MEMORY_INJECT is off.');
    writeLines(
      io,
      background.text.split('\n').map((each) => line(oneLine(each))),
    );
    if (background.more) note(io, 'Older items did not fit.');
  },
});

function writeFitted(io: Io, rows: readonly Line[]): void {
  const width = io.stdout.isTTY === true ? io.stdout.columns : undefined;
  writeLines(io, width === undefined ? rows : rows.map((row) => fit(row, width)));
}
