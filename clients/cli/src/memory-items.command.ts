import { memoryApi } from '@aish/contracts/endpoints/memory';
import type { MemoryList } from '@aish/contracts/memory';
import { MemoryKind, type AddedMemory } from '@aish/contracts/memory';
import { InvalidArgumentError } from 'commander';
import { flagLines, itemLine, trailLines } from '@aish/views/memory.format';
import { line, span, type Line } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { oneLine } from '@aish/views/sanitise';
import { LineAsker } from './ask-line.js';
import { choice, command, flag, many, maybe, one, oneOf, option, repeated } from './command.js';
import { note, writeJson, writeLines, type Io } from '@aish/client/io';
import { NOTHING_FITS } from '@aish/contracts/recall';
import { sessionOf } from './session-of.js';

const PAGE = 1_000;
const number = one('number of the item', itemNumber);
const live = option('ref', 'a live session, whose next turn shows the item', { suggests: 'session' });
const tag = repeated('tag', 'a word to find it by, can be repeated', '-t');

export function itemNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('A whole number from 1 on, as aish memory list shows them.');
}

function limitOf(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('A whole number from 1 on.');
}

export const remember = command({
  name: 'remember',
  about: 'remember a fact: what new chats begin with',
  args: { text: many('what to remember') },
  options: { tag, session: live },
  json: 'print the item and what is noticed about it',
  examples: ['aish remember "the NAS is called odin"', 'aish remember -t disks "odin has 4 disks of 8 TB"'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const sessionId = options.session === undefined ? undefined : await sessionOf(client, options.session, io);
    const added = await client.call(
      memoryApi.add,
      {
        body: {
          content: args.text.join(' '),
          tags: [...(options.tag ?? [])],
          ...(sessionId === undefined ? {} : { sessionId }),
        },
      },
      io.signal,
    );
    if (options.json) return writeJson(io, added);
    tellAdded(io, added);
  },
});

export const memoryAdd = command({
  name: 'memory add',
  about: 'remember a fact, a preference or context',
  args: { kind: oneOf('what it is', MemoryKind.options), text: many('what to remember') },
  options: { tag, session: live },
  json: 'print the item and what is noticed about it',
  examples: ['aish memory add pref "terse answers, no summaries at the end"'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const sessionId = options.session === undefined ? undefined : await sessionOf(client, options.session, io);
    const content = args.text.join(' ');
    const body = { kind: args.kind, content, tags: [...(options.tag ?? [])] };
    const added = await client.call(
      memoryApi.add,
      { body: sessionId === undefined ? body : { ...body, sessionId } },
      io.signal,
    );
    if (options.json) return writeJson(io, added);
    tellAdded(io, added);
  },
});

export const memoryList = command({
  name: 'memory list',
  about: 'list what is remembered, newest first',
  options: {
    kind: choice('kind', 'only these', MemoryKind.options),
    tag: option('tag', 'only those with this tag', { short: '-t' }),
    state: choice('state', 'active ones if absent', ['active', 'forgotten', 'all'] as const),
    limit: option('n', 'at most so many; 100 if absent', { read: limitOf }),
  },
  json: 'print the items',
  examples: ['aish memory list', 'aish memory list --kind pref --json'],
  run: async ({ options, io, connect }) => {
    const { client } = connect();
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
    if (items.length === 0) return note(io, 'Nothing is remembered. Begin: aish remember "…"');
    const nowMs = Date.now();
    writeFitted(
      io,
      items.map((item) => itemLine(item, nowMs)),
    );
    if (cursor !== undefined) note(io, `There are more; these are the newest ${items.length}.`);
  },
});

export const memorySearch = command({
  name: 'memory search',
  about: 'find what is remembered by words, best first',
  args: { words: many('what to look for') },
  options: { limit: option('n', 'at most so many; 10 if absent', { read: limitOf }) },
  json: 'print the api’s answer',
  examples: ['aish memory search grafana port'],
  run: async ({ args, options, io, connect }) => {
    const found = await connect().client.call(
      memoryApi.search,
      { query: { q: args.words.join(' '), limit: options.limit ?? 10 } },
      io.signal,
    );
    if (options.json) return writeJson(io, found);
    if (found.meaning === 'away') note(io, 'By words alone: the model for embeddings does not answer.');
    if (found.items.length === 0) return note(io, 'Nothing is remembered about that.');
    if (!found.fits) note(io, NOTHING_FITS);
    const nowMs = Date.now();
    writeFitted(
      io,
      found.items.map((item) => itemLine(item, nowMs)),
    );
  },
});

export const memoryForget = command({
  name: 'memory forget',
  about: 'forget items; the record keeps that they were there',
  args: { numbers: many('numbers of items') },
  json: 'print the api’s answers',
  examples: ['aish memory forget 3', 'aish memory forget 3 4 7'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const items = [];
    for (const each of args.numbers.map(itemNumber))
      items.push(await client.call(memoryApi.forget, { params: { number: each } }, io.signal));
    if (options.json) return writeJson(io, { items });
    writeLines(
      io,
      items.map(({ status, tombstone }) => line(status, tombstone === null ? 'warn' : 'plain')),
    );
  },
});

export const memoryClear = command({
  name: 'memory clear',
  about: 'forget every item, after a question',
  options: { yes: flag('do not ask', '-y') },
  json: 'print the numbers of the items',
  examples: ['aish memory clear', 'aish memory clear --yes'],
  run: async ({ options, io, connect }) => {
    const { client } = connect();
    if (!options.yes) {
      const { active } = await client.call(memoryApi.counts, {}, io.signal);
      if (active === 0) return note(io, 'Nothing is remembered.');
      const asker = new LineAsker(io);
      const answer = await asker.ask(`forget all ${active} items? [y/N] `);
      asker.close();
      if (answer === null || !/^y(?:es)?$/i.test(answer.trim())) return note(io, 'nothing forgotten');
    }
    const { forgotten } = await client.call(memoryApi.clear, { body: { confirm: true } }, io.signal);
    if (options.json) return writeJson(io, { forgotten });
    writeLines(io, [line(`[aish] memory: forgot ${forgotten.length} items`)]);
  },
});

export const memoryEdit = command({
  name: 'memory edit',
  about: 'put a new item in the place of an old one',
  args: { number, text: many('the new words') },
  options: { kind: choice('kind', 'another kind', MemoryKind.options), tag },
  json: 'print the new item and what is noticed about it',
  examples: ['aish memory edit 3 "Grafana is on port 3001"'],
  run: async ({ args, options, io, connect }) => {
    const change = {
      content: args.text.join(' '),
      ...(options.kind === undefined ? {} : { kind: options.kind }),
      ...(options.tag === undefined ? {} : { tags: [...options.tag] }),
    };
    const added = await connect().client.call(
      memoryApi.edit,
      { params: { number: args.number }, body: change },
      io.signal,
    );
    if (options.json) return writeJson(io, added);
    tellAdded(io, added);
  },
});

export const memoryWhy = command({
  name: 'memory why',
  about: 'say where an item comes from, and what became of it',
  args: { number },
  json: 'print the api’s answer',
  examples: ['aish memory why 3'],
  run: async ({ args, options, io, connect }) => {
    const trail = await connect().client.call(memoryApi.why, { params: { number: args.number } }, io.signal);
    if (options.json) return writeJson(io, trail);
    writeLines(io, trailLines(trail));
  },
});

export const memoryInject = command({
  name: 'memory inject',
  about: 'load the background of a live session anew; without one, show what a new chat would begin with',
  args: { session: maybe('the session', { suggests: 'session' }) },
  json: 'print the api’s answer',
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
    if (background.text === null) return note(io, 'Nothing: no item is active, or MEMORY_INJECT is off.');
    writeLines(
      io,
      background.text.split('\n').map((each) => line(oneLine(each))),
    );
    if (background.more) note(io, 'Older items found no room.');
  },
});

export const memoryPrune = command({
  name: 'memory prune',
  about: 'forget items older than so many days',
  args: { days: one('days', limitOf) },
  json: 'print the numbers of the items',
  examples: ['aish memory prune 365'],
  run: async ({ args, options, io, connect }) => {
    const { forgotten } = await connect().client.call(
      memoryApi.prune,
      { body: { olderThanDays: args.days } },
      io.signal,
    );
    if (options.json) return writeJson(io, { forgotten });
    writeLines(io, [line(`[aish] memory: forgot ${forgotten.length} items older than ${args.days} days`)]);
  },
});

function tellAdded(io: Io, added: AddedMemory): void {
  const { number: given, kind, content } = added.item;
  writeLines(io, [
    [span(`${given} `, 'bold'), span(`(${kind}) `, 'dim'), span(oneLine(content))] satisfies Line,
    ...flagLines(added),
  ]);
}

function writeFitted(io: Io, rows: readonly Line[]): void {
  const width = io.stdout.isTTY === true ? io.stdout.columns : undefined;
  writeLines(io, width === undefined ? rows : rows.map((row) => fit(row, width)));
}
