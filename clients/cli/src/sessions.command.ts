import { memoryApi } from '@aish/contracts/endpoints/memory';
import { chatApi, sessionsApi } from '@aish/contracts/endpoints/sessions';
import { type SessionList } from '@aish/contracts/chat';
import { formatAge } from '@aish/views/duration.format';
import { line, span, type Line } from '@aish/views/line';
import { cleanText, oneLine } from '@aish/views/sanitise';
import { Trust } from '@aish/contracts/trust';
import { InvalidArgumentError } from 'commander';
import { command, choice, flag, many, one, option } from './command.js';
import { note, writeJson, writeLines } from '@aish/client/io';
import { sessionReference } from './reference.js';

const SESSION = { suggests: 'session' } as const;
const session = () => one('a session: c12, 12 or its UUID', sessionReference, SESSION);
const pathOf = (reference: string): string => `/v1/sessions/${encodeURIComponent(reference)}`;

export const sessionsList = command({
  name: 'sessions list',
  about: 'list the sessions, the one used last first',
  options: {
    kind: choice('kind', 'only chats, or only those of goals', ['chat', 'goal']),
    limit: option('n', 'at most so many (default 50)'),
    archived: flag('only those that are archived'),
  },
  json: 'print the api’s answer',
  examples: ['aish sessions list', 'aish sessions list --kind chat --json'],
  run: async ({ options, io, connect }) => {
    const query = {
      ...(options.kind === undefined ? {} : { kind: options.kind }),
      ...(options.limit === undefined ? {} : { limit: Number(options.limit) }),
      ...(options.archived ? { archived: true } : {}),
    };
    const list = await connect().client.call(sessionsApi.list, { query }, io.signal);
    if (options.json) return writeJson(io, list);
    writeLines(io, list.items.map(sessionLine));
  },
});

export const sessionsSearch = command({
  name: 'sessions search',
  about: 'find sessions by words of their titles and turns; beginnings of words are enough',
  args: { words: many('what to look for') },
  json: 'print the api’s answer',
  examples: ['aish sessions search backup restic'],
  run: async ({ args, options, io, connect }) => {
    const list = await connect().client.call(sessionsApi.list, { query: { q: args.words.join(' ') } }, io.signal);
    if (options.json) return writeJson(io, list);
    writeLines(
      io,
      list.items.flatMap((item) => [
        sessionLine(item),
        ...(item.snippet === null ? [] : [line(`      ${oneLine(item.snippet)}`, 'dim')]),
      ]),
    );
  },
});

export const sessionsShow = command({
  name: 'sessions show',
  about: 'print what was said in a session, the newest turns',
  args: { session: session() },
  options: { turns: option('n', 'so many turns (default 200)') },
  json: 'print the session and its turns',
  examples: ['aish sessions show 12', 'aish sessions show 12 --turns 4'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const found = await client.call(sessionsApi.show, { params: { ref: args.session } }, io.signal);
    const { items } = await client.call(
      sessionsApi.turns,
      { params: { ref: found.id }, query: { limit: Number(options.turns ?? 200) } },
      io.signal,
    );
    if (options.json) return writeJson(io, { ...found, items });
    writeLines(io, [
      [span(`session ${found.number}  `, 'accent'), span(oneLine(found.title), 'bold')],
      ...items.flatMap((turn): Line[] => [
        line(''),
        line(`${turn.role}${turn.end === null || turn.end === 'whole' ? '' : ` (${turn.end})`}`, 'accent'),
        ...cleanText(turn.content)
          .split('\n')
          .map((text) => line(`  ${text}`)),
        ...turn.toolCalls.map((call) => line(`  calls ${oneLine(call.name)} ${oneLine(call.arguments)}`, 'dim')),
      ]),
    ]);
  },
});

export const sessionsRename = command({
  name: 'sessions rename',
  about: 'give a session another title',
  args: { session: session(), title: many('the title') },
  json: 'print the session',
  examples: ['aish sessions rename 12 "the backup of the NAS"'],
  run: async ({ args, options, io, connect }) => {
    const changed = await connect().client.call(
      sessionsApi.change,
      { params: { ref: args.session }, body: { title: args.title.join(' ') } },
      io.signal,
    );
    if (options.json) return writeJson(io, changed);
    writeLines(io, [sessionLine({ ...changed, snippet: null })]);
  },
});

export const sessionsTrust = command({
  name: 'sessions trust',
  about: 'say how far the commands of a chat go without a question',
  args: {
    session: session(),
    trust: one(
      'undoable: what can be taken back runs without a question, and the model goes on by itself; ask: what rules stop waits for you',
      (text) => {
        const trust = Trust.safeParse(text);
        if (trust.success) return trust.data;
        throw new InvalidArgumentError(`One of ${Trust.options.join(', ')}.`);
      },
    ),
  },
  json: 'print the session',
  examples: ['aish sessions trust c12 undoable', 'aish sessions trust c12 ask'],
  run: async ({ args, options, io, connect }) => {
    const trust = Trust.parse(args.trust);
    const changed = await connect().client.call(
      sessionsApi.change,
      { params: { ref: args.session }, body: { trust } },
      io.signal,
    );
    if (options.json) return writeJson(io, changed);
    writeLines(io, [line(`c${changed.number}: trust ${changed.trust ?? 'ask'}`)]);
  },
});

export const sessionsFolders = command({
  name: 'sessions folders',
  about: 'give the commands of a chat folders of the host, by their names there',
  args: { session: session(), names: many('the names, all of them; none takes away what there is') },
  json: 'print the session',
  examples: ['aish sessions folders 12 media', 'aish sessions folders 12 none'],
  run: async ({ args, options, io, connect }) => {
    const hostFolders = args.names.length === 1 && args.names[0] === 'none' ? [] : [...args.names];
    const changed = await connect().client.call(
      sessionsApi.change,
      { params: { ref: args.session }, body: { hostFolders } },
      io.signal,
    );
    if (options.json) return writeJson(io, changed);
    writeLines(io, [line(`session ${changed.number}: ${changed.hostFolders.join(', ') || 'no folders of the host'}`)]);
  },
});

export const sessionsHosts = command({
  name: 'sessions hosts',
  about: 'let the commands of a chat use other machines over SSH, by their names in aish host list',
  args: { session: session(), names: many('the names, all of them; none takes away what there is') },
  json: 'print the session',
  examples: ['aish sessions hosts 12 nas', 'aish sessions hosts 12 none'],
  run: async ({ args, options, io, connect }) => {
    const hosts = args.names.length === 1 && args.names[0] === 'none' ? [] : [...args.names];
    const changed = await connect().client.call(
      sessionsApi.change,
      { params: { ref: args.session }, body: { hosts } },
      io.signal,
    );
    if (options.json) return writeJson(io, changed);
    writeLines(io, [line(`session ${changed.number}: ${changed.hosts.join(', ') || 'no other hosts'}`)]);
  },
});

export const sessionsFork = command({
  name: 'sessions fork',
  about: 'begin a new chat from some turn of a session',
  args: { session: session() },
  options: { turn: option('n', 'the last turn to take over (default: all)'), title: option('title', 'its title') },
  json: 'print the new session',
  examples: ['aish sessions fork 12 --turn 4'],
  run: async ({ args, options, io, connect }) => {
    const body = {
      ...(options.turn === undefined ? {} : { turn: Number(options.turn) }),
      ...(options.title === undefined ? {} : { title: options.title }),
    };
    const forked = await connect().client.call(sessionsApi.fork, { params: { ref: args.session }, body }, io.signal);
    if (options.json) return writeJson(io, forked);
    writeLines(io, [sessionLine({ ...forked, snippet: null })]);
  },
});

export const sessionsStop = command({
  name: 'sessions stop',
  about: 'stop what a chat is doing; what came of the answer is kept',
  args: { session: session() },
  json: 'print the api’s answer',
  examples: ['aish sessions stop 12'],
  run: async ({ args, options, io, connect }) => {
    const result = await connect().client.call(chatApi.stop, { params: { ref: args.session } }, io.signal);
    if (options.json) return writeJson(io, result);
    writeLines(io, [line(result.stopped ? 'stopped' : 'it had ended already')]);
  },
});

export const sessionsEnd = command({
  name: 'sessions end',
  about: 'say that a session was left; its memories are proposed then, if that is set',
  args: { session: session() },
  json: 'print the api’s answer',
  examples: ['aish sessions end 12'],
  run: async ({ args, options, io, connect }) => {
    const { client } = connect();
    const { id } = await client.call(sessionsApi.show, { params: { ref: args.session } }, io.signal);
    const ended = await client.call(memoryApi.sessionEnded, { body: { sessionId: id } }, io.signal);
    if (options.json) return writeJson(io, ended);
    writeLines(io, [line(ended.summarizing ? 'it is read for what to remember' : 'nothing is set to happen')]);
  },
});

export const sessionsRemove = command({
  name: 'sessions rm',
  about: 'delete a chat with its workspace',
  args: { session: session() },
  examples: ['aish sessions rm 12'],
  run: async ({ args, io, connect }) => {
    await connect().client.text({ method: 'DELETE', path: pathOf(args.session) }, io.signal);
    note(io, `session ${args.session} is deleted`);
  },
});

function sessionLine(item: SessionList['items'][number]): Line {
  const state = item.kind === 'goal' ? `goal ${item.goalNumber} ${item.goalState ?? ''}` : (item.state ?? '');
  return [
    span(String(item.number).padStart(5), 'bold'),
    span(`  ${state.padEnd(16)}`, item.state === 'deciding' ? 'warn' : 'dim'),
    span(formatAge(item.updatedAt, Date.now()).padEnd(10), 'dim'),
    span(oneLine(item.title)),
  ];
}
