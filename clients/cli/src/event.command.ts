import { eventsApi } from '@aish/contracts/endpoints/events';
import { AddEventSource, EventProof, type ReceivedEvent } from '@aish/contracts/incoming-events';
import { AishError } from '@aish/contracts/problems';
import { formatAge, formatMoment } from '@aish/views/duration.format';
import { line, span, type Line } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { choice, command, flag, one, option } from './command.js';
import { note, readAll, writeJson, writeLines } from '@aish/client/io';
import { readHidden } from './read-hidden.js';
import { eventReference } from './reference.js';
import { wholeNumber } from './whole-number.js';

const NAME = one('its name, which stands in its address: alerts', (text) => text);
const EVENT = one('e4, 4 or a UUID', eventReference);
const DEFAULT_LIMIT = 20;

export const eventSource = command({
  name: 'event source',
  about: 'let a sender in: prints its address and its secret, once',
  args: { name: NAME },
  options: {
    proof: choice('way', 'how its events prove where they come from (default token)', EventProof.options),
    header: option('name', 'with token: the header that holds it (default Authorization, Bearer or Basic)'),
    ownSecret: flag('the sender names the secret: it is asked for, or read from stdin'),
  },
  json: 'print what is kept, and the secret',
  examples: ['aish event source alerts', 'aish event source forge --proof gitea'],
  run: async ({ args, options, io, connect }) => {
    const { name } = args;
    const secret = options.ownSecret === true ? await readSecret(io) : undefined;
    const { proof, header } = options;
    const input = AddEventSource.safeParse({
      name,
      ...(proof === undefined ? {} : { proof }),
      ...(header === undefined ? {} : { header: header.toLowerCase() }),
      ...(secret === undefined ? {} : { secret }),
    });
    if (!input.success)
      throw new AishError('invalid_body', `${oneLine(name)}: ${input.error.issues[0]?.message ?? ''}`);
    const { client, address } = connect();
    const added = await client.call(eventsApi.addSource, { body: input.data }, io.signal);
    if (options.json) return writeJson(io, added);
    writeLines(io, [
      line(`address  POST ${address.url.replace(/\/$/, '')}/v1/events/${added.name}`),
      line(`proof    ${HOW[added.proof]}${added.header === null ? '' : ` in ${added.header}`}`),
      line(`secret   ${added.secret}`),
    ]);
    note(io, `It is shown this once. Say what its events give: aish event rule ${added.name} "…"`);
  },
});

const HOW: Readonly<Record<EventProof, string>> = {
  token: 'the secret as a token',
  github: 'signed as GitHub does',
  gitea: 'signed as Gitea and Forgejo do',
  'standard-webhooks': 'signed as Standard Webhooks have it',
};

export const eventSources = command({
  name: 'event sources',
  about: 'list who may send events',
  json: 'print the api’s answer',
  examples: ['aish event sources'],
  run: async ({ options, io, connect }) => {
    const list = await connect().client.call(eventsApi.sources, {}, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'Nobody sends events. Let somebody in: aish event source alerts');
    writeLines(
      io,
      list.items.map(({ name, proof, createdBy, createdAt }): Line => [
        span(name.padEnd(20), 'bold'),
        span(` ${proof.padEnd(18)}`),
        span(`added by ${oneLine(createdBy)} ${formatAge(createdAt, Date.now())} ago`, 'dim'),
      ]),
    );
  },
});

export const eventRemove = command({
  name: 'event remove',
  about: 'take a sender out, with its rules and events; goals stay',
  args: { name: NAME },
  json: 'print what it was',
  examples: ['aish event remove alerts'],
  run: async ({ args, options, io, connect }) => {
    const removed = await connect().client.call(eventsApi.removeSource, { params: { name: args.name } }, io.signal);
    if (options.json) return writeJson(io, removed);
    note(io, `${removed.name} is removed`);
  },
});

export const eventList = command({
  name: 'event list',
  about: 'list the events that came, newest first, and what came of them',
  options: {
    source: option('name', 'those of this sender alone'),
    limit: option('n', `how many (default ${DEFAULT_LIMIT})`, { read: wholeNumber }),
  },
  json: 'print the api’s answer',
  examples: ['aish event list', 'aish event list --source alerts --limit 5'],
  run: async ({ options, io, connect }) => {
    const { source, limit = DEFAULT_LIMIT } = options;
    const list = await connect().client.call(eventsApi.list, { query: { source, limit } }, io.signal);
    if (options.json) return writeJson(io, list);
    if (list.items.length === 0) return note(io, 'No events came');
    writeLines(io, list.items.map(eventLine));
  },
});

export const eventShow = command({
  name: 'event show',
  about: 'show an event and all that it says',
  args: { ref: EVENT },
  json: 'print the api’s answer',
  examples: ['aish event show e4'],
  run: async ({ args, options, io, connect }) => {
    const event = await connect().client.call(eventsApi.find, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, event);
    const body = JSON.stringify(event.body, null, 2).split('\n');
    writeLines(io, [eventLine(event), ...body.map((text) => line(oneLine(text)))]);
  },
});

export const eventTest = command({
  name: 'event test',
  about: 'say what an event that came would begin by today’s rules; does nothing',
  args: { ref: EVENT },
  json: 'print the api’s answer',
  examples: ['aish event test e4'],
  run: async ({ args, options, io, connect }) => {
    const test = await connect().client.call(eventsApi.test, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, test);
    if (test.rule === null) return note(io, 'No rule is for it');
    writeLines(io, [
      line(`rule     r${test.rule}`),
      line(`key      ${oneLine(test.key ?? '')}`),
      test.isResolved ? line('it ends an event') : line(`goal     ${oneLine(test.text ?? '')}`),
    ]);
  },
});

export const eventReplay = command({
  name: 'event replay',
  about: 'take an event again, by today’s rules, whenever the last one came',
  args: { ref: EVENT },
  json: 'print the api’s answer',
  examples: ['aish event replay e4'],
  run: async ({ args, options, io, connect }) => {
    const receipt = await connect().client.call(eventsApi.replay, { params: { ref: args.ref } }, io.signal);
    if (options.json) return writeJson(io, receipt);
    note(io, `${receipt.outcome}${receipt.goal === null ? '' : `: goal ${receipt.goal}`}`);
  },
});

/** `e4  2026-11-22 03:00:00  alerts  r2  goal 17  again 12 times` */
function eventLine(event: ReceivedEvent): Line {
  const { number, receivedAt, source, rule, outcome, goal, repeats, resolvedAt } = event;
  return [
    span(`e${number}`.padEnd(7), 'bold'),
    span(`${formatMoment(receivedAt)}  ${source}`),
    span(rule === null ? '' : `  r${rule}`),
    span(goal === null ? `  ${outcome}` : `  goal ${goal}`, 'bold'),
    span(repeats === 0 ? '' : `  again ${repeats} times`, 'warn'),
    span(resolvedAt === null ? '' : '  over', 'dim'),
  ];
}

async function readSecret(io: Parameters<typeof readAll>[0]): Promise<string> {
  const typed = io.stdin.isTTY === true ? await readHidden(io, 'secret: ') : await readAll(io);
  return typed.replace(/\r?\n$/, '');
}
